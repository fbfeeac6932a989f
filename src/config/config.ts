import { adminTokenIssues, hostedIssues } from './weak-secrets.ts'
import { type Environment, readSetting, type Setting } from './setting.ts'
import { settings, type Config, storageIssues } from './settings.ts'
import { signUpIssues } from './sign-up-settings.ts'
import { shown } from '../lib/text/shown.ts'
import { suggest } from '../lib/text/suggest.ts'

export type { Config } from './settings.ts'

/** Invalid environment variables. The message has a line for each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Reads all settings. An empty variable counts as absent, and durations are milliseconds.
 * @param ownKeys - Whether a seed contains the API keys.
 * @throws ConfigError listing all invalid values and what is accepted
 */
export function readConfig(env: Environment, ownKeys = Boolean(env['SANDBOX_SEED_FILE'])): Config {
  const issues: string[] = []
  const entries = Object.entries<Setting>(settings).map(([name, setting]) => {
    const given = valueIn(setting, env)
    const text = given && 'text' in given ? given.text : fallbackOf(setting, env)
    const read = text === undefined ? { value: null } : readSetting(setting, text, given?.variable)
    if ('message' in read) issues.push(read.message + remedyFor(setting, given?.variable))
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

/** A variable that is meant for another program. */
type Ignored = Pick<Given, 'variable'> & { readonly why: string }

/** Returns the value of a setting from its own or its general variable. */
function valueIn(setting: Setting, env: Environment): Given | Ignored | undefined {
  const { variable, general } = setting
  const own = env[variable]
  if (own && !(general && isServiceLink(own))) return { variable, text: own }
  const ignored = own ? { variable, why: LINK } : undefined
  const text = general && env[general.variable]
  if (!text) return ignored
  const given = { variable: general.variable, text }
  if (isServiceLink(text)) return { variable: general.variable, why: LINK }
  if (!general.lenient || 'value' in readSetting(setting, text)) return given
  const why = `${shown(text)} is not valid for the sandbox; use ${variable} for the sandbox only, which must be ${setting.reads.accepts}`
  return { variable: general.variable, why }
}

/** Kubernetes and old Docker links set such values for a Service named `sandbox`: `SANDBOX_PORT=tcp://10.96.0.7:80`. */
const isServiceLink = (text: string) => /^(tcp|udp|sctp):\/\//.test(text)
const LINK = 'Kubernetes or Docker set it to the address of a service'

/** Explains how to override a general variable. */
const remedyFor = ({ variable, general }: Setting, given: string | undefined) =>
  general && given === general.variable
    ? `; if it is meant for another program, set ${variable}, which takes precedence`
    : ''

/** Returns a line for each ignored variable of a setting. */
export const ignoredValues = (env: Environment): readonly string[] =>
  Object.values<Setting>(settings).flatMap((setting) => {
    const given = valueIn(setting, env)
    return given && 'why' in given ? [`${given.variable} is ignored: ${given.why}`] : []
  })

const fallbackOf = ({ fallback, hosted }: Setting, env: Environment) =>
  (env['SANDBOX_MODE'] === 'hosted' && hosted) || fallback

/** Returns a line, with a suggestion, for each variable that starts with SANDBOX_ and is not a setting. Values are not shown. */
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
/** Further variables that Kubernetes sets for a Service named `sandbox`. */
const SERVICE = /^SANDBOX_(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP|SCTP))/

export const variables = (): readonly string[] =>
  Object.values<Setting>(settings).flatMap(({ variable, general }) =>
    general ? [variable, general.variable] : [variable],
  )

/** Whether the process has the same variable, so that callers may pass on `process.env`. */
export const isInherited = (name: string, value: unknown): boolean =>
  !name.startsWith(PREFIX) && process.env[name] === value

const bare = (name: string) => name.replace(PREFIX, '')

/** Ignores the common prefix, which would make all names similar. */
export function nearestSetting(name: string, known: readonly string[]): string | undefined {
  const words = bare(name).split('_').length
  const beginning = (each: string) => bare(each).split('_').slice(0, words).join('_')
  const meant = suggest(bare(name), known.map(bare))
  // `SETLE` is the beginning of `SETTLE_AFTER`.
  const begun = meant ?? suggest(bare(name), known.map(beginning))
  return known.find((each) => bare(each) === begun) ?? known.find((each) => beginning(each) === begun)
}
