import http from 'node:http'
import { isUrl } from '../../lib/text/is-url.ts'
import type { Receiver } from './receiver.ts'
import { serverOf } from './serve.ts'
import { socketPair } from './socket-pair.ts'

export interface Receivers {
  /** Whether an address is one of theirs. */
  has(url: string): boolean
  /** Connects to the receiver of an address, or returns undefined without one. @param kept whether to reuse connections */
  agent(url: string, kept: boolean): http.Agent | undefined
  close(): void
}

/** @param given a receiver by origin, checked */
export function createReceivers(given: Readonly<Record<string, Receiver>>): Receivers {
  const agents = new Map(
    Object.entries(given).map(([address, receiver]) => {
      const { origin, protocol } = new URL(address)
      const server = serverOf(origin, receiver)
      const createConnection = () => {
        const ends = socketPair(protocol === 'https:')
        server.emit('connection', ends.server)
        return ends.client
      }
      const agentOf = (keepAlive: boolean) =>
        Object.assign(new http.Agent({ keepAlive }), { protocol, createConnection })
      return [origin, { kept: agentOf(true), once: agentOf(false) }]
    }),
  )
  const agentsOf = (url: string) => (agents.size === 0 ? undefined : agents.get(new URL(url).origin))
  return {
    has: (url) => isUrl(url) && agentsOf(url) !== undefined,
    agent: (url, kept) => agentsOf(url)?.[kept ? 'kept' : 'once'],
    close() {
      for (const { kept, once } of agents.values()) for (const agent of [kept, once]) agent.destroy()
    },
  }
}
