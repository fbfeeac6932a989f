/** The form of a profile. */
import * as z from 'zod'
import { lazy } from '../lib/lazy.ts'
import { isUrl } from '../lib/text/is-url.ts'
import { type Issue, issuesOf, reporting } from '../lib/text/validation-messages.ts'
import { duration, oneOf, text, whole, words } from '../scenarios/words.ts'
import { features } from './checks.ts'
import { namesIn } from './fill.ts'
import { stepsOf } from './json-path.ts'
import type { ProfileFile } from './options.ts'
import { meaningOf } from './profile-meaning.ts'
import { states } from './profile.ts'

const url = () =>
  text().refine((value) => namesIn(value).length > 0 || isUrl(value), {
    error: 'must be an http or https URL',
  })
const path = () =>
  text().refine((value) => stepsOf(value) !== undefined, {
    error: 'must be a path such as $.order.status or $.items[0]',
  })
const waiting = () => duration({ least: 1, most: 600_000 })
const fn = () =>
  z.custom<(...given: never[]) => unknown>((value) => typeof value === 'function', {
    error: 'must be a function',
  })

const http = () =>
  words({
    method: oneOf('a method', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
    url: url(),
    headers: z.record(z.string(), text(), { error: 'must be a map of names and texts' }).optional(),
    body: z.unknown().optional().describe('Sent as JSON, or as it is when it is text.'),
  }).describe('A request to the shop.')
const command = () => text().describe('A command of the shell; ${order} and the like are variables of it.')

/** How something is done in the shop, of which only one can be said. */
const call = (manual: boolean) => ({
  http: http().optional(),
  command: command().optional(),
  ...(manual && {
    manual: z
      .union([z.literal(true), text()], { error: 'must be true, or what a person is told' })
      .optional()
      .describe('Somebody does it: what to tell them, or true.'),
  }),
})

const orFunction = <Schema extends z.ZodType>(schema: Schema, what: string) =>
  z.union([schema, fn()], { error: `must be a map with ${what}` })

export const profileSchema = lazy(() =>
  words({
    profile: text().max(200).describe('What the shop is called.'),
    sandbox: url().optional().describe('The address of a sandbox; left out, one is started for it.'),
    port: whole(0, 65_535)
      .optional()
      .describe('Where a sandbox that is started listens; 8080 when left out.'),
    user: text()
      .regex(/^[^:]+:.+$/s, { error: 'must be a name and a password, such as demo:demo' })
      .optional(),
    isolation: oneOf('an isolation', ['world', 'shared'])
      .optional()
      .describe(
        'Whether each check has a world of its own, or all one; found out from what the trigger uses.',
      ),
    receiver: words({
      url: url().describe('Where the shop takes callbacks.'),
      within: waiting().optional().describe('How soon it has to answer; 5s when left out.'),
      signatures: text().optional().describe('The profile of signatures, standard when left out.'),
      secret: text().optional().describe('What callbacks are signed with; that of the world when left out.'),
    }).optional(),
    client: words({
      patience: waiting()
        .optional()
        .describe('How long a client that does nothing is waited for; 2s when left out.'),
      finds_out: waiting().optional().describe('How soon it has to find out by look-up; 10s when left out.'),
      slow: waiting().optional().describe('How long a slow answer takes; 2s when left out.'),
    }).optional(),
    features: z
      .array(oneOf('a feature', features), { error: 'must be a list' })
      .optional()
      .describe('What the shop does; what is not here is not applicable.'),
    trigger: orFunction(words(call(true)), 'http, command or manual')
      .optional()
      .describe('Starts one payment in the shop.'),
    probe: orFunction(
      words({
        ...call(false),
        ask: fn().optional(),
        read: words({ state: path(), fulfilled: path().optional(), amount: path().optional() })
          .optional()
          .describe('Where in its answer what is.'),
        means: words(
          Object.fromEntries(states.map((state) => [state, z.array(z.coerce.string()).optional()])),
        )
          .optional()
          .describe('The words of the shop for each state.'),
      }),
      'http or command, and read',
    )
      .optional()
      .describe('Asks what the shop believes of an order.'),
    restart: orFunction(words(call(true)), 'http, command or manual')
      .optional()
      .describe('Restarts the shop.'),
    rotate: orFunction(words(call(true)), 'http, command or manual')
      .optional()
      .describe('Gives the shop the secret ${secret} beside the older ${old}.'),
    reconcile: orFunction(
      words({ ...call(false), read: words({ differences: path() }).optional() }),
      'http or command, and read',
    )
      .optional()
      .describe('Has the shop compare its orders with ${statement}.'),
    expect: z
      .record(z.string(), words({ result: oneOf('a result to expect', ['fail']), because: text() }), {
        error: 'must be a map of checks, such as { RCV-18: { result: fail, because: … } }',
      })
      .optional()
      .describe('Checks that are known to fail.'),
  }),
)

type Read = z.infer<ReturnType<typeof profileSchema>>

/** A profile's words, or all that is wrong with them. */
export function checkProfile(
  value: unknown,
): { readonly file: ProfileFile } | { readonly issues: readonly Issue[]; readonly more: number } {
  const result = profileSchema().safeParse(value, reporting)
  const shape = result.success
    ? { told: [], more: 0 }
    : issuesOf(result.error, { name: (path) => String(path.at(-1) ?? 'the profile') })
  // What makes no sense is told with what is not well formed, as far as it can be seen.
  const meaning = meaningOf(value).filter(
    ({ path }) => !shape.told.some((told) => told.path.join() === path.join()),
  )
  const issues = [...shape.told, ...meaning]
  if (issues.length > 0 || !result.success) return { issues, more: shape.more }
  return { file: result.data as Read as unknown as ProfileFile }
}

/** The JSON Schema of a profile, for editors. */
export const profileJsonSchema = (): object => ({
  title: 'A profile of a shop that payments-sandbox certifies',
  ...z.toJSONSchema(profileSchema(), { io: 'input', unrepresentable: 'any' }),
})
