import * as z from 'zod'
import { fieldPath } from '../lib/text/field-path.ts'
import { logLevels } from '../lib/log/log.ts'
import { isUrl } from '../lib/text/is-url.ts'
import { either } from '../lib/text/shown.ts'
import { issuesOf, reporting } from '../lib/text/validation-messages.ts'
import { lazy } from '../lib/lazy.ts'
import { isInherited, nearestSetting, variables } from './config.ts'

/**
 * Validates the options of the library; undefined ones count as omitted.
 * @throws Error with a line for each invalid option, its value and what is accepted
 */
export function requireLibraryOptions(given: object): void {
  const { error } = options().safeParse(given, reporting)
  if (!error) return
  const { told } = issuesOf(error, { name: (path) => fieldPath(path) || 'the argument' })
  throw new Error(told.map(({ message }) => `createSandbox: ${message}`).join('\n'))
}

const clocks = ['frozen', 'real'] as const
const switches = ['on', 'off'] as const

const options = lazy(() =>
  z
    .strictObject({
      seed: z.union([z.string(), anObject()], {
        error: 'must be a seed as an object, YAML or the path of a file',
      }),
      scenarios: z.string({ error: 'must be a folder, a file or YAML, as text' }),
      clock: z.enum(clocks, { error: `must be ${either(clocks)}` }),
      random: z.string(),
      extensions: z.enum(switches, { error: `must be ${either(switches)}` }),
      receivers: anObject().superRefine((receivers, { addIssue }) => {
        for (const [address, receiver] of Object.entries(receivers)) {
          const fault = (message: string, input: unknown) =>
            addIssue({ code: 'custom', path: [address], input, message })
          if (!isOrigin(address))
            fault('must be an origin such as https://shop.test: scheme and host, no path', address)
          if (typeof receiver !== 'function')
            fault(
              'must be a function (request) => Response; toFetch makes one of an Express or Fastify app',
              receiver,
            )
        }
      }),
      logLevel: z.enum(logLevels, { error: `must be ${either(logLevels)}` }),
      env: anObject().superRefine((env, { addIssue }) => {
        for (const [name, value] of Object.entries(env)) {
          const path = [name]
          const isKnown = variables().includes(name)
          if (value === undefined || (!isKnown && isInherited(name, value))) continue
          if (!isKnown)
            addIssue({
              code: 'custom',
              path,
              params: { onKey: true },
              message: unknownMessage(name),
            })
          else if (typeof value !== 'string')
            addIssue({ code: 'invalid_type', expected: 'string', path, input: value })
        }
      }),
    })
    .partial(),
)

function isOrigin(address: string): boolean {
  if (!isUrl(address)) return false
  const { origin, protocol, href } = new URL(address)
  return (protocol === 'http:' || protocol === 'https:') && href === `${origin}/`
}

const anObject = () => z.looseObject({})

/** Does not show the value, which may be a password. */
function unknownMessage(name: string): string {
  const meant = nearestSetting(name, variables())
  return `is not known here (${meant === undefined ? `known are ${variables().join(', ')}` : `did you mean ${meant}?`})`
}
