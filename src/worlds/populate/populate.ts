/** Generates Teams, members and a history for a new world, by the normal rules and reproducibly from a seed. */
import { FIRST_TIME, sliceOf } from '../../lib/clock/clock.ts'
import type { Caller, Settings } from '../../service/domain/context.ts'
import { exactTime } from '../../service/domain/wire-time.ts'
import { invalid } from '../../service/domain/errors.ts'
import { teamsOf } from '../../service/domain/access.ts'
import { HISTORY_SEED, historyRandom } from '../../service/domain/references.ts'
import type { Populate } from '../../generated/control/types.ts'
import { loadPeople } from '../../lib/random/people.ts'
import type { WorldRows } from '../../storage/store/change.ts'
import { IMPORTED, importedIn } from '../snapshots.ts'
import { amountsOf, drawFrom, Scratch } from './draw.ts'
import { countriesOf, joiningFrom, makeMembers, makeTeams } from './businesses.ts'
import { makeHistory } from './history.ts'

interface Options {
  readonly world: string
  readonly settings: Settings
  /** When the world begins and the history ends, in milliseconds. */
  readonly at: number
  /** Seeds the tokens of invitations, so that outsiders cannot compute them. */
  readonly secret: string | undefined
  /** @throws ServiceError if the limit of the world is lower */
  readonly requireRoom: (bytes: number) => void
}

const DAY = 86_400_000

/** A transaction with its postings takes half as much again. */
const LEAST_BYTES = 1_000

/** Worlds are populated one at a time, because each may use the full memory of a world. */
let before: Promise<unknown> = Promise.resolve()

/**
 * Adds generated rows to the initial rows of a world.
 * @throws ServiceError 400 if the limits of the Teams do not allow the history, 429 if it is too large
 */
export function populated(rows: WorldRows, populate: Populate, options: Options): Promise<WorldRows> {
  const made = before.then(() => populateNow(rows, populate, options))
  before = made.catch(() => {})
  return made
}

async function populateNow(rows: WorldRows, populate: Populate, options: Options): Promise<WorldRows> {
  const { world, at, secret, requireRoom } = options
  const amounts = amountsOf(populate)
  const { teams, transactions, days, seed } = amounts
  requireRoom(transactions * LEAST_BYTES)
  const from = at - days * DAY
  if (joiningFrom(from) < FIRST_TIME)
    throw invalid(
      `populate.days must be less, got ${days}: times before ${exactTime(FIRST_TIME)} are not supported`,
    )
  const caller = ownerOf(rows)
  const random = historyRandom(seed, secret)
  const draw = drawFrom(random)
  const { state, ...others } = rows
  // Payments settle automatically at the prices of the field, no mail leaves, and the archive runs only after the world begins.
  const settings: Settings = {
    ...options.settings,
    payer: 'automatic',
    realism: 'plain',
    network_prices: true,
    send_mails: false,
    retention: { age: Infinity, number: Infinity },
  }
  const scratch = new Scratch(movedTo(others, joiningFrom(from)), settings, random)
  const people = await loadPeople(countriesOf(teams))
  const slice = sliceOf(world)
  const makers = { scratch, draw, people, caller, slice, from }
  const ids = await makeTeams(makers, teams)
  const own = scratch.change(from, (tx) => teamsOf(tx, caller.user_id).map(({ team }) => team))
  await makeMembers(makers, ids.length > 0 ? own.filter(({ id }) => ids.includes(id)) : own, amounts)
  const check = () => requireRoom(scratch.bytes)
  check()
  await makeHistory({ ...makers, to: at, check }, ids, amounts)
  const made = scratch.rows()
  return {
    ...made,
    state: [
      ...(state ?? []),
      { name: IMPORTED, value: importedIn(made) },
      { name: HISTORY_SEED, value: seed },
    ],
  }
}

function ownerOf({ apiKeys, users }: WorldRows): Caller {
  const owners = new Set(users?.filter(({ is_admin }) => is_admin).map(({ id }) => id))
  const key = apiKeys?.find(({ user_id }) => owners.has(user_id))
  if (!key) throw invalid('populate needs a seed with an API key of a user who is_admin')
  const { username, user_id, default_account_id } = key
  return { username, user_id, default_account_id }
}

const TIMES = ['at', 'created_at', 'updated_at', 'active_at'] as const

/** Changes the creation times of rows. */
function movedTo(rows: WorldRows, at: number): WorldRows {
  const moved = (row: object) => {
    const times = TIMES.filter((name) => name in row).map((name) => [name, at])
    return times.length === 0 ? row : { ...row, ...Object.fromEntries(times) }
  }
  return Object.fromEntries(
    Object.entries(rows).map(([table, list]) => [table, (list as readonly object[]).map(moved)]),
  ) as WorldRows
}
