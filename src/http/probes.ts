import type { Hono } from 'hono'
import type { Env } from './env.ts'

/** They count towards no limit: an orchestrator that is told 429 would end a process that is well. */
export const isProbe = (path: string) => path === '/livez' || path === '/readyz'

/**
 * `/livez` and `/readyz`. The port is opened only after seeding, so whoever gets an answer finds the sandbox ready, unless rows
 * cannot be kept.
 * @param unavailable why nothing is accepted for now; undefined while all is well
 */
export function probes(app: Hono<Env>, unavailable: () => string | undefined): void {
  app.get('/livez', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', (c) => {
    const reason = unavailable()
    return reason === undefined ? c.json({ status: 'ok' }) : c.json({ status: 'unavailable', reason }, 503)
  })
}
