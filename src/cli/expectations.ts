/** What a scenario file promises, compared with what happened; differences are told in words. */
import type { Pot } from '../service/domain/ledger.ts'
import { lookedUp } from '../service/domain/results.ts'
import type { Library } from '../scenarios/library.ts'
import type { Expectation, Scenario } from '../scenarios/scenario.ts'
import type { TransactionRow } from '../storage/store/payment-rows.ts'
import { explanationOf } from '../worlds/explained.ts'
import type { JournalEntry } from '../worlds/journal.ts'

/** The answer to a request that shows a scenario; without a status when the connection was cut. */
export interface SampleAnswer {
  readonly status: number | undefined
  readonly body: unknown
  /** How long the answer was held back, milliseconds. */
  readonly paused: number
}

export interface ReceivedCallback {
  readonly url: string
  readonly body: unknown
  readonly beforeAnswer: boolean
}

/** What happened when the requests of one expectation were made. */
export interface Observation {
  /** To the last of them. */
  readonly answer: SampleAnswer
  /** The transactions that they led to. */
  readonly rows: readonly (TransactionRow | undefined)[]
  readonly callbacks: readonly ReceivedCallback[]
  /** The states of the review; undefined when nobody asked. */
  readonly kyc: readonly string[] | undefined
  /** What the Team's pots held before and after, minor units. */
  readonly before: Readonly<Record<Pot, number>>
  readonly after: Readonly<Record<Pot, number>>
  /** The amounts that the statement of the wallet tells of the transactions. */
  readonly statement: readonly number[]
}

/** How what happened differs from what was promised; none: it holds. */
export function differencesOf(expected: Expectation, seen: Observation): readonly string[] {
  const { rows, callbacks, kyc, before, after } = seen
  const differences = answerDifferences(expected, seen.answer)
  const differ = (what: string, want: unknown, got: unknown) => differences.push(difference(what, want, got))
  const ends = rows.map((row) => row && lookedUp(row).status)
  if (expected.status !== undefined && ends[0] !== expected.status) differ('status', expected.status, ends[0])
  if (expected.reason !== undefined && rows[0]?.reason !== expected.reason)
    differ('reason', expected.reason, rows[0]?.reason)
  for (const [each, count] of Object.entries(expected.statuses ?? {})) {
    const got = ends.filter((end) => end === each).length
    if (got !== count) differ(`how many ended ${each}`, count, got)
  }
  if (expected.callbacks && !arePartsOf(expected.callbacks, callbacks)) {
    const got = callbacks.map(({ body }) => (body as { status: unknown }).status)
    differ('callbacks', expected.callbacks, got)
  }
  if (expected.callback_first && !callbacks[0]?.beforeAnswer)
    differ('callback', 'before the answer', 'after it')
  if (expected.kyc && show(kyc) !== show(expected.kyc)) differ('kyc', expected.kyc, kyc)
  for (const [pot, gain] of Object.entries(expected.ledger ?? {})) {
    const got = (after[pot as Pot] - before[pot as Pot]) / 100
    if (got !== gain) differ(`what ${pot} gained`, gain, got)
  }
  if (expected.statement && show(seen.statement) !== show(expected.statement))
    differ('statement', expected.statement, seen.statement)
  return differences
}

function answerDifferences({ answer, delay }: Expectation, got: SampleAnswer): string[] {
  const differences: string[] = []
  if (answer?.cut && got.status !== undefined) differences.push(difference('answer', 'cut', got.status))
  if (answer?.status !== undefined && got.status !== answer.status)
    differences.push(difference('answer', answer.status, got))
  if (answer?.body !== undefined && !isPart(answer.body, got.body))
    differences.push(difference('body', answer.body, got.body))
  if (delay !== undefined && got.paused < delay)
    differences.push(difference('delay', `at least ${delay} ms`, `${got.paused} ms`))
  return differences
}

const difference = (what: string, want: unknown, got: unknown) =>
  `${what}: expected ${show(want)}, got ${show(got)}`

/** Each callback has the status, or has what is said in its body. */
function arePartsOf(expected: readonly (string | object)[], arrived: readonly { body: unknown }[]): boolean {
  return (
    expected.length === arrived.length &&
    expected.every((want, index) =>
      isPart(typeof want === 'string' ? { status: want } : want, arrived[index]!.body),
    )
  )
}

function isPart(part: unknown, whole: unknown): boolean {
  if (typeof part !== 'object' || part === null) return part === whole
  if (typeof whole !== 'object' || whole === null) return false
  return Object.entries(part).every(([name, value]) =>
    isPart(value, (whole as Record<string, unknown>)[name]),
  )
}

const show = (value: unknown) => JSON.stringify(value) ?? 'nothing'

/** Whether a request that is to show a scenario met it at all: what it promises could hold without it. */
export const hasPlayed = ({ decided }: JournalEntry, { name }: Scenario): boolean =>
  decided?.decision.scenario === name

/** Why a scenario did not happen to a request, in words. */
export function whyNot(entry: JournalEntry, { name }: Scenario, library: Library): string {
  const { decided, status } = entry
  const explanation = explanationOf(entry, library)
  if (!decided || !explanation) return `refused with ${status} before any scenario`
  const tried = explanation.tried.find((each) => each.scenario === name)
  const misses = (tried?.misses ?? []).map(
    ({ field, must, value }) => `${field} ${must}, was ${JSON.stringify(value) ?? 'not there'}`,
  )
  if (misses.length > 0) return misses.join('; ')
  const { scenario, by } = decided.decision
  return scenario ? `${scenario} came first` : `decided by ${by}`
}
