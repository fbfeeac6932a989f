import { once } from 'node:events'
import { stdin } from 'node:process'
import type { WorldClient } from '../client/types.ts'
import { createMcpServer } from './server.ts'

/** Whoever started this process talks to it by its standard input and output. */
export interface OverStdio {
  /** When there is nobody to talk to any more. */
  readonly ended: Promise<unknown>
  close(): Promise<void>
}

/** Serves tools for one world. @param address where the integration reaches the sandbox */
export async function serveOverStdio(world: WorldClient, address: string): Promise<OverStdio> {
  const [library, { serveStdio }] = await Promise.all([
    import('./library.ts'),
    import('@modelcontextprotocol/server/stdio'),
  ])
  const ended = Promise.race([once(stdin, 'end'), once(stdin, 'close')])
  const served = serveStdio(() => createMcpServer(library, world, address), { maxSubscriptions: 0 })
  return { ended, close: () => served.close() }
}
