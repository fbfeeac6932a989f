import type { Store } from '../storage/store/store.ts'
import { hashChosen } from './password.ts'
import type { Seed, SeedKey } from '../generated/control/types.ts'

/**
 * The hashes of a seed's passwords, in the order of its keys. Takes some 50 ms of another thread for each that is not a
 * published one.
 * @param before what an earlier start kept for a key, so that the same password gives the same hash
 */
export function hashKeys(
  keys: readonly SeedKey[],
  before: (username: string) => string | undefined = () => undefined,
): Promise<readonly string[]> {
  return Promise.all(keys.map(({ username, password }) => hashChosen(password, before(username))))
}

/** What a world keeps for its keys, by username. */
export async function hashesKept(
  store: Store,
  world: string,
): Promise<(username: string) => string | undefined> {
  const keys = await store.read(world, (rows) => rows.all('apiKeys'))
  return (name) => keys.find(({ username }) => username === name)?.password_hash
}

/** The seed without what is secret in it; its keys are kept on their own. */
export const withoutPasswords = (seed: Seed): Seed => ({
  ...seed,
  api_keys: seed.api_keys.map((key) => ({ ...key, password: '' })),
})
