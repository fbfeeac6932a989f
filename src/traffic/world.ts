/** The parts of a world that traffic uses, and what its events report of the shop. */
import type { WorldEvent } from '../client/events.ts'
import type { IncidentsClient } from '../client/incidents.ts'
import type { LeaseOptions, WorldLease } from '../client/lease.ts'
import type { ClockClient } from '../client/time.ts'
import type { TransactionsClient } from '../client/transactions.ts'
import type { Job, World, WorldSettingsChange } from '../generated/control/types.ts'

/** The client of a world has all of these. */
export interface TrafficWorld {
  readonly clock: ClockClient
  readonly incidents: IncidentsClient
  readonly transactions: TransactionsClient
  show(): Promise<World>
  jobs(filter: { kind: string }): Promise<readonly Job[]>
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

/** Durations, milliseconds. */
export type Percentiles = Readonly<Record<'count' | 'p50' | 'p90' | 'p99' | 'max', number>>
