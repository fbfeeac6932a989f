/** The operations of the service and of the sandbox's own API, as the description has them. */
import { operations as control, type Operations as Control } from '../generated/control/operations.ts'
import { operations as service, type Operations as Service } from '../generated/service/operations.ts'
import { suggestion } from '../lib/text/suggest.ts'

type Operations = Service & Control

export type InputOf<Name extends Operation> = Operations[Name]['input']
export type RefusalOf<Name extends Operation> = Operations[Name]['refusal']

/** Parameters of every list: its pages and its form, which the client chooses itself. */
type Paging = 'before' | 'after' | 'limit' | 'format'
const PAGING: readonly string[] = ['before', 'after', 'limit', 'format'] satisfies readonly Paging[]

/** The query of an operation without its pages. */
export type FilterOf<Name extends Operation> =
  InputOf<Name> extends { readonly query?: infer Query } ? Omit<NonNullable<Query>, Paging> : never

/** The parameters of an operation's path. */
export type PathParts = Readonly<Record<string, string | number>>

const templates: Readonly<Record<string, string>> = { ...service, ...control }

/**
 * Requires that an operation has every filter: one that it does not have would filter nothing.
 * @param asked the caller's name of it, such as `requests.list`
 * @throws {TypeError} With the nearest filter.
 */
export function requireFilters(asked: string, operation: Operation, filter: object): void {
  const names = /\{\?(.+)\}/.exec(templates[operation]!)?.[1]?.split(',') ?? []
  requireKnown(
    asked,
    filter,
    names.filter((name) => !PAGING.includes(name)),
  )
}

/** @throws {TypeError} With the nearest known name. */
export function requireKnown(asked: string, given: object, known: readonly string[]): void {
  for (const name of Object.keys(given))
    if (!known.includes(name))
      throw new TypeError(`${asked}: ${name} is not known here${suggestion(name, known)}`)
}

/** Returns the method and path of an operation. @throws {TypeError} With the nearest operation if there is none of this name. */
export function placeOf(
  operation: Operation,
  given: PathParts = {},
): { readonly method: string; readonly path: string } {
  const template = Object.hasOwn(templates, operation) ? templates[operation] : undefined
  if (template === undefined)
    throw new TypeError(`there is no operation ${operation}${suggestion(operation, Object.keys(templates))}`)
  const [method, path] = template.replace(/\{\?.*/, '').split(' ') as [string, string]
  return {
    method,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => partOf(operation, name, given[name])),
  }
}

function partOf(operation: string, name: string, value: string | number | undefined): string {
  if (value === undefined) throw new TypeError(`${operation} needs { path: { ${name}: … } }`)
  if (typeof value === 'object')
    throw new TypeError(`${operation}: ${name} must be text or a number, got ${JSON.stringify(value)}`)
  return encodeURIComponent(value)
}

/**
 * The name of an operation of the service.
 * @example
 * ```ts
 * import type { ServiceOperation } from 'payments-sandbox'
 *
 * const paying: ServiceOperation[] = ['createCollection', 'createGlobalPayment']
 * paying.length // => 2
 * ```
 */
export type ServiceOperation = keyof Service

/**
 * The name of an operation of the sandbox's own API.
 * @example
 * ```ts
 * import type { ControlOperation } from 'payments-sandbox'
 *
 * const asked: ControlOperation = 'getClock'
 * const { frozen } = await world.call(asked)
 * frozen // => true
 * ```
 */
export type ControlOperation = keyof Control

/**
 * The name of either.
 * @example
 * ```ts
 * import type { Operation } from 'payments-sandbox'
 *
 * const seen: Operation[] = ['createCollection', 'settle']
 * seen.length // => 2
 * ```
 */
export type Operation = keyof Operations

/**
 * What `world.call` is given for an operation: `path`, `query` and `body`, as far as it has them.
 * @example
 * ```ts
 * import type { OperationInput } from 'payments-sandbox'
 *
 * const one: OperationInput<'getTransaction'> = [{ path: { reference: 'order-1' } }]
 * const { transaction } = await world.call('getTransaction', ...one)
 * transaction.external_reference // => 'order-1'
 * ```
 */
export type OperationInput<Name extends Operation> =
  object extends InputOf<Name> ? [input?: InputOf<Name>] : [input: InputOf<Name>]

/**
 * What an operation answers.
 * @example
 * ```ts
 * import type { OperationAnswer } from 'payments-sandbox'
 *
 * const seen: OperationAnswer<'getClock'>[] = []
 * seen.push(await world.call('getClock'))
 * seen.length // => 1
 * ```
 */
export type OperationAnswer<Name extends Operation> = Operations[Name]['answer']

type BodyOf<Input> = Input extends { readonly body?: infer Body } ? Exclude<Body, undefined> : never

/**
 * The body of a request to the service, for the program that sends it.
 * @example
 * ```ts
 * import type { ServiceRequest } from 'payments-sandbox'
 *
 * const body: ServiceRequest<'createCollection'> = {
 *   amount: 1000,
 *   phone_number: '0712345678',
 *   provider: 'm-pesa',
 *   network_code: '63902',
 *   account_id: 63,
 * }
 * const shop = await world.world()
 * const { status } = await shop.call('createCollection', { body })
 * status // => 'QUEUED'
 * ```
 */
export type ServiceRequest<Name extends ServiceOperation> = BodyOf<Service[Name]['input']>

/**
 * What the service answers.
 * @example
 * ```ts
 * import type { ServiceAnswer } from 'payments-sandbox'
 *
 * const currencyOf = ({ currency }: ServiceAnswer<'discoverCountry'>) => currency
 * currencyOf(await world.call('discoverCountry', { query: { country: 'KE' } })) // => 'KES'
 * ```
 */
export type ServiceAnswer<Name extends ServiceOperation> = Service[Name]['answer']

/**
 * The body of a callback, for the program that receives it.
 * @example
 * ```ts
 * import type { CallbackBody } from 'payments-sandbox'
 *
 * const [message] = await world.inbox.messages()
 * const result = JSON.parse(message!.body) as CallbackBody<'createCollection'>
 * result.status // => 'success'
 * ```
 */
export type CallbackBody<Name extends ServiceOperation = ServiceOperation> = Service[Name] extends infer Each
  ? Each extends { readonly callback: infer Body }
    ? Body
    : never
  : never

/**
 * The body of a request to the sandbox's own API.
 * @example
 * ```ts
 * import type { ControlRequest } from 'payments-sandbox'
 *
 * const body: ControlRequest<'advanceClock'> = { by: '1h' }
 * const shop = await world.world()
 * await shop.call('advanceClock', { body })
 * ```
 */
export type ControlRequest<Name extends ControlOperation> = BodyOf<Control[Name]['input']>

/**
 * What the sandbox's own API answers.
 * @example
 * ```ts
 * import type { ControlAnswer } from 'payments-sandbox'
 *
 * const idOf = ({ id }: ControlAnswer<'getWorld'>) => id
 * typeof idOf(await world.show()) // => 'string'
 * ```
 */
export type ControlAnswer<Name extends ControlOperation> = Control[Name]['answer']
