/** Limits the resources that one world may use: memory, concurrency, and rates per minute or day. */
import { type BudgetItems, budgetItems } from './limits.ts'
import { formatBytes } from '../lib/text/bytes.ts'
import type { Wall } from '../lib/clock/clock.ts'
import { RateLimited, ServiceError } from '../service/domain/errors.ts'
import { type Counter, type Counters, DAY, MINUTE } from '../storage/engine/shared-state.ts'
import { MemoryCounters } from '../storage/engine/memory/shared-state.ts'

export type BudgetItem = keyof BudgetItems
type Unit = BudgetItems[BudgetItem]['unit']
type ItemsIn<U extends Unit> = {
  [Item in BudgetItem]: BudgetItems[Item]['unit'] extends U ? Item : never
}[BudgetItem]
export type Rate = ItemsIn<'per_minute' | 'per_day'>
/** Items that other parts of the world count. */
type Measured = 'rows' | 'inboxes' | 'request_log' | 'snapshots' | 'snapshot_count' | 'scenarios'
/** Items with a beginning and an end. */
type AtOnce = Exclude<BudgetItem, Rate | Measured>

/** Infinity for items without a limit. */
export type Limits = { readonly [Item in BudgetItem]: number } & {
  /** The settings that determine the limits, if other settings than for ordinary worlds. */
  readonly settings?: { readonly [Item in BudgetItem]?: string }
  /** The kind of worlds with these limits; `world` for ordinary ones. */
  readonly of?: string
}

export interface Spending {
  readonly name: BudgetItem
  readonly unit: Unit
  readonly used: number
  readonly limit: number
  readonly setting: string
  readonly freed_by: string
}

/** Called when the use of an item reaches a warning level, and again only after it was below. */
export type OnSpent = (spending: Spending, percent: number) => void

const items = Object.keys(budgetItems) as readonly BudgetItem[]

/** A named set of limits, which a sign-up token or an administrator gives to a world. */
export interface Plan {
  readonly name: string
  /** The limits that differ from those of other worlds; Infinity for none. */
  readonly limits: { readonly [Item in BudgetItem]?: number | undefined }
  /** Maximum number of further worlds that the owner may create. */
  readonly worlds: number | undefined
  /** Milliseconds from the last call to the end of a world from a sign-up. */
  readonly ttl: number | undefined
  /** The names of the sign-up tokens that give this plan. */
  readonly tokens: readonly string[]
}

export type Plans = ReadonlyMap<string, Plan>

export const plannedLimits = (base: Limits, { name, limits }: Plan): Limits => {
  const settings = Object.fromEntries(Object.keys(limits).map((item) => [item, `SANDBOX_PLANS: ${name}`]))
  return {
    ...base,
    ...limits,
    settings: { ...base.settings, ...settings },
    of: `${base.of ?? 'world'}-${name}`,
  }
}

export const noLimits = Object.fromEntries(items.map((item) => [item, Infinity])) as unknown as Limits

export type Rates = { readonly [Item in Rate]: Counter }

const rates = [
  'requests',
  'inbox_requests',
  'callbacks',
  'callbacks_per_day',
  'mails',
] as const satisfies readonly Rate[]
const isRate = (item: BudgetItem): item is Rate => (rates as readonly BudgetItem[]).includes(item)

/** @param names - Maximum number of worlds whose counts are kept. */
export const ratesOf = (counters: Counters, limits: Limits, names?: number): Rates => {
  const open = (item: Rate) =>
    counters.open(`${limits.of ?? 'world'}-${item}`, {
      most: limits[item],
      byWorld: true,
      per: budgetItems[item].unit === 'per_day' ? DAY : MINUTE,
      ...(names !== undefined && { names }),
    })
  return Object.fromEntries(rates.map((item) => [item, open(item)])) as Rates
}

/** Percentages. */
const WARNING_LEVELS = [100, 80] as const

export class Budget {
  #limits: Limits
  readonly #name: string
  readonly #wall: Wall
  readonly #onSpent: OnSpent
  readonly #atOnce: { [Item in AtOnce]: number } = { bodies: 0, waiters: 0, streams: 0 }
  #rates: Rates
  /** The last warning level of each item. */
  #warned: Map<BudgetItem, number> | undefined

  /** @param rates - Counters that other processes may share; by default counters of this budget. */
  constructor(
    limits: Limits,
    wall: Wall,
    onSpent: OnSpent = () => {},
    rates: Rates = ratesOf(new MemoryCounters(), limits),
    name = '',
  ) {
    this.#limits = limits
    this.#rates = rates
    this.#name = name
    this.#wall = wall
    this.#onSpent = onSpent
  }

  get limits(): Limits {
    return this.#limits
  }

  /** Continues with other limits, as of another plan. */
  adopt(limits: Limits, rates: Rates = this.#rates): void {
    this.#limits = limits
    this.#rates = rates
  }

  /** Counts one use of a rate. Await a returned promise. @throws RateLimited 429 if the rate of this minute or day is used up */
  take(item: Rate): void | Promise<void> {
    const wait = this.wait(item)
    return typeof wait === 'number'
      ? this.#requireNone(item, wait)
      : wait.then((ms) => this.#requireNone(item, ms))
  }

  /** The same for callers that cannot wait. With shared counters, only uses after the response of the counter are rejected. */
  takeNow(item: Rate): void {
    const wait = this.wait(item)
    if (typeof wait === 'number') this.#requireNone(item, wait)
    else wait.catch(() => {})
  }

  /** Counts one use of a rate if possible. @returns 0, or the milliseconds until the next use is possible */
  wait(item: Rate): number | Promise<number> {
    if (this.#limits[item] === Infinity) return 0
    const wait = this.#rates[item].take(this.#name, this.#wall())
    if (typeof wait !== 'number') return wait.then((ms) => this.#taken(item, ms))
    return this.#taken(item, wait)
  }

  /** The remaining uses of a rate in this minute, as far as this process knows. */
  left(item: Rate): number {
    return Math.max(0, this.#limits[item] - this.#countOf(item))
  }

  /** Refreshes shared counters, so that `left` and `spending` are up to date. */
  async look(): Promise<void> {
    for (const item of rates)
      if (this.#limits[item] !== Infinity) await this.#rates[item].look(this.#name, this.#wall())
  }

  /**
   * Counts a stream, a body of `amount` bytes, or the like. The first one is always accepted, regardless of its size.
   * @returns a function to call at its end
   * @throws ServiceError 429 if the limit is reached
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

  atOnce(item: AtOnce): number {
    return this.#atOnce[item]
  }

  isSpent(item: BudgetItem, used: number): boolean {
    return used >= this.#limits[item]
  }

  /** @throws ServiceError 429 if an item is used up, or `adding` exceeds the rest */
  require(item: BudgetItem, used: number, adding = 0): void {
    const limit = this.#limits[item]
    this.#warn(item, used + adding)
    if (used < limit && used + adding <= limit) return
    throw new ServiceError(
      'resource_exhausted',
      `${this.#words(item, used, adding)}; ${budgetItems[item].freed_by}`,
    )
  }

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
    const { unit, variable, freed_by } = budgetItems[item]
    const setting = this.#limits.settings?.[item] ?? variable
    return { name: item, unit, used, limit: this.#limits[item], setting, freed_by }
  }

  #countOf(item: Rate): number {
    return this.#limits[item] === Infinity ? 0 : this.#rates[item].count(this.#name, this.#wall())
  }

  #taken(item: Rate, wait: number): number {
    this.#warn(item, wait > 0 ? this.#limits[item] : this.#countOf(item))
    return wait
  }

  #requireNone(item: Rate, wait: number): void {
    if (wait > 0) throw new RateLimited(this.#words(item, this.#limits[item]), Math.ceil(wait / 1000))
  }

  #words(item: BudgetItem, used: number, adding = 0): string {
    const { unit, variable } = budgetItems[item]
    const text = (amount: number) => (unit === 'bytes' ? formatBytes(amount) : String(amount))
    const more = adding > 0 && unit === 'bytes' ? ` and ${text(adding)} more are needed` : ''
    const limit = `${text(this.#limits[item])}${unit === 'bytes' ? '' : ` ${unit === 'concurrent' ? 'at once' : unit.replace('_', ' ')}`}`
    return `${item} of this world: ${text(used)} of ${limit} are used (${this.#limits.settings?.[item] ?? variable})${more}`
  }

  #warn(item: BudgetItem, used: number): void {
    const limit = this.#limits[item]
    if (used < 0.8 * limit) {
      this.#warned?.delete(item)
      return
    }
    const percent = WARNING_LEVELS.find((each) => used >= (each / 100) * limit)!
    const told = (this.#warned ??= new Map())
    if (percent <= (told.get(item) ?? 0)) return
    told.set(item, percent)
    this.#onSpent(this.#spending(item, used), percent)
  }
}
