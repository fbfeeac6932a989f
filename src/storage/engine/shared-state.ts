/**
 * Rate limits per minute, hour or day: requests of a key, password attempts, e-mails of a world. The counts are shared by all
 * processes. Windows are aligned: a minute begins at second 0, a day at midnight UTC. Only the current window is stored.
 *
 *     const signUps = engine.counters.open('sign-up', { most: 5, per: DAY })
 *     const wait = await signUps.take(address, wall())
 *     if (wait > 0) throw new RateLimited('more than 5 worlds a day from this address', Math.ceil(wait / 1000))
 */
export interface Counters {
  /** @param of - The subject; counters of the same subject share their counts. */
  open(of: string, limit: CounterLimit): Counter
}

export interface CounterLimit {
  readonly most: number
  /** Length of a window, milliseconds; a minute by default. */
  readonly per?: number
  /** Whether the names are worlds. */
  readonly byWorld?: boolean
  /** Maximum number of names per process, 10,000 by default; the oldest is dropped first. */
  readonly names?: number
}

/**
 * Counts by name, such as a key, an address or a world. Times are milliseconds in real time; processes that share an engine use
 * its clock.
 *
 * The limit `most` applies to all processes together. Each process reserves several at once, up to an eighth of the rest, so that
 * most calls are synchronous, and returns what it does not use within a second. Until then another process may be refused, but a
 * single process never is.
 */
export interface Counter {
  /** Takes one if any is left. @returns 0, or the milliseconds until the next window */
  take(name: string, now: number): number | Promise<number>
  /** Counts one regardless of the limit. @returns the new count */
  add(name: string, now: number): number | Promise<number>
  count(name: string, now: number): number
  /** Updates `count`, or undefined if it is always accurate. */
  look(name: string, now: number): Promise<void> | undefined
}

export const MINUTE = 60_000
export const DAY = 86_400_000

export const endOfWindow = (now: number, per: number): number => (Math.floor(now / per) + 1) * per

export const MOST_NAMES = 10_000

/** Work that one process does for all. */
export interface Locks {
  /**
   * Runs calendar work unless a process has already started it for this time.
   * @param due_at - Milliseconds in real time; work due earlier than the last run is skipped.
   * @returns whether it ran
   * @throws the error of `work`, which is not repeated for this time
   */
  runOnce(name: string, due_at: number, work: () => Promise<void>): Promise<boolean>
}

/** Settings changed at run time for all processes, such as chaos in `/__admin`. Values are JSON. */
export interface SharedSettings {
  /** Returns the last known value, or undefined if not set. Changes of other processes arrive within about 200 ms. */
  get(name: string): unknown
  look(): Promise<void>
  /**
   * Sets the result of `work` on the current value; undefined removes the setting. Concurrent changes run one after another.
   * @param work - Called again if another process was faster.
   */
  change(name: string, work: (value: unknown) => unknown): Promise<void>
  /** Calls `listener` after each change in any process. Returns a function that removes it. */
  onChanged(listener: (name: string, value: unknown) => void): () => void
}

/** What a process publishes about itself; contains no secrets. */
export interface ProcessCard {
  readonly name: string
  readonly version: string
  /** Hashes of its settings, by variable, and of its files, by purpose. */
  readonly told: { readonly [name: string]: string }
}

/** Times are milliseconds in real time. */
export interface ListedProcess extends ProcessCard {
  readonly own: boolean
  readonly since: number
  readonly seen: number
}

/** Another process, as it reports itself. */
export interface Peer {
  readonly id: string
  /** Its base URL. */
  readonly address: string
  readonly token: string
}

/** A request that another process forwarded. */
export interface ForwardedRequest {
  readonly world: string
  readonly id: string
  /** Called when a change is refused because the process does not answer for the world any more. */
  readonly onRefused: () => void
  /** Whether its response was sent: what it has started may then change the world like any other work. */
  readonly isAnswered: () => boolean
}

/**
 * How long a request waits for owners of its world, in all processes together, milliseconds. Most clients wait longer for a response.
 */
export const LONGEST_WAIT = 8_000

/** Decides which process answers for a world, so that others can forward requests to it. */
export interface WorldOwners {
  /**
   * Makes this process take the worlds that it changes. Returns the token that forwarded requests contain.
   * @param token - Random by default.
   */
  join(address: string, token?: string): Promise<string>
  isOwn(world: string): boolean
  /** Leaves all worlds to other processes, and takes none any more, because this process is about to end. */
  retire(): void
  /** Takes a world that no process answers for. Returns the other process that does, if it can be reached. */
  answering(world: string): Promise<Peer | undefined>
  /** Runs work that waits for owners until a time, in monotonic time. */
  within(deadline: number, work: () => void): void
  /** Runs work for a request, which changes its world only while this process answers for it. */
  asForwarded(request: ForwardedRequest, work: () => void): void
  /**
   * Returns whether a request that was forwarded to a process which ended has changed a world; afterwards it never will.
   * @throws {StoreUnavailable} If the world is still that process's.
   */
  hadEffect(world: string, id: string): Promise<boolean>
}

export interface Processes {
  /**
   * Registers this process until the engine is closed.
   * @param onSeen - Called every few seconds with all processes; never if there can be only one.
   */
  join(card: () => ProcessCard, onSeen: (all: readonly ListedProcess[]) => void): void
  /** Returns the processes with a recent sign of life, oldest first. */
  list(): Promise<readonly ListedProcess[]>
}

/** Returns the settings and files in which two processes differ. */
export function differences({ told: one }: ProcessCard, { told: other }: ProcessCard): readonly string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((name) => one[name] !== other[name])
    .toSorted()
}

/** The state of a database; without a reason if it is available. */
export interface ShardState {
  readonly shard: number
  readonly reason?: string | undefined
}

/** Several databases, among which worlds are distributed. Their numbers are permanent. */
export interface Shards {
  list(): readonly ShardState[]
  /** Moves a world to another database. Returns false if there is no such world. */
  move(world: string, to: number): Promise<boolean>
}

/** Database metrics; times are milliseconds. */
export interface Measures {
  measure(meter: Meter): void
  readonly databases: readonly {
    readonly shard: number
    readonly unavailable: boolean
    readonly connections: number
  }[]
  /** Changes read from other processes. */
  readonly caughtUp: number
}

export interface Meter {
  /** Called after each single statement or transaction. @param shard - 1 by default. */
  trip(kind: 'statement' | 'transaction', ms: number, shard?: number): void
  /** Called with the number of changes committed together. */
  batch(changes: number): void
}
