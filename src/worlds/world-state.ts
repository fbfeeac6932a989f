import { isDeepStrictEqual } from 'node:util'
import type { Clock, ClockState } from '../lib/clock/clock.ts'
import type { Settings } from '../service/domain/context.ts'
import { SCENARIO_STATE } from '../scenarios/state.ts'
import type { StateRow } from '../storage/store/rows.ts'
import type { Generation, View, WorldRows } from '../storage/store/store.ts'
import { CLOCK_STATE, LIFE, TEMPLATE, SETTINGS, stateIn, type WorldTemplate } from './template.ts'
import { changedSettings, type SettingsChange } from './settings.ts'

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
