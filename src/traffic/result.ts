/** The result of a run, its limits and its verdict. */
import * as z from 'zod'
import { lazy } from '../lib/lazy.ts'
import { parseDuration } from '../lib/text/duration.ts'
import { issuesText, reporting } from '../lib/text/validation-messages.ts'
import { fieldPath } from '../lib/text/field-path.ts'
import { unknown } from '../lib/text/word-schemas.ts'
import { type Books, wrongKinds } from './books.ts'
import type { ApiReport, Percentiles, ReceiverReport } from './world.ts'

/** Everything that a run measured. */
export interface Measured extends Books {
  /** The version of this format. */
  readonly traffic: 1
  readonly title: string
  readonly seed: string
  readonly clock: 'real' | 'compressed'
  readonly started_at: string
  readonly duration_ms: number
  readonly planned_ms: number
  /** How far the plan was played, on the world's clock. */
  readonly reached_ms: number
  /** False if the run was stopped. */
  readonly complete: boolean
  /** The SHA-256 of the record of customers and incidents. */
  readonly record: string
  readonly customers: {
    readonly orders: number
    readonly presses: number
    readonly again: number
    readonly devices: number
    readonly retries: number
    readonly failed_triggers: number
    readonly first_failure: string
  }
  readonly generator: {
    readonly planned_per_second: number
    /** Within the plan's duration with the real clock; a compressed clock follows the speed of the shop. */
    readonly customers_per_second: number
    /** The share of customers that pressed within the plan's duration. */
    readonly on_time: number
    /** How much later than intended the presses were, milliseconds. */
    readonly lateness: Percentiles
    /** From the intended press to the response of the shop, milliseconds. */
    readonly trigger: Percentiles
    /** Processors in use by this process. */
    readonly cpu: number
    readonly most_in_flight: number
    readonly bottleneck: 'generator' | 'shop' | null
  }
  readonly incidents: readonly {
    readonly name: string
    readonly title: string
    readonly entries: readonly { readonly from_ms: number; readonly to_ms: number }[]
  }[]
  readonly receiver: ReceiverReport
  readonly api: ApiReport
}

export interface LimitResult {
  readonly name: LimitName
  readonly limit: number
  readonly value: number
  readonly ok: boolean
}

/** The result of a run. */
export interface TrafficRun extends Measured {
  readonly limits: readonly LimitResult[]
  readonly verdict: {
    readonly result: 'pass' | 'fail' | 'inconclusive'
    readonly text: string
    readonly exit_code: 0 | 1 | 3
  }
}

/** The limits of `--fail-on`: each value is at most the limit. Durations in milliseconds or seconds, as in the run. */
const limitTable = {
  wrong: { about: 'orders whose state is wrong', of: (run) => run.wrong.count },
  'paid-twice': { about: 'orders that a customer paid twice', of: (run) => run.wrong.kinds.paid_twice },
  flagged: { about: 'orders that a person must look at', of: (run) => run.flagged },
  agree: {
    about: 'time until the books agree',
    isTime: true,
    of: (run) => (run.agreement.seconds ?? Infinity) * 1_000,
  },
  'receiver-p99': { about: 'latency of callbacks', isTime: true, of: (run) => run.receiver.p99 },
  'receiver-errors': {
    about: 'share of failed attempts',
    of: (run) => run.receiver.errors / Math.max(1, run.receiver.count),
  },
  'status-queries': { about: 'status queries per order', of: (run) => run.api.status_queries_per_order },
  requests: { about: 'requests for a payment per order', of: (run) => run.api.requests_per_order },
  'failed-triggers': {
    about: 'triggers that the shop rejects',
    of: (run) => run.customers.failed_triggers,
  },
} as const satisfies {
  readonly [name: string]: {
    readonly about: string
    readonly isTime?: true
    readonly of: (run: Measured) => number
  }
}

export type LimitName = keyof typeof limitTable
export type Limits = { readonly [Name in LimitName]?: number | undefined }

export const limitAbout = (name: LimitName): string => limitTable[name].about
export const isTimeLimit = (name: LimitName): boolean => 'isTime' in limitTable[name]
export const limitNames = Object.keys(limitTable) as LimitName[]

/** Polling a payment more often than this is bad manners. */
export const usualLimits: Limits = { wrong: 0, 'paid-twice': 0, 'status-queries': 20, requests: 5 }

/** Reads `wrong=0,agree=5m` on top of the usual limits. @throws {RangeError} naming the limit */
export function readLimits(written: string): Limits {
  const limits: { [Name in LimitName]?: number } = { ...usualLimits }
  for (const part of written
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)) {
    const [name = '', value = ''] = part.split('=')
    if (!Object.hasOwn(limitTable, name)) throw new RangeError(unknown(name, 'a limit', limitNames))
    const isTime = isTimeLimit(name as LimitName)
    const number = isTime ? parseDuration(value) : Number(value)
    if (value === '' || !(number >= 0))
      throw new RangeError(`${part}: must be a limit such as ${name}=${isTime ? '5m' : '0'}`)
    limits[name as LimitName] = number
  }
  return limits
}

/** With fewer customers on time, a run by the real clock did not test its plan. */
const REACHED = 0.95

/** Adds limits and verdict. */
export function judge(run: Measured, limits: Limits): TrafficRun {
  const results = limitNames.flatMap((name): LimitResult[] => {
    const limit = limits[name]
    if (limit === undefined) return []
    const value = limitTable[name].of(run)
    return [
      { name, limit, value: value === Infinity ? -1 : Math.round(value * 1_000) / 1_000, ok: value <= limit },
    ]
  })
  return { ...run, limits: results, verdict: verdictOf(run, results) }
}

function verdictOf(run: Measured, limits: readonly LimitResult[]): TrafficRun['verdict'] {
  const { wrong, customers, generator, probe_failures } = run
  const broken = limits.filter(({ ok }) => !ok)
  const stopped = run.complete
    ? ''
    : ` The run was stopped after ${Math.round(run.reached_ms / 1_000)} of ${Math.round(run.planned_ms / 1_000)} s.`
  if (broken.length > 0) {
    const what =
      wrong.count > 0
        ? `${wrong.count} of ${customers.orders} orders are wrong, with ${wrong.at_stake} at stake.`
        : ''
    const others = broken
      .filter(({ name }) => name !== 'wrong')
      .map(
        ({ name, value, limit }) => `${limitAbout(name)}: ${value < 0 ? 'never' : value}, at most ${limit}.`,
      )
    return { result: 'fail', text: [what, ...others].filter(Boolean).join(' ') + stopped, exit_code: 1 }
  }
  const unsure = (text: string) => ({ result: 'inconclusive', text: text + stopped, exit_code: 3 }) as const
  if (probe_failures > 0)
    return unsure(
      `The probe failed for ${probe_failures} of ${customers.orders} orders: ${run.first_probe_failure}`,
    )
  if (customers.orders === 0) return unsure('No customer came.')
  if (customers.failed_triggers === customers.presses)
    return unsure(`The shop accepted no order: ${customers.first_failure}`)
  if (run.ledger.none === customers.orders)
    return unsure('The shop made no payment in this world: does it pay to this sandbox, with this user?')
  if (!run.complete) return unsure('The books agree so far.')
  const { open, paid, failed, reversed } = run.ledger
  if (!run.agreement.agreed)
    return unsure(
      `${open} payments were still open when the comparison ended; give them more time with agree.`,
    )
  if (paid + failed + reversed === 0)
    return unsure(
      `All ${open} payments stay open, so that no result was compared; end the incident that holds them with a backlog.`,
    )
  const late = generator.lateness
  if (run.clock === 'real' && (generator.bottleneck !== null || generator.on_time < REACHED))
    return unsure(
      `The rate was not reached: ${generator.customers_per_second} customers a second instead of ${generator.planned_per_second}, up to ${late.max} ms late; ${generator.bottleneck === 'generator' ? 'the generator' : 'the shop'} is the bottleneck.`,
    )
  const seconds = run.agreement.seconds ?? 0
  const unpaid = run.ledger.none > 0 ? ` ${run.ledger.none} orders have no payment.` : ''
  const some =
    customers.failed_triggers > 0
      ? ` ${customers.failed_triggers} triggers failed (${customers.first_failure}).`
      : ''
  return {
    result: 'pass',
    text: `The books of ${customers.orders} orders agree ${seconds} s after the end.${some}${unpaid}`,
    exit_code: 0,
  }
}

/** The format of `traffic --json`, for programs that read it. */
const runSchema = lazy((): z.ZodType<TrafficRun> => {
  const count = () => z.int().min(0)
  const figure = () => z.number().min(0)
  const counts = <const Name extends string>(...names: readonly Name[]) =>
    z.object(Object.fromEntries(names.map((name) => [name, count()])) as Record<Name, z.ZodInt>)
  const durations = counts('count', 'p50', 'p90', 'p99', 'max').describe('Durations, milliseconds.')
  return z.object({
    traffic: z.literal(1).describe('The version of this format.'),
    title: z.string(),
    seed: z.string(),
    clock: z.enum(['real', 'compressed']),
    started_at: z.iso.datetime(),
    duration_ms: figure(),
    planned_ms: figure(),
    reached_ms: figure().describe("How far the plan was played, on the world's clock."),
    complete: z.boolean().describe('False if the run was stopped.'),
    record: z.string().describe('The SHA-256 of the record of customers and incidents.'),
    customers: counts('orders', 'presses', 'again', 'devices', 'retries', 'failed_triggers').extend({
      first_failure: z.string(),
    }),
    generator: z.object({
      planned_per_second: figure(),
      customers_per_second: figure(),
      on_time: figure().describe("The share of customers that pressed within the plan's duration."),
      lateness: durations,
      trigger: durations,
      cpu: figure().describe('Processors in use by the process.'),
      most_in_flight: count(),
      bottleneck: z.enum(['generator', 'shop']).nullable(),
    }),
    incidents: z.array(
      z.object({
        name: z.string(),
        title: z.string(),
        entries: z.array(z.object({ from_ms: figure(), to_ms: figure() })),
      }),
    ),
    ledger: counts('paid', 'failed', 'open', 'reversed', 'none'),
    wrong: z.object({
      count: count(),
      at_stake: figure().describe('The sum of the wrong orders, in the currency of the shop.'),
      kinds: counts(...wrongKinds),
      orders: z
        .array(
          z.object({
            order: z.string(),
            kind: z.enum(wrongKinds),
            amount: figure(),
            phone: z.string(),
            ledger: z.string().describe('The payments in the ledger, such as `1 SUCCESS`.'),
            shop: z.string().describe('The state in the shop, such as `open, not fulfilled`.'),
          }),
        )
        .describe('The first 200 wrong orders.'),
    }),
    flagged: count().describe('Orders that a person must look at.'),
    probe_failures: count(),
    first_probe_failure: z.string(),
    agreement: z.object({
      agreed: z.boolean(),
      seconds: count().nullable().describe('From the end of traffic and incidents until the books agree.'),
      curve: z.array(counts('seconds', 'wrong')),
    }),
    receiver: durations.extend({
      errors: count(),
      timeouts: count(),
      gaps: count().describe('How often the stream of events was interrupted.'),
      over_time: z.array(counts('attempts', 'errors', 'p99').extend({ minute: z.int() })),
    }),
    api: counts('requests', 'payment_requests', 'status_queries', 'rejected').extend({
      requests_per_order: figure(),
      status_queries_per_order: figure(),
    }),
    limits: z.array(
      z.object({
        name: z.enum(limitNames),
        limit: figure(),
        value: z.number().describe('-1 stands for never.'),
        ok: z.boolean(),
      }),
    ),
    verdict: z.object({
      result: z.enum(['pass', 'fail', 'inconclusive']),
      text: z.string(),
      exit_code: z.union([z.literal(0), z.literal(1), z.literal(3)]),
    }),
  })
})

export const runJsonSchema = (): object => ({
  title: 'The result of traffic of payments-sandbox',
  ...z.toJSONSchema(runSchema(), { io: 'input' }),
})

/** Reads the output of `traffic --json`. @throws {RangeError} with the first fields that do not fit */
export function readRun(text: string): TrafficRun {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new RangeError(`must be JSON: ${(error as Error).message}`)
  }
  const read = runSchema().safeParse(value, reporting)
  if (read.success) return read.data
  throw new RangeError(issuesText(read.error, { name: (path) => fieldPath(path) || 'the run' }))
}
