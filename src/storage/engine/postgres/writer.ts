import { later } from '../../../lib/clock/clock.ts'
import type { KeyedMutex } from '../../store/keyed-mutex.ts'
import type { Wanted } from './batch.ts'
import type { Statement } from './database.ts'
import { lockFree, lockWaiting } from './replicas.ts'
import { Transactions, type TransactionsOptions } from './transactions.ts'

export interface WriterOptions extends Omit<TransactionsOptions, 'take'> {
  /** Who may change a world, in this process. */
  readonly changing: KeyedMutex
}

/** Worlds written to in one transaction. */
const MOST_WORLDS = 64
/** How long what has time waits for something to go with, milliseconds. */
const PATIENCE = 20
/** Transactions that wait in line for a world that another process writes to. */
const MOST_PATIENT = 3

/**
 * Who waits for changes, by world, and whose turn it is. All that wait go in one transaction; a world that another process has
 * locked is left out, and waited for by itself.
 */
export class Writer {
  readonly #changing: KeyedMutex
  readonly #transactions: Transactions
  readonly #wanted = new Map<string, Wanted[]>()
  /** What has time until something else is wanted of its world. */
  readonly #patiently = new Map<string, Wanted[]>()
  /** Those whose turn comes still; what is wanted once a turn has taken what there was is for the next. */
  readonly #scheduled = new Set<string>()
  readonly #ready = new Set<string>()
  readonly #locked: string[] = []
  /** A transaction is under way that waits for nobody: one at a time, since what comes meanwhile goes together in the next. */
  #sweeping = false
  #patient = 0

  constructor({ changing, ...options }: WriterOptions) {
    this.#changing = changing
    this.#transactions = new Transactions({ ...options, take: (name) => this.#take(name) })
  }

  add(name: string, wanted: Wanted): void {
    const known = this.#wanted.get(name)
    const before = this.#patiently.get(name) ?? []
    this.#patiently.delete(name)
    if (known) known.push(...before, wanted)
    else this.#wanted.set(name, [...before, wanted])
    this.#schedule(name)
  }

  /** The same for what goes with the next that is wanted of the world, or by itself in a moment. */
  addPatiently(name: string, wanted: Wanted): void {
    if (this.#patiently.size === 0) later(PATIENCE, () => this.hurry())
    const known = this.#patiently.get(name)
    if (known) known.push(wanted)
    else this.#patiently.set(name, [wanted])
  }

  /** Makes what had time now, of one world or of all. */
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
    // Whoever wants something in this turn is served with the first.
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
    for (let name = this.#locked.shift(); name !== undefined; name = this.#locked.shift())
      await this.#serve([name], lockWaiting)
    this.#patient -= 1
  }

  /** Serves all that is wanted of these worlds; returns those that another process has locked. */
  async #serve(names: readonly string[], lock: Statement): Promise<readonly string[]> {
    let busy: readonly string[] = []
    try {
      busy = await this.#transactions.run(names, lock)
    } catch (error) {
      for (const name of names) for (const { reject } of this.#take(name)) reject(error)
    }
    for (const name of names) if (!busy.includes(name)) this.#changing.release(name)
    return busy
  }

  #take(name: string): readonly Wanted[] {
    this.#scheduled.delete(name)
    const wanted = [...(this.#wanted.get(name) ?? []), ...(this.#patiently.get(name) ?? [])]
    this.#wanted.delete(name)
    this.#patiently.delete(name)
    return wanted
  }
}
