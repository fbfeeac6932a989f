/**
 * What may be done so often in a minute, an hour or a day: requests of a key, guesses at a password, mails of a world. One count for
 * all who share the engine, so that whoever is refused by one process is refused by the next.
 *
 * Windows begin where time divides: each minute with its second 0, each day at midnight UTC. Of windows that are over nothing is kept.
 *
 *     const signUps = engine.counters.open('sign-up', { most: 5, per: DAY })
 *     const wait = await signUps.take(address, wall())
 *     if (wait > 0) throw new RateLimited('more than 5 worlds a day from this address', Math.ceil(wait / 1000))
 */
export interface Counters {
  /** @param of what is counted; who opens the same, with the same limit, counts on together */
  open(of: string, limit: CounterLimit): Counter
}

export interface CounterLimit {
  /** How many of a window are allowed. */
  readonly most: number
  /** How long a window is, milliseconds; a minute when left out. */
  readonly per?: number
  /** Of so many names a process remembers the counts, 10,000 when left out; then it forgets the oldest, so that nobody can make them grow. */
  readonly names?: number
}

/**
 * Counts for each name, such as a key's, an address's or a world's, by itself. Times are milliseconds on the wall; an engine that
 * several processes share goes by a clock that they share.
 *
 * Never more than `most` are taken in a window, by all together. Where several processes share the engine each takes several at once,
 * an eighth of what is left at most, so that most answers are numbers and no promises; what it does not use within a
 * second it gives back. So one may be refused while others hold some unused, for that second; who is alone is refused none.
 */
export interface Counter {
  /** Counts one more unless there were all of them. @returns 0 when it was counted, else the milliseconds until the next window */
  take(name: string, now: number): number | Promise<number>
  /** Counts one more, whatever there were. @returns how many there are now */
  add(name: string, now: number): number | Promise<number>
  /** How many the window has had, as far as this process was told. */
  count(name: string, now: number): number
  /** Asks how many there are, so that `count` says so; undefined where it knows. */
  look(name: string, now: number): Promise<void> | undefined
}

export const MINUTE = 60_000
export const DAY = 86_400_000

/** When the window that a moment is in ends. */
export const endOfWindow = (now: number, per: number): number => (Math.floor(now / per) + 1) * per

/** Of so many names the counts are kept. */
export const MOST_NAMES = 10_000

/** Work that all sandboxes over one engine owe together is done by one of them. */
export interface Locks {
  /**
   * Does work that is due at a time, such as each night's, unless a sandbox has begun it: each comes to it at its own
   * moment, and whoever comes last must not do it again.
   * @param name tells work from other work
   * @param due_at when it was to be done, milliseconds on the wall; what is due earlier than what was done is not done
   * @returns whether it was done by this call
   * @throws what the work throws; it is not begun again for this time
   */
  runOnce(name: string, due_at: number, work: () => Promise<void>): Promise<boolean>
}

/** What is set while the sandbox runs for all who share the engine, such as the chaos of `/__admin`. Values are those of JSON. */
export interface SharedSettings {
  /** As it was last told; undefined when nothing is set. What another process sets is told within a fifth of a second or so. */
  get(name: string): unknown
  /** Asks how it is, where others may have set something. */
  look(): Promise<void>
  /**
   * Sets what `work` makes of what is set; undefined takes it away. Of two who do so at once one comes after the other.
   * @param work called again when another was quicker
   */
  change(name: string, work: (value: unknown) => unknown): Promise<void>
  /** Calls `listener` after each change, whoever made it. Returns how to stop. */
  onChanged(listener: (name: string, value: unknown) => void): () => void
}

/** What a process tells others of itself; nothing secret. */
export interface ProcessCard {
  /** Its machine and its number there. */
  readonly name: string
  /** Of the package. */
  readonly version: string
  /** What it was told, and a hash of each: settings by variable, files by what they are. */
  readonly told: { readonly [name: string]: string }
}

/** A process as it is listed. Times are milliseconds on the wall. */
export interface ListedProcess extends ProcessCard {
  /** It is the one that lists them. */
  readonly own: boolean
  readonly since: number
  /** When it was last heard of. */
  readonly seen: number
}

/** The processes that share an engine. */
export interface Processes {
  /**
   * Takes part, until the engine is closed.
   * @param card asked for whenever it says that it is there
   * @param onSeen told of those that are there, every few seconds; never where no other can be
   */
  join(card: () => ProcessCard, onSeen: (all: readonly ListedProcess[]) => void): void
  /** Those that were heard of in the last seconds, the oldest first. */
  list(): Promise<readonly ListedProcess[]>
}

/** What two were told otherwise: variables, and what files are for. */
export function differences({ told: one }: ProcessCard, { told: other }: ProcessCard): readonly string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((name) => one[name] !== other[name])
    .toSorted()
}

/** What an engine that is reached over a network tells of how it goes; times are milliseconds. */
export interface Measures {
  /** Calls `meter` from now on. */
  measure(meter: Meter): void
  /** How it is now. @throws StoreUnavailable when it cannot be asked */
  vitals(): Promise<Vitals>
  /** It cannot be reached. */
  readonly unavailable: boolean
  readonly connections: number
  /** Changes of other processes that were taken over since the beginning. */
  readonly caughtUp: number
}

export interface Meter {
  /** A statement by itself was answered, or a transaction of changes has ended. */
  trip(kind: 'statement' | 'transaction', ms: number): void
  /** So many changes were kept together. */
  batch(changes: number): void
}

export interface Vitals {
  /** Since the lease on a world's jobs was renewed that was renewed longest ago; 0 without leases. */
  readonly lease_age: number
}
