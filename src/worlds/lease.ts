/** The world lease shows who uses a shared world, until a point in real time. It is advisory and locks nothing. */
import type { ClockState } from '../lib/clock/clock.ts'
import type { Look, Tx } from '../service/domain/context.ts'
import { safeEqual } from '../lib/safe-equal.ts'
import { SCENARIO_STATE } from '../scenarios/library.ts'
import type { StateRow } from '../storage/store/rows.ts'
import { CLOCK_STATE, LEASE_STATE, SETTINGS } from './settings.ts'
import type { World } from './world.ts'

export interface Lease {
  readonly holder: string
  /** Needed to renew or release the lease. */
  readonly token: string
  readonly since: number
  readonly until: number
  /** The configuration of the world before the lease, if the end of the lease restores it. */
  readonly before?: Configuration | undefined
}

interface Configuration {
  readonly clock: ClockState
  readonly rows: readonly StateRow[]
}

/** The rows that configure a world. */
const CONFIGURATION = [SETTINGS, SCENARIO_STATE, 'signing-secrets', 'inbox-scripts'] as const

export interface LeaseRequest extends Pick<Lease, 'holder' | 'token'> {
  /** Milliseconds until it expires. */
  readonly lasts: number
  readonly restore: boolean
  /** Whether to end another lease. */
  readonly takeOver: boolean
}

export const leaseIn = ({ rows }: Look): Lease | undefined =>
  rows.get('state', LEASE_STATE)?.value as Lease | undefined

export const hasToken = (lease: Lease, token: string): boolean => safeEqual(lease.token, token)

/** Takes the lease on a world. Returns undefined if there is another that has not expired. */
export function takeLease(world: World, tx: Tx, request: LeaseRequest): Lease | undefined {
  const { clock } = world
  const { lasts, restore, takeOver, ...holder } = request
  const now = clock.wall()
  const other = leaseIn(tx)
  if (other && other.until > now && !takeOver) return undefined
  endLease(world, tx)
  const rows = CONFIGURATION.flatMap((name) => tx.rows.get('state', name) ?? [])
  const before = restore ? { before: { clock: clock.state, rows } } : {}
  return put(tx, { ...holder, since: now, until: now + lasts, ...before })
}

/** Extends a lease to `lasts` milliseconds from now. Returns undefined if it has ended. */
export function renewLease({ clock }: World, tx: Tx, token: string, lasts: number): Lease | undefined {
  const lease = leaseIn(tx)
  const now = clock.wall()
  if (!lease || !hasToken(lease, token) || lease.until <= now) return undefined
  return put(tx, { ...lease, until: now + lasts })
}

function put({ rows }: Tx, value: Lease): Lease {
  rows.put('state', { name: LEASE_STATE, value })
  return value
}

/** Ends the lease, and restores the configuration if the holder requested that. */
export function endLease(world: World, tx: Tx): void {
  const lease = leaseIn(tx)
  if (!lease) return
  tx.rows.delete('state', LEASE_STATE)
  if (lease.before) restore(world, tx, lease.before)
}

function restore({ clock }: World, { rows }: Tx, before: Configuration): void {
  for (const name of CONFIGURATION) {
    const row = before.rows.find((each) => each.name === name)
    if (row) rows.put('state', row)
    else if (rows.get('state', name)) rows.delete('state', name)
  }
  if (clock.state === before.clock) return
  // The clock continues as before from now on, because time must not go back.
  const { speed, real_anchor, world_anchor } = before.clock
  const followed = speed === 1 && real_anchor === world_anchor
  if (followed && clock.now() <= clock.wall()) clock.follow(before.clock)
  else clock.run(speed)
  rows.put('state', { name: CLOCK_STATE, value: clock.state })
}
