import { isDeepStrictEqual } from 'node:util'
import type {
  CostBand as WrittenCost,
  Populate,
  Seed,
  WorldSettingsChange,
} from '../generated/control/types.ts'
import type { Clock, ClockState } from '../lib/clock/clock.ts'
import { SCENARIO_STATE } from '../scenarios/state.ts'
import type { Settings } from '../service/domain/context.ts'
import { invalid, noneLeft } from '../service/domain/errors.ts'
import type { CostBand } from '../service/domain/money.ts'
import { readDuration, readField } from '../service/domain/wire-time.ts'
import { parseKeep } from '../service/vocabulary/keep.ts'
import { parseSettleAfter } from '../service/vocabulary/settle-after.ts'
import { CLOCK_STATE, LEASE_STATE, SETTINGS, TEMPLATE } from '../storage/engine/worlds.ts'
import type { ApiKeyRow, CertificationRow, StateRow } from '../storage/store/rows.ts'
import type { Generation, View, WorldRows } from '../storage/store/store.ts'

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

/** What a world made on request began with; a reset brings it back to that. Kept as a row of the world. */
export interface WorldTemplate {
  /** The world whose owner made it, who may look after it too. */
  readonly parent: string
  /** When it was made, milliseconds on the wall. */
  readonly made_at: number
  /** Its keys, with passwords of its own. */
  readonly api_keys: readonly ApiKeyRow[]
  /** Its own seed, without passwords; the process's when left out. */
  readonly seed?: Seed | undefined
  readonly settings?: SettingsChange | undefined
  readonly clock?: ClockState | undefined
  /** What is made up beside its seed. */
  readonly populate?: Populate | undefined
  /** For whom it was made who was not known; one that the owner of such a world made is of the same kind. */
  readonly guest?: Guest | undefined
}

export { CLOCK_STATE, LEASE_STATE, SETTINGS, TEMPLATE }

/** Who gets a world without a key: whoever signs up, and readers of the documentation. */
export type Guest = 'sign-up' | 'reader'

/** The receivers that have shown that they want the callbacks of the world; never taken over from elsewhere. */
export const CALLBACK_TARGETS = 'callback-targets'

/** Tells a world from an earlier one of its name, so that what was made for that one does not fit; its value is text. */
export const LIFE = 'life'

/** The rows with this life, whatever they had; without one when it is undefined. */
export function withLife(rows: WorldRows, life: string | undefined): WorldRows {
  const others = (rows.state ?? []).filter(({ name }) => name !== LIFE)
  if (life === undefined && others.length === (rows.state ?? []).length) return rows
  return { ...rows, state: life === undefined ? others : [...others, { name: LIFE, value: life }] }
}

/** What stays with a world whatever rows take the place of its own: what receivers have shown it, and who uses it. */
export const STAYING = [CALLBACK_TARGETS, LEASE_STATE] as const

/** The rows with those that stay as they are now, whatever they had of them. */
export function withStaying(rows: WorldRows, now: readonly StateRow[]): WorldRows {
  const others = (rows.state ?? []).filter(({ name }) => !(STAYING as readonly string[]).includes(name))
  if (now.length === 0 && others.length === (rows.state ?? []).length) return rows
  return { ...rows, state: [...others, ...now] }
}

/** Reports tell of what was: those of a world stay, unless rows bring reports of their own. */
export const withReports = (rows: WorldRows, own: readonly CertificationRow[]): WorldRows =>
  own.length === 0 || (rows.certifications?.length ?? 0) > 0 ? rows : { ...rows, certifications: own }

export function stateIn<T>(rows: WorldRows, name: string): T | undefined {
  return rows.state?.find((row) => row.name === name)?.value as T | undefined
}

/** What a world is told of by rows of the table `state`. */
const FOLLOWED = [SETTINGS, CLOCK_STATE, TEMPLATE, LIFE] as const
type Followed = (typeof FOLLOWED)[number]

/** The rows that a world is opened with, and nothing else of it. */
export function openingRows(view: View): WorldRows {
  const state = [...FOLLOWED, SCENARIO_STATE].flatMap((name) => view.get('state', name) ?? [])
  return { state }
}

/**
 * What a world's rows say of its settings, its clock and how it began, whichever sandbox wrote them. Looked at in each
 * change and read, and understood anew only where a row says something else than it did.
 */
export class WorldState {
  readonly #clock: Clock
  readonly #defaults: () => Settings
  readonly #values: { [Name in Followed]: unknown }
  #generation: Generation | undefined
  #revision = -1
  #base: Settings
  #settings: Settings

  /**
   * @param defaults the settings of the process; another object once they have changed
   * @param rows what the world begins with; the clock goes as they say already
   * @throws ServiceError for a setting that is refused
   */
  constructor(clock: Clock, defaults: () => Settings, rows: WorldRows) {
    this.#clock = clock
    this.#defaults = defaults
    this.#values = {
      [SETTINGS]: stateIn(rows, SETTINGS),
      [CLOCK_STATE]: stateIn(rows, CLOCK_STATE),
      [TEMPLATE]: stateIn(rows, TEMPLATE),
      [LIFE]: stateIn(rows, LIFE),
    }
    this.#base = defaults()
    this.#settings = changedSettings(this.#base, this.settingsChange)
  }

  get settings(): Settings {
    const base = this.#defaults()
    if (base !== this.#base) this.#settings = changedSettings((this.#base = base), this.settingsChange)
    return this.#settings
  }

  /** What of the settings differs from the process's. */
  get settingsChange(): SettingsChange | undefined {
    return this.#values[SETTINGS] as SettingsChange | undefined
  }

  get template(): WorldTemplate | undefined {
    return this.#values[TEMPLATE] as WorldTemplate | undefined
  }

  get life(): string | undefined {
    return this.#values[LIFE] as string | undefined
  }

  /** Takes over what the rows say; costs next to nothing while nobody has written. */
  follow(view: View): void {
    const revision = view.revision('state')
    if (revision === this.#revision && view.generation === this.#generation) return
    this.#revision = revision
    this.#generation = view.generation
    for (const name of FOLLOWED) this.#take(name, view.get('state', name)?.value)
  }

  /** Takes over a row that was written. */
  written({ name, value }: StateRow): void {
    if (isFollowed(name)) this.#take(name, value)
  }

  #take(name: Followed, value: unknown): void {
    const known = this.#values[name]
    if (value === known || isDeepStrictEqual(value, known)) return
    this.#values[name] = value
    if (name === SETTINGS) this.#settings = changedSettings(this.#base, this.settingsChange)
    if (name === CLOCK_STATE && value !== undefined) this.#clock.follow(value as ClockState)
  }
}

const isFollowed = (name: string): name is Followed => (FOLLOWED as readonly string[]).includes(name)
