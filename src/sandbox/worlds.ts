import type { Config } from '../config.ts'
import type { Engine } from '../engine/engine.ts'
import type { OnError } from '../listeners.ts'
import type { Log } from '../log.ts'
import { systemSecrets } from '../random.ts'
import type { WorldRows } from '../store/store.ts'
import { hashesKept, hashKeys } from '../worlds/key-hashes.ts'
import { seedRows } from '../worlds/seed-rows.ts'
import { openWorlds, type Worlds } from '../worlds/worlds.ts'
import type { Beginning } from './beginning.ts'
import { budgetLog } from './budget-log.ts'
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
}

/** The worlds that the engine has, and the rows that every new one begins with. */
export async function openConfiguredWorlds(
  parts: WorldParts,
): Promise<{ readonly worlds: Worlds; readonly rows: WorldRows }> {
  const { config, engine, beginning, time, onError, log } = parts
  const { seed, home, defaults } = beginning
  const hashes = await hashKeys(seed.api_keys, await hashesKept(engine.store, home))
  const rows = seedRows(seed, time.begin(), hashes)
  const hosted = config.mode === 'hosted'
  const worlds = await openWorlds({
    engine,
    onError,
    wall: time.wall,
    newClock: time.newClock,
    seed: config.seed,
    secret: hosted ? config.adminToken! : undefined,
    settings: () => defaults.current,
    home,
    rows,
    life: hosted ? systemSecrets : laterLife,
    journalSize: config.journalSize,
    most: config.maxWorlds,
    ttl: config.worldTtl,
    ...limitsOf(config),
    onSpent: budgetLog(log),
  })
  return { worlds, rows }
}

/** The first worlds of a process have the same addresses each time. */
const laterLife = (dropped: number) => (dropped === 0 ? undefined : String(dropped))
