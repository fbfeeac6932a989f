/** Worlds for people who are not known: who gets one, how many there may be, and what is beside them. */
import type { Wall } from '../lib/clock/clock.ts'
import { notFound, RateLimited, ServiceError } from '../service/domain/errors.ts'
import type { Secrets } from '../lib/random/random.ts'
import { safeEqual } from '../lib/safe-equal.ts'
import type { WorldRows } from '../storage/store/store.ts'
import type { GuestWorld } from '../storage/engine/worlds.ts'
import type { Counter, Counters } from '../storage/engine/shared-state.ts'
import { makeWorld, type Worlds } from './registry.ts'
import type { Guest } from './settings.ts'
import type { World } from './world.ts'
export interface GuestRules {
  /** Who may sign up. */
  readonly signUp: 'open' | 'token' | 'off'
  /** Whether readers of the documentation get worlds. */
  readonly readers: boolean
  readonly tokens: readonly { readonly name: string; readonly token: string }[]
  /** Worlds of all guests at once. */
  readonly most: number
  /** Worlds that each kind gets in an hour. */
  readonly rate: number
  /** The same of one address. */
  readonly addressRates: { readonly [Kind in Guest]: number }
  /** Worlds that a guest may have beside the own one. */
  readonly copies: number
  /** How long they live after their last call, milliseconds. */
  readonly ttl: (guest: Guest) => number
}

export interface GuestOptions {
  readonly worlds: Worlds
  readonly secrets: Secrets
  /** What a world begins with. */
  readonly rows: WorldRows
  readonly rules: GuestRules
  readonly counters: Counters
  readonly wall: Wall
  /** Told of each world that was made. */
  readonly onMade: (made: { readonly world: string; readonly guest: Guest; readonly by?: string }) => void
}

/** Who asks for a world. */
export interface Asking {
  /** Whom limits count it as; undefined within the process, where only all together count. */
  readonly address: string | undefined
  /** For people. */
  readonly name?: string | undefined
  /** The name of the token that it was asked with. */
  readonly token?: string | undefined
}

type Made = Awaited<ReturnType<typeof makeWorld>>

const HOUR = 3_600_000
/** Seconds that whoever found no room waits at least and at most. */
const [LEAST_WAIT, MOST_WAIT] = [60, 3_600]

export class GuestWorlds {
  readonly #options: GuestOptions
  readonly #total: Counter
  readonly #byAddress: { readonly [Kind in Guest]: Counter }
  /** Worlds that are being made, by the world beside which; undefined for a guest's own. */
  readonly #coming: (string | undefined)[] = []

  constructor(options: GuestOptions) {
    this.#options = options
    const { counters, rules } = options
    const { rate, addressRates } = rules
    const ofAddress = (guest: Guest) =>
      counters.open(`${guest} of an address`, { most: addressRates[guest], per: HOUR })
    this.#total = counters.open('worlds of guests', { most: rate, per: HOUR })
    this.#byAddress = { 'sign-up': ofAddress('sign-up'), reader: ofAddress('reader') }
  }

  get rules(): GuestRules {
    return this.#options.rules
  }

  /**
   * Whether whoever has this token may sign up.
   * @returns the name of the token, where one is needed
   * @throws ServiceError 404 while signing up is off, 401 for want of a token that is good
   */
  requireSignUp(given: string | undefined): string | undefined {
    const { signUp, tokens } = this.rules
    if (signUp === 'off')
      throw new ServiceError(
        'resource_not_found',
        'signing up is off; whoever runs the sandbox turns it on with SANDBOX_SIGN_UP',
      )
    if (signUp === 'open') return undefined
    const found = given === undefined ? undefined : tokens.find(({ token }) => safeEqual(token, given))
    if (!found)
      throw new ServiceError(
        'unauthenticated',
        'send Authorization: Bearer <a token of SANDBOX_SIGN_UP_TOKENS>; whoever runs the sandbox gives them out',
      )
    return found.name
  }

  /** Makes a world for somebody. @throws ServiceError 404 where such worlds are off, RateLimited 429 */
  async make(guest: Guest, { address, name, token }: Asking): Promise<Made> {
    const { worlds, onMade } = this.#options
    if (guest === 'reader' && !this.rules.readers) throw notFound('path', '/docs/reader')
    await this.#count(guest, address)
    const settings = name ? { name } : undefined
    const parent = worlds.get(worlds.home)!
    const made = await this.#making(undefined, () =>
      makeWorld(this.#options, { parent, settings, guest }).catch(async (error: unknown) => {
        throw isFull(error)
          ? new RateLimited('there are as many worlds as there may be', await this.#wait())
          : error
      }),
    )
    onMade({ world: made.world.name, guest, ...(token !== undefined && { by: token }) })
    return made
  }

  /** Makes a world that its owner asks for beside another, of which a guest has few. @throws ServiceError 429 */
  async beside<T>(parent: World, work: () => Promise<T>): Promise<T> {
    const { template, name } = parent
    if (!template?.guest) return work()
    const { worlds, rules } = this.#options
    const copies = template.guest === 'sign-up' && template.parent === worlds.home ? rules.copies : 0
    const made = (await this.#all()).filter((world) => world.parent === name).length
    const coming = this.#coming.filter((each) => each === name).length
    if (made + coming >= copies)
      throw new ServiceError(
        'resource_exhausted',
        copies === 0
          ? `the owner of ${name} makes no worlds; use the one there is, or a snapshot of it`
          : `${name} has ${made} of ${copies} worlds beside it (SANDBOX_SIGN_UP_COPIES); DELETE /sandbox/worlds/{world} gives one back`,
      )
    return this.#making(name, work)
  }

  async #making<T>(beside: string | undefined, work: () => Promise<T>): Promise<T> {
    await this.#requireRoom()
    this.#coming.push(beside)
    try {
      return await work()
    } finally {
      this.#coming.splice(this.#coming.indexOf(beside), 1)
    }
  }

  async #requireRoom(): Promise<void> {
    const { most } = this.rules
    const isFull = async () => (await this.#all()).length + this.#coming.length >= most
    if (await isFull()) await this.#options.worlds.makeRoom()
    if (await isFull())
      throw new RateLimited(
        `there are ${most} worlds of guests already (SANDBOX_SIGN_UP_WORLDS)`,
        await this.#wait(),
      )
  }

  /** Those of all sandboxes over the engine. */
  #all(): Promise<readonly GuestWorld[]> {
    return this.#options.worlds.directory.guests()
  }

  /** Seconds until the first of them has not been called for its time to live. */
  async #wait(): Promise<number> {
    const { wall, rules } = this.#options
    const ends = (await this.#all()).map(({ used_at, guest }) => used_at + rules.ttl(guest as Guest))
    const first = ends.reduce((least, each) => Math.min(least, each), Infinity)
    return Math.min(MOST_WAIT, Math.max(LEAST_WAIT, Math.ceil((first - wall()) / 1_000)))
  }

  async #count(guest: Guest, address: string | undefined): Promise<void> {
    const now = this.#options.wall()
    const { rate, addressRates } = this.rules
    const most = addressRates[guest]
    const alone =
      address === undefined || most === Infinity ? 0 : await this.#byAddress[guest].take(address, now)
    if (alone > 0) throw tooMany(`more than ${most} worlds an hour for this address`, alone)
    const wait = rate === Infinity ? 0 : await this.#total.take(guest, now)
    if (wait > 0) throw tooMany(`more than ${rate} worlds an hour for all`, wait)
  }
}

const tooMany = (what: string, wait: number) => new RateLimited(what, Math.ceil(wait / 1_000))

const isFull = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === 'resource_exhausted' && !(error instanceof RateLimited)
