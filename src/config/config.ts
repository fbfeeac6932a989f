import { adminTokenIssues, hostedIssues } from './hosted.ts'
import { requireOptions } from './library-options.ts'
import { readSetting, type Setting } from './setting.ts'
import { settings, type Config } from './settings.ts'
import { signUpIssues } from './sign-up-settings.ts'
import { storageIssues } from './storage-settings.ts'
import { acceptedBy } from './schemas.ts'
import { shown } from '../lib/text/shown.ts'
import { suggest } from '../lib/text/suggest.ts'

export type { Config } from './settings.ts'

/** What `createSandbox` of the library is given. @throws Error naming each option, its value and what is accepted */
export function requireLibraryOptions(given: object): void {
  requireOptions(given, {
    known: variables(),
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
    const given = givenTo(setting, env)
    const text = given && 'text' in given ? given.text : fallbackOf(setting, env)
    const read = text === null ? { value: null } : readSetting(setting, text, given?.variable)
    if ('message' in read) issues.push(read.message + wayOut(setting, given?.variable))
    return [name, 'value' in read ? read.value : undefined]
  })
  issues.push(
    ...hostedIssues(env, ownKeys),
    ...storageIssues(env),
    ...signUpIssues(env),
    ...adminTokenIssues(env),
  )
  if (issues.length > 0) throw new ConfigError(issues.join('\n'))
  return Object.fromEntries(entries) as Config
}

interface Given {
  readonly variable: string
  readonly text: string
}

/** Handed on for another program: it counts as not set. */
interface Ignored {
  readonly variable: string
  readonly why: string
}

/** What the environment says of a setting: by its own variable, or by the general one that stands for it. */
function givenTo(setting: Setting, env: Environment): Given | Ignored | undefined {
  const { variable, general } = setting
  const own = env[variable]
  if (own && !(general && isServiceLink(own))) return { variable, text: own }
  const ignored = own ? { variable, why: LINK } : undefined
  const text = general && env[general.variable]
  if (!text) return ignored
  const given = { variable: general.variable, text }
  if (isServiceLink(text)) return { variable: general.variable, why: LINK }
  if (!general.lenient || 'value' in readSetting(setting, text)) return given
  const why = `${shown(text)} is no value of the sandbox's; ${variable} is for the sandbox alone, and must be ${acceptedBy(setting.schema())}`
  return { variable: general.variable, why }
}

/** What Kubernetes and old Docker links set for a Service of that name: `SANDBOX_PORT=tcp://10.96.0.7:80`. */
const isServiceLink = (text: string) => /^(tcp|udp|sctp):\/\//.test(text)
const LINK = 'it is the address that Kubernetes or Docker tell of a service'

/** How to go on when a general variable is meant for others. */
const wayOut = ({ variable, general }: Setting, given: string | undefined) =>
  general && given === general.variable
    ? `; if it is meant for another program, set ${variable}, which wins`
    : ''

/** A line for each variable of a setting whose value is taken for one of another program, and is ignored. */
export const ignoredValues = (env: Environment): readonly string[] =>
  Object.values<Setting>(settings).flatMap((setting) => {
    const given = givenTo(setting, env)
    return given && 'why' in given ? [`${given.variable} is ignored: ${given.why}`] : []
  })

const fallbackOf = ({ fallback, hosted }: Setting, env: Environment) =>
  (env['SANDBOX_MODE'] === 'hosted' && hosted) || fallback

/**
 * A line for each variable that starts with SANDBOX_ and is no setting, with the setting it is probably meant
 * to be. Its value is not shown.
 */
export function unknownSettings(env: Environment): readonly string[] {
  const known = variables()
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name) && !SERVICE.test(name))
    .sort()
    .map((name) => {
      const meant = nearestSetting(name, known)
      return `${name} is not a setting and is ignored${meant ? ` (did you mean ${meant}?)` : ''}`
    })
}

const PREFIX = 'SANDBOX_'
/** The other variables of a Service that is called `sandbox`. */
const SERVICE = /^SANDBOX_(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP|SCTP))/

/** Every name that a setting goes by. */
const variables = (): readonly string[] =>
  Object.values<Setting>(settings).flatMap(({ variable, general }) =>
    general ? [variable, general.variable] : [variable],
  )

const bare = (name: string) => name.replace(PREFIX, '')

/** By what follows the common beginning, which would make all of them alike. */
function nearestSetting(name: string, known: readonly string[]): string | undefined {
  const meant = suggest(bare(name), known.map(bare))
  return known.find((each) => bare(each) === meant)
}
