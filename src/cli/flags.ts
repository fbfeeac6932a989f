import { InvalidArgumentError, Option } from 'commander'
import { acceptedBy } from '../config/schemas.ts'
import type { Setting } from '../config/setting.ts'
import { settings } from '../config/settings.ts'
import type { Process } from './process.ts'

/** A flag for every setting; passwords and tokens have none, since a command line is seen by every process. */
export function settingFlags(): readonly Option[] {
  return Object.values<Setting>(settings)
    .filter(({ secret }) => !secret)
    .map((setting) => {
      const { variable, about, schema, fallback, hosted } = setting
      const start = fallback === null ? '' : `, default ${fallback}${hosted ? `, hosted ${hosted}` : ''}`
      const option = new Option(
        `--${flagName(variable)} <value>`,
        `${about.replaceAll('`', '')} (${variable}${start})`,
      )
      return option.argParser((text: string) => {
        if (!schema().safeParse(text).success)
          throw new InvalidArgumentError(`Accepted: ${acceptedBy(schema())}.`)
        return text
      })
    })
}

/** The environment with what the flags say in its place. `options` are commander's. */
export function withFlags(env: Process['env'], options: Readonly<Record<string, unknown>>): Process['env'] {
  const changed: Record<string, string | undefined> = { ...env }
  for (const { variable } of Object.values<Setting>(settings)) {
    const value = options[optionName(flagName(variable))]
    if (typeof value === 'string') changed[variable] = value
  }
  return changed
}

/** `SANDBOX_SETTLE_AFTER` is `--settle-after`. */
const flagName = (variable: string) =>
  variable
    .replace(/^SANDBOX_/, '')
    .toLowerCase()
    .replaceAll('_', '-')

const optionName = (flag: string) => flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
