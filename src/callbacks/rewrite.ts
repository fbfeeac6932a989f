/** Other hosts for callback addresses, as containers need for `localhost`: `SANDBOX_CALLBACK_REWRITE`. */
import { existsSync, readFileSync } from 'node:fs'
import { isUrl } from '../lib/text/is-url.ts'
import type { FailureMessage } from './failure-messages.ts'

export interface Rewrite {
  readonly host: string
  /** Null for any port. */
  readonly port: string | null
  readonly toHost: string
  /** Null to keep the port. */
  readonly toPort: string | null
}

/**
 * Parses a list such as `localhost=host.docker.internal,shop.test:443=127.0.0.1:8443`, an empty text, or `none`.
 * @throws Error naming the invalid part
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
 * Applies the first matching rewrite to an address. The rewrite of `localhost` also applies to other loopback addresses
 * without a rewrite of their own. Runs before the target check and the signature.
 */
export function applyRewrites(address: string, rewrites: readonly Rewrite[]): string {
  if (rewrites.length === 0 || !isUrl(address)) return address
  const url = new URL(address)
  const host = plain(url.hostname)
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  const atPort = rewrites.filter((each) => each.port === null || each.port === port)
  const rewrite =
    atPort.find((each) => each.host === host) ??
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

/** Returns the origin of an address after rewriting, or the text itself if it is not a URL. */
export function targetOf(address: string, rewrites: readonly Rewrite[]): string {
  const called = applyRewrites(address, rewrites)
  return isUrl(called) ? new URL(called).origin : called
}

/** The name of the host in containers: by default with Docker Desktop and Podman, on request with Docker on Linux. */
const CONTAINER_HOST = 'host.docker.internal'

const LOOPBACK =
  /^(localhost|.+\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/

const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname.replace(/\.$/, ''))

/** Returns the same address on the container's host, or undefined if the address is not loopback. */
export function onContainerHost(address: string): string | undefined {
  const url = new URL(address)
  if (!isLoopback(url.hostname)) return undefined
  url.hostname = CONTAINER_HOST
  return url.href
}

const REWRITE = 'SANDBOX_CALLBACK_REWRITE=localhost=NAME'

/**
 * Returns the message for a refused connection in the container and on its host.
 * @param known whether the name of the host resolves
 */
export function connectionRefused(address: string, known: boolean): FailureMessage {
  const { host, port, protocol } = new URL(address)
  const here = `connection refused: nothing listens at ${host} in this container`
  return known
    ? {
        error: `${here}, nor at ${CONTAINER_HOST}:${port || (protocol === 'https:' ? 443 : 80)}`,
        advice: `start the receiver and let it listen on 0.0.0.0, because containers cannot reach 127.0.0.1 of their host; for a receiver elsewhere set ${REWRITE}`,
      }
    : {
        error: `${here}, and ${CONTAINER_HOST} does not resolve`,
        advice: `start the receiver if it runs in this container; for a receiver on the container's host, start the container with --add-host ${CONTAINER_HOST}:host-gateway, or set ${REWRITE}, where NAME is the receiver's host (host.testcontainers.internal with Testcontainers, the service name with Compose)`,
      }
}

/** Logged at the start in a container. */
export const CONTAINER_NOTE = `callbacks to localhost or 127.0.0.1 are sent to this container, and if nothing listens there to ${CONTAINER_HOST} (Docker on Linux needs --add-host ${CONTAINER_HOST}:host-gateway); set ${REWRITE} for another host, or SANDBOX_CALLBACK_REWRITE=none for this container only`

/** Files that Docker, Podman and Kubernetes create in each container. */
const CONTAINER_FILES = ['/.dockerenv', '/run/.containerenv', '/var/run/secrets/kubernetes.io/serviceaccount']
const CONTAINER_GROUP = /docker|kubepods|containerd|libpod|lxc/

/**
 * Whether the process runs in a container, where loopback differs from that of the caller.
 * @param setting - The value of `SANDBOX_IN_CONTAINER`; null to detect it.
 * @param root - The root of the file system.
 */
export function isInContainer(setting: 'on' | 'off' | null, root = ''): boolean {
  if (setting !== null) return setting === 'on'
  if (CONTAINER_FILES.some((path) => existsSync(root + path))) return true
  try {
    return CONTAINER_GROUP.test(readFileSync(`${root}/proc/self/cgroup`, 'utf8'))
  } catch {
    return false
  }
}
