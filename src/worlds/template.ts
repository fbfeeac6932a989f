import type { ClockState } from '../lib/clock/clock.ts'
import { CLOCK_STATE, LEASE_STATE, SETTINGS, TEMPLATE } from '../storage/engine/worlds.ts'
import type { ApiKeyRow, CertificationRow, StateRow } from '../storage/store/rows.ts'
import type { WorldRows } from '../storage/store/store.ts'
import { seedRows } from './seed-rows.ts'
import type { Populate, Seed } from '../generated/control/types.ts'
import type { SettingsChange } from './settings.ts'
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

/**
 * The rows that a world made from this template begins with.
 * @param common the rows of the process's seed
 * @param at when everything of its own seed was made, milliseconds
 */
export function firstRows(common: WorldRows, template: WorldTemplate | undefined, at: number): WorldRows {
  if (!template) return common
  const state: StateRow[] = [{ name: TEMPLATE, value: template }]
  if (template.settings) state.push({ name: SETTINGS, value: template.settings })
  if (template.clock) state.push({ name: CLOCK_STATE, value: template.clock })
  const seeded = template.seed ? seedRows(template.seed, at) : common
  // Of objects that are spread and given one more field, V8 keeps a shape each: half a kilobyte for every world.
  return Object.assign({}, seeded, { apiKeys: template.api_keys, state })
}
