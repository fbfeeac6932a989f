import type { ClockState } from '../lib/clock/clock.ts'
import type { Secrets } from '../lib/random/random.ts'
import type { ApiKeyRow } from '../storage/store/rows.ts'
import type { WorldRows } from '../storage/store/store.ts'
import { hashKeys, withoutPasswords } from './key-hashes.ts'
import { hashDrawn } from './password.ts'
import { keyRows } from './seed-rows.ts'
import type { Populate, Seed } from '../generated/control/types.ts'
import type { SettingsChange } from './settings.ts'
import type { Guest } from './template.ts'
import type { World } from './world.ts'
import type { Worlds } from './worlds.ts'

export interface NewWorld {
  /** The world whose owner asks for it. */
  readonly parent: World
  readonly seed?: Seed | undefined
  readonly settings?: SettingsChange | undefined
  readonly clock?: ClockState | undefined
  readonly populate?: Populate | undefined
  readonly guest?: Guest | undefined
}

/** An API key with the password that is never shown again. */
export interface Credentials {
  readonly username: string
  readonly password: string
  readonly user_id: number
  readonly default_account_id: number
}

/** Requests that one password of a seed counts as: hashing it takes some 50 ms of a processor. */
const PASSWORD_COST = 10

/** @throws RateLimited */
async function countPasswords({ budget }: World, { api_keys }: Seed): Promise<void> {
  for (let n = 0; n < api_keys.length * PASSWORD_COST; n++) await budget.take('requests')
}

/**
 * Makes a world whose keys only it has: names end in the world's own suffix, passwords are new unless its seed has
 * them.
 * @param rows of the process's seed
 * @throws ServiceError 429 when there are too many worlds
 */
export async function makeWorld(
  { worlds, secrets, rows }: { worlds: Worlds; secrets: Secrets; rows: WorldRows },
  { parent, seed, settings, clock, populate, guest = parent.template?.guest }: NewWorld,
): Promise<{ world: World; api_keys: readonly Credentials[] }> {
  if (seed) await countPasswords(parent, seed)
  const suffix = await freeSuffix(worlds, secrets)
  const passwords = seed ? seed.api_keys.map(({ password }) => password) : rows.apiKeys!.map(() => secrets())
  const api_keys: readonly ApiKeyRow[] = seed
    ? keyRows(seed.api_keys, await hashKeys(seed.api_keys))
    : rows.apiKeys!.map((key, n) => ({ ...key, password_hash: hashDrawn(passwords[n]!) }))
  const world = await worlds.make(`${worlds.home}+${suffix}`, {
    parent: parent.name,
    made_at: parent.clock.wall(),
    api_keys,
    seed: seed && withoutPasswords(seed),
    settings,
    clock,
    populate,
    ...(guest && { guest }),
  })
  return {
    world,
    api_keys: api_keys.map(({ username, user_id, default_account_id }, n) => ({
      username: `${username}+${suffix}`,
      password: passwords[n]!,
      user_id,
      default_account_id,
    })),
  }
}

async function freeSuffix(worlds: Worlds, secrets: Secrets): Promise<string> {
  for (;;) {
    const suffix = `w-${secrets().slice(0, 12)}`
    if (!(await worlds.find(`${worlds.home}+${suffix}`))) return suffix
  }
}
