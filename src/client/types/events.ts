/** What happens in a world. */

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
  readonly type: string
  readonly at: string
  readonly data: { readonly [name: string]: unknown }
}
