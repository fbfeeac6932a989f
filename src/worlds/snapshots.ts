import * as z from 'zod'
import {
  boundedTime,
  FIRST_TIME,
  LAST_TIME,
  type Clock,
  type ClockState,
  timeSlice,
} from '../lib/clock/clock.ts'
import { lazy } from '../lib/lazy.ts'
import { fieldPath, type FieldPath } from '../lib/text/field-path.ts'
import { didYouMean } from '../lib/text/suggest.ts'
import { issuesOf, MOST_TOLD, reporting } from '../lib/text/validation-messages.ts'
import { ARCHIVED } from '../service/domain/archive.ts'
import { countersOf } from '../service/domain/context.ts'
import { invalid } from '../service/domain/errors.ts'
import type { Snapshot, SnapshotStore } from '../storage/engine/snapshots.ts'
import { valueBytes, type TableName, tables } from '../storage/store/tables.ts'
import { MOST_COUNTED } from '../storage/store/row-fields.ts'
import type { StateRow } from '../storage/store/rows.ts'
import type { WorldRows } from '../storage/store/change.ts'
import {
  CALLBACK_TARGETS,
  CERTIFICATION_RUNS,
  CLOCK_STATE,
  LEASE_STATE,
  SETTINGS,
  type SettingsChange,
  stateIn,
  TEMPLATE,
  type WorldTemplate,
} from './settings.ts'

export type WorldSnapshots = ReturnType<typeof snapshotsOf>

/** The snapshots of one world. */
export const snapshotsOf = (store: SnapshotStore, world: string) => ({
  take: (about: Pick<Snapshot, 'name' | 'at' | 'clock'>) => store.take(world, about),
  get: (id: number) => store.get(world, id),
  list: () => store.list(world),
  delete: (id: number) => store.delete(world, id),
  /** Refreshes `count` and `bytes`; returns undefined if they are up to date. */
  look: () => store.look(world),
  get count() {
    return store.spent(world).count
  },
  /** The size of all their rows, including those that the world still has. */
  get bytes() {
    return store.spent(world).bytes
  },
})

/**
 * Prepares the rows of a snapshot for `world`. A clock that followed real time continues to do so; any other continues from
 * the time of the snapshot. Pending mails are dropped.
 */
export function restorable(
  rows: WorldRows,
  clock: ClockState,
  at: number,
  world: { readonly clock: Clock },
): WorldRows {
  const follows = clock.speed === 1 && clock.real_anchor === clock.world_anchor
  const state: ClockState | undefined = follows
    ? undefined
    : { real_anchor: world.clock.wall(), world_anchor: boundedTime(at), speed: clock.speed }
  return { ...rows, mailJobs: [], state: withState(rows.state ?? [], CLOCK_STATE, state) }
}

/**
 * Prepares checked rows of an export to replace all rows of a world, whose API keys and template stay.
 * @throws ServiceError 400 if the user of one of these keys is missing
 */
export function importable(imported: WorldRows, own: WorldRows): WorldRows {
  const begun = withState(imported.state ?? [], TEMPLATE, stateIn(own, TEMPLATE))
  // A receiver verified by one world is not verified for another.
  const targeted = withState(begun, CALLBACK_TARGETS, stateIn(own, CALLBACK_TARGETS))
  const state = withState(targeted, IMPORTED, importedIn(imported))
  const users = new Set(imported.users?.map(({ id }) => id))
  const missing = (own.apiKeys ?? []).find((key) => !users.has(key.user_id))
  if (missing)
    throw invalid(`rows.users has no user ${missing.user_id}, whose key ${missing.username} this world keeps`)
  // The register trusts these fields, which only this sandbox sets.
  const certifications = imported.certifications?.map((row) => ({ ...row, witnessed: false, entry: null }))
  const rows = certifications ? { ...imported, certifications } : imported
  return { ...rows, counters: countersOf(imported), apiKeys: own.apiKeys ?? [], state }
}

/** Removes the state rows that only concern this world from an export, and the secrets of its receiver from the settings. */
export function exportable(rows: WorldRows): WorldRows {
  const { state, ...others } = withoutStates(rows, [IMPORTED, LEASE_STATE, CERTIFICATION_RUNS])
  return state ? { ...others, state: state.map(withoutProtection) } : others
}

function withoutProtection({ name, value }: StateRow): StateRow {
  if (name !== SETTINGS && name !== TEMPLATE) return { name, value }
  const { receiver_protection: _, settings, ...left } = value as WorldTemplate & SettingsChange
  const { receiver_protection: __, ...shown } = settings ?? {}
  return { name, value: settings ? { ...left, settings: shown } : left }
}

/** Removes the world lease, which does not move with the rows. */
export const withoutLease = (rows: WorldRows): WorldRows => withoutStates(rows, [LEASE_STATE])

function withoutStates({ state = [], ...others }: WorldRows, names: readonly string[]): WorldRows {
  const left = state.filter(({ name }) => !names.includes(name))
  return left.length === 0 ? others : { ...others, state: left }
}

/**
 * Returns a function that checks the rows of a table one after another.
 * @throws ServiceError 400 for an unknown table, a row without a key or with unknown contents, and a duplicate key
 */
export function rowCheck(name: string): (row: object, n: number) => void {
  if (!Object.hasOwn(tables, name)) {
    throw invalid(
      `rows${name === '' ? '[""]' : `.${name}`} is no table${didYouMean(name, Object.keys(tables))}`,
    )
  }
  const seen = new Set<unknown>()
  const keyOf = tables[name as TableName].key as (row: object) => unknown
  return (row, n) => {
    const key = keyOf(row)
    if (typeof key !== 'string' && typeof key !== 'number') throw invalid(`rows.${name}[${n}] has no key`)
    if (seen.has(key))
      throw invalid(`rows.${name}[${n}] has the key ${JSON.stringify(key)}, which is there twice`)
    seen.add(key)
    // Unknown fields would not count towards the memory budget.
    if (valueBytes(row) > tables[name as TableName].bytes(row as never))
      throw invalid(`rows.${name}[${n}] holds more than a row of ${name} has fields for`)
  }
}

/** Yields the JSON of an export, one row at a time. @param about - The fields other than `rows`. */
export function* exportText(about: object, rows: WorldRows): Generator<string> {
  yield `${JSON.stringify(about).slice(0, -1)},"rows":{`
  for (const [n, [table, list]] of Object.entries(rows).entries()) {
    yield `${n > 0 ? ',' : ''}${JSON.stringify(table)}:[`
    for (const [n, row] of list.entries()) yield (n > 0 ? ',' : '') + JSON.stringify(row)
    yield ']'
  }
  yield '}}'
}

const withState = (state: readonly StateRow[], name: string, value: unknown): readonly StateRow[] => [
  ...state.filter((row) => row.name !== name),
  ...(value === undefined ? [] : [{ name, value }]),
]

/** The state row with the highest ids of imported or generated rows, which certification ignores. It is never imported. */
export const IMPORTED = 'initial_ids'

export type ImportedIds = ReturnType<typeof importedIn>

export const NOTHING_IMPORTED: ImportedIds = { transactions: 0, callbacks: 0, kyc: 0, invites: 0 }

export const importedIn = ({ transactions, callbacks, kycs, invites }: WorldRows) => ({
  transactions: highest(transactions),
  callbacks: highest(callbacks),
  kyc: highest(kycs),
  invites: highest(invites),
})

const highest = (rows: readonly { readonly id?: number | undefined }[] = []) =>
  rows.reduce((most, { id = 0 }) => Math.max(most, id), 0)

/**
 * Validates imported rows. Otherwise an invalid row would only fail later, when it is shown or becomes due.
 * @param world - The world whose time slices the work uses.
 * @throws ServiceError 400 naming the first invalid fields, their values and what is accepted
 */
export async function requireRows(world: string, rows: WorldRows): Promise<void> {
  const slice = await timeSlice(world)
  const issues: string[] = []
  for (const [table, list] of Object.entries(rows)) {
    const shape = tables[table as TableName].schema()
    for (const [n, row] of list.entries()) {
      if (slice.over) await slice.next()
      issues.push(...issuesAt(shape, row, ['rows', table, n]))
      if (table === 'state') issues.push(...stateIssues(row as StateRow, ['rows', table, n, 'value']))
      if (issues.length >= MOST_TOLD) throw invalid(issues.slice(0, MOST_TOLD).join('; '))
    }
  }
  if (issues.length > 0) throw invalid(issues.join('; '))
}

function issuesAt(shape: z.ZodType, value: unknown, place: FieldPath): readonly string[] {
  const { error } = shape.safeParse(value, reporting)
  if (!error) return []
  const { told } = issuesOf(error, { name: (path) => fieldPath([...place, ...path]) })
  return told.map(({ message }) => message)
}

/** The schemas of state rows. Settings, scenarios, clock and template are validated elsewhere. */
const stateShapes = lazy((): { readonly [name: string]: z.ZodType } => ({
  'signing-secrets': z
    .array(z.object({ secret: z.string(), created_at: z.number(), valid_until: z.number().nullable() }))
    .min(1),
  'inbox-scripts': z.record(
    z.string(),
    z.object({
      responses: z.array(z.union([z.int().min(200).max(599), z.literal('timeout')])).min(1),
      responses_sent: z.int().min(0),
    }),
  ),
  'low-balance': z.array(z.int()),
  [ARCHIVED]: z.object({
    transactions: z.int().min(0).max(MOST_COUNTED),
    postings: z.int().min(0).max(MOST_COUNTED),
    through: z.number().min(FIRST_TIME).max(LAST_TIME),
  }),
}))

function stateIssues({ name, value }: StateRow, place: FieldPath): readonly string[] {
  const shape = Object.hasOwn(stateShapes(), name) ? stateShapes()[name] : undefined
  return shape ? issuesAt(shape, value, place) : []
}
