import type { Moment, WorldEvent, WorldRows } from '../store/store.ts'

/** Which worlds there are. Several sandboxes may share one; what each remembers of its worlds is a cache over it. */
export interface WorldRegistry {
  /** The names of the worlds there are: created, loaded or written to, and not dropped since. */
  names(): Promise<readonly string[]>
  /** @param since as `Store.read` takes it */
  has(name: string, since?: Moment): Promise<boolean>
  /**
   * Makes a world of these rows, which are taken as they are, not copied. Does nothing when there is one of this name.
   * @returns whether it was made
   * @throws Error when two rows of a table have one key
   */
  create(name: string, rows: WorldRows): Promise<boolean>
  /** Forgets a world. */
  drop(name: string): Promise<void>
  /** Notes that a world was called. @param at milliseconds on the wall; an earlier time is no news */
  used(name: string, at: number): void
  /** When it was last called, by whichever sandbox; undefined when it never was. */
  lastUsed(name: string): Promise<number | undefined>
  /**
   * Calls `listener` when something became of a world, whoever did it, once it is safe. Returns how to stop.
   */
  onChanged(listener: (name: string, event: WorldEvent) => void): () => void
}
