import { type OnError, Listeners } from '../../../lib/listeners.ts'
import { systemUuid } from '../../../lib/random/random.ts'
import type { RowChange, WorldEvent } from '../../store/store.ts'
import { Replica, tablesOf, type Told } from './replica.ts'
import type { SinceRow, WholeRow } from './statements.ts'

type Committed = [world: string, written: readonly RowChange[], version: number]

/** The worlds that a process has met: the rows it has of each, and who hears what becomes of them. */
export class Replicas {
  readonly commits: Listeners<Committed>
  readonly events: Listeners<[world: string, event: WorldEvent]>
  /** All that is in logs, what was written and what else happened; told before others hear of it. */
  readonly entries: Listeners<[world: string, told: Told]>
  /** Tells this process from others. */
  readonly node = systemUuid()
  readonly #replicas = new Map<string, Replica>()
  /** Those that were told of, whether their rows were read or not. */
  readonly #known = new Set<string>()
  /** Of each world: the last look at the database that its replica follows. */
  readonly #looks = new Map<string, number>()
  #look = 0
  /** Changes of others that were taken over. */
  takenOver = 0
  /** Told where the log of a world has entries that were not told of one by one. */
  onLeap: (name: string, replica: Replica) => Promise<void> = async () => {}

  constructor(onError: OnError) {
    this.commits = new Listeners<Committed>((error, world, written) =>
      onError(error, { of: 'commit', world, tables: [...new Set(written.map(({ table }) => table))] }),
    )
    this.events = new Listeners((error, world, event) => onError(error, { of: event, world }))
    this.entries = new Listeners<[world: string, told: Told]>((error, world) =>
      onError(error, { of: 'entry', world }),
    )
  }

  get(name: string): Replica | undefined {
    return this.#replicas.get(name)
  }

  isKnown(name: string): boolean {
    return this.#known.has(name)
  }

  know(name: string): void {
    this.#known.add(name)
  }

  /** Numbers the moments of this process, to say which look at the database came after which question. */
  nextMoment(): number {
    return ++this.#look
  }

  /** Whether there is a replica that follows a look which came after this moment. */
  isFresh(name: string, moment: number): boolean {
    return this.#replicas.has(name) && (this.#looks.get(name) ?? 0) > moment
  }

  /** Puts a replica in the place of the one there was. */
  set(name: string, replica: Replica): void {
    this.#known.add(name)
    this.#replicas.set(name, replica)
  }

  /** Tells of an entry of a world's log. */
  tell(name: string, told: Told): void {
    this.entries.tell(name, told)
    if (!told.note) this.commits.tell(name, told.written, told.version)
  }

  /** Forgets the rows of a world that is there still; whoever asks for it has them read again. */
  forget(name: string): void {
    this.#replicas.delete(name)
    this.#looks.delete(name)
    this.#known.delete(name)
  }

  /** Forgets a world, and says so. */
  drop(name: string): void {
    this.#replicas.delete(name)
    this.#looks.delete(name)
    if (this.#known.delete(name)) this.events.tell(name, 'dropped')
  }

  /**
   * Takes over how a world is in the database; to be called by who has it alone.
   * @param rows as `since` answers them; none: there is no such world
   * @param look the moment at which the database was asked
   * @param readWhole reads the world as a whole, where the replica is too far behind, or of another life
   */
  async follow(
    name: string,
    rows: readonly SinceRow[],
    look: number,
    readWhole: () => Promise<readonly WholeRow[]>,
  ): Promise<Replica | undefined> {
    const [now] = rows
    if (!now) {
      if (this.#known.has(name)) this.drop(name)
      return undefined
    }
    const known = this.#replicas.get(name)
    if (known?.life !== now.life || !this.#apply(name, known, rows))
      await this.#begin(name, known, await readWhole())
    const replica = this.#replicas.get(name)
    if (!replica) return undefined
    const before = this.#looks.get(name) ?? 0
    if (look >= before) replica.watched = now.watched
    this.#looks.set(name, Math.max(look, before))
    replica.baseBytes = now.base_bytes
    replica.logBytes = now.log_bytes
    return replica
  }

  /** Answers whether all that was appended is there. */
  #apply(name: string, replica: Replica, rows: readonly SinceRow[]): boolean {
    for (const { entry, writes, time } of rows) {
      if (entry === null || entry <= replica.version) continue
      if (entry !== replica.version + 1) return false
      this.takenOver += 1
      this.tell(name, replica.apply({ version: entry, writes: writes!, time }))
    }
    return replica.version >= rows[0]!.version
  }

  async #begin(name: string, before: Replica | undefined, rows: readonly WholeRow[]): Promise<void> {
    const [now] = rows
    if (!now) return this.drop(name)
    const texts = (kind: string) => rows.filter((row) => row.kind === kind)
    const log = texts('log')
    const tables = tablesOf(texts('part').map(({ text }) => text!))
    const replica = new Replica({ ...now, version: now.version - log.length }, tables)
    for (const { n, text } of log) replica.apply({ version: n!, writes: text!, time: null })
    const isKnown = this.#known.has(name)
    const isOther = before !== undefined && before.born !== now.born
    if (isOther) this.drop(name)
    this.set(name, replica)
    await this.onLeap(name, replica)
    if (!isKnown || isOther) this.events.tell(name, 'created')
    else if (before) this.events.tell(name, 'replaced')
  }
}
