/** What the client takes and gives; everything else is generated from the description. */
import type {
  ApiKey,
  CreatedApiKey,
  CreatedWorld,
  Ledger,
  Mail,
  NewApiKey,
  NewWorld,
  RecordedRequest,
  Snapshot,
  World as WorldView,
  WorldExport,
  WorldSettingsChange,
} from '../generated/control/schemas.ts'

export type { Seed, WorldSettings } from '../generated/control/schemas.ts'
export type {
  ApiKey,
  CreatedApiKey,
  CreatedWorld,
  Ledger,
  Mail,
  NewApiKey,
  NewWorld,
  RecordedRequest,
  Snapshot,
  WorldExport,
  WorldSettingsChange,
  WorldView,
}

/** Which requests are meant. */
export interface RequestFilter {
  readonly operation?: string | undefined
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly status?: number | undefined
  readonly reference?: string | undefined
}

/** The words of `when` in a scenario file. */
export type Conditions = { readonly [fact: string]: unknown }

export interface Waiting {
  /** How many; 1 when left out. */
  readonly count?: number | undefined
  /** How long on the wall, such as `10s`. */
  readonly timeout?: string | undefined
}

/** A world's time. */
export interface Clock {
  readonly now: string
  readonly frozen: boolean
  readonly speed: number
}

/** What moving time brought about. */
export interface Steered {
  readonly clock: Clock
  /** What ran, in order. */
  readonly ran: readonly {
    readonly kind: string
    readonly due_at: string
    readonly transaction: string | null
    readonly callback: number | null
    readonly result: string
  }[]
}

export interface CallbackFilter {
  /** Any identifier the service returned for the transaction, or your own reference. */
  readonly reference?: string | undefined
  readonly state?: string | undefined
}

export interface Callback {
  readonly id: number
  readonly transaction: string
  readonly external_reference: string
  readonly url: string
  readonly state: 'pending' | 'delivered' | 'failed'
  readonly attempts_made: number
  readonly last_status: number | null
  readonly last_error: string
}

/** A callback with what was sent. */
export interface CallbackDetails {
  readonly callback: Callback
  /** The JSON as it was sent. */
  readonly body: string
  readonly attempts: readonly { readonly number: number; readonly error: string }[]
}

/** One world of a sandbox, with the credentials of its owner. */
export interface WorldClient {
  /** Where its requests go. */
  readonly url: string
  readonly username: string
  readonly password: string
  /** The value of the header `Authorization`. */
  readonly authorization: string
  /** A `callback_url` inside the sandbox. */
  readonly inboxUrl: string
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
   * @param account such as `team:63:wallet`
   */
  balance(account: string): Promise<number>

  /** What happens, as it happens, until the signal ends it. */
  events(options?: { signal?: AbortSignal; after?: number }): AsyncIterable<WorldEvent>
  /** Makes a world of its own. */
  world(options?: NewWorld): Promise<WorldClient>
}

export interface WorldEvent {
  readonly id: number
  readonly type: string
  readonly at: string
  readonly data: { readonly [name: string]: unknown }
}
