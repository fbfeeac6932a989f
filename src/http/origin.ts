import type { Context } from 'hono'

/** What a request has in its environment that came through an application which mounts the sandbox. */
export interface Mounted {
  /** The path below which it is mounted, without a last slash. */
  readonly mounted_at: string
}

/** The path below which the sandbox is mounted; empty where it is not. */
export const mountOf = (c: Context): string => (c.env as Partial<Mounted> | undefined)?.mounted_at ?? ''

/** Where the client reached the sandbox, such as `http://127.0.0.1:8080`. */
export function originOf(c: Context): string {
  const { url } = c.req
  const path = url.indexOf('/', url.indexOf('://') + 3)
  return (path < 0 ? url : url.slice(0, path)) + mountOf(c)
}
