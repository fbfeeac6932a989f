import type { Rpc as ControlRpc } from '../generated/control/rpc.ts'
import type { Rpc as ServiceRpc } from '../generated/service/rpc.ts'

/** @ts-ignore Who does not mount needs no Hono: the type is `any` then. */
type HonoOf<Routes> = import('hono').Hono<object, Routes, '/'>

/** What a Hono application knows of the sandbox. */
export type SandboxApp = HonoOf<ServiceRpc & ControlRpc> & {
  /** What is registered, and where more can be. */
  readonly openAPIRegistry: { readonly definitions: readonly object[] }
  /** The description of every operation, for OpenAPI 3.1. */
  getOpenAPI31Document(about: {
    readonly openapi: string
    readonly info: { readonly title: string; readonly version: string }
  }): { readonly paths?: { readonly [path: string]: object } }
}
