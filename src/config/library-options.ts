import { logLevels } from '../log/levels.ts'
import { suggest } from '../suggest.ts'
import { oneOf } from './readers.ts'

interface Option {
  readonly accepts: string
  readonly takes: (value: unknown) => boolean
}

const isText = (value: unknown) => typeof value === 'string'
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

const word = (...words: readonly string[]): Option => ({
  accepts: oneOf(...words).accepts,
  takes: (value) => words.some((each) => each === value),
})

const options: { readonly [name: string]: Option } = {
  seed: {
    accepts: 'a seed as an object, YAML or the path of a file',
    takes: (value) => isText(value) || isObject(value),
  },
  scenarios: { accepts: 'a folder, a file or YAML, as text', takes: isText },
  clock: word('frozen', 'real'),
  random: { accepts: 'text', takes: isText },
  logLevel: word(...logLevels),
  env: { accepts: 'an object of settings by the names of their variables', takes: isObject },
}

/** What `env` may have. */
export interface Variables {
  readonly known: readonly string[]
  readonly suggest: (name: string, known: readonly string[]) => string | undefined
  /** Whether it is one of the whole process, which may be handed on with others. */
  readonly inherited: (name: string, value: unknown) => boolean
}

/**
 * Looks at what `createSandbox` of the library is given; what is undefined counts as left out.
 * @throws Error with a line for each option that is wrong: its name, its value and what is accepted
 */
export function requireOptions(given: object, variables: Variables): void {
  if (!isObject(given)) throw new Error(`createSandbox: the argument ${shown(given)}; accepted: an object`)
  const known = Object.keys(options)
  const issues = entriesOf(given).flatMap(([name, value]) => {
    const option = Object.hasOwn(options, name) ? options[name] : undefined
    if (!option) return [`${name} is unknown (it ${shown(value)}); ${instead(known, suggest(name, known))}`]
    if (!option.takes(value)) return [`${name} ${shown(value)}; accepted: ${option.accepts}`]
    return name === 'env' ? variableIssues(value as object, variables) : []
  })
  if (issues.length > 0) throw new Error(issues.map((issue) => `createSandbox: ${issue}`).join('\n'))
}

/** The value of one that is unknown is not shown: it may have been meant for a password. */
function variableIssues(env: object, { known, suggest, inherited }: Variables): readonly string[] {
  return entriesOf(env).flatMap(([name, value]) => {
    if (known.includes(name)) return isText(value) ? [] : [`env.${name} ${shown(value)}; accepted: text`]
    if (!name.startsWith('SANDBOX_') && inherited(name, value)) return []
    return [`env.${name} is unknown; ${instead(known, suggest(name, known))}`]
  })
}

const instead = (known: readonly string[], meant: string | undefined) =>
  `${meant ? `did you mean ${meant}? ` : ''}accepted: ${known.join(', ')}`

const entriesOf = (given: object): readonly [string, unknown][] =>
  Object.entries(given).filter(([, value]) => value !== undefined)

function shown(value: unknown): string {
  if (typeof value === 'function') return 'is a function'
  return `is ${isText(value) || Array.isArray(value) ? JSON.stringify(value) : String(value)}`
}
