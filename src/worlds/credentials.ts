import { hash, scrypt, timingSafeEqual } from 'node:crypto'
import type { Wall } from '../lib/clock/clock.ts'
import { systemSecrets } from '../lib/random/random.ts'
import { safeEqual } from '../lib/safe-equal.ts'
import { OWNER } from '../service/domain/access.ts'
import type { Caller } from '../service/domain/context.ts'
import { ServiceError } from '../service/domain/errors.ts'
import { exactTime, wireTime } from '../service/domain/wire-time.ts'
import type { ApiKeyRow } from '../storage/store/rows.ts'
import type { Moment, WorldRows } from '../storage/store/change.ts'
import type { WorldCache } from './cache.ts'
import type { World } from './world.ts'

/** The suffix of a disposable world's name. */
const SUFFIX = /^[\w.-]{1,64}$/

export interface Principal {
  readonly world: World
  readonly caller: Caller
}

interface CredentialOptions {
  readonly cache: WorldCache
  /** The name of the default world. */
  readonly home: string
  /** API keys expire in real time, because they give access to people. */
  readonly wall: Wall
  /** The initial rows of a world that its first request creates. */
  readonly rows: WorldRows
  readonly make: (name: string) => Promise<World>
  readonly onUsed: (world: World, key: string) => void
}

export function credentialCheck({ cache, home, wall, rows, make, onUsed }: CredentialOptions) {
  const principal = (
    world: World,
    username: string,
    { username: key, user_id, default_account_id }: ApiKeyRow,
  ): Principal => {
    onUsed(world, key)
    return { world, caller: { username, user_id, default_account_id } }
  }
  /** Resolves to the current world: another process may have replaced the open one. */
  const current = async (name: string, since?: Moment) =>
    (cache.isRemote ? undefined : cache.get(name)) ?? (await cache.find(name, since))
  /** Callers by the header that was accepted. */
  const accepted = new Map<string, { world: string; key: ApiKeyRow; caller: Caller }>()
  const expired = ({ expires_at = Infinity }: ApiKeyRow) => expires_at <= wall()
  return {
    /**
     * Authenticates synchronously, without reading rows. Undefined means that `authenticate` must decide. For speed, the
     * password of a header that was accepted before is not hashed again while its key has the same row.
     * @param read - Returns the credentials in a header.
     */
    recognize(
      header: string,
      read: (header: string) => { username: string; password: string } | undefined,
    ): Principal | undefined {
      // Another process may have revoked the key.
      if (cache.isRemote) return undefined
      const before = accepted.get(header)
      if (before && cache.get(before.world)?.keys.get(before.key.username) === before.key) {
        if (expired(before.key)) return undefined
        const world = cache.get(before.world)!
        onUsed(world, before.key.username)
        return { world, caller: before.caller }
      }
      const { username, password } = read(header) ?? {}
      if (username === undefined || password === undefined) return undefined
      const [user, suffix] = splitUsername(username)
      const world = cache.get(suffix === undefined ? home : `${home}+${suffix}`)
      const key = world?.keys.get(user)
      if (!world || !key || expired(key) || !knownToMatch(password, key.password_hash)) return undefined
      const found = principal(world, username, key)
      if (accepted.size >= MOST_KNOWN) accepted.delete(accepted.keys().next().value!)
      if (header.length <= LONGEST_KNOWN)
        accepted.set(header, { world: world.name, key, caller: found.caller })
      return found
    },

    /**
     * Resolves to the caller with these credentials, or to undefined. Creates a disposable world if necessary.
     * @param since - The moment whose API keys are recent enough; now by default.
     * @param onlyKnown - Whether to treat passwords that need hashing as wrong.
     */
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

    /** Resolves to a sentence about the end of an expired or revoked key, if the password is correct. */
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

/** Reads a key, and caches it in the same turn of the event loop, so that no change can occur in between. */
const keyOf = (world: World, user: string, since?: Moment) =>
  world.read(({ rows }) => {
    const key = rows.get('apiKeys', user)
    if (key?.revoked_at === null) world.keys.set(user, key)
    return key
  }, since)

/** Reads the key again after checking the password, because it may have been revoked meanwhile. */
const matchesStill = async (known: World | undefined, key: ApiKeyRow, password: string) =>
  (await passwordMatches(password, key.password_hash)) &&
  (!known || (await keyOf(known, key.username))?.revoked_at === null)

/** Applies the configured password of a key to a stored world. Only the key `home` is restored if it is missing or revoked. */
export async function takeKey(world: World, key: ApiKeyRow, home: string): Promise<void> {
  const kept = await world.read(({ rows }) => rows.get('apiKeys', key.username))
  if (kept?.password_hash === key.password_hash || (!kept && key.username !== home)) return
  const revoked_at = key.username === home ? null : (kept?.revoked_at ?? null)
  await world.change(({ rows }) => rows.put('apiKeys', { ...(kept ? { ...kept, ...key } : key), revoked_at }))
}

/** Whether the user of a key owns the world or a Team. Only requests by owners create disposable worlds. */
const isOwner = ({ users = [], roles = [] }: WorldRows, { user_id }: ApiKeyRow) =>
  users.some(({ id, is_admin }) => id === user_id && is_admin) ||
  roles.some((role) => role.user_id === user_id && role.role_id === OWNER)

function splitUsername(username: string): [user: string, suffix: string | undefined] {
  const plus = username.indexOf('+')
  return plus < 0 ? [username, undefined] : [username.slice(0, plus), username.slice(plus + 1)]
}

/**
 * Password hashes are `scrypt$N$r$p$salt$hash` for passwords that people choose, and `sha256$salt$hash` for generated ones, whose
 * 144 random bits cannot be guessed. Salts and hashes are base64url.
 */

const COST = { N: 16_384, r: 8, p: 1 }
const BYTES = 32
/** The highest cost accepted from a file, so that a damaged file cannot exhaust the memory. */
const MOST_N = 131_072
/** Maximum number of concurrent and of waiting derivations. They share threads with files and DNS. */
const AT_ONCE = 2
const MOST_WAITING = 200
const MOST_KNOWN = 1_000
/** Characters of a header that is kept after it was accepted. */
const LONGEST_KNOWN = 500

/** Hashes of the documented passwords, which would otherwise slow down every start. */
const published: { readonly [password: string]: string } = {
  demo: 'scrypt$16384$8$1$cGF5bWVudHMtc2FuZGJveC1kZW1v$hAd3VF9T5ANG-zJOonNjh50C_IOW3EPZ9K_4df0pjXc',
  viewer: 'scrypt$16384$8$1$cGF5bWVudHMtc2FuZGJveC12aWV3ZXI$JcO3x1E7-Eef1F0NK4vTer4xh3sL8Nnviyz6tDof0Pk',
}

const ownKey = systemSecrets() + systemSecrets()
/** Returns a digest that is only valid in this process. */
const digestOf = (password: string) => Buffer.from(hash('sha256', ownKey + password))

/** A cache of correct passwords by scrypt hash. Entries cannot become stale, because a hash belongs to one password. */
const proven = new Map<string, Buffer>()
/** A cache of scrypt hashes with wrong passwords. */
const refuted = new Set<string>()

for (const [password, kept] of Object.entries(published)) proven.set(kept, digestOf(password))

export function hashDrawn(password: string): string {
  const salt = systemSecrets()
  return `sha256$${salt}$${saltedHash(salt, password)}`
}

/**
 * Hashes a password that a person chose.
 * @param like - An earlier hash of the same key: with its salt, the same password results in the same hash.
 */
export async function hashChosen(password: string, like?: string): Promise<string> {
  if (Object.hasOwn(published, password)) return published[password]!
  const salt = (like && scryptIn(like)?.salt) ?? systemSecrets()
  const { N, r, p } = COST
  return remember(password, `scrypt$${N}$${r}$${p}$${salt}$${await derive(password, salt, COST)}`)
}

/** Compares a password with a hash in constant time. Undefined means that only the expensive `passwordMatches` can decide. */
export function knownToMatch(password: string, kept: string): boolean | undefined {
  const known = proven.get(kept)
  if (known) return timingSafeEqual(known, digestOf(password))
  const [form, salt, expected] = kept.split('$')
  if (form === 'sha256' && salt !== undefined && expected !== undefined)
    return safeEqual(saltedHash(salt, password), expected)
  return refuted.has(refutation(password, kept)) ? false : undefined
}

/** @throws ServiceError 429 if too many passwords are being checked */
export async function passwordMatches(password: string, kept: string): Promise<boolean> {
  const known = knownToMatch(password, kept)
  if (known !== undefined) return known
  const parts = scryptIn(kept)
  if (!parts) return false
  const isRight = safeEqual(await derive(password, parts.salt, parts), parts.hash)
  if (isRight) remember(password, kept)
  else {
    if (refuted.size >= MOST_KNOWN) refuted.delete(refuted.keys().next().value!)
    refuted.add(refutation(password, kept))
  }
  return isRight
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
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}
