import * as z from 'zod'
import { boundedTime, FIRST_TIME, LAST_TIME } from '../lib/clock/bounds.ts'
import type { Clock, ClockState } from '../lib/clock/clock.ts'
import { timeSlice } from '../lib/clock/time-slice.ts'
import { lazy } from '../lib/lazy.ts'
import { fieldPath, type FieldPath } from '../lib/text/field-path.ts'
import { didYouMean } from '../lib/text/suggest.ts'
import { issuesOf, MOST_TOLD, reporting } from '../lib/text/validation-messages.ts'
import { ARCHIVED } from '../service/domain/archive.ts'
import { countersOf } from '../service/domain/context.ts'
import { invalid } from '../service/domain/errors.ts'
import type { Snapshot, SnapshotStore } from '../storage/engine/snapshots.ts'
import { valueBytes } from '../storage/store/row-bytes.ts'
import { MOST_COUNTED } from '../storage/store/row-fields.ts'
import type { StateRow } from '../storage/store/rows.ts'
import type { WorldRows } from '../storage/store/store.ts'
import { type TableName, tables } from '../storage/store/tables.ts'
import { CALLBACK_TARGETS, CLOCK_STATE, LEASE_STATE, stateIn, TEMPLATE } from './settings.ts'

/** The snapshots of one world. */
export interface WorldSnapshots {
  add(snapshot: Omit<Snapshot, 'id'>): Promise<Snapshot>
  get(id: number): Promise<Snapshot | undefined>
  list(): Promise<readonly Snapshot[]>
  delete(id: number): Promise<boolean>
  /** As `SnapshotStore.look`: before it is told how many there are. */
  look(): Promise<void> | undefined
  readonly count: number
  /** What the rows of all of them take, those they share with the world too. */
  readonly bytes: number
}

export const snapshotsOf = (store: SnapshotStore, world: string): WorldSnapshots =>
  new SnapshotsOfWorld(store, world)

class SnapshotsOfWorld implements WorldSnapshots {
  readonly #store: SnapshotStore
  readonly #world: string

  constructor(store: SnapshotStore, world: string) {
    this.#store = store
    this.#world = world
  }

  add(snapshot: Omit<Snapshot, 'id'>): Promise<Snapshot> {
    return this.#store.add(this.#world, snapshot)
  }

  get(id: number): Promise<Snapshot | undefined> {
    return this.#store.get(this.#world, id)
  }

  list(): Promise<readonly Snapshot[]> {
    return this.#store.list(this.#world)
  }

  delete(id: number): Promise<boolean> {
    return this.#store.delete(this.#world, id)
  }

  look(): Promise<void> | undefined {
    return this.#store.look(this.#world)
  }

  get count(): number {
    return this.#store.spent(this.#world).count
  }

  get bytes(): number {
    return this.#store.spent(this.#world).bytes
  }
}

/**
 * Rows that were saved, ready to be put back in `world`. A clock that followed the wall goes on following it; any
 * other goes on from the time it showed. Mails that were owed then have left since, or are nobody's to send.
 */
export function restorable(
  rows: WorldRows,
  clock: ClockState,
  at: number,
  world: { readonly clock: Clock },
): WorldRows {
  const follows = clock.factor === 1 && clock.wall_anchor === clock.world_anchor
  const state: ClockState | undefined = follows
    ? undefined
    : { wall_anchor: world.clock.wall(), world_anchor: boundedTime(at), factor: clock.factor }
  return { ...rows, mailJobs: [], state: withState(rows.state ?? [], CLOCK_STATE, state) }
}

/**
 * Rows that were exported from some world and each checked, ready to be put in the place of `world`, whose keys and
 * beginning stay.
 * @throws ServiceError 400 when a user is missing whose key stays
 */
export function importable(imported: WorldRows, own: WorldRows): WorldRows {
  const begun = withState(imported.state ?? [], TEMPLATE, stateIn(own, TEMPLATE))
  // What a receiver has shown to one world is nothing to another.
  const targeted = withState(begun, CALLBACK_TARGETS, stateIn(own, CALLBACK_TARGETS))
  const state = withState(targeted, GIVEN, givenIn(imported))
  const users = new Set(imported.users?.map(({ id }) => id))
  const missing = (own.apiKeys ?? []).find((key) => !users.has(key.user_id))
  if (missing)
    throw invalid(`rows.users has no user ${missing.user_id}, whose key ${missing.username} this world keeps`)
  return { ...imported, counters: countersOf(imported), apiKeys: own.apiKeys ?? [], state }
}

/**
 * Rows to be handed on: what this world was given, and who uses it now, is nothing to whoever takes them over, who is given all
 * of them.
 */
export const exportable = (rows: WorldRows): WorldRows => withoutStates(rows, [GIVEN, LEASE_STATE])

/** Rows that leave their world, or came from one: whoever uses that one does not use another. */
export const withoutLease = (rows: WorldRows): WorldRows => withoutStates(rows, [LEASE_STATE])

function withoutStates({ state = [], ...others }: WorldRows, names: readonly string[]): WorldRows {
  const left = state.filter(({ name }) => !names.includes(name))
  return left.length === 0 ? others : { ...others, state: left }
}

/**
 * What checks the rows of a table one after another, the n-th of them.
 * @throws ServiceError 400 naming a table that does not exist, a row without its key or with more than its table counts, or a
 *   key that is there twice
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
    // What the table does not count could hold anything.
    if (valueBytes(row) > tables[name as TableName].bytes(row as never))
      throw invalid(`rows.${name}[${n}] holds more than a row of ${name} has fields for`)
  }
}

/**
 * The JSON of an export, a row at a time.
 * @param about the fields beside the rows
 */
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

/** Rows that nobody's requests made: they were imported, or made up when the world began. Certification leaves them out. */

/** Its row in the table `state`; never taken over from elsewhere. */
export const GIVEN = 'given'

/** The highest id of each; 0 where none was given. */
export interface Given {
  readonly transactions: number
  readonly callbacks: number
  readonly kyc: number
  readonly invites: number
}

export const NOTHING_GIVEN: Given = { transactions: 0, callbacks: 0, kyc: 0, invites: 0 }

export const givenIn = ({ transactions, callbacks, kycs, invites }: WorldRows): Given => ({
  transactions: highest(transactions),
  callbacks: highest(callbacks),
  kyc: highest(kycs),
  invites: highest(invites),
})

const highest = (rows: readonly { readonly id?: number | undefined }[] = []) =>
  rows.reduce((most, { id = 0 }) => Math.max(most, id), 0)

/**
 * Looks at rows that come from outside, by tables that there are: what is wrong with one would come to light much later,
 * when it is shown or falls due.
 * @param world whose work it is
 * @throws ServiceError 400 naming the first fields that are wrong, their values and what is accepted
 */
export async function requireRows(world: string, rows: WorldRows): Promise<void> {
  const slice = await timeSlice(world)
  const issues: string[] = []
  for (const [table, list] of Object.entries(rows)) {
    const shape = tables[table as TableName].schema()
    for (const [n, row] of list.entries()) {
      if (slice.over) await slice.next()
      issues.push(...issuesAt(shape, row, ['rows', table, n]))
      if (table === 'state') issues.push(...stateIssues(row as State, ['rows', table, n, 'value']))
      if (issues.length >= MOST_TOLD) throw invalid(issues.slice(0, MOST_TOLD).join('; '))
    }
  }
  if (issues.length > 0) throw invalid(issues.join('; '))
}

interface State {
  readonly name: string
  readonly value: unknown
}

/** @param place of the value, as a path */
function issuesAt(shape: z.ZodType, value: unknown, place: FieldPath): readonly string[] {
  const { error } = shape.safeParse(value, reporting)
  if (!error) return []
  const { told } = issuesOf(error, { name: (path) => fieldPath([...place, ...path]) })
  return told.map(({ message }) => message)
}

/** What the world remembers beside its rows; its settings, scenarios, clock and beginning are looked at on their own. */
const stateShapes = lazy((): { readonly [name: string]: z.ZodType } => ({
  'signing-secrets': z
    .array(z.object({ secret: z.string(), created_at: z.number(), valid_until: z.number().nullable() }))
    .min(1),
  'inbox-scripts': z.record(
    z.string(),
    z.object({
      answers: z.array(z.union([z.int().min(200).max(599), z.literal('timeout')])).min(1),
      answered: z.int().min(0),
    }),
  ),
  'low-balance': z.array(z.int()),
  [ARCHIVED]: z.object({
    transactions: z.int().min(0).max(MOST_COUNTED),
    postings: z.int().min(0).max(MOST_COUNTED),
    through: z.number().min(FIRST_TIME).max(LAST_TIME),
  }),
}))

function stateIssues({ name, value }: State, place: FieldPath): readonly string[] {
  const shape = Object.hasOwn(stateShapes(), name) ? stateShapes()[name] : undefined
  return shape ? issuesAt(shape, value, place) : []
}
