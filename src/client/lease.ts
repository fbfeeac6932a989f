/** A world that several share, taken for a while. */
import { requireKnown } from './operations.ts'
import { SandboxError, type Transport } from './transport.ts'
import type { HeldLease } from '../generated/control/types.ts'
import { after } from '../lib/clock/after.ts'
import { parseDuration } from '../lib/text/duration.ts'

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

const KNOWN = ['holder', 'for', 'restore', 'takeOver', 'wait', 'signal']
/** One request waits so long; proxies end those that take longer. Milliseconds. */
const A_WAIT = 20_000
/** Until it is asked again where the world was reset, or the sandbox ended, while it was waited for. Milliseconds. */
const A_PAUSE = 1_000

/** @throws SandboxError 409 where another has it, and had it for as long as was waited */
export async function takeLease({ call, callAs }: Transport, options: LeaseOptions): Promise<WorldLease> {
  requireKnown('lease', options, KNOWN)
  const { holder, for: span = '1m', restore, takeOver: take_over, wait = '0', signal } = options
  const take = (ms: number) => {
    signal?.throwIfAborted()
    return callAs('takeLease', {
      body: { holder, for: span, restore, take_over, wait: String(ms) },
      signal,
    })
  }
  return held(call, await onceFree(take, parseDuration(wait)), span)
}

/** Asks until it is there or the time is over, a piece of the time with each request. @param wait milliseconds */
async function onceFree(take: (ms: number) => Promise<HeldLease>, wait: number): Promise<HeldLease> {
  for (let left = wait; ;) {
    const piece = Math.min(left, A_WAIT)
    left -= piece
    try {
      return await take(piece)
    } catch (error) {
      const status = error instanceof SandboxError ? error.status : 0
      if (left <= 0 || ![409, 503].includes(status)) throw error
      if (status === 503) await new Promise<void>((resolve) => void after(A_PAUSE, resolve))
    }
  }
}

function held(call: Transport['call'], taken: HeldLease, span: string): WorldLease {
  const { holder, since, token, restore } = taken
  const lost = new AbortController()
  const every = parseDuration(span) / 3
  let { until } = taken
  let renewing: Promise<void> | undefined
  let stop = () => {}
  const renew = async () => {
    try {
      until = (await call('takeLease', { body: { token, for: span } })).until
    } catch (error) {
      // Whatever else is wrong may be over before the lease is.
      if (error instanceof SandboxError && error.status === 409) return lost.abort(error)
    }
    later()
  }
  const later = () => {
    stop = after(every, () => (renewing = renew()))
  }
  later()
  const release = async () => {
    stop()
    await renewing
    stop()
    if (!lost.signal.aborted) await call('endLease', { query: { token } }).catch(unlessOver)
  }
  return {
    holder,
    since,
    restore,
    get until() {
      return until
    },
    lost: lost.signal,
    release,
    [Symbol.asyncDispose]: release,
  }
}

/** It was lost without a word, or its world is gone: the world is given back, either way. */
function unlessOver(error: unknown): void {
  const over = error instanceof SandboxError && [401, 404, 409].includes(error.status)
  if (!over) throw error
}
