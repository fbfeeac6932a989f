/** The parts of a world that traffic uses, and what its events report of the shop. */
import type { WorldEvent } from '../client/events.ts'
import type { IncidentsClient } from '../client/incidents.ts'
import type { LeaseOptions, WorldLease } from '../client/lease.ts'
import type { ClockClient } from '../client/time.ts'
import type { TransactionsClient } from '../client/transactions.ts'
import type { World, WorldSettingsChange } from '../generated/control/types.ts'
import { pause } from '../lib/clock/clock.ts'
import { Histogram, type Percentiles } from './histogram.ts'

/** The client of a world has all of these. */
export interface TrafficWorld {
  readonly clock: ClockClient
  readonly incidents: IncidentsClient
  readonly transactions: TransactionsClient
  show(): Promise<World>
  configure(change: WorldSettingsChange): Promise<unknown>
  events(options?: { signal?: AbortSignal }): AsyncIterable<WorldEvent>
  lease(options: LeaseOptions): Promise<WorldLease>
}

/** The state of an order in the shop. */
export interface Belief {
  readonly state: 'open' | 'paid' | 'failed' | 'reversed' | 'flagged' | (string & {})
  /** The number of deliveries. */
  readonly fulfilled?: number | undefined
}

/** The shop under test. */
export interface TrafficShop {
  /** Starts the payment of an order; throws if the shop does not accept it. */
  readonly trigger: (order: {
    readonly order: string
    readonly amount: number
    readonly phone: string
  }) => unknown
  /** Returns the state of an order in the shop; undefined if the shop does not know it. */
  readonly probe: (order: string) => Belief | undefined | Promise<Belief | undefined>
  /** Moves the shop's own clock, with a compressed clock. */
  readonly advance?: ((ms: number) => unknown) | undefined
}

/**
 * What `world.traffic` plays: a plan, the shop, and when it fails.
 * @example
 * ```ts
 * const plan: TrafficPlan = {
 *   for: '10s',
 *   rate: '1/s',
 *   clock: 'compressed',
 *   shop: { trigger() {}, probe: () => undefined },
 * }
 * const shop = await world.world()
 * const { verdict } = await shop.traffic(plan)
 * verdict.result // => 'inconclusive'
 * ```
 */
export interface TrafficPlan {
  readonly title?: string | undefined
  readonly for?: string | number | undefined
  /** Such as `20/s`. */
  readonly rate?: string | undefined
  readonly phases?: readonly { readonly for: string | number; readonly rate: string }[] | undefined
  readonly daily?: { readonly peak: string } | undefined
  readonly clock?: 'real' | 'compressed' | undefined
  /** Scenarios that decide a share of the payments each. */
  readonly mix?: { readonly [scenario: string]: number } | undefined
  /** Names of shipped incidents, or incident files. */
  readonly incidents?: readonly (string | object)[] | undefined
  readonly customers?:
    | { readonly twice?: number; readonly devices?: number; readonly retries?: number }
    | undefined
  readonly settle_after?: string | undefined
  readonly agree?: string | number | undefined
  readonly shop: TrafficShop
  /** Decides who the customers are; `1` by default. */
  readonly seed?: string | undefined
  /** Limits such as `wrong=0,agree=5m`. */
  readonly failOn?: string | undefined
  /** Stops the run; the books are compared once more. */
  readonly signal?: AbortSignal | undefined
  /** How long to wait for a world that another run holds, such as `10m`. */
  readonly wait?: string | undefined
}

export interface ReceiverReport extends Percentiles {
  readonly errors: number
  readonly timeouts: number
  /** How often the stream of events was interrupted, so that figures of receiver and API are incomplete. */
  readonly gaps: number
  /** By minute of the world's clock. */
  readonly over_time: readonly {
    readonly minute: number
    readonly attempts: number
    readonly errors: number
    readonly p99: number
  }[]
}

export interface ApiReport {
  readonly requests: number
  readonly payment_requests: number
  readonly status_queries: number
  /** Requests for a payment per order, above one if the shop retries. */
  readonly requests_per_order: number
  readonly status_queries_per_order: number
  /** Requests that were rejected with 429 or 503. */
  readonly rejected: number
}

/** Minutes with figures of their own, so that the report stays small. */
const MOST_MINUTES = 2_000
const PAYING = new Set(['createCollection', 'createGlobalPayment'])
const QUERYING = new Set(['getTransactionStatus', 'getTransactionStatusByReference'])

/** Counts the attempts of callbacks and the requests of the shop. */
export class Watcher {
  readonly #stopped = new AbortController()
  #watching: Promise<void> | undefined
  #gaps = 0
  readonly #all = new Histogram()
  readonly #minutes = new Map<number, { histogram: Histogram; attempts: number; errors: number }>()
  #errors = 0
  #timeouts = 0
  #requests = { all: 0, paying: 0, querying: 0, rejected: 0 }

  static open(world: TrafficWorld): Watcher {
    const watcher = new Watcher()
    watcher.#watching = watcher.#watch(world)
    return watcher
  }

  /** Reads the events. A stream that ends, since the events of a storm overran it, is opened again. */
  async #watch(world: TrafficWorld): Promise<void> {
    const { signal } = this.#stopped
    while (!signal.aborted)
      try {
        for await (const event of world.events({ signal })) this.#note(event)
        if (!signal.aborted) this.#gaps++
      } catch {
        if (!signal.aborted) this.#gaps++
        await pause(50, signal)
      }
  }

  #note({ type, at, data }: WorldEvent): void {
    if (type === 'attempt') this.#attempt(Date.parse(at), data)
    if (type !== 'request') return
    const operation = String(data['operation'] ?? '')
    const isService = String(data['path'] ?? '').startsWith('/api/')
    if (!isService) return
    this.#requests.all++
    if (PAYING.has(operation)) this.#requests.paying++
    if (QUERYING.has(operation)) this.#requests.querying++
    if ([429, 503].includes(Number(data['status']))) this.#requests.rejected++
  }

  #attempt(at: number, { duration_ms, status, error }: WorldEvent['data']): void {
    // The deletion of an old attempt has none.
    if (typeof duration_ms !== 'number') return
    const failed = typeof status !== 'number' || status >= 300
    const minute = Math.floor(at / 60_000)
    const known = this.#minutes.get(minute) ?? { histogram: new Histogram(), attempts: 0, errors: 0 }
    if (this.#minutes.size < MOST_MINUTES) this.#minutes.set(minute, known)
    this.#all.add(duration_ms)
    known.histogram.add(duration_ms)
    known.attempts++
    if (!failed) return
    known.errors++
    this.#errors++
    if (/time|no response within/i.test(String(error))) this.#timeouts++
  }

  /** @param start - on the world's clock */
  receiver(start: number): ReceiverReport {
    const over_time = [...this.#minutes].map(([minute, { histogram, attempts, errors }]) => ({
      minute: minute - Math.floor(start / 60_000),
      attempts,
      errors,
      p99: histogram.percentile(0.99),
    }))
    return {
      ...this.#all.summary(),
      errors: this.#errors,
      timeouts: this.#timeouts,
      gaps: this.#gaps,
      over_time: over_time.sort((a, b) => a.minute - b.minute),
    }
  }

  api(orders: number): ApiReport {
    const { all, paying, querying, rejected } = this.#requests
    const per = (count: number) => Math.round((count / Math.max(1, orders)) * 100) / 100
    return {
      requests: all,
      payment_requests: paying,
      status_queries: querying,
      requests_per_order: per(paying),
      status_queries_per_order: per(querying),
      rejected,
    }
  }

  async close(): Promise<void> {
    this.#stopped.abort()
    await this.#watching
  }
}
