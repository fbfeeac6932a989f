import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import type { Config } from '../config/config.ts'
import { readSetting, type Setting } from '../config/setting.ts'
import { settings } from '../config/settings.ts'
import type { Forward } from '../http/forward.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Engine } from '../storage/engine/engine.ts'
import { differences, type ProcessCard, type Processes } from '../storage/engine/shared-state.ts'
import { packageVersion } from '../lib/files.ts'
import type { Seed } from '../generated/control/types.ts'
import { lazy } from '../lib/lazy.ts'
import type { Log } from '../lib/log/log.ts'
import type { Library } from '../scenarios/library.ts'
import { withoutPasswords } from '../worlds/seeds.ts'

/** Settings that may differ between processes, and files that are compared by content instead of path. */
const OWN: ReadonlySet<string> = new Set<keyof Config>([
  'port',
  'host',
  'processUrl',
  'logLevel',
  'inContainer',
  'maxConnections',
  'maxMemory',
  'metrics',
  'seedFile',
  'scenarios',
])

/** Registers this process, and logs a warning if another process of the sandbox has different settings. */
export function joinProcesses(
  processes: Processes,
  config: Config,
  seed: Seed,
  library: () => Library,
  log: Log,
): void {
  const card = createCard(config, seed, library)
  const warned = new Set<string>()
  processes.join(card, (all) => {
    const own = all.find((each) => each.own)
    for (const other of own ? all : []) {
      const differs = differences(own!, other)
      const said = `${other.name} ${differs.join(' ')}`
      if (differs.length === 0 || warned.has(said)) continue
      warned.add(said)
      log.warn('processes differ', { own: own!.name, other: other.name, in: differs })
    }
  })
}

/** Returns what makes processes forward requests to the one that answers for a world; undefined for a single process. */
export function forwardBetween(
  { owners }: Engine,
  { processUrl }: Config,
  home: string,
  metrics: Metrics | undefined,
): ((address: AddressInfo) => Promise<Forward>) | undefined {
  if (!owners || processUrl === 'off') return undefined
  return async (address) => {
    const { createForward } = await import('../http/forward.ts')
    const token = await owners.join(processUrl === 'auto' ? ownUrl(address) : processUrl)
    return createForward({ owners, token, home, onForwarded: metrics?.forwarded })
  }
}

/** Returns the URL under which other processes reach this one: the first address of the machine if it listens on all. */
function ownUrl({ address, port }: AddressInfo): string {
  const isAny = address === '::' || address === '0.0.0.0'
  const all = isAny ? Object.values(networkInterfaces()).flatMap((each) => each ?? []) : []
  const outer = all.filter(({ internal, scopeid }) => !internal && !scopeid)
  const host = (outer.find(({ family }) => family === 'IPv4') ?? outer[0])?.address
  const reached = host ?? (isAny ? '127.0.0.1' : address)
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}

function createCard(config: Config, seed: Seed, library: () => Library): () => ProcessCard {
  // Hashing takes a while, and a sandbox of one process never needs it.
  const fixed = lazy(() => ({
    ...Object.fromEntries(changedSettings(config)),
    'seed file': hashOf(withoutPasswords(seed)),
  }))
  let scenarios: { readonly of: Library; readonly hash: string } | undefined
  return () => {
    const now = library()
    if (scenarios?.of !== now) scenarios = { of: now, hash: hashOf(ownOf(now)) }
    return {
      name: `${hostname()}:${process.pid}`,
      version: packageVersion(),
      told: { ...fixed(), 'scenario files': scenarios.hash },
    }
  }
}

/** Yields the settings that differ from their defaults. */
function* changedSettings(config: Config): Generator<[variable: string, hash: string]> {
  for (const [name, setting] of Object.entries<Setting>(settings)) {
    const { variable, secret, fallback, hosted } = setting
    if (secret || OWN.has(name)) continue
    const text = (config.mode === 'hosted' ? hosted : undefined) ?? fallback
    const read = text === undefined ? { value: null } : readSetting(setting, text)
    const hash = hashOf(config[name as keyof Config])
    if (!('value' in read) || hashOf(read.value) !== hash) yield [variable, hash]
  }
}

const ownOf = ({ byName }: Library) =>
  [...byName.values()]
    .filter(({ shipped }) => !shipped)
    .map(({ name, file }) => [name, file])
    .toSorted(([one], [other]) => (one! < other! ? -1 : 1))

const hashOf = (value: unknown) => createHash('sha256').update(textOf(value)).digest('hex').slice(0, 8)

/** Serialises Infinity, which JSON lacks. */
const textOf = (value: unknown) =>
  JSON.stringify(value, (_, each: unknown) => (each === Infinity ? 'none' : each)) ?? ''
