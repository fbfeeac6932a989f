import { later, type KeyedMutex, systemMonotonic } from '../../../lib/clock/clock.ts'
import { StoreUnavailable } from '../../store/change.ts'
import { LONGEST_WAIT } from '../shared-state.ts'
import type { Wanted } from './batch.ts'
import { CLOCK, type Statement, statement } from './database.ts'
import type { WorldOwnership } from './ownership.ts'
import { lockWaiting } from './replicas.ts'
import { Commits, type CommitsOptions } from './commits.ts'

/** Locks the worlds that no other process is writing to, and skips the others. */
const lockFree = statement`
  select name, ${CLOCK} from worlds where name = any($1::text[]) order by name for update skip locked`

interface WriterOptions extends Omit<CommitsOptions, 'take' | 'putBack'> {
  readonly changing: KeyedMutex
  readonly ownership: WorldOwnership
}

/** Maximum number of worlds per transaction. */
const MOST_WORLDS = 64
/** How long a note waits for another change, milliseconds. */
const PATIENCE = 20
/** Maximum number of transactions that wait for a world which another process is writing to, or answers for. */
const MOST_PATIENT = 3

/**
 * Queues changes by world. All waiting changes go into one transaction, except for worlds that another process has locked,
 * which are waited for separately.
 */
export class Writer {
  readonly #changing: KeyedMutex
  readonly #ownership: WorldOwnership
  readonly #commits: Commits
  readonly #wanted = new Map<string, Wanted[]>()
  /** Notes, which wait for another change of their world. */
  readonly #patiently = new Map<string, Wanted[]>()
  /** Whether a timer will schedule the notes. Notes of a locked world stay in `#patiently`, so their number does not show it. */
  #willHurry = false
  /** Worlds whose changes were not taken yet; later ones go into the next turn. */
  readonly #scheduled = new Set<string>()
  readonly #ready = new Set<string>()
  /** Worlds whose changes were not stored because another process was faster. */
  readonly #again = new Set<string>()
  readonly #locked: string[] = []
  /** A transaction without waiting is running: one at a time, so that later changes go together into the next. */
  #sweeping = false
  #patient = 0

  constructor({ changing, ...options }: WriterOptions) {
    this.#changing = changing
    this.#ownership = options.ownership
    this.#commits = new Commits({
      ...options,
      take: (name) => this.#take(name),
      putBack: (name, wanted) => {
        this.#again.add(name)
        this.#putBack(name, wanted)
      },
    })
  }

  add(name: string, wanted: Wanted): void {
    const known = this.#wanted.get(name)
    const before = this.#patiently.get(name) ?? []
    this.#patiently.delete(name)
    if (known) known.push(...before, wanted)
    else this.#wanted.set(name, [...before, wanted])
    this.#schedule(name)
    // Worlds of this process need no lock: their notes go along at no cost.
    for (const other of this.#patiently.keys()) if (this.#ownership.isCurrent(other)) this.#schedule(other)
  }

  /** Adds a change that goes with the next one of the world, or alone after a moment. */
  addPatiently(name: string, wanted: Wanted): void {
    if (!this.#willHurry) {
      this.#willHurry = true
      later(PATIENCE, () => {
        this.#willHurry = false
        this.hurry()
      })
    }
    const known = this.#patiently.get(name)
    if (known) known.push(wanted)
    else this.#patiently.set(name, [wanted])
  }

  hurry(only?: string): void {
    for (const name of only === undefined ? [...this.#patiently.keys()] : [only])
      if (this.#patiently.has(name)) this.#schedule(name)
  }

  #schedule(name: string): void {
    if (this.#scheduled.has(name)) return
    this.#scheduled.add(name)
    const ready = () => {
      this.#ready.add(name)
      if (!this.#sweeping) void this.#sweep()
    }
    const held = this.#changing.acquire(name)
    if (held) void held.then(ready)
    else ready()
  }

  async #sweep(): Promise<void> {
    this.#sweeping = true
    // Changes of the same turn go into the first transaction.
    await undefined
    while (this.#ready.size > 0) {
      const names = [...this.#ready].slice(0, MOST_WORLDS)
      for (const name of names) this.#ready.delete(name)
      this.#locked.push(...(await this.#serve(names, lockFree)))
      while (this.#locked.length > 0 && this.#patient < MOST_PATIENT) void this.#wait()
    }
    this.#sweeping = false
  }

  async #wait(): Promise<void> {
    this.#patient += 1
    for (let name = this.#locked.shift(); name !== undefined; name = this.#locked.shift()) {
      const [still] = await this.#serve([name], lockWaiting)
      if (still !== undefined) await this.#obtain(still)
    }
    this.#patient -= 1
  }

  /** Waits until no other process answers for a world, and makes its changes; rejects those that cannot wait any longer. */
  async #obtain(name: string): Promise<void> {
    const wanted = [...(this.#wanted.get(name) ?? []), ...(this.#patiently.get(name) ?? [])]
    try {
      const longest = systemMonotonic() + LONGEST_WAIT
      await this.#ownership.obtain(name, Math.min(longest, ...wanted.map(({ until }) => until)))
    } catch (error) {
      const taken = this.#take(name)
      const now = systemMonotonic()
      // Without any that is late, the error is that of all.
      const left = taken.some(({ until }) => until <= now) ? taken.filter(({ until }) => until > now) : []
      for (const each of taken) if (!left.includes(each)) each.reject(error)
      if (left.length === 0) return this.#changing.release(name)
      this.#putBack(name, left)
    }
    this.#locked.push(name)
  }

  /** Makes the changes of these worlds; returns the worlds that another process has locked, answers for or changed meanwhile. */
  async #serve(names: readonly string[], lock: Statement): Promise<readonly string[]> {
    const own = names.filter((name) => this.#ownership.isCurrent(name))
    const others = names.filter((name) => !own.includes(name))
    const left = await Promise.all([
      this.#attempt(own, () => this.#commits.runOwn(own)),
      this.#attempt(others, () => this.#commits.run(others, lock)),
    ])
    return left.flat()
  }

  async #attempt(
    names: readonly string[],
    run: () => Promise<readonly string[]>,
  ): Promise<readonly string[]> {
    if (names.length === 0) return []
    let left: readonly string[] = []
    try {
      left = await run()
    } catch (error) {
      for (const name of names) for (const { reject } of this.#take(name)) reject(error)
    }
    left = names.filter((name) => this.#again.delete(name) || left.includes(name))
    for (const name of names) if (!left.includes(name)) this.#changing.release(name)
    return left
  }

  /** Puts changes before those that came later. The world must be in the hands of a caller that makes them. */
  #putBack(name: string, wanted: readonly Wanted[]): void {
    this.#scheduled.add(name)
    this.#wanted.set(name, [...wanted, ...(this.#wanted.get(name) ?? [])])
  }

  #take(name: string): readonly Wanted[] {
    this.#scheduled.delete(name)
    const wanted = [...(this.#wanted.get(name) ?? []), ...(this.#patiently.get(name) ?? [])]
    this.#wanted.delete(name)
    this.#patiently.delete(name)
    return wanted.filter(({ request, reject }) => {
      const mayChange = this.#ownership.mayChange(name, request)
      if (!mayChange)
        reject(new StoreUnavailable('Another process answers for the world by now; send it again.'))
      return mayChange
    })
  }
}
