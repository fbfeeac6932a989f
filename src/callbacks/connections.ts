import http from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import type { Receivers } from './receivers/receivers.ts'

export interface Agents {
  /** The agent for one more request; false is a connection that is made for it alone. */
  take(url: string, kept: boolean): http.Agent | false
  /** A request has got this connection, a new one or one that was kept. */
  opened(socket: Socket): void
  close(): void
}

/** Milliseconds that a connection is kept unused: receivers close theirs after 2 seconds and more. */
const KEPT_IDLE = 1_000

/**
 * Connections that are kept alive for a while.
 * @param most how many there may be before one that is unused makes room for another
 * @param receivers in this process, which no connection leaves it for
 */
export function createAgents(most: number, receivers: Receivers): Agents {
  const kept = { keepAlive: true, timeout: KEPT_IDLE }
  const agents = [new http.Agent(kept), new https.Agent(kept)] as const
  const open = new Set<Socket>()

  const dropUnused = () => {
    for (const { freeSockets } of agents)
      for (const [unused] of Object.values(freeSockets) as Socket[][]) if (unused) return unused.destroy()
  }

  return {
    take(url, kept) {
      const within = receivers.agent(url, kept)
      if (within || !kept) return within ?? false
      if (open.size >= most) dropUnused()
      return agents[url.startsWith('https:') ? 1 : 0]
    },
    opened(socket) {
      if (open.has(socket)) return
      open.add(socket)
      socket.on('close', () => open.delete(socket))
    },
    close() {
      for (const agent of agents) agent.destroy()
      receivers.close()
    },
  }
}
