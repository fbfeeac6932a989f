import http from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'

export interface Agents {
  /** The agent for one more request. */
  take(secure: boolean): http.Agent
  /** A request has got this connection, a new one or one that was kept. */
  opened(socket: Socket): void
  close(): void
}

/** Milliseconds that a connection is kept unused: receivers close theirs after 2 seconds and more. */
const KEPT_IDLE = 1_000

/**
 * Connections that are kept alive for a while.
 * @param most how many there may be before one that is unused makes room for another
 */
export function createAgents(most: number): Agents {
  const kept = { keepAlive: true, timeout: KEPT_IDLE }
  const agents = [new http.Agent(kept), new https.Agent(kept)] as const
  const open = new Set<Socket>()

  const dropUnused = () => {
    for (const { freeSockets } of agents)
      for (const [unused] of Object.values(freeSockets) as Socket[][]) if (unused) return unused.destroy()
  }

  return {
    take(secure) {
      if (open.size >= most) dropUnused()
      return agents[secure ? 1 : 0]
    },
    opened(socket) {
      if (open.has(socket)) return
      open.add(socket)
      socket.on('close', () => open.delete(socket))
    },
    close() {
      for (const agent of agents) agent.destroy()
    },
  }
}
