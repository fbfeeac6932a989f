/** The operations of the description by their names, and what each takes and gives. */
import type { Operations as Control } from '../../generated/control/operations.ts'
import type { Operations as Service } from '../../generated/service/operations.ts'
import type { AnswerOf, AnyOperation, GivenTo } from '../operations.ts'

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
export type Operation = AnyOperation

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
export type OperationInput<Name extends Operation> = GivenTo<Name>

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
export type OperationAnswer<Name extends Operation> = AnswerOf<Name>

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
