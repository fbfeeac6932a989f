import type { Config } from '../config/config.ts'
import type { Defaults } from '../worlds/settings.ts'
import type { Log } from '../lib/log/log.ts'
import { defaultSeed } from '../worlds/default-seed.ts'
import { type Guide, guideOf } from '../worlds/guide.ts'
import type { Seed } from '../generated/control/types.ts'
import { type CallbackSettings, readCallbackSettings, warnOfUnused } from './callback-settings.ts'
import { worldDefaults } from './world-defaults.ts'

/** What worlds begin with. */
export interface Beginning {
  readonly seed: Seed
  /** The name of the default world: the API username of the seed's first key. */
  readonly home: string
  readonly callbacks: CallbackSettings
  readonly defaults: Defaults
  /** What a newcomer is shown of the default world. */
  readonly guide: Guide
}

/**
 * Reads the seed and the settings that are read with it.
 * @param given takes the place of the seed file
 * @throws SeedError, ConfigError
 */
export async function readBeginning(config: Config, log: Log, given: Seed | undefined): Promise<Beginning> {
  const own = given ?? (await seedOfFile(config))
  const seed = own ?? defaultSeed(config.apiUsername, config.apiPassword, config.viewerPassword ?? undefined)
  if (own && !given) warnOfUnused(config, log)
  return {
    seed,
    home: seed.api_keys[0]!.username,
    callbacks: await readCallbackSettings(config, seed, own !== undefined),
    defaults: worldDefaults(config, seed),
    guide: guideOf(seed, own ? 'the seed file' : 'SANDBOX_API_PASSWORD'),
  }
}

async function seedOfFile({ seedFile }: Config): Promise<Seed | undefined> {
  if (seedFile === null) return undefined
  const { readSeedFile } = await import('../worlds/read-seed.ts')
  return readSeedFile(seedFile)
}
