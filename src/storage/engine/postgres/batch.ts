import { WorldChange } from '../../store/change.ts'
import type { Change, RowChange } from '../../store/store.ts'
import { WorldTables } from '../../store/world.ts'
import type { Card } from '../worlds.ts'
import { cardIn } from './cards.ts'
import { type Note, Replica, textOf, type CommitNotice } from './replicas.ts'
/** A change that waits to be made. */
export interface Wanted {
  /** What it does to rows, or what it tells beside them. */
  readonly work: ((change: Change) => unknown) | Note
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Made extends Wanted {
  readonly change: WorldChange | undefined
  readonly outcome: { readonly result: unknown } | { readonly error: unknown }
}

/** One change's entry in the log. */
export interface Appended extends CommitNotice {
  readonly text: string
  /** How many events it makes; undefined where nobody said so. */
  readonly events?: number | undefined
}

/** Says when a change happens, and how many events it makes, where a world's events are open; nothing where that failed. */
export type Describe = (
  world: string,
  written: readonly RowChange[],
) => { readonly time: number; readonly events?: number } | undefined

/** The changes that were made to one world and are not kept yet. */
export class WorldBatch {
  readonly name: string
  readonly appended: Appended[] = []
  /** Of the world as it was before; made up where there was none. */
  readonly replica: Replica
  /** There was no such world. */
  readonly isNew: boolean
  readonly #made: Made[] = []
  readonly #describe: Describe

  /** @param draw makes texts that nobody else has */
  constructor(name: string, replica: Replica | undefined, draw: () => string, describe: Describe) {
    this.name = name
    this.#describe = describe
    this.isNew = replica === undefined
    this.replica = replica ?? new Replica({ born: draw(), life: draw(), version: 0 }, new WorldTables())
  }

  get bytes(): number {
    return this.appended.reduce((sum, { text }) => sum + text.length, 0)
  }

  get last(): number {
    return this.appended.at(-1)?.version ?? this.replica.version
  }

  /** What is told of the world as its rows are now. */
  get card(): Card {
    return cardIn(this.replica.tables)
  }

  /** Makes changes, one after another; one that throws leaves nothing. */
  make(wanted: Iterable<Wanted>): void {
    for (const each of wanted) {
      if (typeof each.work === 'function') this.#change(each, each.work)
      else this.#note(each, each.work)
    }
    this.replica.coming = this.last
  }

  #change(wanted: Wanted, work: (change: Change) => unknown): void {
    const change = new WorldChange(this.replica.tables)
    try {
      const result = work(change)
      const written = change.written()
      if (written.length > 0) this.#append(written)
      this.#made.push({ ...wanted, change, outcome: { result } })
    } catch (error) {
      change.undo()
      this.#made.push({ ...wanted, change, outcome: { error } })
    } finally {
      change.seal()
    }
  }

  #append(written: readonly RowChange[]): void {
    const about = this.#describe(this.name, written)
    this.appended.push({ version: this.last + 1, written, text: textOf(written), ...about })
  }

  /** In a world that is gone there is nothing to tell. */
  #note(wanted: Wanted, note: Note): void {
    if (!this.isNew)
      this.appended.push({ version: this.last + 1, written: [], note, text: JSON.stringify(note), events: 1 })
    this.#made.push({ ...wanted, change: undefined, outcome: { result: undefined } })
  }

  /** It is kept: to be called before anybody is told. */
  keep(): void {
    for (const { change } of this.#made) change?.end()
    this.replica.version = this.last
    this.replica.logBytes += this.bytes
  }

  /** It is not kept, or was taken for lost: the rows are again as they were. */
  undo(): void {
    for (const { change, outcome } of this.#made.toReversed()) if ('result' in outcome) change?.undo()
    for (const { change } of this.#made) change?.end()
    this.replica.coming = this.replica.version
  }

  /** Answers those whose changes they were. */
  answer(): void {
    for (const { resolve, reject, outcome } of this.#made)
      if ('result' in outcome) resolve(outcome.result)
      else reject(outcome.error)
  }

  refuse(error: unknown): void {
    for (const { reject } of this.#made) reject(error)
  }
}
