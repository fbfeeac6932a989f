import { hostedIssues } from './config/hosted.ts'
import { requireOptions } from './config/library-options.ts'
import { readSetting, type Setting } from './config/setting.ts'
import { settings, type Config } from './config/settings.ts'
import { suggest } from './suggest.ts'

export type { Config } from './config/settings.ts'

/** What `createSandbox` of the library is given. @throws Error naming each option, its value and what is accepted */
export function requireLibraryOptions(given: object): void {
  requireOptions(given, {
    known: Object.values(settings).map(({ variable }) => variable as string),
    suggest: nearestSetting,
    inherited: (name, value) => process.env[name] === value,
  })
}

type Environment = Readonly<Record<string, string | undefined>>

/** One or more variables have a value that is not accepted; the message has a line for each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Reads every setting from `env`; an empty variable counts as absent. Durations come out in milliseconds.
 * Throws a ConfigError that lists every wrong value with what would be accepted.
 * @param ownKeys the API keys are those of a seed
 */
export function readConfig(env: Environment, ownKeys = Boolean(env['SANDBOX_SEED_FILE'])): Config {
  const issues: string[] = []
  const entries = Object.entries<Setting>(settings).map(([name, setting]) => {
    const text = env[setting.variable] || fallbackOf(setting, env)
    const read = text === null ? { value: null } : readSetting(setting, text)
    if ('message' in read) issues.push(read.message)
    return [name, 'value' in read ? read.value : undefined]
  })
  issues.push(...hostedIssues(env, ownKeys))
  if (issues.length > 0) throw new ConfigError(issues.join('\n'))
  return Object.fromEntries(entries) as Config
}

const fallbackOf = ({ fallback, hosted }: Setting, env: Environment) =>
  (env['SANDBOX_MODE'] === 'hosted' && hosted) || fallback

/**
 * A line for each variable that starts with SANDBOX_ and is no setting, with the setting it is probably meant
 * to be. Its value is not shown.
 */
export function unknownSettings(env: Environment): readonly string[] {
  const known = Object.values(settings).map(({ variable }) => variable as string)
  return Object.keys(env)
    .filter((name) => name.startsWith('SANDBOX_') && !known.includes(name))
    .sort()
    .map((name) => {
      const meant = nearestSetting(name, known)
      return `${name} is not a setting and is ignored${meant ? `; did you mean ${meant}?` : ''}`
    })
}

const PREFIX = 'SANDBOX_'
const bare = (name: string) => name.replace(PREFIX, '')

/** By what follows the common beginning, which would make all of them alike. */
function nearestSetting(name: string, known: readonly string[]): string | undefined {
  const meant = suggest(bare(name), known.map(bare))
  return known.find((each) => bare(each) === meant)
}
