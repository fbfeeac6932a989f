/** What happens in a world. */
import type { EventType } from '../../generated/control/types.ts'

/**
 * Something that happened in a world.
 * @example
 * ```ts
 * import type { WorldEvent } from 'payments-sandbox'
 *
 * let first: WorldEvent | undefined
 * for await (const event of world.events({ after: '0' })) {
 *   first = event
 *   break
 * }
 * first?.type // => 'transaction'
 * ```
 */
export interface WorldEvent {
  readonly id: string
  readonly type: EventType
  readonly at: string
  readonly data: { readonly [name: string]: unknown }
}

/**
 * A function that is told what happens in a world.
 * @example
 * ```ts
 * import type { Listening } from 'payments-sandbox'
 *
 * const types: string[] = []
 * const shop = await world.world()
 * const listening: Listening = await shop.listen(({ type }) => types.push(type))
 * await shop.scenario('payer-cancels')
 * await shop.delete()
 * await listening.ended
 * types.length > 0 // => true
 * ```
 */
export interface Listening {
  /** Nothing more is told; resolves when the function is through with what it was told. */
  stop(): Promise<void>
  /** When it is over: stopped, or the world has ended. @throws what the function threw */
  readonly ended: Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
