/** What the client takes and gives; everything else is generated from the description. */
import type {
  ApiKey,
  Callback,
  CallbackDetails,
  Clock,
  CreatedApiKey,
  CreatedWorld,
  Ledger,
  InboxMessage,
  Mail,
  NewApiKey,
  NewWorld,
  RecordedRequest,
  Snapshot,
  Steered,
  World as WorldView,
  WorldExport,
  WorldSettingsChange,
} from '../generated/control/types.ts'

export type { Seed, WorldSettings } from '../generated/control/types.ts'
export type {
  ApiKey,
  Callback,
  CallbackDetails,
  Clock,
  CreatedApiKey,
  CreatedWorld,
  InboxMessage,
  Ledger,
  Mail,
  NewApiKey,
  NewWorld,
  RecordedRequest,
  Snapshot,
  Steered,
  WorldExport,
  WorldSettingsChange,
  WorldView,
}

/**
 * Which requests are meant.
 * @example
 * ```ts
 * import type { RequestFilter } from 'payments-sandbox'
 *
 * const taken: RequestFilter = { operation: 'createCollection', status: 201 }
 * const requests = await world.requests.list(taken)
 * requests.length // => 1
 * ```
 */
export interface RequestFilter {
  readonly operation?: string | undefined
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly status?: number | undefined
  readonly reference?: string | undefined
}

/**
 * The words of `when` in a scenario file.
 * @example
 * ```ts
 * import type { Conditions } from 'payments-sandbox'
 *
 * const large: Conditions = { operation: 'createCollection', amount: { gte: 1000 } }
 * await world.requests.count(large) // => 1
 * ```
 */
export type Conditions = { readonly [fact: string]: unknown }

/**
 * For how many, and for how long.
 * @example
 * ```ts
 * import type { Waiting } from 'payments-sandbox'
 *
 * const waiting: Waiting = { count: 1, timeout: '10s' }
 * const requests = await world.requests.waitFor({ reference: 'order-1', ...waiting })
 * requests.length // => 1
 * ```
 */
export interface Waiting {
  /** How many; 1 when left out. */
  readonly count?: number | undefined
  /** How long on the wall, such as `10s`. */
  readonly timeout?: string | undefined
}

/**
 * Which callbacks are meant.
 * @example
 * ```ts
 * import type { CallbackFilter } from 'payments-sandbox'
 *
 * const mine: CallbackFilter = { reference: 'order-1', state: 'delivered' }
 * const callbacks = await world.callbacks.list(mine)
 * callbacks.length // => 1
 * ```
 */
export interface CallbackFilter {
  /** Any identifier the service returned for the transaction, or your own reference. */
  readonly reference?: string | undefined
  readonly state?: string | undefined
}

/**
 * One world of a sandbox, with the credentials of its owner.
 * @example
 * ```ts
 * import type { WorldClient } from 'payments-sandbox'
 *
 * const pay = async (shop: WorldClient) => {
 *   const answer = await shop.fetch('/api/v2/payments', {
 *     method: 'POST',
 *     headers: { 'content-type': 'application/json' },
 *     body: JSON.stringify({
 *       amount: 1000,
 *       phone_number: '0712345678',
 *       provider: 'm-pesa',
 *       network_code: '63902',
 *       account_id: 63,
 *       external_reference: 'order-1',
 *       callback_url: await shop.inbox.url(),
 *     }),
 *   })
 *   return answer.status
 * }
 * const shop = await world.world()
 * await pay(shop) // => 201
 * await shop.settle()
 * const messages = await shop.inbox.messages()
 * messages.length // => 1
 * await shop.balance('team:63:wallet:KES') // => 100985
 * ```
 */
export interface WorldClient {
  /** Where its requests go. */
  readonly url: string
  readonly username: string
  readonly password: string
  /** The value of the header `Authorization`. */
  readonly authorization: string
  /** A request to the service, or to anything else of the sandbox, with the world's credentials. */
  fetch(path: string, init?: RequestInit): Promise<Response>

  /** Its time, settings and how much is in it. */
  show(): Promise<WorldView>
  /** Changes settings; the rest stays. */
  configure(change: WorldSettingsChange): Promise<WorldView>
  /** Back to what it was made with; nothing that was owed is done. */
  reset(): Promise<void>
  /** Gone, with everything in it. */
  delete(): Promise<void>

  /** From now on requests that fit meet this scenario. */
  scenario(name: string): Promise<void>
  readonly scenarios: {
    on(name: string): Promise<void>
    off(name: string): Promise<void>
    /** The next requests that fit meet it, so many of them. */
    next(name: string, times?: number): Promise<void>
    /** None is on, none is queued, and steps begin again. */
    reset(): Promise<void>
  }

  readonly clock: {
    now(): Promise<Date>
    /** Stands still from now on. */
    freeze(): Promise<void>
    resume(): Promise<void>
    /** 60 is an hour a minute. */
    speed(factor: number): Promise<void>
    /** Leaps on by a duration such as `72h`, or to a time; runs what falls due on the way. */
    advance(to: string | Date): Promise<Steered>
  }
  /** Runs until nothing is owed. */
  settle(): Promise<Steered>

  readonly callbacks: {
    list(filter?: CallbackFilter): Promise<readonly Callback[]>
    get(id: number): Promise<CallbackDetails>
    /** The callbacks, as soon as they are there. @throws SandboxError 504 that says what came instead */
    waitFor(filter?: CallbackFilter & Waiting): Promise<readonly CallbackDetails[]>
    resend(id: number): Promise<void>
  }

  /** A receiver inside the sandbox, for who has none. */
  readonly inbox: {
    /** To be sent as `callback_url`. */
    url(name?: string): Promise<string>
    /** What came, newest first. */
    messages(name?: string): Promise<readonly InboxMessage[]>
  }

  readonly requests: {
    /** Newest first. */
    list(filter?: RequestFilter): Promise<readonly RecordedRequest[]>
    get(id: string): Promise<RecordedRequest>
    find(conditions: Conditions): Promise<readonly RecordedRequest[]>
    count(conditions: Conditions): Promise<number>
    /** The requests, as soon as they are there. @throws SandboxError 504 that says what came instead */
    waitFor(filter?: RequestFilter & Waiting): Promise<readonly RecordedRequest[]>
    clear(): Promise<void>
    curl(id: string): Promise<string>
    har(): Promise<unknown>
  }

  readonly snapshots: {
    take(name?: string): Promise<Snapshot>
    list(): Promise<readonly Snapshot[]>
    restore(snapshot: Snapshot | number): Promise<void>
    delete(snapshot: Snapshot | number): Promise<void>
  }
  export(): Promise<WorldExport>
  import(exported: WorldExport): Promise<void>

  readonly apiKeys: {
    list(): Promise<readonly ApiKey[]>
    create(key?: NewApiKey): Promise<CreatedApiKey>
    revoke(username: string): Promise<void>
  }

  readonly outbox: {
    /** Newest first. */
    list(to?: string): Promise<readonly Mail[]>
    clear(): Promise<void>
  }

  /** The ledger, summed anew. */
  ledger(): Promise<Ledger>
  /**
   * What an account of the ledger holds, in major units.
   * @param account such as `team:63:wallet:KES`
   */
  balance(account: string): Promise<number>

  /** What happens, as it happens, until the signal ends it. */
  events(options?: { signal?: AbortSignal; after?: string }): AsyncIterable<WorldEvent>
  /** Makes a world of its own. */
  world(options?: NewWorld): Promise<WorldClient>
}

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
