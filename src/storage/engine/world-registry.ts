import type { Moment, WorldEvent, WorldRows } from '../store/store.ts'

/** Which worlds there are. Several sandboxes may share one; what each remembers of its worlds is a cache over it. */
export interface WorldRegistry {
  /** The names of the worlds there are: created, loaded or written to, and not dropped since. */
  names(): Promise<readonly string[]>
  /** @param since as `Store.read` takes it */
  has(name: string, since?: Moment): Promise<boolean>
  /**
   * Makes a world of these rows, which are taken as they are, not copied. Does nothing when there is one of this name.
   * @param asked any number of worlds when left out
   * @returns whether it was made
   * @throws TooManyWorlds when there are so many, Error when two rows of a table have one key
   */
  create(name: string, rows: WorldRows, asked?: Creation): Promise<boolean>
  /** Forgets a world. */
  drop(name: string): Promise<void>
  /**
   * Lets go what this process remembers of a world that it has closed; it is there still.
   * @returns false when work of it is under way, and nothing was let go
   */
  forget(name: string): boolean
  /** Notes that a world was called. @param at milliseconds on the wall; an earlier time is no news */
  used(name: string, at: number): void
  /** Notes that an API key of a world was used. @param at milliseconds on the wall; an earlier time is no news */
  keyUsed(name: string, username: string, at: number): void
  /** Forgets of a world's keys when they were used, but of these. */
  keepKeys(name: string, usernames: readonly string[]): Promise<void>
  /** When keys of a world were last used, those that were, by username. */
  keysUsed(name: string, usernames: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Worlds by when they were last called, or made where they were not. Opens none. */
  list(query: WorldQuery): Promise<ListedWorlds>
  /** When it was last called, by whichever sandbox; undefined when it never was. */
  lastUsed(name: string): Promise<number | undefined>
  /**
   * Calls `listener` when something became of a world, whoever did it, once it is safe. Returns how to stop.
   */
  onChanged(listener: (name: string, event: WorldEvent) => void): () => void
}

export interface Creation {
  /** How many worlds there may be, this one among them, whoever makes others at the same time. */
  readonly most?: number
  /** When it is made, milliseconds on the wall. */
  readonly at?: number
}

/** A place in the list of worlds: that of a world with this name, which was called then. */
export interface WorldPlace {
  /** Milliseconds on the wall. */
  readonly at: number
  readonly name: string
}

export interface WorldQuery {
  /** What their names begin with. */
  readonly prefix: string
  readonly limit: number
  /** Only those behind this place; from the first when left out. */
  readonly after?: WorldPlace | undefined
}

export interface ListedWorld extends WorldPlace {
  /** When it was last called; undefined when it never was. */
  readonly used_at: number | undefined
  /** Undefined where it is not known. */
  readonly made_at: number | undefined
  /** What its rows take where they are kept. */
  readonly bytes: number
}

export interface ListedWorlds {
  /** Those that were called last first. */
  readonly worlds: readonly ListedWorld[]
  /** How many fit the prefix. */
  readonly total: number
}

/** There may be no more worlds. */
export class TooManyWorlds extends Error {
  override readonly name = 'TooManyWorlds'
}
