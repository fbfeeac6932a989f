/** Checked by the compiler alone (`npm run types`): a line after `@ts-expect-error` must not compile. */
import type { Error } from '../../src/generated/service/types.ts'
import { type ControlHandlers, type Handlers, listOf, type ServiceHandlers } from '../../src/http/handler.ts'
import type { Requests } from '../openapi/fixtures/generated/requests.ts'
import type { routes } from '../openapi/fixtures/generated/routes.ts'

type FixtureHandlers = Handlers<typeof routes, Requests>

const createOrder: FixtureHandlers['createOrder'] = ({ request }) => {
  const { id, customer } = request.body
  return { status: 201, body: { integer: id, text: customer.name, const: 'only' } }
}
const getOrder: FixtureHandlers['getOrder'] = async ({ caller, request }) => {
  const { order_id } = request.path
  const { page, ratio, verbose, state } = request.query
  const read: [number, number, number | undefined, boolean | undefined, 'open' | 'paid'] = [
    order_id,
    page,
    ratio,
    verbose,
    state,
  ]
  const customer = { name: `${request.headers['x-trace']} ${read.join()}`, phone: '' }
  return { status: 200, body: { order: { id: caller.user_id, customer } } }
}
export const whole: FixtureHandlers = { createOrder, getOrder }

/** In the transaction that scenarios decide in. */
export const inChange: FixtureHandlers['createOrder'] = {
  change: (tx, { request }) => ({ status: 201, body: { integer: tx.now + request.body.id, const: 'only' } }),
}

export const notGiven: FixtureHandlers['createOrder'] = ({ request }) => {
  // @ts-expect-error the description says that nickname is not used
  const { nickname } = request.body.customer
  return { status: 201, body: { integer: 1, text: nickname, const: 'only' } }
}

// @ts-expect-error the handler of getOrder is missing
export const missing: FixtureHandlers = { createOrder }

// @ts-expect-error nothing in the description has this name
export const unknown: FixtureHandlers = { createOrder, getOrder, deleteOrder: createOrder }

// @ts-expect-error 202 is not declared
export const undeclared: FixtureHandlers['createOrder'] = () => ({ status: 202, body: {} })

// @ts-expect-error 201 is declared, with another type of content
export const text: FixtureHandlers['createOrder'] = () => ({ status: 201, text: '{}' })

// @ts-expect-error integer is a number
export const wrongType: FixtureHandlers['createOrder'] = () => ({ status: 201, body: { integer: '1' } })

// @ts-expect-error the order needs a customer
export const wrongBody: FixtureHandlers['getOrder'] = () => ({ status: 200, body: { order: { id: 1 } } })

// @ts-expect-error the body of 201 is not that of 400
export const otherBody: FixtureHandlers['createOrder'] = () => ({ status: 400, body: { integer: 1 } })

// @ts-expect-error a body is not a reply
export const bare: FixtureHandlers['createOrder'] = () => ({ integer: 1 })

export const notSync: FixtureHandlers['createOrder'] = {
  // @ts-expect-error what is done in a change is done at once
  change: async () => ({ status: 201, body: { integer: 1, const: 'only' } }),
}

export const notRead: FixtureHandlers['getOrder'] = (call) => {
  // @ts-expect-error the description knows no such parameter
  const { colour } = call.request.query
  // @ts-expect-error nor has a call such a field
  const world: unknown = call.planet
  return { status: 200, body: { order: { id: 1, customer: { name: `${colour} ${world}`, phone: '' } } } }
}

const refusal: Error = { error_code: 'unavailable', error_message: 'closed', status_code: 503 }
export const refuses: Pick<ServiceHandlers, 'getAccount'> = {
  getAccount: () => ({ status: 503, body: refusal }),
}

// @ts-expect-error getAccount never answers 502
export const neverAnswered: ServiceHandlers['getAccount'] = () => ({ status: 502, body: refusal })

// @ts-expect-error a ledger has more than this
export const ledger: ControlHandlers['getLedger'] = () => ({ status: 200, body: { balanced: true } })

export const list: ControlHandlers['listRequests'] = () => ({
  status: 200,
  body: { total: 1, next_before: null, requests: [] },
  list: listOf([1], String),
})
