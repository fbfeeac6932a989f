/** Incident files: a timeline of what goes wrong at an operator or at the service, in the words of scenario files. */
import * as z from 'zod'
import { lazy } from '../lib/lazy.ts'
import type { Frozen } from '../lib/objects.ts'
import { parseDuration } from '../lib/text/duration.ts'
import { type Checked, checked, type Issue, lastOf, onKey } from '../lib/text/validation-messages.ts'
import { countries } from '../service/domain/countries/countries.ts'
import { callbackFaults } from '../service/vocabulary/terms.ts'
import { moneyOperations } from './operations.ts'
import { checkThen, thenWords } from './then/table.ts'
import { DELAYS } from './then/words.ts'
import { duration, fields, numberWithin, oneOf, text, unknown, words, yes } from '../lib/text/word-schemas.ts'

/** Networks by country: the providers of requests. */
const networksOf = (code?: string): readonly string[] => [
  ...new Set(
    countries
      .filter((each) => code === undefined || each.code === code)
      .flatMap((each) => Object.keys(each.networks)),
  ),
]

const share = () => numberWithin(0, 1)

/** A duration such as `30s`, or a range such as `30s..5m`. */
const range = () =>
  z
    .custom<string | number>((value) => spanOf(value) !== undefined, {
      error: 'must be a duration such as 30s, or a range such as 30s..5m',
    })
    .meta({ type: ['string', 'integer'] })

/** @returns the shortest and the longest duration in milliseconds */
export function spanOf(written: unknown): readonly [number, number] | undefined {
  try {
    const [least, most, ...more] = String(written)
      .split('..')
      .map((each) => parseDuration(each))
    if (least === undefined || more.length > 0 || (most ?? least) < least) return undefined
    return [least, most ?? least]
  } catch {
    return undefined
  }
}

const RATE = /^(\d+(?:\.\d+)?)\/(s|m|h)$/
const PER = { s: 1, m: 60, h: 3_600 } as const

/** Returns a rate such as `20/s` or `90/m` per second; undefined if it is none. */
export function rateOf(written: unknown): number | undefined {
  const [, number, unit] = RATE.exec(String(written)) ?? []
  return number === undefined ? undefined : Number(number) / PER[unit as keyof typeof PER]
}

export const rate = () =>
  text().refine((value) => rateOf(value) !== undefined && rateOf(value)! > 0, {
    error: 'must be a rate above 0, such as 20/s or 90/m',
  })

const SETTLED = /^settled(?: since (\S+))?$/

const entrySchema = lazy(() =>
  words({
    for: duration({ least: 1 })
      .optional()
      .describe('How long the entry is in force; until the incident is stopped by default.'),
    network: oneOf('a network', networksOf()).optional().describe('Only payments with this provider.'),
    direction: oneOf('a direction', ['payin', 'payout']).optional(),
    share: share()
      .optional()
      .describe('The share of the payments that the entry applies to; all by default.'),
    settle: thenWords.settle.schema().optional().describe(thenWords.settle.description),
    later: thenWords.later.schema().optional().describe(thenWords.later.description),
    statement: thenWords.statement.schema().optional().describe(thenWords.statement.description),
    statusQuery: thenWords.statusQuery.schema().optional().describe(thenWords.statusQuery.description),
    api: words({
      status: z.literal([429, 500, 502, 503, 504], { error: 'must be 429, 500, 502, 503 or 504' }).optional(),
      share: share().optional().describe('The share of the requests; all by default.'),
      retryAfter: duration({ least: 1_000 }).optional().describe('The header `Retry-After` of 429 and 503.'),
      delay: range().optional().describe('Delays each response: 2s, or 2s..8s.'),
      performed: share()
        .optional()
        .describe('The share of the rejected requests that are processed nevertheless.'),
    })
      .optional()
      .describe('What the API does to requests of all operations.'),
    callbacks: words({
      duplicate: share().optional().describe('The share of callbacks that are sent twice.'),
      delay: range().optional().describe('Delays each callback: 30s, or 30s..5m.'),
      hold: yes().optional().describe('Holds all callbacks until the entry ends, then sends them all.'),
      outOfOrder: yes().optional().describe('Callbacks of successive results arrive newest first.'),
      drop: share().optional().describe('The share of callbacks that are never sent.'),
      fault: oneOf('a fault of callbacks', callbackFaults).optional(),
      set: fields().optional().describe('Fields of the body to replace or add.'),
    })
      .optional()
      .describe('What happens to the callbacks of payments that begin while the entry is in force.'),
    backlog: words({
      release: rate().describe('How many payments settle, such as 400/s.'),
      order: oneOf('an order', ['arrival', 'shuffled']).optional(),
    })
      .optional()
      .describe('Settles the queued payments, each with the outcome it would have had.'),
    reversals: words({
      share: share().describe('The share of the payments.'),
      of: text()
        .regex(SETTLED, { error: 'must be settled, or settled since a time of the incident such as 15m' })
        .optional(),
    })
      .optional()
      .describe('Reverses payments that succeeded.'),
    mix: z
      .record(z.string(), share(), {
        error: 'must be a map of scenarios and shares, such as { payer-cancels: 0.08 }',
      })
      .optional()
      .describe('Scenarios that decide a share of the payments each.'),
  }),
)

export type IncidentEntry = z.infer<ReturnType<typeof entrySchema>>

/** An incident that was started in a world. */
export interface RunningIncident {
  readonly name: string
  /** Decides which payments an entry with a share applies to. */
  readonly seed: string
  /** On the world's clock, milliseconds. */
  readonly started_at: number
  readonly file: IncidentFile
  /** The jobs of entries that happen once. */
  readonly jobs: readonly { readonly entry: number; readonly job: number }[]
}

/** Each request to a world reads the entries of its incidents. */
const MOST_ENTRIES = 100

const fileSchema = lazy(() =>
  words({
    title: text().max(1_000).describe('What goes wrong, in one sentence.'),
    summary: text().max(10_000).optional().describe('What an integrator observes, and why it matters.'),
    sources: z
      .array(text(), { error: 'must be a list of texts' })
      .max(20)
      .optional()
      .describe('Published incidents of this kind.'),
    at: z
      .record(
        z.string(),
        z.union([entrySchema(), z.array(entrySchema()).min(1).max(20)], {
          error: 'must be an entry, or a list of entries',
        }),
        { error: 'must be a map of times, such as { 5m: { network: m-pesa, settle: { never: true } } }' },
      )
      .refine((value) => Object.keys(value).length > 0, { error: 'must have an entry' })
      .refine((value) => Object.values(value).flat().length <= MOST_ENTRIES, {
        error: `must have at most ${MOST_ENTRIES} entries`,
      })
      .describe('What happens when, counted from the start of the incident.'),
  }),
)

export type IncidentFile = Frozen<z.infer<ReturnType<typeof fileSchema>>>

export const incidentJsonSchema = (): object => ({
  title: 'An incident of payments-sandbox',
  ...z.toJSONSchema(fileSchema(), { io: 'input', unrepresentable: 'any' }),
})

/** The parts of an entry that happen once, at its time. */
const onceWords = ['backlog', 'reversals'] as const
/** The parts of an entry that are in force for a while; two entries must not have the same at the same time. */
const lastingWords = ['settle', 'later', 'statement', 'statusQuery', 'api', 'callbacks', 'mix'] as const

/** An entry with its times in milliseconds from the start of the incident. */
export interface TimedEntry extends IncidentEntry {
  readonly time: number
  /** `Infinity` until the incident is stopped. */
  readonly until: number
  readonly isOnce: boolean
}

const compiled = new WeakMap<IncidentFile, readonly TimedEntry[]>()

/** Returns the entries of a file by time. */
export function entriesOf(file: IncidentFile): readonly TimedEntry[] {
  const known = compiled.get(file)
  if (known) return known
  const entries = Object.entries(file.at)
    .flatMap(([written, given]) =>
      [given].flat().map((entry) => timed(entry as IncidentEntry, parseDuration(written))),
    )
    .sort((a, b) => a.time - b.time)
  compiled.set(file, entries)
  return entries
}

function timed(entry: IncidentEntry, time: number): TimedEntry {
  const isOnce = onceWords.some((word) => entry[word] !== undefined)
  const until = isOnce ? time : entry.for === undefined ? Infinity : time + parseDuration(entry.for)
  return { ...entry, time, until, isOnce }
}

/** Returns when the last entry of an incident ends or begins, milliseconds from its start. */
export const endOfIncident = (file: IncidentFile): number =>
  entriesOf(file).reduce((most, { time, until }) => Math.max(most, until === Infinity ? time : until), 0)

/** Returns the start of reversed payments, milliseconds from the start of the incident. */
export const sinceOf = ({ reversals }: IncidentEntry): number =>
  parseDuration(SETTLED.exec(reversals?.of ?? '')?.[1] ?? 0)

/** An incident with its start, for the search of contradictions. */
export interface Placed {
  readonly name: string
  readonly start: number
  readonly file: IncidentFile
}

/** Returns why two incidents cannot run together: the same word for the same network at the same time. */
export function contradiction(one: Placed, other: Placed): string | undefined {
  for (const a of entriesOf(one.file))
    for (const b of entriesOf(other.file)) {
      if (a === b || (a.network && b.network && a.network !== b.network)) continue
      if (a.direction && b.direction && a.direction !== b.direction) continue
      const word = lastingWords.find((each) => a[each] !== undefined && b[each] !== undefined)
      const begins = Math.max(one.start + a.time, other.start + b.time)
      if (!word || begins >= Math.min(one.start + a.until, other.start + b.until)) continue
      const where = a.network ?? b.network ?? 'all networks'
      return one.file === other.file
        ? `two entries have ${word} for ${where} at the same time; keep one, or let the first end before`
        : `${one.name} and ${other.name} contradict each other: both have ${word} for ${where} at the same time; stop one, or start it later`
    }
  return undefined
}

/** Validates a parsed incident file. @param scenarios - the known scenarios, for `mix`; any if omitted */
export function checkIncident(value: unknown, scenarios?: readonly string[]): Checked<IncidentFile> {
  const result = checked(fileSchema(), value, lastOf)
  if ('issues' in result) return result
  const file: IncidentFile = result.file
  const issues = Object.entries(file.at).flatMap(([time, given]) => {
    const path = ['at', time]
    if (spanOf(time) === undefined || time.includes('..') || /^[1-9]\d*$/.test(time))
      return onKey(path, `"${time}" is not a time from the start of the incident with a unit, such as 5m`)
    return [given]
      .flat()
      .flatMap((entry, n) =>
        checkEntry(
          timed(entry as IncidentEntry, parseDuration(time)),
          Array.isArray(given) ? [...path, n] : path,
          scenarios,
        ),
      )
  })
  if (issues.length > 0) return { issues, more: 0 }
  const placed = { name: '', start: 0, file }
  const contradicts = contradiction(placed, placed)
  return contradicts ? { issues: onKey(['at'], contradicts), more: 0 } : { file }
}

function checkEntry(
  entry: TimedEntry,
  path: Issue['path'],
  scenarios: readonly string[] | undefined,
): readonly Issue[] {
  const on = (word: string, message: string) => onKey([...path, word], message)
  const lasting = lastingWords.filter((word) => entry[word] !== undefined)
  const once = onceWords.filter((word) => entry[word] !== undefined)
  if (lasting.length + once.length === 0)
    return onKey(path, `an entry needs one of ${[...lastingWords, ...onceWords].join(', ')}`)
  // The callbacks of a backlog may be late or duplicate too.
  const others = lasting.filter((word) => word !== 'callbacks')
  if (once.length > 1 || (once.length === 1 && others.length > 0))
    return on(
      others[0] ?? once[1]!,
      `${once[0]} happens once; write ${others[0] ?? once[1]!} into an entry of its own`,
    )
  if (once.length === 1 && entry.for !== undefined)
    return on('for', `${once[0]} happens once and has no duration`)
  if (sinceOf(entry) >= entry.time && sinceOf(entry) > 0)
    return on('reversals', `of: ${entry.reversals!.of} begins after the entry, so that nothing is reversed`)
  const { callbacks, settle, later, statement, api, mix } = entry
  if (callbacks?.hold && entry.for === undefined)
    return on('callbacks', 'hold needs for: when the callbacks are sent')
  if (callbacks?.hold && callbacks.delay !== undefined)
    return on('callbacks', 'hold and delay exclude each other; keep one')
  if (api?.retryAfter !== undefined && ![429, 503].includes(api.status ?? 0))
    return on('api', 'retryAfter is for the statuses 429 and 503')
  if (api && api.status === undefined && api.delay === undefined)
    return on('api', 'api needs a status or a delay')
  if (spanOf(api?.delay ?? 0)![1] > DELAYS.most) return on('api', 'delay must be at most 1h')
  const strange = scenarios && Object.keys(mix ?? {}).find((name) => !scenarios.includes(name))
  if (strange !== undefined) return on('mix', unknown(strange, 'a scenario', scenarios ?? []))
  if (Object.values(mix ?? {}).reduce((sum, each) => sum + each, 0) > 1)
    return on('mix', 'the shares of mix must sum to at most 1')
  return checkThen({
    path,
    then: { settle, later, statement },
    operations: moneyOperations,
    named: true,
    direction: entry.direction,
  })
}

/** Reports a network that a country does not have, since no payment there can meet the incident. */
export function foreignNetwork(file: IncidentFile, country: string): string | undefined {
  const known = networksOf(country)
  const strange = entriesOf(file).find(
    ({ network }) => network !== undefined && !known.includes(network),
  )?.network
  if (strange === undefined) return undefined
  const home = countries.filter(({ networks }) => Object.hasOwn(networks, strange)).map(({ code }) => code)
  return `the network ${strange} is one of ${home.join(', ')}, not of ${country}, which has ${known.join(', ')}`
}
