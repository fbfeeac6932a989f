import type { Clock, ClockState } from '../clock.ts'
import type { Caller, Settings } from '../domain/context.ts'
import { ServiceError } from '../domain/errors.ts'
import type { ApiKeyRow } from '../store/rows.ts'
import type { Store, WorldRows } from '../store/store.ts'
import { passwordMatches } from './password.ts'
import type { World } from './world.ts'
import { CLOCK_STATE, createWorld } from './world.ts'

export interface Worlds {
  /** The world and user behind an API key pair, or undefined when it is not one. Makes a disposable world. */
  authenticate(username: string, password: string): Promise<{ world: World; caller: Caller } | undefined>
  /** A world that is there, by name. */
  get(name: string): World | undefined
  all(): readonly World[]
}

export interface WorldsOptions {
  readonly store: Store
  /** @param saved how the world's clock went when the sandbox was closed */
  readonly newClock: (saved?: ClockState) => Clock
  readonly seed: string
  readonly settings: Settings
  /** The name of the default world: its owner's API username. */
  readonly home: string
  /** What every fresh world starts with. */
  readonly rows: WorldRows
}

/** A disposable world's own part of the name. */
const SUFFIX = /^[\w.-]{1,64}$/
const MOST_WORLDS = 10_000

/** Opens the worlds that the store has and makes the default one when it is missing. */
export async function openWorlds(options: WorldsOptions): Promise<Worlds> {
  const { store, home, rows } = options
  const worlds = new Map<string, Promise<World>>()
  const open = new Map<string, World>()

  const enter = async (name: string) => {
    const saved = await store.read(name, (rows) => rows.get('state', CLOCK_STATE))
    const clock = options.newClock(saved?.value as ClockState | undefined)
    const world = createWorld({ ...options, name, clock })
    open.set(name, world)
    return world
  }
  const make = async (name: string) => {
    await store.load(name, rows)
    return enter(name)
  }
  /** Concurrent first requests of a world wait for one and the same. */
  const reach = (name: string) => {
    const known = worlds.get(name)
    if (known) return known
    if (worlds.size >= MOST_WORLDS)
      throw new ServiceError(
        'resource_exhausted',
        `there are ${MOST_WORLDS} worlds already; no more are made`,
      )
    const made = make(name)
    worlds.set(name, made)
    made.catch(() => worlds.delete(name))
    return made
  }

  const configured = rows.apiKeys?.find(({ username }) => username === home)
  for (const name of await store.worlds()) {
    const world = await enter(name)
    worlds.set(name, Promise.resolve(world))
    if (configured && (name === home || name.startsWith(`${home}+`))) await takeKey(world, configured)
  }
  await reach(home)

  return {
    async authenticate(username, password) {
      const [user, suffix] = splitUsername(username)
      const name = suffix === undefined ? home : `${home}+${suffix}`
      const known = open.get(name)
      const key = known
        ? await known.read(({ rows }) => rows.get('apiKeys', user))
        : rows.apiKeys?.find((each) => each.username === user)
      const matches = passwordMatches(password, key?.revoked_at === null ? key.password_sha256 : undefined)
      if (!matches || !key || (suffix !== undefined && !SUFFIX.test(suffix))) return undefined
      const { user_id, default_account_id } = key
      return { world: known ?? (await reach(name)), caller: { username, user_id, default_account_id } }
    },
    get: (name) => open.get(name),
    all: () => [...open.values()],
  }
}

/** The key that the process was started with wins over the one that a kept world has. */
async function takeKey(world: World, key: ApiKeyRow): Promise<void> {
  const kept = await world.read(({ rows }) => rows.get('apiKeys', key.username))
  if (kept?.password_sha256 === key.password_sha256) return
  await world.change(({ rows }) => rows.put('apiKeys', { ...kept, ...key }))
}

function splitUsername(username: string): [user: string, suffix: string | undefined] {
  const plus = username.indexOf('+')
  return plus < 0 ? [username, undefined] : [username.slice(0, plus), username.slice(plus + 1)]
}
