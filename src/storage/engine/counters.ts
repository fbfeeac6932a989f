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
