import { requireKnown } from './operations.ts'
import { SandboxError, type Transport } from './transport.ts'
import type { HeldLease } from '../generated/control/types.ts'
import { after } from '../lib/clock/after.ts'
import { parseDuration } from '../lib/text/duration.ts'

/**
 * Options of `world.lease`.
 * @example
 * ```ts
 * const suite: LeaseOptions = { holder: 'checkout suite, build 4711', wait: '10m', restore: true }
 * const shop = await world.world()
 * await using lease = await shop.lease(suite)
 * lease.holder // => 'checkout suite, build 4711'
 * ```
 */
export interface LeaseOptions {
  /** The holder's display name. */
  readonly holder: string
  /** A duration after which an unreleased lease expires; `1m` by default. The client renews it three times as often. */
  readonly duration?: string | undefined
  /** Whether the sandbox restores clock, settings, scenarios, secrets and inbox responses when the lease ends, even if it expires. */
  readonly restore?: boolean | undefined
  /** A duration to wait for another holder's lease to end; by default it does not wait. */
  readonly wait?: string | undefined
  /** Aborts the wait. */
  readonly signal?: AbortSignal | undefined
  /** Whether to end another holder's lease at once. */
  readonly takeOver?: boolean | undefined
}

/**
 * A lease on a world: `await world.lease({ holder })`.
 * @example
 * ```ts
 * const shop = await world.world()
 * const lease: WorldLease = await shop.lease({ holder: 'checkout suite' })
 * Date.parse(lease.until) - Date.parse(lease.since) // => 60000
 * await lease.release()
 * await shop.usedBy() // => null
 * ```
 */
export interface WorldLease {
  readonly holder: string
  readonly since: string
  /** When the lease expires unless it is renewed. */
  readonly until: string
  readonly restore: boolean
  /** Aborted, with the error as its reason, when the lease expires or another holder takes it over. */
  readonly lost: AbortSignal
  /** Ends the lease; the sandbox then restores the world if `restore` was set. */
  release(): Promise<void>
  /** Calls `release`. */
  [Symbol.asyncDispose](): Promise<void>
}

const KNOWN = ['holder', 'duration', 'restore', 'takeOver', 'wait', 'signal']
/** Milliseconds that one request waits; proxies abort longer requests. */
const REQUEST_WAIT = 20_000
/** Milliseconds before the next attempt after the world was reset or the sandbox stopped. */
const RETRY_DELAY = 1_000

/** Implements `world.lease`. @throws {SandboxError} 409 if another holder keeps its lease for the whole wait. */
export async function takeLease({ call, callAs }: Transport, options: LeaseOptions): Promise<WorldLease> {
  requireKnown('lease', options, KNOWN)
  const { holder, duration: span = '1m', restore, takeOver: take_over, wait = '0', signal } = options
  const take = (ms: number) => {
    signal?.throwIfAborted()
    return callAs('takeLease', {
      body: { holder, duration: span, restore, take_over, wait: String(ms) },
      signal,
    })
  }
  return held(call, await takeOnceFree(take, parseDuration(wait)), span)
}

/** Retries until the lease is free or `wait` milliseconds have passed. */
async function takeOnceFree(take: (ms: number) => Promise<HeldLease>, wait: number): Promise<HeldLease> {
  for (let left = wait; ;) {
    const slice = Math.min(left, REQUEST_WAIT)
    left -= slice
    try {
      return await take(slice)
    } catch (error) {
      const status = error instanceof SandboxError ? error.status : 0
      if (left <= 0 || ![409, 503].includes(status)) throw error
      if (status === 503) await new Promise<void>((resolve) => void after(RETRY_DELAY, resolve))
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
      until = (await call('takeLease', { body: { token, duration: span } })).until
    } catch (error) {
      // Any other error may be temporary and over before the lease expires.
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
    if (!lost.signal.aborted) await call('endLease', { query: { token } }).catch(ignoreIfOver)
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

/** Ignores the errors of a lease that expired or a world that is gone: either way there is nothing left to release. */
function ignoreIfOver(error: unknown): void {
  if (!(error instanceof SandboxError && [401, 404, 409].includes(error.status))) throw error
}
