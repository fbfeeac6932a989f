/** How much one address and one API key may ask for, in front of all worlds. */
import type { Context } from 'hono'
import type { Wall } from '../lib/clock/clock.ts'
import type { Counters } from '../storage/engine/counters.ts'
import type { ClientAddress } from './client-address.ts'
import { headerOf } from './request-headers.ts'
import { RateLimit } from './rate-limit.ts'

/** A promise that is returned has to be awaited: the count is shared with other processes then. */
export interface CallerLimits {
  /** Counts a request of an address. @throws RateLimited */
  arrive(c: Context): void | Promise<void>
  /**
   * To be called before credentials are looked at: to check them costs a hash, and they may be a guess.
   * @param hasCredentials whether there are any; whether there is a header `Authorization` when left out
   * @throws RateLimited for an address that had too many wrong ones
   */
  requireTrust(c: Context, hasCredentials?: boolean): void
  /** Counts credentials that were wrong; a request without any is no guess. */
  failed(c: Context, hasCredentials?: boolean): void | Promise<unknown>
  /** Counts a request of a key, whichever world it is for. @throws RateLimited */
  useKey(username: string): void | Promise<void>
}

export interface CallerLimitsOptions {
  /** Requests a minute; Infinity or null where there is no limit. */
  readonly perKey: number | null
  readonly perAddress: number
  readonly failures: number
  readonly addressOf: ClientAddress
  /** Where the counts are kept; other processes may share them. */
  readonly counters: Counters
  readonly wall: Wall
}

export function callerLimits({
  perKey,
  perAddress,
  failures,
  addressOf,
  counters,
  wall,
}: CallerLimitsOptions): CallerLimits {
  const limit = (of: string, most: number | null, what: string) =>
    most === null || most === Infinity
      ? undefined
      : new RateLimit(most, wall, `more than ${most} ${what}`, undefined, counters.open(of, { most }))
  const keys = limit('key', perKey, 'requests a minute with this API key')
  const addresses = limit('address', perAddress, 'requests a minute from this address')
  const wrong = limit('guess', failures, 'requests a minute with wrong credentials from this address')
  const from = <T>(c: Context, counts: (address: string) => T): T | undefined => {
    const address = addressOf(c)
    return address === undefined ? undefined : counts(address)
  }
  return {
    arrive(c) {
      return addresses && from(c, (address) => addresses.take(address))
    },
    requireTrust(c, hasCredentials = isGuess(c)) {
      if (wrong && hasCredentials) from(c, (address) => wrong.require(address))
    },
    async failed(c, hasCredentials = isGuess(c)) {
      if (wrong && hasCredentials) await from(c, (address) => wrong.count(address))
    },
    useKey: (username) => keys?.take(username.split('+', 1)[0]!),
  }
}

const isGuess = (c: Context) => headerOf(c, 'authorization') !== undefined
