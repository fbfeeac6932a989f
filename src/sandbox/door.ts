import type { AddressInfo } from 'node:net'
import type { createApp } from './app.ts'
import { refuseClosed } from '../http/protocol-errors.ts'
import type { FetchWith } from '../http/openapi-app.ts'
import type { Reached } from '../http/origin.ts'
import { cutOf } from '../http/scenario/faults.ts'
import { type InwardLimit, listen, type Listening } from '../http/server.ts'

interface DoorOptions {
  readonly port: number
  readonly host: string
  readonly limit: InwardLimit
  readonly guard: Parameters<typeof listen>[4]
  /** How clients reach the sandbox, where that is not by the address of their request. */
  readonly reached: Reached['reached'] | undefined
}

/** How requests come in: in this process, and by a port when one is opened. */
export interface Door {
  readonly fetch: FetchWith
  listen(port?: number): Promise<AddressInfo>
  /** Whether there is a port; from now on connections to it end with their next answer. */
  leave(): boolean
  /** From now on requests of this process are refused. */
  refuse(): void
  /** Closes the port. @param grace how long running requests may take, milliseconds */
  close(grace: number): Promise<void>
}

export function openDoor(app: ReturnType<typeof createApp>, options: DoorOptions): Door {
  let server: Listening | undefined
  let refused = false
  const { reached } = options
  const fetch: FetchWith = reached
    ? (request, env) => app.fetch(request, { ...env, reached } satisfies Reached)
    : app.fetch
  return {
    async fetch(request, env) {
      if (refused) return refuseClosed()
      const answer = await fetch(request, env)
      const cut = cutOf(request)
      if (cut) throw cut
      return answer
    },
    async listen(port = options.port) {
      server = await listen(fetch, port, options.host, options.limit, options.guard)
      return server.address
    },
    leave() {
      server?.leave()
      return server !== undefined
    },
    refuse() {
      refused = true
    },
    async close(grace) {
      await server?.stop(grace)
    },
  }
}
