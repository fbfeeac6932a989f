/** Profiles: their schema, what makes no sense although it is well formed, and how a file becomes a profile. */
import * as z from 'zod'
import { lazy } from '../lib/lazy.ts'
import { parseDuration } from '../lib/text/duration.ts'
import { fieldPath } from '../lib/text/field-path.ts'
import { isUrl } from '../lib/text/is-url.ts'
import { didYouMean } from '../lib/text/suggest.ts'
import { andMore, type Issue, issuesOf, MOST_TOLD, reporting } from '../lib/text/validation-messages.ts'
import { duration, oneOf, text, unknown, whole, words } from '../scenarios/words.ts'
import { checkIds, groups } from './check-ids.ts'
import { namesIn, stepsOf } from './expressions.ts'
import type { ProfileFile } from './options.ts'
import { type Feature, features, type Means, type Probe, type Profile, states } from './profile.ts'

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

/** The ways to act on the shop, which exclude each other. */
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

const profileSchema = lazy(() =>
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

/** Returns the validated file, or all its faults. */
function checkProfile(
  value: unknown,
): { readonly file: ProfileFile } | { readonly issues: readonly Issue[]; readonly more: number } {
  const result = profileSchema().safeParse(value, reporting)
  const shape = result.success
    ? { told: [], more: 0 }
    : issuesOf(result.error, { name: (path) => String(path.at(-1) ?? 'the profile') })
  // Reports faults of meaning together with faults of form.
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

/** The placeholders of triggers, in addition to `env.NAME`. */
const TRIGGER_NAMES = [
  'order',
  'amount',
  'phone',
  'sandbox',
  'user',
  'password',
  'authorization',
  'secret',
  'callback',
]

const mapAt = (value: unknown, key: string): Record<string, unknown> => {
  const found =
    (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined) ?? {}
  return typeof found === 'object' ? (found as Record<string, unknown>) : {}
}

function meaningOf(value: unknown): readonly Issue[] {
  const file = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  const isMap = (key: string) => typeof file[key] === 'object' && file[key] !== null
  const calls = (['trigger', 'probe', 'restart', 'rotate', 'reconcile'] as const).filter(isMap)
  return [
    ...calls.flatMap((key) => oneWay(key, mapAt(file, key))),
    ...calls.flatMap((key) => strangePlaces(key, mapAt(file, key))),
    ...(isMap('probe') ? probeIssues(mapAt(file, 'probe')) : []),
    ...(isMap('reconcile') && mapAt(file, 'reconcile')['read'] === undefined
      ? [{ path: ['reconcile'], on_key: true, message: 'reconcile needs read: { differences: $.path }' }]
      : []),
    ...Object.keys(mapAt(file, 'expect'))
      .filter((id) => !(checkIds as readonly string[]).includes(id))
      .map((id) => ({ path: ['expect', id], on_key: true, message: unknownCheck(id) })),
  ]
}

/** `RCV-81 is not a check (did you mean RCV-1?)` */
export const unknownCheck = (id: string): string => {
  const names = [...checkIds, ...Object.keys(groups)]
  return `${id} is not a check${didYouMean(id.toUpperCase(), names) || '; payments-sandbox certify explain lists them'}`
}

function oneWay(key: string, call: Record<string, unknown>): readonly Issue[] {
  const ways =
    key === 'probe' || key === 'reconcile' ? ['http', 'command', 'ask'] : ['http', 'command', 'manual']
  const said = ways.filter((way) => call[way] !== undefined)
  if (said.length === 1) return []
  const known = ways.filter((way) => way !== 'ask').join(', ')
  if (said.length === 0) return [{ path: [key], on_key: true, message: `${key} needs one of ${known}` }]
  return [
    { path: [key, said[1]!], on_key: true, message: `${said.join(' and ')} exclude each other; keep one` },
  ]
}

function probeIssues({ read, means, ask }: Record<string, unknown>): readonly Issue[] {
  const issues: Issue[] = []
  if (read === undefined && ask === undefined)
    issues.push({ path: ['probe'], on_key: true, message: 'probe needs read: { state: $.path }' })
  const seen = new Map<string, string>()
  for (const [state, list] of Object.entries(typeof means === 'object' && means !== null ? means : {}))
    for (const [n, word] of (Array.isArray(list) ? list : []).entries()) {
      const before = seen.get(String(word))
      if (before !== undefined)
        issues.push({
          path: ['probe', 'means', state, n],
          message: `"${String(word)}" means ${before} already`,
        })
      seen.set(String(word), state)
    }
  return issues
}

/** Returns unknown placeholders in texts. The shell fills those of commands. */
function strangePlaces(key: string, call: Record<string, unknown>): readonly Issue[] {
  const known =
    key === 'probe'
      ? ['order']
      : key === 'rotate'
        ? ['secret', 'old']
        : key === 'reconcile'
          ? ['statement']
          : key === 'restart'
            ? []
            : TRIGGER_NAMES
  const http = mapAt(call, 'http')
  const texts: readonly (readonly [string, unknown])[] = Object.entries(http)
  const manual = typeof call['manual'] === 'string' ? [['manual', call['manual']] as const] : []
  const issues =
    (under: readonly string[]) =>
    ([field, value]: readonly [string, unknown]) =>
      namesIn(value)
        .filter((name) => !known.includes(name) && !/^env\.\w+$/.test(name))
        .map((name) => ({
          path: [...under, field],
          message: unknown(
            `\${${name}}`,
            'filled here',
            known.map((each) => `\${${each}}`),
          ),
        }))
  return [...texts.flatMap(issues([key, 'http'])), ...manual.flatMap(issues([key]))]
}

/** An invalid profile. The message has one line per fault. */
export class ProfileError extends Error {
  override readonly name = 'ProfileError'
  readonly issues: readonly Issue[]

  constructor(lines: readonly string[], issues: readonly Issue[], more: number) {
    super([...lines.slice(0, MOST_TOLD), ...andMore(more + Math.max(0, lines.length - MOST_TOLD))].join('\n'))
    this.issues = issues
  }
}

/** Environment variables for `${env.NAME}`. */
export type Variables = Readonly<Record<string, string | undefined>>

const LIMITS = { characters: 1_048_576, signs: Infinity }

/** @param file the name in messages @throws ProfileError with `file:line:column` */
export async function readProfile(file: string, text: string, env: Variables = {}): Promise<Profile> {
  const { readYaml } = await import('../lib/text/yaml-text.ts')
  const read = readYaml(text, LIMITS)
  if ('issues' in read) {
    const lines = read.issues.map(({ line, column, message }) => `${file}:${line}:${column} ${message}`)
    throw new ProfileError(lines, [], 0)
  }
  const checked = checkProfile(read.value)
  const placed = (issues: readonly Issue[]) =>
    issues
      .map((issue) => ({ ...read.place(issue.path, issue.on_key), message: issue.message }))
      .toSorted((a, b) => a.line - b.line || a.column - b.column)
      .map(({ line, column, message }) => `${file}:${line}:${column} ${message}`)
  if ('issues' in checked) throw new ProfileError(placed(checked.issues), checked.issues, checked.more)
  return profileOf(checked.file, env)
}

/** @throws ProfileError naming each field */
export function profileOfOptions(value: ProfileFile, env: Variables = {}): Profile {
  const checked = checkProfile(value)
  if ('file' in checked) return profileOf(checked.file, env)
  const lines = checked.issues.map(({ path, message }) => `profile.${fieldPath(path)}: ${message}`)
  throw new ProfileError(lines, checked.issues, checked.more)
}

/** The default features. */
const USUAL: readonly Feature[] = ['collect', 'reversals', 'look-ups']
/** Placeholders that allow one world per check. */
const OF_WORLDS = ['sandbox', 'user', 'password', 'authorization']

function profileOf(file: ProfileFile, env: Variables): Profile {
  const { receiver, client = {}, trigger, probe, user = 'demo:demo', features, reconcile } = file
  const [username = '', ...password] = user.split(':')
  const ms = (written: string | number | undefined, fallback: number) =>
    written === undefined ? fallback : parseDuration(written)
  const usesWorlds = namesIn(trigger).some((name) => OF_WORLDS.includes(name)) || commandUsesWorlds(trigger)
  return {
    profile: file.profile,
    sandbox: file.sandbox,
    port: file.port ?? 8080,
    user: { username, password: password.join(':') },
    isolation: file.isolation ?? (usesWorlds ? 'world' : 'shared'),
    receiver: {
      url: receiver?.url,
      within: ms(receiver?.within, 5_000),
      signatures: receiver?.signatures ?? 'standard',
      secret: receiver?.secret === undefined ? undefined : withVariables(receiver.secret, env),
    },
    client: {
      patience: ms(client.patience, 2_000),
      finds_out: ms(client.finds_out, 10_000),
      slow: ms(client.slow, 2_000),
    },
    features: features ?? [...USUAL, ...(reconcile === undefined ? [] : ['reconciliation' as const])],
    trigger,
    probe: probe === undefined ? undefined : probeOf(probe),
    restart: file.restart,
    rotate: file.rotate,
    reconcile,
    isManual: typeof trigger === 'object' && 'manual' in trigger,
    variables: variablesIn(file, env),
    expect: file.expect ?? {},
  }
}

const commandUsesWorlds = (trigger: ProfileFile['trigger']) =>
  typeof trigger === 'object' &&
  'command' in trigger &&
  OF_WORLDS.some((name) => new RegExp(`\\$${name}\\b`).test(trigger.command))

/** Maps each state to its own name. */
const PLAIN: Means = Object.fromEntries(states.map((state) => [state, [state]]))

function probeOf(probe: NonNullable<ProfileFile['probe']>): Probe {
  if (typeof probe === 'function') return { ask: probe, means: PLAIN }
  const means = Object.fromEntries(
    states.map((state) => [state, probe.means?.[state]?.map(String) ?? unlessMeant(state, probe.means)]),
  )
  return { ...probe, means }
}

/** Maps a state to its own name, unless the shop uses the name for another state. */
const unlessMeant = (state: string, means: Means = {}) =>
  Object.values(means).some((list) => list?.map(String).includes(state)) ? [] : [state]

function variablesIn(file: ProfileFile, env: Variables): Readonly<Record<string, string>> {
  const names = [file.trigger, file.probe, file.restart, file.rotate, file.reconcile, file.receiver].flatMap(
    namesIn,
  )
  const wanted = names.filter((name) => name.startsWith('env.'))
  return Object.fromEntries(wanted.map((name) => [name, env[name.slice(4)] ?? '']))
}

const withVariables = (text: string, env: Variables) =>
  text.replace(/\$\{env\.(\w+)\}/g, (_, name: string) => env[name] ?? '')
