/** What one world may take of the process: bytes, things at once, and rates by the minute or the day. One table says all of them. */
import { type BudgetItems, budgetItems } from './budget-items.ts'
import { formatBytes } from '../lib/text/bytes.ts'
import type { Wall } from '../lib/clock/clock.ts'
import { RateLimited, ServiceError } from '../service/domain/errors.ts'
import { type Counter, type Counters, DAY, MINUTE } from '../storage/engine/shared-state.ts'
import { MemoryCounters } from '../storage/engine/memory/shared-state.ts'
/** An item of the budget. */
export type BudgetItem = keyof BudgetItems
type Unit = BudgetItems[BudgetItem]['unit']
type ItemsIn<U extends Unit> = {
  [Item in BudgetItem]: BudgetItems[Item]['unit'] extends U ? Item : never
}[BudgetItem]
export type Rate = ItemsIn<'per minute' | 'per day'>
/** What is counted where it is kept. */
type Measured = 'rows' | 'inboxes' | 'journal' | 'snapshots' | 'snapshot_count' | 'scenarios'
/** What begins and ends. */
type AtOnce = Exclude<BudgetItem, Rate | Measured>

/** Infinity for what has no limit. */
export type Limits = { readonly [Item in BudgetItem]: number } & {
  /** The settings that say so, where they are not those of every world. */
  readonly settings?: { readonly [Item in BudgetItem]?: string }
}

/** How far an item of a world's budget is spent. */
export interface Spending {
  readonly name: BudgetItem
  readonly unit: Unit
  readonly used: number
  readonly limit: number
  readonly setting: string
  readonly gives_back: string
}

/** Told when a world has come to so many percent of an item, once until it has fallen below. */
export type OnSpent = (spending: Spending, percent: number) => void

const items = Object.keys(budgetItems) as readonly BudgetItem[]

export const noLimits = Object.fromEntries(items.map((item) => [item, Infinity])) as unknown as Limits

/** What counts a world's rates. */
export type Rates = { readonly [Item in Rate]: Counter }

const rates = [
  'requests',
  'inbox_requests',
  'callbacks',
  'callbacks_a_day',
  'mails',
] as const satisfies readonly Rate[]
const isRate = (item: BudgetItem): item is Rate => (rates as readonly BudgetItem[]).includes(item)

/**
 * @param names of how many worlds the counts are remembered
 * @param of which worlds these limits are
 */
export const ratesOf = (counters: Counters, limits: Limits, names?: number, of = 'world'): Rates => {
  const open = (item: Rate) =>
    counters.open(`${of}-${item}`, {
      most: limits[item],
      per: budgetItems[item].unit === 'per day' ? DAY : MINUTE,
      ...(names !== undefined && { names }),
    })
  return Object.fromEntries(rates.map((item) => [item, open(item)])) as Rates
}

/** At which a world is warned of, percent. */
const WARNED = [100, 80] as const

export class Budget {
  readonly limits: Limits
  readonly #name: string
  readonly #wall: Wall
  readonly #onSpent: OnSpent
  readonly #atOnce: { [Item in AtOnce]: number } = { bodies: 0, waiters: 0, streams: 0 }
  readonly #rates: Rates
  /** What was warned of last, percent. */
  #told: Map<BudgetItem, number> | undefined

  /**
   * @param rates what counts by the minute; nobody else when left out
   * @param name of the world, by which it is counted
   */
  constructor(
    limits: Limits,
    wall: Wall,
    onSpent: OnSpent = () => {},
    rates: Rates = ratesOf(new MemoryCounters(), limits),
    name = '',
  ) {
    this.limits = limits
    this.#rates = rates
    this.#name = name
    this.#wall = wall
    this.#onSpent = onSpent
  }

  /** Counts one of a rate; a promise that it returns has to be awaited. @throws RateLimited 429 when this minute, or this day, has had all of them */
  take(item: Rate): void | Promise<void> {
    const wait = this.wait(item)
    return typeof wait === 'number'
      ? this.#requireNone(item, wait)
      : wait.then((ms) => this.#requireNone(item, ms))
  }

  /** The same for a caller that cannot wait: where other processes share the count, it is taken, and the next one after the answer is refused. */
  takeNow(item: Rate): void {
    const wait = this.wait(item)
    if (typeof wait === 'number') this.#requireNone(item, wait)
    else wait.catch(() => {})
  }

  /** Counts one of a rate when there is one left. @returns 0, or the milliseconds until there is one again */
  wait(item: Rate): number | Promise<number> {
    if (this.limits[item] === Infinity) return 0
    const wait = this.#rates[item].take(this.#name, this.#wall())
    if (typeof wait !== 'number') return wait.then((ms) => this.#taken(item, ms))
    return this.#taken(item, wait)
  }

  /** How many of a rate this minute has left, as far as this process was told. */
  left(item: Rate): number {
    return Math.max(0, this.limits[item] - this.#countOf(item))
  }

  /** Where other processes share the budget: asks how far its rates are spent, which `left` and `spending` tell then. */
  async look(): Promise<void> {
    for (const item of rates)
      if (this.limits[item] !== Infinity) await this.#rates[item].look(this.#name, this.#wall())
  }

  /**
   * Counts something that lasts, such as a stream or a body of so many bytes. What is alone may always begin, however large.
   * @returns to be called when it ends. @throws ServiceError 429 when there are all of them
   */
  begin(item: AtOnce, amount = 1): () => void {
    const used = this.#atOnce[item]
    if (used > 0) this.require(item, used, amount)
    this.#atOnce[item] += amount
    let left = amount
    return () => {
      this.#atOnce[item] -= left
      left = 0
    }
  }

  /** How many there are at once. */
  atOnce(item: AtOnce): number {
    return this.#atOnce[item]
  }

  /** Whether there is nothing left of an item. */
  isSpent(item: BudgetItem, used: number): boolean {
    return used >= this.limits[item]
  }

  /** @throws ServiceError 429 when nothing is left of an item, or less than is to be added */
  require(item: BudgetItem, used: number, adding = 0): void {
    const limit = this.limits[item]
    this.#tell(item, used + adding)
    if (used < limit && used + adding <= limit) return
    throw new ServiceError(
      'resource_exhausted',
      `${this.#words(item, used, adding)}; ${budgetItems[item].gives_back}`,
    )
  }

  /** How far every item is spent. @param measured what is counted elsewhere */
  spending(measured: { readonly [Item in Measured]: number }): readonly Spending[] {
    return items.map((item) =>
      this.#spending(
        item,
        isRate(item)
          ? this.#countOf(item)
          : ({ ...measured, ...this.#atOnce } as { readonly [item: string]: number })[item]!,
      ),
    )
  }

  #spending(item: BudgetItem, used: number): Spending {
    const { unit, variable, gives_back } = budgetItems[item]
    const setting = this.limits.settings?.[item] ?? variable
    return { name: item, unit, used, limit: this.limits[item], setting, gives_back }
  }

  #countOf(item: Rate): number {
    return this.limits[item] === Infinity ? 0 : this.#rates[item].count(this.#name, this.#wall())
  }

  #taken(item: Rate, wait: number): number {
    this.#tell(item, wait > 0 ? this.limits[item] : this.#countOf(item))
    return wait
  }

  /** @param wait until there is one again, milliseconds; 0 when there was one */
  #requireNone(item: Rate, wait: number): void {
    if (wait > 0) throw new RateLimited(this.#words(item, this.limits[item]), Math.ceil(wait / 1000))
  }

  #words(item: BudgetItem, used: number, adding = 0): string {
    const { unit, variable } = budgetItems[item]
    const text = (amount: number) => (unit === 'bytes' ? formatBytes(amount) : String(amount))
    const more = adding > 0 && unit === 'bytes' ? ` and ${text(adding)} more are asked for` : ''
    const limit = `${text(this.limits[item])}${unit === 'bytes' ? '' : ` ${unit}`}`
    return `${item} of this world: ${text(used)} of ${limit} are used (${this.limits.settings?.[item] ?? variable})${more}`
  }

  #tell(item: BudgetItem, used: number): void {
    const limit = this.limits[item]
    if (used < 0.8 * limit) {
      this.#told?.delete(item)
      return
    }
    const percent = WARNED.find((each) => used >= (each / 100) * limit)!
    const told = (this.#told ??= new Map())
    if (percent <= (told.get(item) ?? 0)) return
    told.set(item, percent)
    this.#onSpent(this.#spending(item, used), percent)
  }
}
