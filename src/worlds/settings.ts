import { isDeepStrictEqual } from 'node:util'
import type {
  CostBand as WrittenCost,
  Populate,
  Seed,
  WorldSettingsChange,
} from '../generated/control/types.ts'
import type { Clock, ClockState } from '../lib/clock/clock.ts'
import { SCENARIO_STATE } from '../scenarios/library.ts'
import type { Settings } from '../service/domain/context.ts'
import { invalid, noneLeft } from '../service/domain/errors.ts'
import type { CostBand } from '../service/domain/costs.ts'
import { readDuration, readField } from '../service/domain/wire-time.ts'
import { parseKeep } from '../service/vocabulary/keep.ts'
import { checkProtection, type ReceiverProtection } from '../service/vocabulary/receiver-protection.ts'
import { parseSettleAfter } from '../service/vocabulary/settle-after.ts'
import { CLOCK_STATE, LEASE_STATE, SETTINGS, TEMPLATE } from '../storage/engine/worlds.ts'
import type { ApiKeyRow, CertificationRow, StateRow } from '../storage/store/rows.ts'
import type { Generation, View, WorldRows } from '../storage/store/change.ts'

/** Milliseconds. */
const CALLBACK_TIMEOUT = { least: 1, most: 30_000 }

/** The settings of a world that differ from the process, as JSON. Signatures are written as in `SANDBOX_SIGNATURES`. */
export type SettingsChange = Omit<
  WorldSettingsChange,
  'signatures' | 'receiver_protection' | 'protected_by'
> & {
  readonly signatures?: string | undefined
  readonly receiver_protection?: ReceiverProtection | undefined
}

/** Merges a change into settings. @throws ServiceError naming the field and its value */
export function changedSettings(base: Settings, change: SettingsChange | undefined): Settings {
  if (!change) return base
  const { settle_after, review_after, callback_timeout, retention, costs, ...others } = defined(change)
  const { callback_shape, signatures, retry_profile, retry_speed, retry_jitter, validation, tiers, ...more } =
    others
  const { name, payer, realism, generation, trace_context, observed, receiver_protection, ...rest } = more
  noneLeft(rest)
  // Named one by one: an imported row may contain settings that a world must not change, such as `send_mails`.
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
    ...(retention !== undefined && { retention: readField('retention', () => parseKeep(retention)) }),
    ...(costs && { costs: costs.map(costBand) }),
    ...(observed !== undefined && { observed: parsedOverlay(observed) }),
    ...(receiver_protection && { receiver_protection: checkedProtection(receiver_protection) }),
  }
}

function checkedProtection(given: ReceiverProtection): ReceiverProtection {
  try {
    return checkProtection(given)
  } catch (error) {
    throw invalid(`receiver_protection.${(error as Error).message}`)
  }
}

/** An overlay is stored as JSON after it was checked; an empty text removes the one of the process. */
function parsedOverlay(text: string): Settings['observed'] {
  try {
    return text === '' ? undefined : (JSON.parse(text) as Settings['observed'])
  } catch {
    throw invalid('observed must be an overlay as payments-sandbox learn writes it')
  }
}

export const mergeChanges = (earlier: SettingsChange | undefined, later: SettingsChange): SettingsChange => ({
  ...earlier,
  ...defined(later),
})

export const costBand = ({ up_to, cost }: WrittenCost): CostBand => ({ up_to: up_to ?? Infinity, cost })

const defined = (change: SettingsChange): SettingsChange =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))

/** The settings of worlds that have not changed their own. */
export type Defaults = ReturnType<typeof createDefaults>

export function createDefaults(initial: Settings) {
  let current = initial
  return {
    current: (): Settings => current,
    change: (change: Partial<Settings>) => void (current = { ...current, ...change }),
    reset: () => void (current = initial),
  }
}

/** The initial state of a world made on request, which a reset restores. Stored as a row of the world. */
export interface WorldTemplate {
  /** The world whose owner made this one, and who may manage it. */
  readonly parent: string
  /** Real time in milliseconds. */
  readonly created_at: number
  readonly api_keys: readonly ApiKeyRow[]
  /** Without passwords; the seed of the process by default. */
  readonly seed?: Seed | undefined
  readonly settings?: SettingsChange | undefined
  readonly clock?: ClockState | undefined
  readonly populate?: Populate | undefined
  /** Set for worlds of guests, and inherited by worlds that guests make. */
  readonly guest?: Guest | undefined
  /** The name of the plan with its limits. Inherited by the worlds that its owner makes. */
  readonly plan?: string | undefined
  /** A keyed hash of the e-mail address that the world was confirmed with. */
  readonly contact?: string | undefined
  /** When lost passwords were last replaced, milliseconds in real time. Older recovery links are invalid. */
  readonly recovered_at?: number | undefined
}

export { CLOCK_STATE, LEASE_STATE, SETTINGS, TEMPLATE }

/** Kinds of guests, who get a world without an API key: people who sign up and readers of the documentation. */
export type Guest = 'sign-up' | 'reader'

/** The row of verified callback receivers. It is never imported. */
export const CALLBACK_TARGETS = 'callback-targets'

/** The row that distinguishes a world from earlier ones of its name, so that links to those do not work. Its value is text. */
export const LIFE = 'life'

/** Sets or, if `life` is undefined, removes the row `LIFE`. */
export function withLife(rows: WorldRows, life: string | undefined): WorldRows {
  const others = (rows.state ?? []).filter(({ name }) => name !== LIFE)
  if (life === undefined && others.length === (rows.state ?? []).length) return rows
  return { ...rows, state: life === undefined ? others : [...others, { name: LIFE, value: life }] }
}

/** The state row with the witnessed runs of certify. */
export const CERTIFICATION_RUNS = 'certification_runs'

/** The state rows that stay when all rows of a world are replaced: template, verified receivers, world lease and witnessed runs. */
export const STAYING = [TEMPLATE, CALLBACK_TARGETS, LEASE_STATE, CERTIFICATION_RUNS] as const

export function withStaying(rows: WorldRows, now: readonly StateRow[]): WorldRows {
  const others = (rows.state ?? []).filter(({ name }) => !(STAYING as readonly string[]).includes(name))
  if (now.length === 0 && others.length === (rows.state ?? []).length) return rows
  return { ...rows, state: [...others, ...now] }
}

/** Keeps replaced passwords of the template's API keys: the new rows may be older. */
export function withPasswords(rows: WorldRows, { api_keys }: Pick<WorldTemplate, 'api_keys'>): WorldRows {
  const hashes = new Map(api_keys.map(({ username, password_hash }) => [username, password_hash]))
  const isCurrent = ({ username, password_hash }: ApiKeyRow) =>
    (hashes.get(username) ?? password_hash) === password_hash
  if (rows.apiKeys?.every(isCurrent) ?? true) return rows
  const current = (key: ApiKeyRow) =>
    isCurrent(key) ? key : { ...key, password_hash: hashes.get(key.username)! }
  return { ...rows, apiKeys: rows.apiKeys!.map(current) }
}

/** Keeps the certification reports of a world, unless the new rows contain reports. */
export const withReports = (rows: WorldRows, own: readonly CertificationRow[]): WorldRows =>
  own.length === 0 || (rows.certifications?.length ?? 0) > 0 ? rows : { ...rows, certifications: own }

export function stateIn<T>(rows: WorldRows, name: string): T | undefined {
  return rows.state?.find((row) => row.name === name)?.value as T | undefined
}

/** The rows of the table `state` that an open world follows. */
const FOLLOWED = [SETTINGS, CLOCK_STATE, TEMPLATE, LIFE] as const
type Followed = (typeof FOLLOWED)[number]

/** Returns the rows that are needed to open a world. */
export function openingRows(view: View): WorldRows {
  const state = [...FOLLOWED, SCENARIO_STATE].flatMap((name) => view.get('state', name) ?? [])
  return { state }
}

/** Follows the settings, clock and template in the rows of a world, which any process may have written. */
export class WorldState {
  readonly #clock: Clock
  readonly #defaults: () => Settings
  readonly #onTemplate: (template: WorldTemplate | undefined) => void
  readonly #values: { [Name in Followed]: unknown }
  #generation: Generation | undefined
  #revision = -1
  #base: Settings
  #settings: Settings

  /**
   * @param clock - A clock that already follows `rows`.
   * @param onTemplate - Called with each further template.
   * @throws ServiceError if a setting is invalid
   */
  constructor(
    clock: Clock,
    defaults: () => Settings,
    rows: WorldRows,
    onTemplate: (template: WorldTemplate | undefined) => void,
  ) {
    this.#onTemplate = onTemplate
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

  get settingsChange(): SettingsChange | undefined {
    return this.#values[SETTINGS] as SettingsChange | undefined
  }

  get template(): WorldTemplate | undefined {
    return this.#values[TEMPLATE] as WorldTemplate | undefined
  }

  get life(): string | undefined {
    return this.#values[LIFE] as string | undefined
  }

  /** The stored state of the clock, if it was ever changed. */
  get clock(): ClockState | undefined {
    return this.#values[CLOCK_STATE] as ClockState | undefined
  }

  /** Applies the rows if they have changed. Runs in every change and read, so it must be cheap. */
  follow(view: View): void {
    const revision = view.revision('state')
    if (revision === this.#revision && view.generation === this.#generation) return
    this.#revision = revision
    this.#generation = view.generation
    for (const name of FOLLOWED) this.#apply(name, view.get('state', name)?.value)
  }

  written({ name, value }: StateRow): void {
    if (isFollowed(name)) this.#apply(name, value)
  }

  #apply(name: Followed, value: unknown): void {
    const known = this.#values[name]
    if (value === known || isDeepStrictEqual(value, known)) return
    this.#values[name] = value
    if (name === SETTINGS) this.#settings = changedSettings(this.#base, this.settingsChange)
    if (name === TEMPLATE) this.#onTemplate(this.template)
    if (name === CLOCK_STATE && value !== undefined) this.#clock.follow(value as ClockState)
  }
}

const isFollowed = (name: string): name is Followed => (FOLLOWED as readonly string[]).includes(name)
