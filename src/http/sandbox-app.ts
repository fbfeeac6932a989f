import type { Rpc as ControlRpc } from '../generated/control/rpc.ts'
import type { Rpc as ServiceRpc } from '../generated/service/rpc.ts'

/** @ts-ignore Without Hono installed, the type is `any`. */
type HonoOf<Routes> = import('hono').Hono<object, Routes, '/'>

/** The sandbox as a Hono application. In a file of its own, because declarations must not need Hono. */
export type SandboxApp = HonoOf<ServiceRpc & ControlRpc> & {
  readonly openAPIRegistry: { readonly definitions: readonly object[] }
  getOpenAPI31Document(about: {
    readonly openapi: string
    readonly info: { readonly title: string; readonly version: string }
  }): { readonly paths?: { readonly [path: string]: object } }
}
