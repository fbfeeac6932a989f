import type { Hono } from 'hono'
import type { Env } from '../http/env.ts'
import type { Process } from '../http/process.ts'
import type { Access } from '../http/register.ts'
import { once } from '../once.ts'
import type { ControlParts } from './parts.ts'

/** Thrown out of the control API where it has nothing, so that the sandbox says what there is. */
const NOT_HERE = new Error('no path of the control API')

/**
 * The control API, loaded and made at its first request: its schemas and routes are most of what there is to load, and
 * a sandbox that is only paid with never needs them. A path that it has not goes on to the routes after it.
 */
export function controlOnDemand(app: Hono<Env>, access: Access, parts: ControlParts, process: Process): void {
  const control = once(async () => {
    const { controlApp } = await import('./control.ts')
    const api = controlApp(access, parts, process)
    api.notFound(() => {
      throw NOT_HERE
    })
    api.onError((error) => {
      throw error
    })
    return api
  })

  for (const below of ['/sandbox/*', '/__admin/*'])
    app.all(below, async (c, next) => {
      try {
        return await (await control()).fetch(c.req.raw, c.env)
      } catch (error) {
        if (error !== NOT_HERE) throw error
        return next()
      }
    })
}
