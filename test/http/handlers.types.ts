/** Checked by the compiler alone (`npm run types`): a line after `@ts-expect-error` must not compile. */
import type { ControlHandlers, Handlers, ServiceHandlers } from '../../src/http/handler.ts'
import type { Error } from '../../src/generated/service/schemas.ts'
import type { routes } from '../openapi/fixtures/generated/routes.ts'

type Env = { Variables: { caller: { readonly user_id: number } } }
type FixtureHandlers = Handlers<typeof routes, Env>

const createOrder: FixtureHandlers['createOrder'] = (c) => {
  const { id, customer } = c.req.valid('json')
  return c.json({ integer: id, text: customer.name, const: 'only' }, 201)
}
const getOrder: FixtureHandlers['getOrder'] = async (c) => {
  const { order_id } = c.req.valid('param')
  const { page, ratio, verbose, state } = c.req.valid('query')
  const read: [number, number, number | undefined, boolean | undefined, 'open' | 'paid'] = [
    order_id,
    page,
    ratio,
    verbose,
    state,
  ]
  const customer = { name: `${c.req.valid('header')['x-trace']} ${read.join()}`, phone: '' }
  return c.json({ order: { id: c.get('caller').user_id, customer } }, 200)
}
export const whole: FixtureHandlers = { createOrder, getOrder }

// @ts-expect-error the handler of getOrder is missing
export const missing: FixtureHandlers = { createOrder }

// @ts-expect-error nothing in the description has this name
export const unknown: FixtureHandlers = { createOrder, getOrder, deleteOrder: createOrder }

// @ts-expect-error 202 is not declared
export const undeclared: FixtureHandlers['createOrder'] = (c) => c.json({}, 202)

// @ts-expect-error 201 is declared, with another type of content
export const text: FixtureHandlers['createOrder'] = (c) => c.text('{}', 201)

// @ts-expect-error integer is a number
export const wrongType: FixtureHandlers['createOrder'] = (c) => c.json({ integer: '1' }, 201)

// @ts-expect-error the order needs a customer
export const wrongBody: FixtureHandlers['getOrder'] = (c) => c.json({ order: { id: 1 } }, 200)

// @ts-expect-error the body of 201 is not that of 400
export const otherBody: FixtureHandlers['createOrder'] = (c) => c.json({ integer: 1 }, 400)

// @ts-expect-error a body is not a response
export const bare: FixtureHandlers['createOrder'] = () => ({ integer: 1 })

export const notRead: FixtureHandlers['getOrder'] = (c) => {
  // @ts-expect-error the description knows no such parameter
  const { colour } = c.req.valid('query')
  // @ts-expect-error nor has the environment such a variable
  const world: unknown = c.get('world')
  return c.json({ order: { id: 1, customer: { name: `${colour} ${world}`, phone: '' } } }, 200)
}

const refusal: Error = { error_code: 'unavailable', error_message: 'closed', status_code: 503 }
export const refuses: Pick<ServiceHandlers<Env>, 'getAccount'> = { getAccount: (c) => c.json(refusal, 503) }

// @ts-expect-error getAccount never answers 502
export const neverAnswered: ServiceHandlers<Env>['getAccount'] = (c) => c.json(refusal, 502)

// @ts-expect-error a ledger has more than this
export const ledger: ControlHandlers<Env>['getLedger'] = (c) => c.json({ balanced: true }, 200)
