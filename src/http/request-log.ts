import type { MiddlewareHandler } from 'hono'
import type { Wall } from '../clock.ts'
import type { Log } from '../log.ts'
import type { JournalEntry } from '../worlds/journal.ts'
import type { Env } from './env.ts'

/** Writes a line a request when its answer is ready, and puts the answer on the world's record. */
export const requestLog =
  (log: Log, wall: Wall): MiddlewareHandler<Env> =>
  async (c, next) => {
    const started = wall()
    await next()
    const ms = wall() - started
    // Absent when the request was refused before its credentials were read.
    const entry = c.get('entry') as JournalEntry | undefined
    if (entry) {
      entry.status = c.res.status
      entry.duration_ms = ms
    }
    log.info('request', {
      method: c.req.method,
      path: c.req.path,
      status: c.res.status,
      ms,
      ...(entry && { world: c.get('world').name, username: entry.username, id: entry.id }),
    })
  }
