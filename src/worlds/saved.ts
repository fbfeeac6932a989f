import type { ClockState } from '../lib/clock/clock.ts'
import { boundedTime } from '../lib/clock/bounds.ts'
import { countersOf } from '../service/domain/context.ts'
import { invalid } from '../service/domain/errors.ts'
import { didYouMean } from '../lib/text/suggest.ts'
import type { StateRow } from '../storage/store/rows.ts'
import { valueBytes } from '../storage/store/row-bytes.ts'
import type { WorldRows } from '../storage/store/store.ts'
import { type TableName, tables } from '../storage/store/tables.ts'
import { GIVEN, givenIn } from './given.ts'
import { CALLBACK_TARGETS, CLOCK_STATE, LEASE_STATE, stateIn, TEMPLATE } from './template.ts'
import type { World } from './world.ts'

/**
 * Rows that were saved, ready to be put back in `world`. A clock that followed the wall goes on following it; any
 * other goes on from the time it showed. Mails that were owed then have left since, or are nobody's to send.
 */
export function restorable(rows: WorldRows, clock: ClockState, at: number, world: World): WorldRows {
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
