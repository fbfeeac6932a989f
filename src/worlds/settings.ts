import { parseKeep } from '../keep.ts'
import type { CostBand } from '../domain/costs.ts'
import type { Settings } from '../domain/context.ts'
import { invalid } from '../domain/errors.ts'
import type { TierLimits } from '../domain/context.ts'
import { readDuration, readField } from '../domain/read-duration.ts'

/** How long a receiver may take to answer a callback; milliseconds. */
const CALLBACK_TIMEOUT = { least: 1, most: 30_000 }

/** A cost as it is written down: without `up_to` it holds for every amount above the bands before it. */
export interface WrittenCost {
  readonly up_to?: number | null | undefined
  readonly cost: number
}

/** What of a world's settings differs from the process's, in a form that JSON holds. */
export interface SettingsChange {
  /** A duration such as `2s`, or milliseconds. */
  readonly settle_after?: string | number | undefined
  readonly review_after?: string | number | undefined
  readonly callback_shape?: Settings['callback_shape'] | undefined
  /** In the form of `SANDBOX_SIGNATURES`, checked by who takes it from outside. */
  readonly signatures?: string | undefined
  readonly retry_profile?: Settings['retry_profile'] | undefined
  readonly retry_speed?: number | undefined
  readonly retry_jitter?: Settings['retry_jitter'] | undefined
  readonly callback_timeout?: string | number | undefined
  readonly validation?: Settings['validation'] | undefined
  /** In the form of `SANDBOX_KEEP`. */
  readonly keep?: string | undefined
  readonly tiers?: readonly TierLimits[] | undefined
  readonly costs?: readonly WrittenCost[] | undefined
}

/** Lays what was changed over the settings of the process. @throws ServiceError naming the field and its value */
export function changedSettings(base: Settings, change: SettingsChange | undefined): Settings {
  if (!change) return base
  const { settle_after, review_after, callback_timeout, keep, costs, ...plain } = defined(change)
  if (costs?.length === 0) throw invalid('costs must have at least one band')
  if (plain.tiers?.length === 0) throw invalid('tiers must have at least one tier')
  return {
    ...base,
    ...(plain as Partial<Settings>),
    ...(settle_after !== undefined && { settle_after: readDuration('settle_after', settle_after) }),
    ...(review_after !== undefined && { review_after: readDuration('review_after', review_after) }),
    ...(callback_timeout !== undefined && {
      callback_timeout: readDuration('callback_timeout', callback_timeout, CALLBACK_TIMEOUT),
    }),
    ...(keep !== undefined && { keep: readField('keep', () => parseKeep(keep)) }),
    ...(costs && { costs: costs.map(costBand) }),
  }
}

/** A later change laid over an earlier one. */
export const mergeChanges = (earlier: SettingsChange | undefined, later: SettingsChange): SettingsChange => ({
  ...earlier,
  ...defined(later),
})

export const costBand = ({ up_to, cost }: WrittenCost): CostBand => ({ up_to: up_to ?? Infinity, cost })

const defined = (change: SettingsChange): SettingsChange =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))

/** Settings of the worlds that have not chosen their own. */
export interface Defaults {
  readonly current: Settings
  change(change: Partial<Settings>): void
  reset(): void
}

export function createDefaults(initial: Settings): Defaults {
  let current = initial
  return {
    get current() {
      return current
    },
    change: (change) => void (current = { ...current, ...change }),
    reset: () => void (current = initial),
  }
}
