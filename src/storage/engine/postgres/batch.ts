import { WorldChange } from '../../store/change.ts'
import type { Change, RowChange } from '../../store/store.ts'
import { WorldTables } from '../../store/world.ts'
import type { Card } from '../worlds.ts'
import { CARD_FIELDS, cardIn } from './cards.ts'
import { type Note, Replica, textOf, type CommitNotice } from './replicas.ts'

export interface Wanted {
  /** Changes rows, or is an event without rows. */
  readonly work: ((change: Change) => unknown) | Note
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Made extends Wanted {
  readonly change: WorldChange | undefined
  readonly outcome: { readonly result: unknown } | { readonly error: unknown }
}

interface Appended extends CommitNotice {
  readonly text: string
  /** Number of events of the change, if known. */
  readonly events?: number | undefined
}

/** Returns the time and the number of events of a change, or undefined if that failed. */
export type Describe = (
  world: string,
  written: readonly RowChange[],
) => { readonly time: number; readonly events?: number } | undefined

/** Changes of one world that are not committed yet. */
export class WorldBatch {
  readonly name: string
  readonly appended: Appended[] = []
  /** The world before the changes; new if it did not exist. */
  readonly replica: Replica
  readonly isNew: boolean
  /** The stored owner that the changes rely on, and the one that they store. */
  readonly held: string | null
  readonly owner: string | null
  /** Whether this process owned the world, so that no transaction locks it. */
  readonly isOwn: boolean
  readonly #made: Made[] = []
  readonly #describe: Describe
  #card: Card | undefined

  /** @param draw - Returns unique texts. */
  constructor(
    name: string,
    replica: Replica | undefined,
    draw: () => string,
    describe: Describe,
    owners: Pick<WorldBatch, 'held' | 'owner' | 'isOwn'>,
  ) {
    this.name = name
    this.#describe = describe
    this.held = owners.held
    this.owner = owners.owner
    this.isOwn = owners.isOwn
    this.isNew = replica === undefined
    this.replica = replica ?? new Replica({ born: draw(), life: draw(), version: 0 }, new WorldTables())
  }

  get bytes(): number {
    return this.appended.reduce((sum, { text }) => sum + text.length, 0)
  }

  get last(): number {
    return this.appended.at(-1)?.version ?? this.replica.version
  }

  /** After the changes. */
  get card(): Card {
    return (this.#card ??= cardIn(this.replica.tables))
  }

  /** Whether the database may have another card. Only the owner of a world knows that it does not. */
  get hasNewCard(): boolean {
    const { card: known } = this.replica
    if (!this.isOwn || !known) return true
    return CARD_FIELDS.some((field) => known[field] !== this.card[field])
  }

  /** Applies changes one after another; a change that throws has no effect. */
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

  /** Ignored in a world that does not exist. */
  #note(wanted: Wanted, note: Note): void {
    if (!this.isNew)
      this.appended.push({ version: this.last + 1, written: [], note, text: JSON.stringify(note), events: 1 })
    this.#made.push({ ...wanted, change: undefined, outcome: { result: undefined } })
  }

  /** Call it after the commit, before any caller is notified. */
  keep(): void {
    for (const { change } of this.#made) change?.end()
    this.replica.card = this.isOwn ? this.card : undefined
    this.replica.version = this.last
    this.replica.logBytes += this.bytes
  }

  /** Restores the rows if the commit failed or its outcome is unknown. */
  undo(): void {
    for (const { change, outcome } of this.#made.toReversed()) if ('result' in outcome) change?.undo()
    for (const { change } of this.#made) change?.end()
    this.replica.coming = this.replica.version
  }

  answer(): void {
    for (const { resolve, reject, outcome } of this.#made)
      if ('result' in outcome) resolve(outcome.result)
      else reject(outcome.error)
  }

  refuse(error: unknown): void {
    for (const { reject } of this.#made) reject(error)
  }
}
