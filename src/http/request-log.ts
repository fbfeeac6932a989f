import type { MiddlewareHandler } from 'hono'
import type { Wall } from '../clock.ts'
import type { Log } from '../log.ts'
import type { JournalEntry } from '../worlds/journal.ts'
import type { Env } from './env.ts'
import { cutsAnswer } from './faults.ts'

/** Writes a line a request when its answer is ready, and puts the answer on the world's record. */
export const requestLog =
  (log: Log, wall: Wall): MiddlewareHandler<Env> =>
  async (c, next) => {
    const started = wall()
    await next()
    const ms = wall() - started
    // Absent when the request was refused before its credentials were read.
    const entry = c.get('entry') as JournalEntry | undefined
    // A connection that was cut has no status.
    const status = cutsAnswer(entry?.fault) ? 0 : c.res.status
    if (entry) Object.assign(entry, { status, duration_ms: ms })
    const decision = entry?.considered?.decision
    log.info('request', {
      method: c.req.method,
      path: c.req.path,
      status,
      ms,
      ...(decision?.scenario && { scenario: decision.scenario, by: decision.by }),
      ...(decision && decision.over.length > 0 && { over: decision.over }),
      ...(entry?.fault && { fault: entry.fault }),
      ...(entry && { world: c.var.world.name, username: entry.username, id: entry.id }),
    })
  }
