/** `SANDBOX_CALLBACK_REWRITE`: other hosts for callback addresses, as a container needs for `localhost`. */
import { isUrl } from '../lib/text/is-url.ts'
import type { FailureMessage } from './failure-messages.ts'

export interface Rewrite {
  readonly host: string
  /** Null: any port. */
  readonly port: string | null
  readonly toHost: string
  /** Null: the port stays. */
  readonly toPort: string | null
}

/**
 * Reads `localhost=host.docker.internal,shop.test:443=127.0.0.1:8443`; an empty text, or `none`, is no rewrite.
 * @throws Error that names the part refused
 */
export function parseRewrites(text: string): Rewrite[] {
  if (text === 'none') return []
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

/**
 * The address with the first rewrite that fits, or as it was; path and query stay. That of `localhost` fits every address
 * of the machine itself that has none of its own. Done before check and signature.
 */
export function applyRewrites(address: string, rewrites: readonly Rewrite[]): string {
  if (rewrites.length === 0 || !isUrl(address)) return address
  const url = new URL(address)
  const host = plain(url.hostname)
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const atPort = rewrites.filter((each) => each.port === null || each.port === port)
  const rewrite =
    atPort.find((each) => each.host === host) ??
    // Who says localhost means the machine, however an address spells it.
    (isLoopback(url.hostname) ? atPort.find((each) => each.host === 'localhost') : undefined)
  if (rewrite === undefined) return address
  url.hostname = rewrite.toHost
  if (rewrite.toPort !== null) url.port = rewrite.toPort
  return url.href
}

function parseHost(text: string): { host: string; port: string | null } | null {
  const match = /^(\[[0-9a-f:.]+\]|[^\s:/@?#[\]]+)(?::(\d{1,5}))?$/i.exec(text)
  if (match?.[1] === undefined || !isUrl(`http://${text}/`)) return null
  return { host: plain(new URL(`http://${match[1]}/`).hostname), port: match[2] ?? null }
}

function plain(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '')
}

/** Scheme, host and port of an address as it is called; the text itself when it is no URL. */
export function targetOf(address: string, rewrites: readonly Rewrite[]): string {
  const called = applyRewrites(address, rewrites)
  return isUrl(called) ? new URL(called).origin : called
}

/** The name of the host machine in containers: by default with Docker Desktop and Podman, on request with Docker on Linux. */
export const MACHINE = 'host.docker.internal'

const LOOPBACK =
  /^(localhost|.+\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/

/** Whether a `URL.hostname` is the machine itself: 127.0.0.1, ::1, 0.0.0.0, localhost and its subdomains. */
const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname.replace(/\.$/, ''))

/** Returns the same address on the container's host, or undefined for other addresses than loopback. */
export function onMachine(address: string): string | undefined {
  const url = new URL(address)
  if (!isLoopback(url.hostname)) return undefined
  url.hostname = MACHINE
  return url.href
}

const REWRITE = 'SANDBOX_CALLBACK_REWRITE=localhost=NAME'

/**
 * Returns the message for a refused connection in the container and on its host.
 * @param known whether the name of the host resolves
 */
export function nobodyListens(address: string, known: boolean): FailureMessage {
  const { host, port, protocol } = new URL(address)
  const here = `connection refused: nothing listens at ${host} in this container`
  return known
    ? {
        error: `${here}, nor at ${MACHINE}:${port || (protocol === 'https:' ? 443 : 80)}`,
        advice: `start the receiver, and let it listen on 0.0.0.0: what listens on 127.0.0.1 alone is out of a container's reach; for a receiver elsewhere set ${REWRITE}`,
      }
    : {
        error: `${here}, and ${MACHINE} leads nowhere`,
        advice: `start the receiver, if this container is where it runs; for one on the container's machine start the container with --add-host ${MACHINE}:host-gateway, or set ${REWRITE}, NAME being where the receiver is (host.testcontainers.internal with Testcontainers, its service's name with Compose)`,
      }
}

/** Said at the start in a container. */
export const CONTAINER_NOTE = `a callback_url with localhost or 127.0.0.1 is tried in this container, and where nothing listens there at ${MACHINE}, which Docker on Linux knows by --add-host ${MACHINE}:host-gateway; ${REWRITE} names another host, SANDBOX_CALLBACK_REWRITE=none leaves it at the container`
