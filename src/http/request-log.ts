import type { MiddlewareHandler } from 'hono'
import type { Wall } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Env } from './env.ts'

/** Writes a line a request when its answer is ready. */
export const requestLog =
  (log: Log, wall: Wall): MiddlewareHandler<Env> =>
  async (c, next) => {
    const started = wall()
    await next()
    log.info('request', {
      method: c.req.method,
      path: c.req.path,
      status: c.res.status,
      ms: wall() - started,
      // Absent when the request was refused before its credentials were read.
      ...((c.get('world') as unknown) && { world: c.var.world.name, username: c.var.caller.username }),
    })
  }
