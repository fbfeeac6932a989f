import type { Context } from 'hono'
import type { Wall } from '../lib/clock/clock.ts'
import { RateLimited } from '../service/domain/errors.ts'
import { type Counters, type Counter, endOfWindow, MINUTE } from '../storage/engine/shared-state.ts'
import type { ClientAddress } from './client-address.ts'

export type CallerLimits = ReturnType<typeof callerLimits>

interface Guess {
  /** Undefined for a token. */
  readonly username?: string | undefined
}

/**
 * Failed attempts allowed per address at all user names, as a multiple of those at one name. A client that shares its
 * address with an attacker is locked out only if the attacks target its own user name or many names.
 */
const USERNAMES = 10
const LONGEST_USERNAME = 128

interface CallerLimitsOptions {
  /** Requests per minute; Infinity or null for no limit. */
  readonly perKey: number | null
  readonly perAddress: number
  readonly failures: number
  readonly addressOf: ClientAddress
  /**
   * Returns the address of a peer that forwards requests without being a trusted proxy; undefined where that is
   * expected.
   */
  readonly unnamedProxyOf?: ClientAddress | undefined
  readonly onUnnamedProxy?: (peer: string) => void
  readonly onLockOut?: (about: { readonly address: string; readonly username: string | undefined }) => void
  /** May be shared with other processes. */
  readonly counters: Counters
  readonly wall: Wall
}

/**
 * Request limits per client address and per API key, across all worlds. Callers await returned promises: the count is
 * shared with other processes. All methods throw RateLimited.
 */
export function callerLimits({
  perKey,
  perAddress,
  failures,
  addressOf,
  unnamedProxyOf,
  onUnnamedProxy,
  onLockOut,
  counters,
  wall,
}: CallerLimitsOptions) {
  const limit = (of: string, most: number | null, what: string) =>
    most === null || most === Infinity ? undefined : rateLimit(counters.open(of, { most }), most, wall, what)
  const keys = limit('key', perKey, 'requests a minute with this API key')
  const addresses = limit('address', perAddress, 'requests a minute from this address')
  const wrongs = 'requests a minute with wrong credentials from this address'
  const wrong = limit('guess', failures, `${wrongs} for this user name`)
  const wrongOfAll = limit('guess-any', failures * USERNAMES, wrongs)
  const nameOf = (address: string, { username = '' }: Guess) =>
    `${address} ${username.slice(0, LONGEST_USERNAME)}`
  const lockOut = (c: Context, guess: Guess) =>
    wrong && from(c, (address) => wrong.refusal(nameOf(address, guess)) ?? wrongOfAll!.refusal(address))
  const from = <T>(c: Context, counts: (address: string) => T): T | undefined => {
    const address = addressOf(c)
    return address === undefined ? undefined : counts(address)
  }
  return {
    arrive(c: Context): void | Promise<void> {
      const peer = unnamedProxyOf?.(c)
      if (peer !== undefined) onUnnamedProxy?.(peer)
      return addresses && from(c, (address) => addresses.take(address))
    },
    /** Whether the address has failed too often: only credentials known to be valid are then accepted. */
    isLockedOut: (c: Context, guess: Guess) => lockOut(c, guess) !== undefined,
    requireTrust(c: Context, guess: Guess): void {
      const refusal = lockOut(c, guess)
      if (!refusal) return
      onLockOut?.({ address: addressOf(c)!, username: guess.username })
      throw refusal
    },
    async failed(c: Context, guess: Guess): Promise<void> {
      if (!wrong) return
      await from(c, (address) =>
        Promise.all([wrong.count(nameOf(address, guess)), wrongOfAll!.count(address)]),
      )
    },
    useKey: (username: string) => keys?.take(username.split('+', 1)[0]!),
  }
}

/** Counts per name and minute (open-points, "General"). */
function rateLimit(counter: Counter, most: number, wall: Wall, what: string) {
  const refusalFor = (wait: number) => new RateLimited(`more than ${most} ${what}`, Math.ceil(wait / 1000))
  /** @param wait - milliseconds until the next minute; 0 if the count was not used up */
  const requireNone = (wait: number) => {
    if (wait > 0) throw refusalFor(wait)
  }
  return {
    /** @throws {RateLimited} if this minute's count is used up */
    take(name: string): void | Promise<void> {
      const wait = counter.take(name, wall())
      return typeof wait === 'number' ? requireNone(wait) : wait.then(requireNone)
    },
    /** Returns the error if this process knows that this minute's count is used up; counts nothing. */
    refusal(name: string): RateLimited | undefined {
      const now = wall()
      return counter.count(name, now) < most ? undefined : refusalFor(endOfWindow(now, MINUTE) - now)
    },
    /** Counts regardless of the limit and returns the new count. */
    count: (name: string): number | Promise<number> => counter.add(name, wall()),
  }
}
