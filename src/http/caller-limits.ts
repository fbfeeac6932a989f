import type { Context } from 'hono'
import type { Wall } from '../lib/clock/clock.ts'
import { RateLimited } from '../service/domain/errors.ts'
import { MemoryCounters } from '../storage/engine/memory/shared-state.ts'
import { type Counters, type Counter, endOfWindow, MINUTE } from '../storage/engine/shared-state.ts'
import type { ClientAddress } from './client-address.ts'

/** How much one address and one API key may ask for, in front of all worlds. */
/** A promise that is returned has to be awaited: the count is shared with other processes then. */
export interface CallerLimits {
  /** Counts a request of an address. @throws RateLimited */
  arrive(c: Context): void | Promise<void>
  /** Whether too many guesses came from the address: credentials that are not known to be right are not checked then. */
  isLockedOut(c: Context, guess: Guess): boolean
  /** @throws RateLimited for an address from which too many guesses came */
  requireTrust(c: Context, guess: Guess): void
  /** Counts credentials that were wrong. */
  failed(c: Context, guess: Guess): void | Promise<unknown>
  /** Counts a request of a key, whichever world it is for. @throws RateLimited */
  useKey(username: string): void | Promise<void>
}

/** Credentials that may be wrong. */
interface Guess {
  /** The user name; undefined for a token. */
  readonly username?: string | undefined
}

/**
 * How many times more guesses an address has at all user names together than at one. A client that shares its address with a
 * guesser is locked out only when the guesses are at its own user name, or at many.
 */
const USERNAMES = 10
/** Characters of a user name by which guesses are counted. */
const LONGEST_USERNAME = 128

interface CallerLimitsOptions {
  /** Requests a minute; Infinity or null where there is no limit. */
  readonly perKey: number | null
  readonly perAddress: number
  readonly failures: number
  readonly addressOf: ClientAddress
  /** Returns the address of a peer that forwards a request and is no trusted proxy; not set where that is no mistake. */
  readonly unnamedProxyOf?: ClientAddress | undefined
  /** Called with the address of such a peer. */
  readonly onUnnamedProxy?: (peer: string) => void
  /** Called when credentials are not checked any more. */
  readonly onLockOut?: (about: { readonly address: string; readonly username: string | undefined }) => void
  /** Where the counts are kept; other processes may share them. */
  readonly counters: Counters
  readonly wall: Wall
}

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
}: CallerLimitsOptions): CallerLimits {
  const limit = (of: string, most: number | null, what: string) =>
    most === null || most === Infinity
      ? undefined
      : new RateLimit(most, wall, `more than ${most} ${what}`, undefined, counters.open(of, { most }))
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
    arrive(c) {
      const peer = unnamedProxyOf?.(c)
      if (peer !== undefined) onUnnamedProxy?.(peer)
      return addresses && from(c, (address) => addresses.take(address))
    },
    isLockedOut: (c, guess) => lockOut(c, guess) !== undefined,
    requireTrust(c, guess) {
      const refusal = lockOut(c, guess)
      if (!refusal) return
      onLockOut?.({ address: addressOf(c)!, username: guess.username })
      throw refusal
    },
    async failed(c, guess) {
      if (!wrong) return
      await from(c, (address) =>
        Promise.all([wrong.count(nameOf(address, guess)), wrongOfAll!.count(address)]),
      )
    },
    useKey: (username) => keys?.take(username.split('+', 1)[0]!),
  }
}

/** Counts within minutes, each name for itself (open-points, "General"). */
export class RateLimit {
  readonly #most: number
  readonly #wall: Wall
  readonly #what: string
  readonly #counter: Counter

  /**
   * @param what was too much, as its refusal begins
   * @param names of how many the counts are kept
   * @param counter what counts; this process alone when left out
   */
  constructor(most: number, wall: Wall, what: string, names?: number, counter?: Counter) {
    this.#most = most
    this.#wall = wall
    this.#what = what
    this.#counter =
      counter ?? new MemoryCounters().open(what, { most, ...(names !== undefined && { names }) })
  }

  /** Counts one more; to be waited for where it answers a promise. @throws RateLimited when this minute has had all of them */
  take(name: string): void | Promise<void> {
    const wait = this.#counter.take(name, this.#wall())
    return typeof wait === 'number' ? this.#requireNone(wait) : wait.then((ms) => this.#requireNone(ms))
  }

  /** Returns the refusal when this minute has had all of them, as far as this process knows; counts nothing. */
  refusal(name: string): RateLimited | undefined {
    const now = this.#wall()
    return this.#counter.count(name, now) < this.#most
      ? undefined
      : this.#refusalFor(endOfWindow(now, MINUTE) - now)
  }

  /** Counts one more, whatever there were; returns how many there are now. */
  count(name: string): number | Promise<number> {
    return this.#counter.add(name, this.#wall())
  }

  /** @param wait until there is one again, milliseconds; 0 when there was one */
  #requireNone(wait: number): void {
    if (wait > 0) throw this.#refusalFor(wait)
  }

  #refusalFor(wait: number): RateLimited {
    return new RateLimited(this.#what, Math.ceil(wait / 1000))
  }
}
