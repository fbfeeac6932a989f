import { parseKeep } from '../service/vocabulary/keep.ts'
import type { CostBand } from '../service/domain/money.ts'
import type { Settings } from '../service/domain/context.ts'
import { invalid, noneLeft } from '../service/domain/errors.ts'
import type { CostBand as WrittenCost, WorldSettingsChange } from '../generated/control/types.ts'
import { readDuration, readField } from '../service/domain/wire-time.ts'
import { parseSettleAfter } from '../service/vocabulary/settle-after.ts'

/** How long a receiver may take to answer a callback; milliseconds. */
const CALLBACK_TIMEOUT = { least: 1, most: 30_000 }

/** What of a world's settings differs from the process's, in a form that JSON holds; signatures in that of `SANDBOX_SIGNATURES`. */
export type SettingsChange = Omit<WorldSettingsChange, 'signatures'> & {
  readonly signatures?: string | undefined
}

/** Lays what was changed over the settings of the process. @throws ServiceError naming the field and its value */
export function changedSettings(base: Settings, change: SettingsChange | undefined): Settings {
  if (!change) return base
  const { settle_after, review_after, callback_timeout, keep, costs, ...others } = defined(change)
  const { callback_shape, signatures, retry_profile, retry_speed, retry_jitter, validation, tiers, ...more } =
    others
  const { name, payer, realism, generation, trace_context, ...rest } = more
  noneLeft(rest)
  const plain = {
    name,
    callback_shape,
    signatures,
    retry_profile,
    retry_speed,
    retry_jitter,
    trace_context,
    validation,
    generation,
    payer,
    realism,
    tiers,
  }
  if (costs?.length === 0) throw invalid('costs must have at least one band')
  if (tiers?.length === 0) throw invalid('tiers must have at least one tier')
  return {
    ...base,
    ...(defined(plain) as Partial<Settings>),
    ...(settle_after !== undefined && {
      settle_after: readField('settle_after', () => parseSettleAfter(settle_after)),
    }),
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
