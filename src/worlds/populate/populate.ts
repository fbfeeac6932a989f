/** Teams, members and a history that are made up for a world that begins, by the rules and the same from the same seed. */
import { FIRST_TIME } from '../../lib/clock/bounds.ts'
import { sliceOf } from '../../lib/clock/time-slice.ts'
import type { Caller, Settings } from '../../service/domain/context.ts'
import { exactTime } from '../../service/domain/wire-time.ts'
import { invalid } from '../../service/domain/errors.ts'
import { teamsOf } from '../../service/domain/access.ts'
import type { Populate } from '../../generated/control/types.ts'
import { createRandom } from '../../lib/random/random.ts'
import { loadPeople } from '../../lib/random/people.ts'
import type { WorldRows } from '../../storage/store/store.ts'
import { IMPORTED, importedIn } from '../snapshots.ts'
import { amountsOf, drawFrom, Scratch } from './draw.ts'
import { countriesOf, makeMembers, makeTeams } from './businesses.ts'
import { makeHistory } from './history.ts'

export interface Populating {
  /** Whose time it takes. */
  readonly world: string
  readonly settings: Settings
  /** When the world begins, milliseconds: the history ends there. */
  readonly at: number
  /** What the tokens of invitations are drawn from, where strangers are to work none out. */
  readonly secret: string | undefined
  /** @throws ServiceError when a world may not take so many bytes */
  readonly requireRoom: (bytes: number) => void
}

const DAY = 86_400_000

/** One at a time: each takes as much memory as a world may. */
let before: Promise<unknown> = Promise.resolve()

/**
 * The rows of a world with what is made up beside them.
 * @param rows what the world begins with; all of that was there before the history
 * @throws ServiceError 400 when the limits of the Teams leave no room for it, 429 when it is too large
 */
export function populated(rows: WorldRows, options: Populate, populating: Populating): Promise<WorldRows> {
  const made = before.then(() => populateNow(rows, options, populating))
  before = made.catch(() => {})
  return made
}

async function populateNow(rows: WorldRows, options: Populate, populating: Populating): Promise<WorldRows> {
  const { world, at, secret, requireRoom } = populating
  const amounts = amountsOf(options)
  const { teams, days, seed } = amounts
  const from = at - days * DAY
  if (from < FIRST_TIME)
    throw invalid(
      `populate.days must be fewer, got ${days}: a world has no time before ${exactTime(FIRST_TIME)}`,
    )
  const caller = ownerOf(rows)
  const random = createRandom(`populate\0${seed}`, `populate\0${secret ?? ''}\0${seed}`)
  const draw = drawFrom(random)
  const { state, ...others } = rows
  // Nobody is asked, nothing leaves, and what is kept is decided when the world begins.
  const settings: Settings = {
    ...populating.settings,
    payer: 'automatic',
    realism: 'plain',
    send_mails: false,
    keep: { age: Infinity, number: Infinity },
  }
  const scratch = new Scratch(movedTo(others, from), settings, random)
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
  return { ...made, state: [...(state ?? []), { name: IMPORTED, value: importedIn(made) }] }
}

function ownerOf({ apiKeys, users }: WorldRows): Caller {
  const owners = new Set(users?.filter(({ is_admin }) => is_admin).map(({ id }) => id))
  const key = apiKeys?.find(({ user_id }) => owners.has(user_id))
  if (!key) throw invalid('populate needs a seed with an API key of its owner, the user who is_admin')
  const { username, user_id, default_account_id } = key
  return { username, user_id, default_account_id }
}

const TIMES = ['at', 'created_at', 'updated_at', 'active_at'] as const

/** The same rows as if all had been made at another time. */
function movedTo(rows: WorldRows, at: number): WorldRows {
  const moved = (row: object) => {
    const times = TIMES.filter((name) => name in row).map((name) => [name, at])
    return times.length === 0 ? row : { ...row, ...Object.fromEntries(times) }
  }
  return Object.fromEntries(
    Object.entries(rows).map(([table, list]) => [table, (list as readonly object[]).map(moved)]),
  ) as WorldRows
}
