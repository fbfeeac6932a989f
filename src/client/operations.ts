import { operations as control, type Operations as Control } from '../generated/control/operations.ts'
import { operations as service, type Operations as Service } from '../generated/service/operations.ts'
import { suggestion } from '../lib/text/suggest.ts'

type Operations = Service & Control

export type InputOf<Name extends Operation> = Operations[Name]['input']
export type RefusalOf<Name extends Operation> = Operations[Name]['refusal']

/** Parameters of lists that the client sets itself. */
type Paging = 'before' | 'after' | 'limit' | 'format'
const PAGING: readonly string[] = ['before', 'after', 'limit', 'format'] satisfies readonly Paging[]

/** The query parameters of an operation without pagination. */
export type FilterOf<Name extends Operation> =
  InputOf<Name> extends { readonly query?: infer Query } ? Omit<NonNullable<Query>, Paging> : never

export type PathParts = Readonly<Record<string, string | number>>

const templates: Readonly<Record<string, string>> = { ...service, ...control }

/**
 * Rejects filters that an operation does not have, because the sandbox would ignore them.
 * @param caller - The method to name in the error, such as `requests.list`.
 * @throws {TypeError} With the most similar filter.
 */
export function requireFilters(caller: string, operation: Operation, filter: object): void {
  const names = /\{\?(.+)\}/.exec(templates[operation]!)?.[1]?.split(',') ?? []
  requireKnown(
    caller,
    filter,
    names.filter((name) => !PAGING.includes(name)),
  )
}

/** @throws {TypeError} If `given` is no object, or with the most similar known name. */
export function requireKnown(caller: string, given: object, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null || given instanceof Promise)
    throw new TypeError(
      `${caller} takes an object with ${known.join(', ')}, got ${given instanceof Promise ? 'a promise: await it first' : JSON.stringify(given)}`,
    )
  for (const name of Object.keys(given))
    if (!known.includes(name))
      throw new TypeError(`${caller}: ${name} is not known here${suggestion(name, known)}`)
}

/**
 * Returns the text of an argument.
 * @param what - The argument, with an example.
 * @throws {TypeError} If it is not text, or empty.
 */
export function requireText(caller: string, what: string, given: string): string {
  if (typeof given === 'string' && given !== '') return given
  throw new TypeError(`${caller} takes ${what} as text, got ${JSON.stringify(given) ?? 'nothing'}`)
}

/** Returns the method and path of an operation. @throws {TypeError} With the most similar operation, if there is none of this name. */
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
 * const paying: ServiceOperation[] = ['createCollection', 'createGlobalPayment']
 * paying.length // => 2
 * ```
 */
export type ServiceOperation = keyof Service

/**
 * The name of an operation of the control API.
 * @example
 * ```ts
 * const operation: ControlOperation = 'getClock'
 * const { frozen } = await world.call(operation)
 * frozen // => true
 * ```
 */
export type ControlOperation = keyof Control

/**
 * The name of an operation of the service or of the control API.
 * @example
 * ```ts
 * const operations: Operation[] = ['createCollection', 'settle']
 * operations.length // => 2
 * ```
 */
export type Operation = keyof Operations

/**
 * The arguments of `world.call` after the operation's name: `path`, `query` and `body`, if the operation has them.
 * @example
 * ```ts
 * const input: OperationInput<'getTransaction'> = [{ path: { reference: 'order-1' } }]
 * const { transaction } = await world.call('getTransaction', ...input)
 * transaction.external_reference // => 'order-1'
 * ```
 */
export type OperationInput<Name extends Operation> =
  object extends InputOf<Name> ? [input?: InputOf<Name>] : [input: InputOf<Name>]

/**
 * The response of an operation.
 * @example
 * ```ts
 * const clock: OperationResponse<'getClock'> = await world.call('getClock')
 * clock.frozen // => true
 * ```
 */
export type OperationResponse<Name extends Operation> = Operations[Name]['response']

type BodyOf<Input> = Input extends { readonly body?: infer Body } ? Exclude<Body, undefined> : never

/**
 * The body of a request to the service.
 * @example
 * ```ts
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
 * The response of an operation of the service.
 * @example
 * ```ts
 * const country: ServiceResponse<'discoverCountry'> = await world.call('discoverCountry', { query: { country: 'KE' } })
 * country.currency // => 'KES'
 * ```
 */
export type ServiceResponse<Name extends ServiceOperation> = Service[Name]['response']

/**
 * The body of a callback.
 * @example
 * ```ts
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
 * The body of a request to the control API.
 * @example
 * ```ts
 * const body: ControlRequest<'advanceClock'> = { by: '1h' }
 * const shop = await world.world()
 * await shop.call('advanceClock', { body })
 * ```
 */
export type ControlRequest<Name extends ControlOperation> = BodyOf<Control[Name]['input']>

/**
 * The response of an operation of the control API.
 * @example
 * ```ts
 * const { id }: ControlResponse<'getWorld'> = await world.show()
 * typeof id // => 'string'
 * ```
 */
export type ControlResponse<Name extends ControlOperation> = Control[Name]['response']
