/** Who uses a world that several share, and until when by the wall; a row of its table `state`. It asks others to wait and locks nothing. */
import type { ClockState } from '../lib/clock/clock.ts'
import type { Look, Tx } from '../service/domain/context.ts'
import { safeEqual } from '../lib/safe-equal.ts'
import { SCENARIO_STATE } from '../scenarios/state.ts'
import type { StateRow } from '../storage/store/rows.ts'
import { CLOCK_STATE, LEASE_STATE, SETTINGS } from './settings.ts'
import type { World } from './world.ts'

export interface Lease {
  readonly holder: string
  /** What the holder shows to renew it, or to give it back. */
  readonly token: string
  readonly since: number
  readonly until: number
  /** How the world was steered as it began, where that comes back in the end. */
  readonly before?: Steered | undefined
}

interface Steered {
  readonly clock: ClockState
  /** Those of the rows below that there were. */
  readonly rows: readonly StateRow[]
}

/** What a world is steered by beside its clock: settings, scenarios, secrets, and what inboxes answer. */
const STEERED = [SETTINGS, SCENARIO_STATE, 'signing-secrets', 'inbox-scripts'] as const

export interface WantedLease extends Pick<Lease, 'holder' | 'token'> {
  /** How long it lasts unless it is renewed, milliseconds. */
  readonly lasts: number
  readonly restore: boolean
  /** Ends another's first. */
  readonly takeOver: boolean
}

export const leaseIn = ({ rows }: Look): Lease | undefined =>
  rows.get('state', LEASE_STATE)?.value as Lease | undefined

/** Whether it is the token's. */
export const isOf = (lease: Lease, token: string): boolean => safeEqual(lease.token, token)

/** Takes the lease on a world; one that has run out is ended first. Answers undefined where another has it. */
export function takeLease(world: World, tx: Tx, wanted: WantedLease): Lease | undefined {
  const { clock } = world
  const { lasts, restore, takeOver, ...holder } = wanted
  const now = clock.wall()
  const other = leaseIn(tx)
  if (other && other.until > now && !takeOver) return undefined
  endLease(world, tx)
  const rows = STEERED.flatMap((name) => tx.rows.get('state', name) ?? [])
  const before = restore ? { before: { clock: clock.state, rows } } : {}
  return put(tx, { ...holder, since: now, until: now + lasts, ...before })
}

/** Has it last so long from now on. Answers undefined where the token's is over. @param lasts milliseconds */
export function renewLease({ clock }: World, tx: Tx, token: string, lasts: number): Lease | undefined {
  const lease = leaseIn(tx)
  const now = clock.wall()
  if (!lease || !isOf(lease, token) || lease.until <= now) return undefined
  return put(tx, { ...lease, until: now + lasts })
}

function put({ rows }: Tx, value: Lease): Lease {
  rows.put('state', { name: LEASE_STATE, value })
  return value
}

/** Ends the lease that there is, and steers the world as it was before where that was asked for. */
export function endLease(world: World, tx: Tx): void {
  const lease = leaseIn(tx)
  if (!lease) return
  tx.rows.delete('state', LEASE_STATE)
  if (lease.before) steerBack(world, tx, lease.before)
}

function steerBack({ clock }: World, { rows }: Tx, before: Steered): void {
  for (const name of STEERED) {
    const row = before.rows.find((each) => each.name === name)
    if (row) rows.put('state', row)
    else if (rows.get('state', name)) rows.delete('state', name)
  }
  if (clock.state === before.clock) return
  goAs(before.clock, clock)
  rows.put('state', { name: CLOCK_STATE, value: clock.state })
}

/** As it went, from now on: what has happened is not undone, so that time never goes back. */
function goAs(before: ClockState, clock: World['clock']): void {
  const { factor, wall_anchor, world_anchor } = before
  const followed = factor === 1 && wall_anchor === world_anchor
  if (followed && clock.now() <= clock.wall()) clock.follow(before)
  else clock.run(factor)
}
