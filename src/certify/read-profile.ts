import * as z from 'zod'
import { systemWall } from '../lib/clock/clock.ts'
import { lazy } from '../lib/lazy.ts'
import { parseDuration } from '../lib/text/duration.ts'
import { fieldPath } from '../lib/text/field-path.ts'
import { isObject } from '../lib/objects.ts'
import { isUrl } from '../lib/text/is-url.ts'
import { didYouMean } from '../lib/text/suggest.ts'
import { type Checked, checked, type Issue, lastOf } from '../lib/text/validation-messages.ts'
import { duration, oneOf, text, unknown, whole, words } from '../lib/text/word-schemas.ts'
import { checkProtection, type ReceiverProtection } from '../service/vocabulary/receiver-protection.ts'
import { checkIds, groups, isCheckId, WORST } from './check-ids.ts'
import { ProfileError, readFileWith } from './checked-file.ts'
import { fill, fillText, namesIn, stepsOf, type Values, type Variables, variablesIn } from './expressions.ts'
import { type Feature, features, type Means, type Probe, type ProfileFile, states } from './profile.ts'

const url = () =>
  text().refine((value) => namesIn(value).length > 0 || isUrl(value), {
    error: 'must be an http or https URL',
  })
const path = () =>
  text().refine((value) => stepsOf(value) !== undefined, {
    error: 'must be a path such as $.order.status or $.items[0]',
  })
const waiting = (least = 1, most = 600_000) => duration({ least, most })
const LONGEST_WAIVER = 366 * 86_400_000
const fn = () =>
  z.custom<(...given: never[]) => unknown>((value) => typeof value === 'function', {
    error: 'must be a function',
  })

const http = () =>
  words({
    method: oneOf('a method', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
    url: url(),
    headers: z.record(z.string(), text(), { error: 'must be a map of names and texts' }).optional(),
    body: z.unknown().optional().describe('Sent as JSON, or unchanged if it is text.'),
  }).describe('A request to the shop.')
const command = () => text().describe('A shell command; ${order} and the like are shell variables.')

/** The ways to act on the shop, which exclude each other. */
const call = (manual: boolean) => ({
  http: http().optional(),
  command: command().optional(),
  ...(manual && {
    manual: z
      .union([z.literal(true), text()], { error: 'must be true, or instructions for a person' })
      .optional()
      .describe('Instructions for a person who performs the step, or true.'),
  }),
})

const orFunction = <Schema extends z.ZodType>(schema: Schema, what: string) =>
  z.union([schema, fn()], { error: `must be a map with ${what}` })

const action = (about: string) =>
  orFunction(words(call(true)), 'http, command or manual')
    .optional()
    .describe(about)

const profileSchema = lazy(() =>
  words({
    profile: text()
      .max(200)
      .regex(/[\p{L}\p{N}]/u, { error: 'must contain a letter or a digit' })
      .describe('The name of the shop.'),
    version: text().max(100).optional().describe('The version of the shop, which reports name.'),
    sandbox: url().optional().describe('The address of a sandbox; by default certify starts one.'),
    port: whole(0, 65_535)
      .optional()
      .describe('The port of the sandbox that certify starts; 8080 by default.'),
    user: text()
      .regex(/^[^:]+:.+$/s, { error: 'must be a name and a password, such as demo:demo' })
      .optional(),
    isolation: oneOf('an isolation', ['world', 'shared'])
      .optional()
      .describe(
        'Whether each check runs in a separate world or all in one; by default it depends on the trigger.',
      ),
    receiver: words({
      url: url().describe('The address that receives the callbacks of the shop.'),
      within: waiting(1, 30_000)
        .optional()
        .describe('The time limit of its responses, at most 30s; 5s by default.'),
      settles: waiting()
        .optional()
        .describe('How long after its response a callback may take effect; by default certify measures it.'),
      signatures: text().optional().describe('The profile of signatures; standard by default.'),
      secret: text().optional().describe('The signing secret of callbacks; by default the one of the world.'),
      protection: words({
        credentials: text().optional().describe('Name and password of Basic authentication.'),
        secret_headers: z
          .array(text(), { error: 'must be a list such as [X-Gateway-Key: 3f9c]' })
          .max(8)
          .optional()
          .describe('Headers that the receiver demands.'),
        certificate: text().optional().describe('The client certificate for mutual TLS in PEM.'),
        private_key: text().optional().describe('Its key in PEM.'),
        authority: text().optional().describe('The authorities of the receiver in PEM.'),
      })
        .optional()
        .describe('What the sandbox sends to a protected receiver, usually as ${env.NAME}.'),
    }).optional(),
    client: words({
      patience: waiting(500).optional().describe('How long to wait for an inactive client; 2s by default.'),
      finds_out: waiting(500)
        .optional()
        .describe('The time limit for detecting a payment by status query; 10s by default.'),
      slow: waiting(500).optional().describe('The duration of a slow response; 2s by default.'),
    }).optional(),
    features: z
      .array(oneOf('a feature', features), { error: 'must be a list' })
      .optional()
      .describe('The features of the shop; checks of other features do not apply.'),
    trigger: action('Starts one payment in the shop.'),
    payout: action('Starts one payout in the shop; its probe is that of payments.'),
    probe: orFunction(
      words({
        ...call(false),
        ask: fn().optional(),
        read: words({ state: path(), fulfilled: path().optional(), amount: path().optional() })
          .optional()
          .describe('Paths into its response.'),
        means: words(
          Object.fromEntries(states.map((state) => [state, z.array(z.coerce.string()).optional()])),
        )
          .optional()
          .describe('The words of the shop for each state.'),
      }),
      'http or command, and read',
    )
      .optional()
      .describe('Returns the state of an order in the shop.'),
    restart: action('Restarts the shop.'),
    rotate: action('Gives the shop the secret ${secret} in addition to the older ${old}.'),
    reconcile: orFunction(
      words({ ...call(false), read: words({ differences: path() }).optional() }),
      'http or command, and read',
    )
      .optional()
      .describe('Compares the orders of the shop with ${statement}.'),
    waivers: z
      .record(
        z.string(),
        words({
          until: text()
            .refine((day) => /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day)), {
              error: 'must be a day such as 2026-12-31',
            })
            .refine((day) => Date.parse(day) < systemWall() + LONGEST_WAIVER, {
              error: 'must be at most a year ahead',
            })
            .describe('The last day of the waiver.'),
          by: text().max(200).describe('The person who accepts the risk.'),
          ticket: text().max(200).describe('Where the fix is tracked.'),
          because: text().max(1_000),
        }),
        {
          error:
            'must be a map of checks, such as { RCV-18: { until: 2026-12-31, by: Jane, ticket: SHOP-12, because: … } }',
        },
      )
      .optional()
      .describe('Checks whose failure is accepted for a time.'),
  }),
)

/** Returns the validated file, or all its faults. */
function checkProfile(value: unknown): Checked<ProfileFile> {
  const result = checked(profileSchema(), value, (path) => lastOf(path) || 'the profile')
  const { issues: told = [], more = 0 } = 'issues' in result ? result : {}
  // Reports faults of meaning together with faults of form.
  const meaning = meaningOf(value).filter(
    ({ path }) => !told.some((issue) => issue.path.join() === path.join()),
  )
  const issues = [...told, ...meaning]
  if (issues.length > 0 || 'issues' in result) return { issues, more }
  return { file: result.file as unknown as ProfileFile }
}

export const profileJsonSchema = (): object => ({
  title: 'A profile of a shop that payments-sandbox certifies',
  ...z.toJSONSchema(profileSchema(), { io: 'input', unrepresentable: 'any' }),
})

/** The fields of a profile that act on the shop. */
const ACTIONS = ['trigger', 'payout', 'probe', 'restart', 'rotate', 'reconcile'] as const

/** The placeholders of each action, in addition to `env.NAME`. */
const PLACEHOLDERS: Readonly<Record<string, readonly string[]>> = {
  probe: ['order'],
  rotate: ['secret', 'old'],
  reconcile: ['statement'],
  restart: [],
}
const TRIGGER_PLACEHOLDERS: readonly string[] =
  'order amount phone sandbox user password authorization secret callback'.split(' ')

const mapAt = (value: unknown, key: string): Readonly<Record<string, unknown>> => {
  const found = isObject(value) ? value[key] : undefined
  return isObject(found) ? found : {}
}

function meaningOf(value: unknown): readonly Issue[] {
  const file = isObject(value) ? value : {}
  const isMap = (key: string) => isObject(file[key])
  const calls = ACTIONS.filter(isMap)
  return [
    ...calls.flatMap((key) => oneWay(key, mapAt(file, key))),
    ...calls.flatMap((key) => unknownPlaceholders(key, mapAt(file, key))),
    ...(isMap('probe') ? probeIssues(mapAt(file, 'probe')) : []),
    ...(isMap('reconcile') && mapAt(file, 'reconcile')['read'] === undefined
      ? [{ path: ['reconcile'], on_key: true, message: 'reconcile needs read: { differences: $.path }' }]
      : []),
    ...Object.keys(mapAt(file, 'waivers')).flatMap((id) => {
      const isWorst = (WORST as readonly string[]).includes(id)
      if (isCheckId(id) && !isWorst) return []
      const message = isWorst
        ? `${id} cannot be waived, since its failure loses money: fix it`
        : unknownCheck(id)
      return [{ path: ['waivers', id], on_key: true, message }]
    }),
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
  const given = ways.filter((way) => call[way] !== undefined)
  if (given.length === 1) return []
  const known = ways.filter((way) => way !== 'ask').join(', ')
  if (given.length === 0) return [{ path: [key], on_key: true, message: `${key} needs one of ${known}` }]
  return [
    { path: [key, given[1]!], on_key: true, message: `${given.join(' and ')} exclude each other; keep one` },
  ]
}

function probeIssues({ read, means, ask }: Record<string, unknown>): readonly Issue[] {
  const issues: Issue[] = []
  if (read === undefined && ask === undefined)
    issues.push({ path: ['probe'], on_key: true, message: 'probe needs read: { state: $.path }' })
  const seen = new Map<string, string>()
  for (const [state, list] of Object.entries(isObject(means) ? means : {}))
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
function unknownPlaceholders(key: string, call: Record<string, unknown>): readonly Issue[] {
  const known: readonly string[] = PLACEHOLDERS[key] ?? TRIGGER_PLACEHOLDERS
  const shown = (name: string) => `\${${name}}`
  const texts = [
    ...Object.entries(mapAt(call, 'http')).map(([field, text]) => ({ path: [key, 'http', field], text })),
    { path: [key, 'manual'], text: call['manual'] },
  ]
  return texts.flatMap(({ path, text }) =>
    namesIn(text)
      .filter((name) => !known.includes(name) && !/^env\.\w+$/.test(name))
      .map((name) => ({ path, message: unknown(shown(name), 'filled here', known.map(shown)) })),
  )
}

/** @param file - The name for messages. @throws {ProfileError} With `file:line:column`. */
export const readProfile = async (file: string, text: string, env: Variables = {}): Promise<Profile> =>
  profileOf(await readFileWith(file, text, checkProfile), env)

/** @throws {ProfileError} With the name of each invalid field. */
export function profileOfOptions(value: ProfileFile, env: Variables = {}): Profile {
  const checked = checkProfile(value)
  if ('file' in checked) return profileOf(checked.file, env)
  const lines = checked.issues.map(({ path, message }) => `profile.${fieldPath(path)}: ${message}`)
  throw new ProfileError(lines, checked.issues, checked.more)
}

/** A validated profile. Durations are milliseconds. */
export type Profile = ReturnType<typeof profileOf>

const USUAL: readonly Feature[] = ['collect', 'reversals', 'status-queries']
/** Placeholders that allow one world per check. */
const WORLD_NAMES = ['sandbox', 'user', 'password', 'authorization']

function profileOf(file: ProfileFile, env: Variables) {
  const actions = [...ACTIONS.map((name) => file[name]), file.receiver]
  const unset = actions
    .flatMap(namesIn)
    .filter((name) => name.startsWith('env.') && env[name.slice(4)] === undefined)
  if (unset.length > 0)
    throw new ProfileError(
      [...new Set(unset)].map(
        (name) =>
          `\${${name}}: there is no variable ${name.slice(4)}; set it, to an empty text if you mean that`,
      ),
    )
  const variables = variablesIn(actions, env)
  const { receiver, client = {}, trigger, payout, probe, user = 'demo:demo', features, reconcile } = file
  const [username = '', ...password] = user.split(':')
  const ms = (written: string | number | undefined, fallback: number) =>
    written === undefined ? fallback : parseDuration(written)
  const triggers = [trigger, payout].filter((each) => each !== undefined)
  const usesWorlds = triggers.every(
    (each) => namesIn(each).some((name) => WORLD_NAMES.includes(name)) || commandUsesWorlds(each),
  )
  return {
    profile: file.profile,
    version: file.version ?? null,
    sandbox: file.sandbox,
    port: file.port ?? 8080,
    user: { username, password: password.join(':') },
    isolation:
      file.isolation ?? (usesWorlds && triggers.length > 0 ? ('world' as const) : ('shared' as const)),
    receiver: {
      url: receiver?.url,
      within: ms(receiver?.within, 5_000),
      /** Measured if undefined. */
      settles: receiver?.settles === undefined ? undefined : parseDuration(receiver.settles),
      signatures: receiver?.signatures ?? 'standard',
      secret: receiver?.secret && fillText(receiver.secret, variables),
      protection: protectionOf(receiver, variables),
    },
    client: {
      patience: ms(client.patience, 2_000),
      finds_out: ms(client.finds_out, 10_000),
      slow: ms(client.slow, 2_000),
    },
    features: features ?? [
      ...USUAL,
      ...(payout === undefined ? [] : ['withdraw' as const]),
      ...(reconcile === undefined ? [] : ['reconciliation' as const]),
    ],
    trigger,
    payout,
    probe: probe === undefined ? undefined : probeOf(probe),
    restart: file.restart,
    rotate: file.rotate,
    reconcile,
    isManual: triggers.some((each) => typeof each === 'object' && 'manual' in each),
    /** The values of all `env.NAME` placeholders. */
    variables,
    waivers: file.waivers ?? {},
    file,
  }
}

const commandUsesWorlds = (trigger: ProfileFile['trigger']) =>
  typeof trigger === 'object' &&
  'command' in trigger &&
  WORLD_NAMES.some((name) => new RegExp(`\\$${name}\\b`).test(trigger.command))

/** @throws {ProfileError} If a certificate, key or header is malformed. */
function protectionOf(receiver: ProfileFile['receiver'], values: Values): ReceiverProtection | undefined {
  if (!receiver?.protection) return undefined
  const filled = fill(receiver.protection, values) as ReceiverProtection
  try {
    return checkProtection({ ...filled, origin: receiver.url })
  } catch (error) {
    throw new ProfileError([`receiver.protection.${(error as Error).message}`])
  }
}

const DEFAULT_MEANS: Means = Object.fromEntries(states.map((state) => [state, [state]]))

function probeOf(probe: NonNullable<ProfileFile['probe']>): Probe {
  if (typeof probe === 'function') return { ask: probe, means: DEFAULT_MEANS }
  const means = Object.fromEntries(
    states.map((state) => [state, probe.means?.[state]?.map(String) ?? unlessUsed(state, probe.means)]),
  )
  return { ...probe, means }
}

/** Maps a state to its own name, unless the shop uses the name for another state. */
const unlessUsed = (state: string, means: Means = {}) =>
  Object.values(means).some((list) => list?.map(String).includes(state)) ? [] : [state]
