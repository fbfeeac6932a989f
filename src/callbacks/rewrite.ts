/** `SANDBOX_CALLBACK_REWRITE`: other hosts for callback addresses, as a container needs for `localhost`. */

export interface Rewrite {
  readonly host: string
  /** Null: any port. */
  readonly port: string | null
  readonly toHost: string
  /** Null: the port stays. */
  readonly toPort: string | null
}

/**
 * Reads `localhost=host.docker.internal,shop.test:443=127.0.0.1:8443`; an empty text is no rewrite.
 * @throws Error that names the part refused
 */
export function parseRewrites(text: string): Rewrite[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [from, to, ...rest] = part.split('=').map((side) => parseHost(side.trim()))
      if (from && to && rest.length === 0) return { ...from, toHost: to.host, toPort: to.port }
      throw new Error(
        `SANDBOX_CALLBACK_REWRITE has "${part}": each part must be host=host, with a port if wanted (localhost:80=host.docker.internal:8080)`,
      )
    })
}

/** The address with the first rewrite that fits, or as it was; path and query stay. Done before check and signature. */
export function applyRewrites(address: string, rewrites: readonly Rewrite[]): string {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  const host = plain(url.hostname)
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const rewrite = rewrites.find((each) => each.host === host && (each.port === null || each.port === port))
  if (rewrite === undefined) return address
  url.hostname = rewrite.toHost
  if (rewrite.toPort !== null) url.port = rewrite.toPort
  return url.href
}

function parseHost(text: string): { host: string; port: string | null } | null {
  const match = /^(\[[0-9a-f:.]+\]|[^\s:/@?#[\]]+)(?::(\d{1,5}))?$/i.exec(text)
  if (match?.[1] === undefined || !URL.canParse(`http://${text}/`)) return null
  return { host: plain(new URL(`http://${match[1]}/`).hostname), port: match[2] ?? null }
}

function plain(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '')
}

/** Scheme, host and port of an address as it is called; the text itself when it is no URL. */
export function targetOf(address: string, rewrites: readonly Rewrite[]): string {
  const called = applyRewrites(address, rewrites)
  return URL.canParse(called) ? new URL(called).origin : called
}
