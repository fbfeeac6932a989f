/** Worlds of guests, who have no API key: people who sign up and readers of the documentation. */
import type { Wall } from '../lib/clock/clock.ts'
import { invalid, notFound, RateLimited, ServiceError } from '../service/domain/errors.ts'
import type { Secrets } from '../lib/random/random.ts'
import { safeEqual } from '../lib/safe-equal.ts'
import type { WorldRows } from '../storage/store/change.ts'
import type { GuestWorld } from '../storage/engine/worlds.ts'
import type { Counters } from '../storage/engine/shared-state.ts'
import { didYouMean } from '../lib/text/suggest.ts'
import type { Plan, Plans } from './budget.ts'
import { type Identity, makeWorld, type Worlds } from './registry.ts'
import type { Guest } from './settings.ts'
import type { World } from './world.ts'

interface GuestOptions {
  readonly worlds: Worlds
  readonly secrets: Secrets
  readonly rows: WorldRows
  readonly rules: {
    readonly signUp: 'open' | 'token' | 'off'
    /** Whether readers of the documentation get worlds. */
    readonly readers: boolean
    readonly tokens: readonly { readonly name: string; readonly token: string }[]
    readonly plans: Plans
    /** Maximum number of worlds of all guests. */
    readonly most: number
    /** Maximum number of new worlds of each kind per hour. */
    readonly rate: number
    /** The same per address. */
    readonly addressRates: { readonly [Kind in Guest]: number }
    /** Maximum number of further worlds that a guest may create. */
    readonly copies: number
    /** Milliseconds from the last call to the end of a world. @param kind - As `guestKind` returns it. */
    readonly ttl: (kind: string) => number
  }
  readonly counters: Counters
  readonly wall: Wall
  readonly onMade: (made: { readonly world: string; readonly guest: Guest; readonly by?: string }) => void
}

interface GuestRequest {
  /** The address for rate limits; undefined within the process. */
  readonly address: string | undefined
  readonly name?: string | undefined
  /** The name of the sign-up token. */
  readonly token?: string | undefined
  /** Set if an e-mail address was confirmed; the sign-up was counted when the mail was sent. */
  readonly identity?: Identity | undefined
}

/** The plan of sign-ups whose token has no plan, if the operator has defined it. */
export const DEFAULT_PLAN = 'default'

const HOUR = 3_600_000
/** Maximum number of further worlds whose plan changes with that of their owner's world. */
const MOST_FURTHER = 1_001
/** Limits of `Retry-After`, in seconds. */
const [LEAST_WAIT, MOST_WAIT] = [60, 3_600]

export type GuestWorlds = ReturnType<typeof createGuestWorlds>

export function createGuestWorlds(options: GuestOptions) {
  const { counters, onMade, rules, wall, worlds } = options
  const { rate, addressRates } = rules
  const ofAddress = (guest: Guest) =>
    counters.open(`${guest} of an address`, { most: addressRates[guest], per: HOUR })
  const total = counters.open('worlds of guests', { most: rate, per: HOUR })
  const byAddress = { 'sign-up': ofAddress('sign-up'), reader: ofAddress('reader') }
  /** The parents of worlds that are being created; undefined for a guest's first world. */
  const begun: (string | undefined)[] = []

  /** Returns the plan of a sign-up. @param token - The name of its token. */
  function planOf(token: string | undefined): Plan | undefined {
    const { plans } = rules
    const own = [...plans.values()].find(({ tokens }) => token !== undefined && tokens.includes(token))
    return own ?? plans.get(DEFAULT_PLAN)
  }

  async function making<T>(parent: string | undefined, work: () => Promise<T>): Promise<T> {
    await requireRoom()
    begun.push(parent)
    try {
      return await work()
    } finally {
      begun.splice(begun.indexOf(parent), 1)
    }
  }

  async function requireRoom(): Promise<void> {
    const { most } = rules
    const isFull = async () => (await allGuests()).length + begun.length >= most
    if (await isFull()) await worlds.makeRoom()
    if (await isFull())
      throw new RateLimited(
        `there are ${most} worlds of guests already (SANDBOX_SIGN_UP_WORLDS)`,
        await untilNextEnd(),
      )
  }

  /** The guest worlds of all processes. */
  function allGuests(): Promise<readonly GuestWorld[]> {
    return worlds.directory.guests()
  }

  /** Seconds until the first guest world expires if it is not called again. */
  async function untilNextEnd(): Promise<number> {
    const ends = (await allGuests()).map(({ used_at, guest }) => used_at + rules.ttl(guest))
    const first = ends.reduce((least, each) => Math.min(least, each), Infinity)
    return Math.min(MOST_WAIT, Math.max(LEAST_WAIT, Math.ceil((first - wall()) / 1_000)))
  }

  async function count(guest: Guest, address: string | undefined): Promise<void> {
    const now = wall()
    const most = addressRates[guest]
    const alone = address === undefined || most === Infinity ? 0 : await byAddress[guest].take(address, now)
    if (alone > 0) throw tooMany(`more than ${most} worlds an hour for this address`, alone)
    const wait = rate === Infinity ? 0 : await total.take(guest, now)
    if (wait > 0) throw tooMany(`more than ${rate} worlds an hour for all`, wait)
  }

  return {
    rules,
    /**
     * Checks whether the caller may sign up.
     * @returns the name of the token, if one is required
     * @throws ServiceError 404 if sign-up is off, 401 without a valid token
     */
    requireSignUp(given: string | undefined): string | undefined {
      const { signUp, tokens } = rules
      if (signUp === 'off')
        throw new ServiceError(
          'resource_not_found',
          'sign-up is off; the operator of the sandbox can turn it on with SANDBOX_SIGN_UP',
        )
      if (signUp === 'open') return undefined
      const found = given === undefined ? undefined : tokens.find(({ token }) => safeEqual(token, given))
      if (!found)
        throw new ServiceError(
          'unauthenticated',
          'send Authorization: Bearer <a token of SANDBOX_SIGN_UP_TOKENS>; ask the operator of the sandbox for one',
        )
      return found.name
    },
    /** Creates a world for a guest. @throws ServiceError 404 if such worlds are off, RateLimited 429 */
    async make(guest: Guest, { address, name, token, identity }: GuestRequest) {
      if (guest === 'reader' && !rules.readers) throw notFound('path', '/docs/reader')
      if (!identity) await count(guest, address)
      const settings = name ? { name } : undefined
      const parent = worlds.get(worlds.home)!
      const plan = guest === 'sign-up' ? planOf(token)?.name : undefined
      const made = await making(undefined, () =>
        makeWorld(options, { parent, settings, guest, plan, identity }).catch(async (error: unknown) => {
          throw isFull(error)
            ? new RateLimited('the maximum number of worlds is reached', await untilNextEnd())
            : error
        }),
      )
      onMade({ world: made.world.name, guest, ...(token !== undefined && { by: token }) })
      return made
    },
    planOf,
    /** Gives a plan to a world and those that its owner made, or takes it away. @throws ServiceError 400 for an unknown plan */
    async changePlan(world: World, plan: string | undefined): Promise<readonly string[]> {
      const known = [...rules.plans.keys()]
      if (plan !== undefined && !rules.plans.has(plan))
        throw invalid(
          known.length === 0
            ? `plan "${plan}" does not exist, because SANDBOX_PLANS is not set`
            : `plan "${plan}" is not in SANDBOX_PLANS, which has ${known.join(', ')}${didYouMean(plan, known)}`,
        )
      await world.changeTemplate(() => ({ plan }))
      const query = { owner: world.name, isHome: false, before: Infinity, limit: MOST_FURTHER, search: '' }
      const { names } = await worlds.directory.owned(query)
      const further = names.filter((name) => name !== world.name)
      for (const name of further) await (await worlds.find(name))?.changeTemplate(() => ({ plan }))
      return [world.name, ...further]
    },
    /** Creates a further world for an owner. Guests may create only a few. @throws ServiceError 429 */
    async beside<T>(parent: World, work: () => Promise<T>): Promise<T> {
      const { template, name } = parent
      if (!template?.guest) return work()
      const plan = template.plan === undefined ? undefined : rules.plans.get(template.plan)
      const most = plan?.worlds ?? rules.copies
      const setting = plan?.worlds === undefined ? 'SANDBOX_SIGN_UP_COPIES' : `SANDBOX_PLANS: ${plan.name}`
      const copies = template.guest === 'sign-up' && template.parent === worlds.home ? most : 0
      const made = (await allGuests()).filter((world) => world.parent === name).length
      const coming = begun.filter((each) => each === name).length
      if (made + coming >= copies)
        throw new ServiceError(
          'resource_exhausted',
          copies === 0
            ? `the owner of ${name} cannot create worlds; use the existing one, or a snapshot of it`
            : `${name} has ${made} of ${copies} further worlds (${setting}); delete one with DELETE /sandbox/worlds/{world}`,
        )
      return making(name, work)
    },
  }
}

const tooMany = (what: string, wait: number) => new RateLimited(what, Math.ceil(wait / 1_000))

const isFull = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === 'resource_exhausted' && !(error instanceof RateLimited)
