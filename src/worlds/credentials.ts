import { hash, scrypt, timingSafeEqual } from 'node:crypto'
import type { Wall } from '../lib/clock/clock.ts'
import { systemSecrets } from '../lib/random/random.ts'
import { safeEqual } from '../lib/safe-equal.ts'
import { OWNER } from '../service/domain/access.ts'
import type { Caller } from '../service/domain/context.ts'
import { ServiceError } from '../service/domain/errors.ts'
import { exactTime, wireTime } from '../service/domain/wire-time.ts'
import type { ApiKeyRow } from '../storage/store/rows.ts'
import type { Moment, WorldRows } from '../storage/store/store.ts'
import type { WorldCache } from './cache.ts'
import type { World } from './world.ts'

/** A disposable world's own part of the name. */
const SUFFIX = /^[\w.-]{1,64}$/

/** Whose credentials were right. */
export interface Principal {
  readonly world: World
  readonly caller: Caller
}

export interface CredentialOptions {
  readonly cache: WorldCache
  /** The name of the default world. */
  readonly home: string
  /** The time by which keys expire. Access is granted to people, so a world's own clock does not count. */
  readonly wall: Wall
  /** What a world begins with that is made by its first request. */
  readonly rows: WorldRows
  readonly make: (name: string) => Promise<World>
  /** Called for each use of a key of a world. */
  readonly onUsed: (world: World, key: string) => void
}

/** Tells whose credentials are right. */
export function credentialCheck({ cache, home, wall, rows, make, onUsed }: CredentialOptions) {
  const principal = (
    world: World,
    username: string,
    { username: key, user_id, default_account_id }: ApiKeyRow,
  ): Principal => {
    onUsed(world, key)
    return { world, caller: { username, user_id, default_account_id } }
  }
  /** The world as it is now. Where other processes share it, the one that is open here may have been replaced. */
  const current = async (name: string, since?: Moment) =>
    (cache.isRemote ? undefined : cache.get(name)) ?? (await cache.find(name, since))
  const expired = ({ expires_at = Infinity }: ApiKeyRow) => expires_at <= wall()
  return {
    recognize(username: string, password: string): Principal | undefined {
      // Somebody else may have revoked the key.
      if (cache.isRemote) return undefined
      const [user, suffix] = splitUsername(username)
      const world = cache.get(suffix === undefined ? home : `${home}+${suffix}`)
      const key = world?.keys.get(user)
      return world && key && !expired(key) && knownToMatch(password, key.password_hash)
        ? principal(world, username, key)
        : undefined
    },

    async authenticate(
      username: string,
      password: string,
      since?: Moment,
      onlyKnown = false,
    ): Promise<Principal | undefined> {
      const [user, suffix] = splitUsername(username)
      const name = suffix === undefined ? home : `${home}+${suffix}`
      const known = await current(name, since)
      const key = known
        ? await keyOf(known, user, since)
        : rows.apiKeys?.find((each) => each.username === user)
      if (key?.revoked_at !== null || expired(key)) return undefined
      const matches =
        knownToMatch(password, key.password_hash) ??
        (!onlyKnown && (await matchesStill(known, key, password)))
      if (!matches || (suffix !== undefined && !SUFFIX.test(suffix))) return undefined
      if (!known && !isOwner(rows, key)) return undefined
      return principal(known ?? (await make(name)), username, key)
    },

    async endOf(username: string, password: string): Promise<string | undefined> {
      const [user, suffix] = splitUsername(username)
      const world = await current(suffix === undefined ? home : `${home}+${suffix}`)
      const key = await world?.read(({ rows }) => rows.get('apiKeys', user))
      if (!key || (key.revoked_at === null && !expired(key))) return undefined
      if (!(await passwordMatches(password, key.password_hash))) return undefined
      return key.revoked_at === null
        ? `this API key ended at ${exactTime(key.expires_at!)}`
        : `this API key was revoked at ${wireTime(key.revoked_at)} of its world's clock`
    },
  }
}

/**
 * Remembers a key in the same turn of the event loop in which it is read, so that no change of it comes between. */
const keyOf = (world: World, user: string, since?: Moment) =>
  world.read(({ rows }) => {
    const key = rows.get('apiKeys', user)
    if (key?.revoked_at === null) world.keys.set(user, key)
    return key
  }, since)

/** Looks at the key again after the password was checked, which takes a while: it may have been revoked meanwhile. */
const matchesStill = async (known: World | undefined, key: ApiKeyRow, password: string) =>
  (await passwordMatches(password, key.password_hash)) &&
  (!known || (await keyOf(known, key.username))?.revoked_at === null)

/** The password that the process was started with wins over the one that a kept world has; only `home` comes back. */
export async function takeKey(world: World, key: ApiKeyRow, home: string): Promise<void> {
  const kept = await world.read(({ rows }) => rows.get('apiKeys', key.username))
  if (kept?.password_hash === key.password_hash || (!kept && key.username !== home)) return
  const revoked_at = key.username === home ? null : (kept?.revoked_at ?? null)
  await world.change(({ rows }) => rows.put('apiKeys', { ...(kept ? { ...kept, ...key } : key), revoked_at }))
}

/** Whether a key's user owns the world or a Team in these rows: only an owner's first request makes a disposable world. */
const isOwner = ({ users = [], roles = [] }: WorldRows, { user_id }: ApiKeyRow) =>
  users.some(({ id, is_admin }) => id === user_id && is_admin) ||
  roles.some((role) => role.user_id === user_id && role.role_id === OWNER)

function splitUsername(username: string): [user: string, suffix: string | undefined] {
  const plus = username.indexOf('+')
  return plus < 0 ? [username, undefined] : [username.slice(0, plus), username.slice(plus + 1)]
}

/**
 * Passwords are kept as text: `scrypt$N$r$p$salt$hash` for those that people choose, which are short and used elsewhere too,
 * and `sha256$salt$hash` for those that were drawn here: 144 random bits cannot be tried out, however fast trying is. Salts
 * and hashes are base64url.
 */

const COST = { N: 16_384, r: 8, p: 1 }
const BYTES = 32
/** Costs that a file may ask for, so that a damaged one cannot ask for all the memory there is. */
const MOST_N = 131_072
/** How many are worked out at once, so that files and names are still looked up meanwhile, and how many may wait. */
const AT_ONCE = 2
const MOST_WAITING = 200
const MOST_KNOWN = 1_000

/** The passwords that the documentation tells everybody: keeping their hashes here saves each start the work. */
const published: { readonly [password: string]: string } = {
  demo: 'scrypt$16384$8$1$cGF5bWVudHMtc2FuZGJveC1kZW1v$hAd3VF9T5ANG-zJOonNjh50C_IOW3EPZ9K_4df0pjXc',
  viewer: 'scrypt$16384$8$1$cGF5bWVudHMtc2FuZGJveC12aWV3ZXI$JcO3x1E7-Eef1F0NK4vTer4xh3sL8Nnviyz6tDof0Pk',
}

const ownKey = systemSecrets() + systemSecrets()
/** What stands for a password in this process, and in no other. */
const digestOf = (password: string) => Buffer.from(hash('sha256', ownKey + password))

/**
 * For speed: the passwords that were found right, or hashed here, by their scrypt text, as most requests bring the same few
 * again. A text stands for one password whatever becomes of the key, so nothing here can go stale.
 */
const proven = new Map<string, Buffer>()
/** Scrypt texts with passwords that were found wrong. */
const refuted = new Set<string>()

for (const [password, kept] of Object.entries(published)) proven.set(kept, digestOf(password))

/** The text for a password that was drawn here. */
export function hashDrawn(password: string): string {
  const salt = systemSecrets()
  return `sha256$${salt}$${saltedHash(salt, password)}`
}

/**
 * The text for a password that someone chose.
 * @param like an earlier one of the same key: with its salt the same password gives the same text
 */
export async function hashChosen(password: string, like?: string): Promise<string> {
  if (Object.hasOwn(published, password)) return published[password]!
  const salt = (like && scryptIn(like)?.salt) ?? systemSecrets()
  const { N, r, p } = COST
  return remember(password, `scrypt$${N}$${r}$${p}$${salt}$${await derive(password, salt, COST)}`)
}

/**
 * Whether a password is the one that is kept, where that is known without working for it; undefined where `passwordMatches`
 * has to find out. Compares in a time that tells nothing of where they differ.
 */
export function knownToMatch(password: string, kept: string): boolean | undefined {
  const known = proven.get(kept)
  if (known) return timingSafeEqual(known, digestOf(password))
  const [form, salt, expected] = kept.split('$')
  if (form === 'sha256' && salt !== undefined && expected !== undefined)
    return safeEqual(saltedHash(salt, password), expected)
  return refuted.has(refutation(password, kept)) ? false : undefined
}

/** @throws ServiceError 429 when too many are being looked at */
export async function passwordMatches(password: string, kept: string): Promise<boolean> {
  const known = knownToMatch(password, kept)
  if (known !== undefined) return known
  const parts = scryptIn(kept)
  if (!parts) return false
  return learn(password, kept, safeEqual(await derive(password, parts.salt, parts), parts.hash))
}

function scryptIn(kept: string) {
  const [, N, r, p, salt, hashed] = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/.exec(kept) ?? []
  if (salt === undefined || hashed === undefined || Number(N) > MOST_N) return undefined
  return { N: Number(N), r: Number(r), p: Number(p), salt, hash: hashed }
}

const saltedHash = (salt: string, password: string) =>
  Buffer.from(hash('sha256', `${salt}$${password}`), 'hex').toString('base64url')

function remember(password: string, kept: string): string {
  if (proven.size >= MOST_KNOWN) proven.delete(proven.keys().next().value!)
  proven.set(kept, digestOf(password))
  return kept
}

const refutation = (password: string, kept: string) => `${kept} ${hash('sha256', ownKey + password)}`

function learn(password: string, kept: string, right: boolean): boolean {
  if (right) remember(password, kept)
  else {
    if (refuted.size >= MOST_KNOWN) refuted.delete(refuted.keys().next().value!)
    refuted.add(refutation(password, kept))
  }
  return right
}

let running = 0
const waiting: (() => void)[] = []

async function derive(password: string, salt: string, { N, r, p }: typeof COST): Promise<string> {
  if (waiting.length >= MOST_WAITING)
    throw new ServiceError(
      'resource_exhausted',
      'too many passwords are being checked; try again in a moment',
    )
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  else running += 1
  try {
    return await new Promise<string>((resolve, reject) =>
      scrypt(
        password,
        Buffer.from(salt, 'base64url'),
        BYTES,
        { N, r, p, maxmem: 256 * N * r + (1 << 20) },
        (error, key) => (error ? reject(error) : resolve(key.toString('base64url'))),
      ),
    )
  } finally {
    // Whoever waits longest takes this one's place.
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}
