/** Checked by the compiler alone (`npm run types`): what the schemas read is what handlers are said to be given. */
import type { z } from 'zod'
import type { Requests as ControlRequests } from '../../src/generated/control/requests.ts'
import type { routes as controlRoutes } from '../../src/generated/control/routes.ts'
import type { Requests as ServiceRequests } from '../../src/generated/service/requests.ts'
import type { routes as serviceRoutes } from '../../src/generated/service/routes.ts'
import type { Requests as FixtureRequests } from '../openapi/fixtures/generated/requests.ts'
import type { routes as fixtureRoutes } from '../openapi/fixtures/generated/routes.ts'

type Read<Schema> = Schema extends z.ZodType ? z.output<Schema> : never

/** The parts of a request, each as its schema reads it. */
type ReadBy<Route> = Route extends { readonly request: infer Request }
  ? {
      [Part in keyof Request as Part extends 'params' ? 'path' : Part]: Request[Part] extends {
        readonly content: { readonly 'application/json': { readonly schema: infer Schema } }
      }
        ? Read<Schema>
        : Read<Request[Part]>
    }
  : object

/** The operations whose requests are read as something else than they are said to be. */
type Wrong<Routes, Requests> = {
  [Id in keyof Routes]: ReadBy<Routes[Id]> extends Requests[Id & keyof Requests] ? never : Id
}[keyof Routes]

type None<Ids extends never> = Ids
export type AllRight = [
  None<Wrong<typeof serviceRoutes, ServiceRequests>>,
  None<Wrong<typeof controlRoutes, ControlRequests>>,
  None<Wrong<typeof fixtureRoutes, FixtureRequests>>,
  // @ts-expect-error an order is not read as a Team
  None<Wrong<typeof fixtureRoutes, { createOrder: { body: { team: string } }; getOrder: object }>>,
]
