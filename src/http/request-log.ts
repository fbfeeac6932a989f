import type { MiddlewareHandler } from 'hono'
import type { Wall } from '../clock.ts'
import type { Log } from '../log.ts'
import type { JournalEntry } from '../worlds/journal.ts'
import type { Env } from './env.ts'
import { closeEntry } from './journal.ts'
import type { Metrics } from './metrics.ts'

/** Writes a line a request when its answer is ready, and puts the answer on the world's record. */
export const requestLog =
  (log: Log, wall: Wall, metrics?: Metrics): MiddlewareHandler<Env> =>
  async (c, next) => {
    const started = wall()
    await next()
    const ms = wall() - started
    // Absent when the request was refused before its credentials were read.
    const entry = c.get('entry') as JournalEntry | undefined
    if (entry) closeEntry(c.var.world, entry, c.res.status, ms)
    metrics?.request(entry?.operation || 'other', c.res.status, ms)
    log.info('request', {
      method: c.req.method,
      path: c.req.path,
      status: c.res.status,
      ms,
      ...(entry && { world: c.var.world.name, username: entry.username, id: entry.id }),
    })
  }
