import type { OutgoingCallback } from '../callbacks/send.ts'
import { referenceIn } from './follow.ts'
import { readConfig } from '../config/config.ts'
import { createLog } from '../lib/log/log.ts'
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import type { Library } from '../scenarios/library.ts'
import { sampleRequest } from '../scenarios/samples.ts'
import type { Expectation } from '../scenarios/expect.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import { balanceOf, type Pot, teamAccount } from '../service/domain/ledger.ts'
import { toMajor } from '../service/domain/money.ts'
import { statusResult } from '../service/domain/callbacks.ts'
import { linesFor } from '../service/domain/statements.ts'
import type { TransactionRow } from '../storage/store/payment-rows.ts'
import { amountIn } from '../storage/store/tables.ts'
import { explanationOf, type JournalEntry } from '../worlds/request-log.ts'
import type { World } from '../worlds/world.ts'

/** A Saturday noon, UTC. */
const NOON = Date.parse('2026-06-13T12:00:00Z')
const TEAM = 63
const MAX_JOBS = 10_000

/** Opens a sandbox with frozen clocks that runs each scenario in a separate world. */
export async function openScenarioRunner(scenarios: readonly Scenario[]) {
  const bench = await openBench(scenarios)
  return {
    /** Returns the differences between the expected and the observed effects. */
    async run(scenario: Scenario): Promise<readonly string[]> {
      const differences: string[] = []
      for (const [turn, expected] of scenario.expect.entries()) {
        // Steps are counted per world, so all requests use the same world.
        const suffix = turn === 0 || scenario.script.kind === 'steps' ? '' : `.${turn}`
        const username = `demo+${scenario.name.slice(0, 60)}${suffix}`
        const found = await testExpectation(bench, scenario, expected, username, turn)
        differences.push(...found.map((each) => `request ${turn + 1}: ${each}`))
      }
      return differences
    },
    close: () => bench.sandbox.close(),
  }
}

type Bench = Awaited<ReturnType<typeof openBench>>

/** Opens a sandbox that records callbacks and pauses instead of making them. */
async function openBench(scenarios: readonly Scenario[]) {
  /** Oldest first. */
  const callbacks: ReceivedCallback[] = []
  let answered = false
  let paused = 0
  const quiet = createLog({ level: 'silent', write: () => {}, terminal: false, now: () => NOON })
  const sandbox = await createSandbox({
    config: readConfig({}),
    log: quiet,
    wall: () => NOON,
    clock: { real_anchor: NOON, world_anchor: NOON, speed: 0 },
    scenarios,
    async send({ url, body, loseAnswer }: OutgoingCallback) {
      callbacks.push({ url, body: JSON.parse(body), beforeAnswer: !answered })
      return loseAnswer ? { status: null, error: 'lost on purpose' } : { status: 200, error: '' }
    },
    async pause(ms) {
      paused += ms
    },
  })
  return {
    sandbox,
    callbacks,
    async request(
      username: string,
      { method, path, headers, body: sent }: ReturnType<typeof sampleRequest>,
    ): Promise<SampleAnswer> {
      const authorization = `Basic ${Buffer.from(`${username}:demo`).toString('base64')}`
      answered = false
      paused = 0
      try {
        const response = await sandbox.fetch(
          new Request(`http://sandbox.test${path}`, {
            method,
            headers: { authorization, 'content-type': 'application/json', ...headers },
            ...(sent && { body: JSON.stringify(sent) }),
          }),
        )
        const body: unknown = JSON.parse(await response.text())
        answered = true
        return { status: response.status, body, paused }
      } catch {
        answered = true
        return { status: undefined, body: undefined, paused }
      }
    },
  }
}

async function testExpectation(
  bench: Bench,
  scenario: Scenario,
  expected: Expectation,
  username: string,
  turn: number,
): Promise<readonly string[]> {
  const { scheduler, worlds } = bench.sandbox
  const { world } = (await worlds.authenticate(username, 'demo'))!
  await scheduler.advance(world, world.clock.now() + expected.after)
  const before = await potsOf(world)
  const url = `http://receiver.test/${username}/${turn}`
  const {
    references,
    entries,
    response: answer,
  } = await makeRequests(bench, scenario, expected, {
    world,
    username,
    url,
    turn,
  })
  const last = entries.at(-1)
  // Later requests may exceed the steps.
  if (
    last &&
    !entries.some((entry) => hasPlayed(entry, scenario)) &&
    (turn === 0 || scenario.script.kind !== 'steps')
  )
    return [`the outcome did not apply: ${mismatchOf(last, scenario, bench.sandbox.library())}`]
  const kyc = expected.kyc && (await statesOfReview(bench.sandbox, world))
  const poll = { ...NO_CALLBACK, reference: references[0]! }
  for (let polls = 0; polls < expected.statusQueries; polls++)
    await bench.request(username, sampleRequest(unconditional(scenario), status, poll))
  await runWorld(bench.sandbox, world, expected)
  const rows = await world.read(({ rows: all }) =>
    references.map((each) => all.find('transactions', 'identifier', each).at(-1)),
  )
  const callbacks = bench.callbacks.filter((each) => each.url === url)
  const statement = await statementOf(world, rows)
  const after = await potsOf(world)
  return differencesOf(expected, { response: answer, rows, callbacks, kyc, before, after, statement })
}

async function makeRequests(
  { request }: Bench,
  scenario: Scenario,
  expected: Expectation,
  { world, username, url, turn }: { world: World; username: string; url: string; turn: number },
) {
  const references: string[] = []
  const entries: JournalEntry[] = []
  let answer: SampleAnswer = { status: undefined, body: undefined, paused: 0 }
  for (let time = 0; time < expected.times; time++) {
    const reference = `${scenario.name}-${turn}-${time}`
    const context = { callback_url: url, reference, kyc_id: (await lastKyc(world))?.id ?? 0 }
    const sample = sampleRequest(scenario, expected.request, context)
    answer = await request(username, sample)
    references.push(referenceIn(answer.body) ?? referenceIn(sample.body) ?? reference)
    entries.push((await world.journal.newest(1))[0]!)
  }
  return { references, entries, response: answer }
}

/** Runs the world for the rest of the expected time, or until no work is pending. */
const runWorld = ({ scheduler }: Sandbox, world: World, { for: time }: Expectation) =>
  time === undefined ? scheduler.settle(world, MAX_JOBS) : scheduler.advance(world, world.clock.now() + time)

/** Returns the states of the last submission during its review. */
async function statesOfReview({ scheduler }: Sandbox, world: World): Promise<readonly string[]> {
  const states: string[] = []
  for (let left = MAX_JOBS; left > 0; left--) {
    const state = (await lastKyc(world))?.status
    if (state && states.at(-1) !== state) states.push(state)
    if ((await scheduler.settle(world, 1)).length === 0) break
  }
  return states
}

const NO_CALLBACK = { callback_url: '', kyc_id: 0 }
const status: Expectation['request'] = { operation: 'getTransactionStatus', body: {}, headers: {} }

/** Removes the conditions of a scenario, so that a status query does not match it. */
const unconditional = (scenario: Scenario): Scenario => ({ ...scenario, conditions: [], ending: null })

const lastKyc = (world: World) =>
  world.read(({ rows }) => rows.below('kycs', { before: Infinity, limit: 1 })[0])

async function potsOf(world: World) {
  const pot = (name: Pot) => world.read((look) => balanceOf(look, teamAccount(TEAM, name, 'KES')))
  return {
    wallet: await pot('wallet'),
    service_wallet: await pot('service_wallet'),
    savings: await pot('savings'),
    in_transit: await pot('in_transit'),
    debt: await pot('debt'),
  }
}

/** Returns the amounts of transactions in the statement of the Team's wallet. */
function statementOf(world: World, rows: readonly (TransactionRow | undefined)[]) {
  const currency = 'KES'
  const account = teamAccount(TEAM, 'wallet', currency)
  const asked = {
    account_id: TEAM,
    wallet: 'wallet',
    currency,
    account,
    from: undefined,
    to: undefined,
  } as const
  return world.read((look) =>
    rows
      .flatMap((row) => (row ? look.rows.find('postings', 'transaction', row.id) : []))
      .filter((posting) => amountIn(posting, account) !== 0)
      .flatMap((posting) => linesFor(look, asked, posting))
      .map(({ amount }) => toMajor(amount, currency)),
  )
}

/** The response to a sample request; without a status if the connection was cut. */
interface SampleAnswer {
  readonly status: number | undefined
  readonly body: unknown
  /** The delay of the response, milliseconds. */
  readonly paused: number
}

interface ReceivedCallback {
  readonly url: string
  readonly body: unknown
  readonly beforeAnswer: boolean
}

/** The observed effects of the requests of one expectation. */
interface Observation {
  /** The response to the last request. */
  readonly response: SampleAnswer
  readonly rows: readonly (TransactionRow | undefined)[]
  readonly callbacks: readonly ReceivedCallback[]
  /** The states of the review, if the scenario expects any. */
  readonly kyc: readonly string[] | undefined
  /** The Team's balances before and after, minor units. */
  readonly before: Readonly<Record<Pot, number>>
  readonly after: Readonly<Record<Pot, number>>
  /** The amounts of the transactions in the statement of the wallet. */
  readonly statement: readonly number[]
}

function differencesOf(expected: Expectation, seen: Observation): readonly string[] {
  const { rows, callbacks, kyc, before, after } = seen
  const differences = answerDifferences(expected, seen.response)
  const differ = (what: string, want: unknown, got: unknown) => differences.push(difference(what, want, got))
  const ends = rows.map((row) => row && statusResult(row).status)
  if (expected.status !== undefined && ends[0] !== expected.status) differ('status', expected.status, ends[0])
  if (expected.reason !== undefined && rows[0]?.reason !== expected.reason)
    differ('reason', expected.reason, rows[0]?.reason)
  for (const [each, count] of Object.entries(expected.statuses ?? {})) {
    const got = ends.filter((end) => end === each).length
    if (got !== count) differ(`number of ${each}`, count, got)
  }
  if (expected.callbacks && !arePartsOf(expected.callbacks, callbacks)) {
    const got = callbacks.map(({ body }) => (body as { status: unknown }).status)
    differ('callbacks', expected.callbacks, got)
  }
  if (expected.callback_before_response && !callbacks[0]?.beforeAnswer)
    differ('callback', 'before the response', 'after it')
  if (expected.kyc && show(kyc) !== show(expected.kyc)) differ('kyc', expected.kyc, kyc)
  for (const [pot, gain] of Object.entries(expected.ledger ?? {})) {
    const got = (after[pot as Pot] - before[pot as Pot]) / 100
    if (got !== gain) differ(`change of ${pot}`, gain, got)
  }
  if (expected.statement && show(seen.statement) !== show(expected.statement))
    differ('statement', expected.statement, seen.statement)
  return differences
}

function answerDifferences({ response: answer, delay }: Expectation, got: SampleAnswer): string[] {
  const differences: string[] = []
  if (answer?.cut && got.status !== undefined) differences.push(difference('response', 'cut', got.status))
  if (answer?.status !== undefined && got.status !== answer.status)
    differences.push(difference('response', answer.status, got))
  if (answer?.body !== undefined && !isPart(answer.body, got.body))
    differences.push(difference('body', answer.body, got.body))
  if (delay !== undefined && got.paused < delay)
    differences.push(difference('delay', `at least ${delay} ms`, `${got.paused} ms`))
  return differences
}

const difference = (what: string, want: unknown, got: unknown) =>
  `${what}: expected ${show(want)}, got ${show(got)}`

/** Returns whether each callback has the expected status, or the expected fields in its body. */
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

/** Whether the scenario decided the request. Its expectations could be met without it. */
const hasPlayed = ({ decided }: JournalEntry, { name }: Scenario): boolean =>
  decided?.decision.scenario === name

function mismatchOf(entry: JournalEntry, { name }: Scenario, library: Library): string {
  const { decided, status } = entry
  const explanation = explanationOf(entry, library)
  if (!decided || !explanation) return `rejected with ${status} before any outcome was considered`
  const tried = explanation.rules.find((each) => each.scenario === name)
  const misses = (tried?.misses ?? []).map(
    ({ field, must, value }) => `${field} ${must}, was ${JSON.stringify(value) ?? 'missing'}`,
  )
  if (misses.length > 0) return misses.join('; ')
  const { scenario, by } = decided.decision
  return scenario ? `${scenario} took precedence` : `decided by ${by}`
}
