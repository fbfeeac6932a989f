import { access } from 'node:fs/promises'
import type { Config } from '../../config/config.ts'
import { surfaceError } from '../../lib/listeners.ts'
import type { Log } from '../../lib/log/log.ts'
import { openEngine } from '../engine.ts'
import { worldDefaults } from '../world-defaults.ts'
import { defaultSeed } from '../../worlds/default-seed.ts'
import type { WorldSource, WorldTarget } from './items.ts'
import { storedSource, storedTarget } from './stored.ts'

/** What worlds are kept in while no sandbox is asked: a database, or the rows file of a sandbox that does not run. */
export type Place = Pick<Config, 'databaseUrl' | 'db'>

/** @throws Error for a rows file that is not there */
export async function sourceIn(place: Place, config: Config, log: Log): Promise<WorldSource> {
  if (place.db !== null)
    await access(place.db).catch(() => {
      throw new Error(`There is no rows file ${place.db}. Name one that exists, as SANDBOX_DB does.`)
    })
  return storedSource(nameOf(place), opening(place, config, log))
}

export const targetIn = (place: Place, config: Config, log: Log): WorldTarget =>
  storedTarget(nameOf(place), opening(place, config, log))

/** What settings that come with a world are laid over, so that they can be looked at. */
export const settingsFor = (config: Config) => worldDefaults(config, defaultSeed('demo', 'demo')).current

const opening = (place: Place, config: Config, log: Log) => () =>
  openEngine({ ...config, ...place }, log, surfaceError, {})

/** A database by its host and name, without the password. */
function nameOf({ databaseUrl, db }: Place): string {
  if (databaseUrl === null) return db!
  const { host, pathname } = new URL(databaseUrl)
  return `postgres://${host}${pathname}`
}
