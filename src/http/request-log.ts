import type { Dependencies } from './dependencies.ts'
import type { Exchange } from './exchange.ts'

/** Writes a line of a request whose answer is ready. @param ms from arrival to answer */
export function logRequest(
  { log, client }: Pick<Dependencies, 'log' | 'client'>,
  { c, entry, world, refusal, by, requestId }: Exchange,
  status: number,
  ms: number,
): void {
  const decision = entry?.decided?.decision
  const { method, path } = c.req
  log.info('request', {
    method,
    path,
    status,
    error: refusal,
    ms,
    scenario: decision?.scenario,
    by: decision?.scenario && decision.by,
    over: decision?.over.length ? decision.over : undefined,
    fault: entry?.fault,
    world: entry && world.name,
    username: entry?.username,
    id: entry?.id ?? (requestId || undefined),
    admin: by?.kind === 'admin' ? by.name : undefined,
    client: client?.(c),
  })
}
