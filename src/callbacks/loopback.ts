/** Receivers on the machine itself, which is another one seen from inside a container. */
import type { FailureMessage } from './failure-messages.ts'

/** What containers call the machine that they run on: Docker Desktop and Podman by themselves, Docker on Linux when told. */
export const MACHINE = 'host.docker.internal'

const LOOPBACK =
  /^(localhost|.+\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/

/** Whether a host is the machine itself, as `URL.hostname` has it: 127.0.0.1, ::1, 0.0.0.0, localhost and what is below. */
export const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname.replace(/\.$/, ''))

/** The same address on the machine that the container runs on; undefined for one that is not on loopback. */
export function onMachine(address: string): string | undefined {
  const url = new URL(address)
  if (!isLoopback(url.hostname)) return undefined
  url.hostname = MACHINE
  return url.href
}

const REWRITE = 'SANDBOX_CALLBACK_REWRITE=localhost=NAME'

/** What was found by trying both, or no more than the container. @param known whether the machine's name leads anywhere */
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
