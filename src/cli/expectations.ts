/** Plays what scenario files promise, in-process and on clocks that stand still. */
import { readConfig } from '../config.ts'
import { balanceOf, type Pot, teamAccount } from '../domain/ledger.ts'
import { flatResult } from '../domain/results.ts'
import { createLog } from '../log.ts'
import type { OutgoingCallback } from '../callbacks/send.ts'
import { createSandbox } from '../sandbox.ts'
import type { Library } from '../scenarios/library.ts'
import { sampleRequest } from '../scenarios/samples.ts'
import type { Expectation, Scenario } from '../scenarios/scenario.ts'
import { explanationOf } from '../worlds/explained.ts'
import type { JournalEntry } from '../worlds/journal.ts'
import type { World } from '../worlds/world.ts'
import { referenceIn } from './references.ts'

/** A Saturday noon, UTC. */
const NOON = Date.parse('2026-06-13T12:00:00Z')
const TEAM = 63

/** What a run is held to, told as differences in words. */
export interface Stage {
  /** The differences between what a scenario promises and what happened; none: it holds. */
  play(scenario: Scenario): Promise<readonly string[]>
  close(): Promise<void>
}

/** A sandbox in which scenarios are played, each in a world of its own. */
export async function openStage(scenarios: readonly Scenario[]): Promise<Stage> {
  const callbacks: { url: string; body: unknown; beforeAnswer: boolean }[] = []
  let answered = false
  let paused = 0
  const quiet = createLog({ level: 'silent', write: () => {}, terminal: false, now: () => NOON })
  const sandbox = await createSandbox({
    config: readConfig({}),
    log: quiet,
    wall: () => NOON,
    clock: { wall_anchor: NOON, world_anchor: NOON, factor: 0 },
    scenarios,
    async send({ url, body }: OutgoingCallback) {
      callbacks.push({ url, body: JSON.parse(body), beforeAnswer: !answered })
      return { status: 200, error: '' }
    },
    async pause(ms) {
      paused += ms
    },
  })

  const request = async (username: string, asked: ReturnType<typeof sampleRequest>) => {
    const authorization = `Basic ${Buffer.from(`${username}:demo`).toString('base64')}`
    answered = false
    paused = 0
    try {
      const response = await sandbox.fetch(
        new Request(`http://sandbox.test${asked.path}`, {
          method: asked.method,
          headers: { authorization, 'content-type': 'application/json', ...asked.headers },
          ...(asked.body && { body: JSON.stringify(asked.body) }),
        }),
      )
      const body: unknown = JSON.parse(await response.text())
      answered = true
      return { status: response.status, body, paused }
    } catch {
      answered = true
      return { status: undefined, body: undefined, paused }
    }
  }

  const playOne = async (scenario: Scenario, expected: Expectation, username: string, turn: number) => {
    const differences: string[] = []
    const differ = (what: string, want: unknown, got: unknown) =>
      differences.push(`request ${turn + 1}: ${what}: expected ${show(want)}, got ${show(got)}`)
    const world = await worldOf(username)
    await sandbox.scheduler.advance(world, world.clock.now() + expected.after)
    const before = await potsOf(world)
    const url = `http://receiver.test/${username}/${turn}`
    const references: string[] = []
    let happened = false
    let entry: JournalEntry | undefined
    let last: Awaited<ReturnType<typeof request>> | undefined
    for (let time = 0; time < expected.times; time++) {
      const reference = `${scenario.name}-${turn}-${time}`
      const context = { callback_url: url, reference, kyc_id: (await lastKyc(world))?.id ?? 0 }
      const asked = sampleRequest(scenario, expected.request, context)
      last = await request(username, asked)
      references.push(referenceIn(last.body) ?? referenceIn(asked.body) ?? reference)
      entry = world.journal.all().at(-1)!
      happened ||= happenedTo(entry, scenario)
    }
    // After the first of several steps, none may be left.
    if (!happened && entry && (turn === 0 || scenario.script.kind !== 'steps'))
      return [
        `request ${turn + 1}: the scenario did not happen to it: ${whyNot(entry, scenario, sandbox.library())}`,
      ]
    const kyc = await followKyc(world, expected)
    for (let poll = 0; poll < expected.polls; poll++)
      await request(
        username,
        sampleRequest(plain(scenario), status, { ...nowhere, reference: references[0]! }),
      )
    await goOn(world, expected)
    const rows = await world.read(({ rows: all }) =>
      references.map((each) => all.find('transactions', 'identifier', each).at(-1)),
    )
    const ends = rows.map((row) => row && flatResult(row).status)

    const { answer } = expected
    if (answer?.cut && last!.status !== undefined) differ('answer', 'cut', last!.status)
    if (answer?.status !== undefined && last!.status !== answer.status) differ('answer', answer.status, last!)
    if (answer?.body !== undefined && !isPart(answer.body, last!.body))
      differ('body', answer.body, last!.body)
    if (expected.delay !== undefined && last!.paused < expected.delay)
      differ('delay', `at least ${expected.delay} ms`, `${last!.paused} ms`)
    if (expected.status !== undefined && ends[0] !== expected.status)
      differ('status', expected.status, ends[0])
    if (expected.reason !== undefined && rows[0]?.reason !== expected.reason)
      differ('reason', expected.reason, rows[0]?.reason)
    for (const [each, count] of Object.entries(expected.statuses ?? {})) {
      const got = ends.filter((end) => end === each).length
      if (got !== count) differ(`how many ended ${each}`, count, got)
    }
    const arrived = callbacks.filter((each) => each.url === url)
    if (expected.callbacks && !arePartsOf(expected.callbacks, arrived)) {
      const got = arrived.map(({ body }) => (body as { status: unknown }).status)
      differ('callbacks', expected.callbacks, got)
    }
    if (expected.callback_first && !arrived[0]?.beforeAnswer)
      differ('callback', 'before the answer', 'after it')
    if (expected.kyc && show(kyc) !== show(expected.kyc)) differ('kyc', expected.kyc, kyc)
    const after = await potsOf(world)
    for (const [pot, gain] of Object.entries(expected.ledger ?? {})) {
      const got = (after[pot as Pot] - before[pot as Pot]) / 100
      if (got !== gain) differ(`what ${pot} gained`, gain, got)
    }
    return differences
  }

  const worldOf = async (username: string): Promise<World> => {
    const known = await sandbox.worlds.authenticate(username, 'demo')
    return known!.world
  }
  /** What is left of the time that one looks on; until nothing is owed when no time is said. */
  const goOn = (world: World, { for: time }: Expectation) =>
    time === undefined
      ? sandbox.scheduler.settle(world, MOST_JOBS)
      : sandbox.scheduler.advance(world, world.clock.now() + time)
  /** The states of the last submission while its review goes on. */
  const followKyc = async (world: World, expected: Expectation) => {
    if (!expected.kyc) return undefined
    const states: string[] = []
    for (let left = MOST_JOBS; left > 0; left--) {
      const state = (await lastKyc(world))?.status
      if (state && states.at(-1) !== state) states.push(state)
      if ((await sandbox.scheduler.settle(world, 1)).length === 0) break
    }
    return states
  }

  return {
    async play(scenario) {
      const differences: string[] = []
      for (const [turn, expected] of scenario.expect.entries()) {
        // Steps are counted in a world, so their requests follow one another in it.
        const suffix = turn === 0 || scenario.script.kind === 'steps' ? '' : `.${turn}`
        const username = `demo+${scenario.name.slice(0, 60)}${suffix}`
        differences.push(...(await playOne(scenario, expected, username, turn)))
      }
      return differences
    },
    close: () => sandbox.close(),
  }
}

const MOST_JOBS = 10_000

const nowhere = { callback_url: '', kyc_id: 0 }
const status: Expectation['request'] = { operation: 'getTransactionStatus', body: {}, headers: {} }

/** A scenario that no request names or finds, for requests that are not its own. */
const plain = (scenario: Scenario): Scenario => ({ ...scenario, conditions: [], magic: null })

const lastKyc = (world: World) =>
  world.read(({ rows }) => rows.below('kycs', { before: Infinity, limit: 1 })[0])

async function potsOf(world: World) {
  const pot = (name: Pot) => world.read((look) => balanceOf(look, teamAccount(TEAM, name, 'KES')))
  return {
    wallet: await pot('wallet'),
    service_wallet: await pot('service_wallet'),
    savings: await pot('savings'),
    in_transit: await pot('in_transit'),
  }
}

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
const happenedTo = ({ decided }: JournalEntry, { name }: Scenario): boolean =>
  decided?.decision.scenario === name

/** Why a scenario did not happen to a request, in words. */
function whyNot(entry: JournalEntry, { name }: Scenario, library: Library): string {
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
