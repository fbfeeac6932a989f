import type { Context } from 'hono'
import type { AuditActor } from '../storage/engine/audit.ts'
import type { World } from '../worlds/world.ts'
import type { Dependencies } from './dependencies.ts'
import type { RecordedRequest } from './journal.ts'

/** What of a request and its answer is logged. */
export interface LoggedExchange {
  readonly c: Context
  readonly world: World
  readonly entry: RecordedRequest | undefined
  readonly by: AuditActor | undefined
  readonly requestId: string
  readonly refusal: string | undefined
}

/** Writes a line of a request whose answer is ready. @param ms from arrival to answer */
export function logRequest(
  { log, client }: Pick<Dependencies, 'log' | 'client'>,
  { c, entry, world, refusal, by, requestId }: LoggedExchange,
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
