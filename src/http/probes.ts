import type { Hono } from 'hono'
import type { Env } from './env.ts'

/** `/livez` and `/readyz`: the port is opened only after seeding, so whoever gets an answer gets this one. */
export function probes(app: Hono<Env>): void {
  for (const path of ['/livez', '/readyz']) app.get(path, (c) => c.json({ status: 'ok' }))
}
