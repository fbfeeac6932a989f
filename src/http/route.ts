import type { RouteConfig } from '@hono/zod-openapi'
import { lazy } from '../lib/lazy.ts'

/**
 * An operation as the generated code declares it. Its getters are asked once, so that schemas are made for what is used
 * of them and no more. The library's own `createRoute` also brings the writing of descriptions, which is not done here.
 */
export function route<const Route extends RouteConfig>(declared: Route): Route {
  for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(declared)))
    if (get) Object.defineProperty(declared, name, { get: lazy(get) })
  return declared
}
