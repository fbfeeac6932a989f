import type { Wall } from '../lib/clock/clock.ts'
import type { Caller } from '../service/domain/context.ts'
import { exactTime, wireTime } from '../service/domain/wire-time.ts'
import { OWNER } from '../service/domain/access.ts'
import type { ApiKeyRow } from '../storage/store/rows.ts'
import type { Moment, WorldRows } from '../storage/store/store.ts'
import { knownToMatch, passwordMatches } from './password.ts'
import type { World } from './world.ts'
import type { WorldCache } from './world-cache.ts'

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
