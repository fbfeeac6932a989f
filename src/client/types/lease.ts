/** A world that several share, taken for a while. */

/**
 * How a world is taken for a while.
 * @example
 * ```ts
 * import type { LeaseOptions } from 'payments-sandbox'
 *
 * const suite: LeaseOptions = { holder: 'checkout suite, build 4711', wait: '10m', restore: true }
 * const shop = await world.world()
 * await using lease = await shop.lease(suite)
 * lease.holder // => 'checkout suite, build 4711'
 * ```
 */
export interface LeaseOptions {
  /** Who takes it, for people who meet it. */
  readonly holder: string
  /** How long it outlives a process that ended without giving it back, a duration; 1m when left out. It is renewed three times as often. */
  readonly for?: string | undefined
  /** Whether clock, settings, scenarios, secrets and what inboxes answer are put back in the end, also where nobody gives it back. */
  readonly restore?: boolean | undefined
  /** How long to wait for it while another has it, a duration; not at all when left out. */
  readonly wait?: string | undefined
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined
  /** Whether another's ends for it at once. */
  readonly takeOver?: boolean | undefined
}

/**
 * A lease on a world, until it is given back.
 * @example
 * ```ts
 * import type { WorldLease } from 'payments-sandbox'
 *
 * const untilOf = ({ until }: WorldLease) => Date.parse(until)
 * const shop = await world.world()
 * const lease = await shop.lease({ holder: 'checkout suite' })
 * untilOf(lease) - Date.parse(lease.since) // => 60000
 * await lease.release()
 * await shop.usedBy() // => null
 * ```
 */
export interface WorldLease {
  readonly holder: string
  readonly since: string
  /** When it ends unless it is renewed. */
  readonly until: string
  readonly restore: boolean
  /** Aborted, with the refusal, once it is over though nobody gave it back: it ran out, or another took it over. */
  readonly lost: AbortSignal
  /** Gives it back, and has the sandbox put back what was to be. */
  release(): Promise<void>
  /** The same. */
  [Symbol.asyncDispose](): Promise<void>
}
