/** Plans of traffic: how many customers arrive when, and what goes wrong meanwhile. */
import * as z from 'zod'
import { shippedIncidents } from '../generated/incidents.ts'
import { lazy } from '../lib/lazy.ts'
import { parseDuration } from '../lib/text/duration.ts'
import { fieldPath } from '../lib/text/field-path.ts'
import { type Checked, checked, type Issue, lastOf, toldOf } from '../lib/text/validation-messages.ts'
import type { YamlIssue } from '../lib/text/yaml-text.ts'
import { checkIncident, foreignNetwork, type IncidentFile, rate, rateOf } from '../scenarios/incident.ts'
import { duration, numberWithin, oneOf, text, unknown, words } from '../lib/text/word-schemas.ts'

/** Maximum number of customers of one run, since each order is compared at the end. */
const MOST_CUSTOMERS = 200_000

/** Of a plan's text. */
const LIMITS = { characters: 1_048_576, signs: Infinity }

/** Customers of this country. */
const COUNTRY = 'KE'

const rates = () =>
  text().refine((value) => ratesOf(value) !== undefined, {
    error: 'must be a rate such as 20/s, or a ramp such as 5/s..60/s',
  })

/** Returns the rates per second at the start and the end of a phase. */
function ratesOf(written: string): readonly [number, number] | undefined {
  const [from, to, ...more] = written.split('..').map(rateOf)
  return from === undefined || more.length > 0 || (written.includes('..') && to === undefined)
    ? undefined
    : [from, to ?? from]
}

const DAY = { least: 1_000, most: 86_400_000 }
const share = () => numberWithin(0, 1).optional()

const planSchema = lazy(() =>
  words({
    title: text().max(200).optional().describe('The name of the game day.'),
    for: duration(DAY).optional().describe('How long customers arrive.'),
    rate: rate().optional().describe('How many customers arrive, such as 20/s.'),
    phases: z
      .array(words({ for: duration(DAY), rate: rates() }), {
        error: 'must be a list such as [{ for: 5m, rate: 5/s..60/s }]',
      })
      .min(1)
      .max(100)
      .optional()
      .describe('Rates that follow each other; a ramp such as 5/s..60/s rises evenly.'),
    daily: words({ peak: rate() })
      .optional()
      .describe('The curve of a day, compressed to the duration in `for`.'),
    clock: oneOf('a clock', ['real', 'compressed'])
      .optional()
      .describe("The world's clock; real by default."),
    mix: z
      .record(z.string(), numberWithin(0, 1))
      .optional()
      .describe('Scenarios that decide a share of the payments each.'),
    incidents: z
      .array(
        z.union([text(), z.record(z.string(), z.unknown())], {
          error: 'must be the name of an incident, or a file',
        }),
      )
      .max(10)
      .optional()
      .describe('Names of shipped incidents, or incident files.'),
    customers: words({
      twice: share().describe('The share that presses the button twice; 0.04 by default.'),
      devices: share().describe('The share that orders from two devices at once; 0.01 by default.'),
      retries: share().describe(
        'The share of failed customers that tries again with another order; 0.5 by default.',
      ),
    }).optional(),
    settle_after: text()
      .optional()
      .describe('How long payers take, as in the settings of worlds; 8s~lognormal by default.'),
    agree: duration({ least: 1_000, most: 7 * 86_400_000 })
      .optional()
      .describe('How long after the last incident the books may differ; 10m by default.'),
  }),
)

/** A plan file, or its content as an object. */
export type PlanFile = z.input<ReturnType<typeof planSchema>>

export const planJsonSchema = (): object => ({
  title: 'A plan of traffic of payments-sandbox',
  ...z.toJSONSchema(planSchema(), { io: 'input', unrepresentable: 'any' }),
})

/** A part of the plan; rates per second change evenly. Milliseconds. */
export interface Phase {
  readonly for: number
  readonly from: number
  readonly to: number
}

/** A validated plan. Durations in milliseconds. */
export interface Plan {
  readonly title: string
  readonly for: number
  readonly phases: readonly Phase[]
  readonly expected: number
  readonly clock: 'real' | 'compressed'
  readonly mix: { readonly [scenario: string]: number }
  readonly incidents: readonly { readonly name: string; readonly file: IncidentFile }[]
  readonly customers: { readonly twice: number; readonly devices: number; readonly retries: number }
  readonly settle_after: string
  readonly agree: number
}

/** An invalid plan. The message has one line per fault. */
export class PlanError extends Error {
  override readonly name = 'PlanError'
}

/** @throws {PlanError} with the name of each invalid field */
export function planOf(value: unknown, files: IncidentFiles = {}): Plan {
  const read = checkPlan(value, files)
  if ('file' in read) return read.file
  const line = ({ path, message }: Issue) => `plan${path.length > 0 ? `.${fieldPath(path)}` : ''}: ${message}`
  throw new PlanError(toldOf(read.issues, line, read.more).join('\n'))
}

/** Incidents of files, by the path in the plan. */
export type IncidentFiles = { readonly [path: string]: IncidentFile }

function checkPlan(value: unknown, files: IncidentFiles): Checked<Plan> {
  const read = checked(planSchema(), value, lastOf)
  if ('issues' in read) return read
  const issues = meaningOf(read.file, files)
  if (issues.length > 0) return { issues, more: 0 }
  const {
    title = 'Traffic',
    clock = 'real',
    mix = {},
    incidents = [],
    customers = {},
    settle_after = '8s~lognormal',
    agree = '10m',
  } = read.file
  const phases = phasesOf(read.file)
  const plan = {
    title,
    for: phases.reduce((sum, each) => sum + each.for, 0),
    phases,
    expected: expectedOf(phases),
    clock,
    mix,
    incidents: incidents.map((each, n) => named(each, n, files)!),
    customers: { twice: 0.04, devices: 0.01, retries: 0.5, ...customers },
    settle_after,
    agree: parseDuration(agree),
  }
  return { file: plan }
}

const shipped = shippedIncidents as { readonly [name: string]: IncidentFile }

function named(given: string | object, n: number, files: IncidentFiles) {
  if (typeof given !== 'string') return { name: `incident-${n + 1}`, file: given as IncidentFile }
  const file = Object.hasOwn(files, given)
    ? files[given]
    : Object.hasOwn(shipped, given)
      ? shipped[given]
      : undefined
  const name = given.replace(/^.*[/\\]/, '').replace(/\.(ya?ml|json)$/, '')
  return file && { name, file }
}

type Written = z.output<ReturnType<typeof planSchema>>

function meaningOf(plan: Written, files: IncidentFiles): readonly Issue[] {
  const ways = (['rate', 'phases', 'daily'] as const).filter((word) => plan[word] !== undefined)
  const on = (word: string, message: string): Issue => ({ path: [word], on_key: true, message })
  if (ways.length === 0)
    return [{ path: [], message: 'a plan needs a rate, phases or daily: when customers arrive' }]
  if (ways.length > 1) return [on(ways[1]!, `${ways.join(' and ')} exclude each other; keep one`)]
  if (plan.phases && plan.for !== undefined)
    return [on('for', 'phases have durations of their own; remove for')]
  if (!plan.phases && plan.for === undefined)
    return [on(ways[0]!, `${ways[0]} needs for: how long customers arrive`)]
  const expected = expectedOf(phasesOf(plan))
  if (expected > MOST_CUSTOMERS)
    return [
      on(
        ways[0]!,
        `the plan has about ${Math.round(expected)} customers, at most ${MOST_CUSTOMERS}; lower the rate or the duration`,
      ),
    ]
  return [
    ...(Object.values(plan.mix ?? {}).reduce((sum, each) => sum + each, 0) > 1
      ? [on('mix', 'the shares of mix must sum to at most 1')]
      : []),
    ...(plan.incidents ?? []).flatMap((given, n): readonly Issue[] => {
      const path = ['incidents', n]
      if (typeof given !== 'string') {
        const checked = checkIncident(given)
        if ('issues' in checked)
          return checked.issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }))
      }
      const found = named(given, n, files)
      if (!found) return [{ path, message: unknown(given, 'an incident', Object.keys(shipped)) }]
      const foreign = foreignNetwork(found.file, COUNTRY)
      return foreign === undefined ? [] : [{ path, message: `${foreign}: no customer of the plan meets it` }]
    }),
  ]
}

function phasesOf(plan: Written): readonly Phase[] {
  if (plan.phases)
    return plan.phases.map(({ for: span, rate: written }) => {
      const [from, to] = ratesOf(written)!
      return { for: parseDuration(span), from, to }
    })
  const whole = parseDuration(plan.for!)
  if (plan.rate !== undefined) return [{ for: whole, from: rateOf(plan.rate)!, to: rateOf(plan.rate)! }]
  const peak = rateOf(plan.daily!.peak)!
  return DAILY.slice(1).map((to, n) => ({
    for: whole / (DAILY.length - 1),
    from: DAILY[n]! * peak,
    to: to * peak,
  }))
}

/** The rate at every second hour of a day, as a share of its peak: quiet nights, a rise at noon and the peak in the evening. */
const DAILY = [0.08, 0.04, 0.03, 0.12, 0.4, 0.55, 0.7, 0.65, 0.7, 0.9, 1, 0.4, 0.08]

const expectedOf = (phases: readonly Phase[]) =>
  phases.reduce((sum, { for: span, from, to }) => sum + ((from + to) / 2) * (span / 1_000), 0)

/** @param file - the name in messages @throws {PlanError} with `file:line:column` */
export async function readPlan(file: string, text: string, files: IncidentFiles = {}): Promise<Plan> {
  const { checkedYaml } = await import('../lib/text/yaml-text.ts')
  const read = checkedYaml(text, LIMITS, (value) => checkPlan(value, files))
  if ('file' in read) return read.file
  const line = ({ line, column, message }: YamlIssue) => `${file}:${line}:${column} ${message}`
  throw new PlanError(toldOf(read.issues, line, read.more).join('\n'))
}

/** Returns the paths of incident files in a plan's text, before it is validated. */
export async function incidentPathsIn(text: string): Promise<readonly string[]> {
  const { readYaml } = await import('../lib/text/yaml-text.ts')
  const read = readYaml(text, LIMITS)
  const listed = 'value' in read ? (read.value as { incidents?: unknown } | null)?.incidents : undefined
  return Array.isArray(listed)
    ? listed.filter((each): each is string => typeof each === 'string' && /[./\\]/.test(each))
    : []
}
