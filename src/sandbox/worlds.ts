import type { Config } from '../config/config.ts'
import type { Engine } from '../storage/engine/engine.ts'
import type { OnError } from '../lib/listeners.ts'
import type { Log } from '../lib/log/log.ts'
import { systemSecrets } from '../lib/random/random.ts'
import type { WorldRows } from '../storage/store/store.ts'
import { hashesKept, hashKeys } from '../worlds/key-hashes.ts'
import { seedRows } from '../worlds/seed-rows.ts'
import { Budget } from '../worlds/budget.ts'
import { keepFor } from '../worlds/populate/amounts.ts'
import { SETTINGS } from '../worlds/template.ts'
import { openWorlds, type Worlds, type WorldsOptions } from '../worlds/worlds.ts'
import type { Beginning } from './beginning.ts'
import { guestTtlOf } from './guests.ts'
import { limitsOf } from './limits.ts'
import type { Time } from './time.ts'

/** What worlds are opened with. */
interface WorldParts {
  readonly config: Config
  readonly engine: Engine
  readonly beginning: Beginning
  readonly time: Time
  readonly onError: OnError
  readonly log: Log
  readonly heapGrowth: WorldsOptions['heapGrowth']
}

/** The worlds that the engine has, and the rows that every new one begins with. */
export async function openConfiguredWorlds(
  parts: WorldParts,
): Promise<{ readonly worlds: Worlds; readonly rows: WorldRows }> {
  const { config, engine, beginning, time, onError, log } = parts
  const { seed, home, defaults } = beginning
  const hashes = await hashKeys(seed.api_keys, await hashesKept(engine.store, home))
  const hosted = config.mode === 'hosted'
  const secret = hosted ? config.adminToken! : undefined
  const rows = await firstRowsOf(parts, hashes, secret)
  const worlds = await openWorlds({
    engine,
    onError,
    wall: time.wall,
    newClock: time.newClock,
    seed: config.seed,
    secret,
    settings: () => defaults.current,
    home,
    rows,
    life: hosted ? systemSecrets : laterLife,
    journalSize: config.journalSize,
    most: config.maxWorlds,
    ttl: config.worldTtl,
    guestTtl: guestTtlOf(config),
    ...limitsOf(config),
    heapGrowth: parts.heapGrowth,
    onSpent: budgetLog(log),
  })
  return { worlds, rows }
}

/** What the seed says, and what is made up beside it; once for all worlds that begin with it. */
async function firstRowsOf(
  { config, beginning: { seed, home, defaults }, time }: WorldParts,
  hashes: readonly string[],
  secret: string | undefined,
): Promise<WorldRows> {
  const at = time.begin()
  const rows = seedRows(seed, at, hashes)
  if (!seed.populate) return rows
  const { populated } = await import('../worlds/populate/populate.ts')
  const made = await populated(rows, seed.populate, {
    world: home,
    at,
    settings: defaults.current,
    secret,
    requireRoom: (bytes) => new Budget(limitsOf(config).limits, time.wall).require('rows', 0, bytes),
  })
  return { ...made, state: [{ name: SETTINGS, value: { keep: keepFor(seed.populate) } }] }
}

/** Warns of worlds that have spent much of their budget. */
const budgetLog =
  (log: Log): WorldsOptions['onSpent'] =>
  (world, { name, used, limit, setting }, percent) =>
    log.warn('budget spent', { world, item: name, percent, used, limit, setting })

/** The first worlds of a process have the same addresses each time. */
const laterLife = (dropped: number) => (dropped === 0 ? undefined : String(dropped))
