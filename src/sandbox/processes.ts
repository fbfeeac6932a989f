import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import type { Config } from '../config/config.ts'
import { readSetting, type Setting } from '../config/setting.ts'
import { settings } from '../config/settings.ts'
import { differences, type ProcessCard, type Processes } from '../storage/engine/shared-state.ts'
import { packageVersion } from '../files.ts'
import type { Seed } from '../generated/control/types.ts'
import type { Log } from '../lib/log/log.ts'
import type { Library } from '../scenarios/library.ts'
import { withoutPasswords } from '../worlds/seeds.ts'
interface CardParts {
  readonly config: Config
  readonly seed: Seed
  readonly library: () => Library
}

/** What each process may have of its own, and files of which not the path counts but what is in them. */
const OWN: ReadonlySet<string> = new Set<keyof Config>([
  'port',
  'host',
  'logLevel',
  'inContainer',
  'maxConnections',
  'maxMemory',
  'metrics',
  'seedFile',
  'scenarios',
])

/** Tells others of this process what it was told, and says so where another was told otherwise. */
export function joinProcesses(processes: Processes, parts: CardParts, log: Log): void {
  const card = cardOf(parts)
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

/** Made when it is first asked for: where there are no others nobody asks. */
function cardOf({ config, seed, library }: CardParts): () => ProcessCard {
  const fixed = () => ({
    ...Object.fromEntries(settingsTold(config)),
    'seed file': hashOf(withoutPasswords(seed)),
  })
  let told: ProcessCard['told'] | undefined
  let scenarios: { readonly of: Library; readonly hash: string } | undefined
  return () => {
    const now = library()
    if (scenarios?.of !== now) scenarios = { of: now, hash: hashOf(ownOf(now)) }
    return {
      name: `${hostname()}:${process.pid}`,
      version: packageVersion(),
      told: { ...(told ??= fixed()), 'scenario files': scenarios.hash },
    }
  }
}

/** Settings other than those that every process has that is told nothing. */
function* settingsTold(config: Config): Generator<[variable: string, hash: string]> {
  for (const [name, setting] of Object.entries<Setting>(settings)) {
    const { variable, secret, fallback, hosted } = setting
    if (secret || OWN.has(name)) continue
    const text = (config.mode === 'hosted' ? hosted : undefined) ?? fallback
    const read = text === null ? { value: null } : readSetting(setting, text)
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

/** JSON has no number without end. */
const textOf = (value: unknown) =>
  JSON.stringify(value, (_, each: unknown) => (each === Infinity ? 'none' : each)) ?? ''
