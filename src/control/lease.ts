import { handlers, ok } from './page.ts'
import type { Tx } from '../service/domain/context.ts'
import { invalid, noneLeft } from '../service/domain/errors.ts'
import { exactTime, readDuration } from '../service/domain/wire-time.ts'
import type { Lease as LeaseView, TakeLeaseRequest } from '../generated/control/types.ts'
import {
  endLease,
  hasToken,
  type Lease,
  leaseIn,
  renewLease,
  takeLease,
  type LeaseRequest,
} from '../worlds/lease.ts'
import { LEASE_STATE } from '../worlds/settings.ts'
import type { World } from '../worlds/world.ts'
import type { ControlDependencies } from './dependencies.ts'
import { type Waiting, waitIn } from './waiting.ts'

const SHORTEST = 1_000
const LONGEST = 86_400_000
const LONGEST_WAIT = 60_000

export const lease = handlers(({ scheduler, worlds, secrets, wall }) => ({
  async getLease({ world }) {
    return ok({ lease: await holding(world) })
  },

  async takeLease(call) {
    const { world } = call
    const { token, duration: span = '5m', ...taking } = call.request.body
    const lasts = readDuration('duration', span, { least: SHORTEST, most: LONGEST })
    if (token !== undefined) {
      requireNoMore(taking)
      const renewed = await world.change((tx) => renewLease(world, tx, token, lasts))
      return renewed ? ok(heldView(renewed)) : { status: 409, body: await overIn(world) }
    }
    const { wait = '0', ...rest } = taking
    const most = readDuration('wait', wait, { most: LONGEST_WAIT })
    // A lease survives a restart, but the secrets of a local sandbox repeat after one, so the time makes the
    // token unique.
    const wanted = wantedIn(rest, { token: `${secrets()}.${wall().toString(36)}`, lasts })
    const take = (tx: Tx) => takeLease(world, tx, wanted)
    const taken = await (most === 0 ? world.changeClock(take) : onceFree(call, worlds, most, take))
    if (!taken) return { status: 409, body: await takenIn(world) }
    // Taking the lease may have restored the previous state of the world.
    scheduler.clockChanged(world)
    return ok(heldView(taken))
  },

  async endLease({ world, request }) {
    const { token } = request.query
    const end = (tx: Tx) => {
      const held = leaseIn(tx)
      const isIts = held !== undefined && hasToken(held, token)
      if (isIts) endLease(world, tx)
      return held && { isIts }
    }
    const ended = await world.changeClock(end)
    if (ended && !ended.isIts) return { status: 409, body: await overIn(world) }
    if (ended) scheduler.clockChanged(world)
    return ok({ deleted: ended ? 1 : 0 })
  },
}))

type Taking = Omit<TakeLeaseRequest, 'token' | 'duration'>

function wantedIn(
  { holder, restore = false, take_over = false, ...rest }: Omit<Taking, 'wait'>,
  given: Pick<LeaseRequest, 'token' | 'lasts'>,
) {
  noneLeft(rest)
  if (holder === undefined)
    throw invalid(
      'holder is required and is shown to others, such as "checkout suite, build 4711"; to renew a lease, give its token instead',
    )
  return { holder, ...given, restore, takeOver: take_over } satisfies LeaseRequest
}

function requireNoMore(taking: Taking): void {
  const [name] = Object.keys(taking)
  if (name !== undefined)
    throw invalid(`${name} cannot be combined with token: renewing a lease only changes its duration ("for")`)
}

/** Takes the lease as soon as it is free, or undefined if the time runs out or the client disconnects. */
async function onceFree(
  call: Waiting,
  worlds: ControlDependencies['worlds'],
  most: number,
  take: (tx: Tx) => Lease | undefined,
): Promise<Lease | undefined> {
  const { world, left } = call
  const tries: Promise<Lease | undefined>[] = []
  const attempt = () => {
    const trying = world.changeClock((tx) => (left.aborted ? undefined : take(tx)))
    tries.push(trying)
    return trying
  }
  const taken = await waitIn<Lease>(call, worlds, most, (found, failed) => {
    const look = () => void attempt().then((lease) => lease && found(lease), failed)
    const stop = world.onCommit((written) => {
      if (written.some(({ table, key }) => table === 'state' && key === LEASE_STATE)) look()
    })
    look()
    return stop
  })
  // The lease may be taken or released just when the time runs out.
  return taken ?? (await Promise.all(tries)).find((lease) => lease !== undefined) ?? attempt()
}

const leaseView = ({ holder, since, until, before }: Lease): LeaseView => ({
  holder,
  since: exactTime(since),
  until: exactTime(until),
  restore: before !== undefined,
})

const heldView = (lease: Lease) => ({ ...leaseView(lease), token: lease.token })

/** Returns the current lease of a world, or null if it has expired. */
async function holding(world: World): Promise<LeaseView | null> {
  const held = await world.read(leaseIn)
  return held && held.until > world.clock.wall() ? leaseView(held) : null
}

async function takenIn(world: World) {
  const held = await holding(world)
  const what = held
    ? `${usedIn(world, held)}: wait for it ("wait": "60s"), or take it over ("take_over": true)`
    : `the world ${world.name} was in use and is free now: try again`
  return conflict(what, held)
}

async function overIn(world: World) {
  const held = await holding(world)
  const now = held ? usedIn(world, held) : `the world ${world.name} is free`
  return conflict(`this lease has ended: it expired, was released or was taken over; ${now}`, held)
}

const usedIn = ({ name }: World, { holder, since, until }: LeaseView) =>
  `the world ${name} is used by ${JSON.stringify(holder)} since ${since}, until ${until} unless the lease is renewed`

const conflict = (error_message: string, held: LeaseView | null) => ({
  error_code: 'conflict' as const,
  error_message,
  status_code: 409,
  lease: held,
})
