import type { Log } from '../log.ts'
import type { Exchange } from './exchange.ts'

/** Writes a line of a request whose answer is ready. @param ms from arrival to answer */
export function logRequest(log: Log, { c, entry, world }: Exchange, status: number, ms: number): void {
  const decision = entry?.decided?.decision
  const { method, path } = c.req
  log.info('request', {
    method,
    path,
    status,
    ms,
    scenario: decision?.scenario,
    by: decision?.scenario && decision.by,
    over: decision?.over.length ? decision.over : undefined,
    fault: entry?.fault,
    world: entry && world.name,
    username: entry?.username,
    id: entry?.id,
  })
}
