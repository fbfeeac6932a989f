/** The library's client, over the browser's `fetch`. */
import {
  createTransport,
  type Credentials,
  SandboxError,
  type Transport,
} from '../../src/client/transport.ts'
import type { WorldClient } from '../../src/client/types.ts'
import { createWorldClient } from '../../src/client/world-client.ts'
import { needOf, type Role, whyNot } from './needs.ts'
import { waiting } from './frame.ts'
import { settings } from './settings.ts'

export { SandboxError }
export type { Credentials }

export interface Api {
  readonly username: string
  readonly client: WorldClient
  readonly transport: Transport
}

/**
 * Returns a client for the world of these credentials. It never sends the browser's credentials, nor requests
 * that the key's role forbids.
 * @param role - the role of the key, if known
 */
export function connectTo(credentials: Credentials, role: () => Role | undefined = () => undefined): Api {
  const reach = {
    async send(request: Request) {
      const known = role()
      const path = new URL(request.url).pathname.slice(settings.at.length)
      const why = known && whyNot(known, needOf(request.method, path))
      if (why) return Response.json({ error_code: 'permission_denied', error_message: why }, { status: 403 })
      return fetch(request, { credentials: 'omit', cache: 'no-store' })
    },
    leadsThere: (address: URL) => address.origin === location.origin,
  }
  const plain = createTransport(location.origin + settings.at, credentials, reach)
  const transport: Transport = {
    ...plain,
    async ask<T>(...asked: Parameters<Transport['ask']>) {
      const came = waiting()
      try {
        return await plain.ask<T>(...asked)
      } finally {
        came()
      }
    },
  }
  return { username: credentials.username, transport, client: createWorldClient(transport, reach) }
}

/** Returns an error message for readers, from the sandbox if possible. */
export function wordsOf(error: unknown): string {
  if (error instanceof SandboxError) return error.message.replace(/^[A-Z]+ \S+: /, '')
  if (error instanceof TypeError) return 'the sandbox does not respond'
  return error instanceof Error ? error.message : String(error)
}
