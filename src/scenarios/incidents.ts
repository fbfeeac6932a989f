/** The incidents of a world: which run, and what they change about a request. */
import { defined } from '../lib/objects.ts'
import { createRandom, type Random } from '../lib/random/random.ts'
import { endOf } from '../service/domain/transactions.ts'
import { changeLater } from '../service/domain/reversals.ts'
import { addJob, type Look, type Tx } from '../service/domain/context.ts'
import type { CallbackPlan, Decision, Outcome, Plan } from '../service/vocabulary/outcome.ts'
import type { JobTask, TransactionRow } from '../storage/store/payment-rows.ts'
import { type DecisionInput, SCENARIO_STATE, type ScenarioState, stateIn } from './library.ts'
import {
  contradiction,
  endOfIncident,
  entriesOf,
  type IncidentEntry,
  type IncidentFile,
  rateOf,
  type RunningIncident,
  sinceOf,
  spanOf,
  type TimedEntry,
} from './incident.ts'
import { outcomeOf, overlay } from './then/table.ts'
import { answerOf } from './then/words.ts'

const generators = new WeakMap<RunningIncident, Random>()

function randomOf(running: RunningIncident): Random {
  const known = generators.get(running) ?? createRandom(running.seed)
  generators.set(running, known)
  return known
}

/** Adds the entries in force to the outcome of a request. */
export function withIncidents(decision: Decision, { state, request, library, now }: DecisionInput): Decision {
  const isPayment = request.direction() !== undefined
  const provider = request.value('provider')
  const key = paymentKey(request.value('party'), request.value('amount'))
  let outcome = decision.outcome
  let scenario = decision.scenario
  const incidents: string[] = []
  for (const running of state.incidents ?? []) {
    const random = randomOf(running)
    const time = now - running.started_at
    const before = outcome
    for (const [n, entry] of entriesOf(running.file).entries()) {
      if (entry.isOnce || time < entry.time || time >= entry.until) continue
      if (entry.network !== undefined && entry.network !== provider) continue
      if (entry.direction !== undefined && entry.direction !== request.direction()) continue
      if (entry.share !== undefined && drawFor(random, `share ${n}`, key) >= entry.share) continue
      if (isPayment && entry.mix && decision.by === 'default') {
        const name = mixedScenario(entry.mix, random, key)
        const script = name === undefined ? undefined : library.byName.get(name)?.script
        if (script?.kind === 'then') {
          outcome = overlay(outcome, script.outcome)
          scenario = name!
        }
      }
      if (isPayment)
        outcome = withPlan(
          outcome,
          planOf(entry, random, key, running.started_at + entry.until),
          running.name,
        )
      if (entry.api) {
        const about = `${request.operation} ${key}`
        outcome = overlay(
          outcome,
          apiOutcome(running.name, entry.api, random, `${about} ${attemptOf(running, about)}`),
        )
      }
    }
    if (outcome !== before) incidents.push(running.name)
  }
  return incidents.length === 0 ? decision : { ...decision, before_answer: [], outcome, scenario, incidents }
}

const attempts = new WeakMap<RunningIncident, Map<string, number>>()
/** Requests whose attempts are counted. When exceeded, counting starts anew. */
const MOST_COUNTED = 10_000

/** Counts the attempts of a request, so that each retry gets a new draw, on a frozen clock too. */
function attemptOf(running: RunningIncident, request: string): number {
  const counts = attempts.get(running) ?? new Map<string, number>()
  attempts.set(running, counts)
  if (counts.size >= MOST_COUNTED) counts.clear()
  const attempt = counts.get(request) ?? 0
  counts.set(request, attempt + 1)
  return attempt
}

/** Merges a plan. A settlement that never happens keeps its result, for a backlog that is released. */
function withPlan(outcome: Outcome, plan: Plan, incident: string): Outcome {
  if (Object.keys(plan).length === 0) return outcome
  const below = outcome.plan ?? {}
  // What never settles anyway is not part of a backlog.
  const settle =
    plan.settle?.never && !below.settle?.never
      ? { never: true, held_by: incident, status: below.settle?.status, reason: below.settle?.reason }
      : plan.settle
  const callback = plan.callback && { ...below.callback, ...plan.callback }
  return { ...outcome, plan: { ...below, ...plan, ...(settle && { settle }), ...(callback && { callback }) } }
}

/** @param end - of the entry, on the world's clock */
function planOf(entry: TimedEntry, random: Random, key: string, end: number): Plan {
  const { settle, later, statement, statusQuery, callbacks } = entry
  const { plan = {} } = outcomeOf({ settle, later, statement, statusQuery })
  return { ...defined(plan), ...(callbacks && { callback: callbackPlan(callbacks, random, key, end) }) }
}

function callbackPlan(
  { duplicate = 0, delay, hold, outOfOrder, drop = 0, fault, set }: NonNullable<IncidentEntry['callbacks']>,
  random: Random,
  key: string,
  end: number,
): CallbackPlan {
  const [least, most] = spanOf(delay ?? 0)!
  const after = least + Math.round(drawFor(random, 'delay', key) * (most - least))
  return {
    ...(drawFor(random, 'duplicate', key) < duplicate && { times: 2 }),
    ...(after > 0 && { after }),
    ...(hold && { not_before: end }),
    ...(outOfOrder && { out_of_order: true }),
    ...(drawFor(random, 'drop', key) < drop && { drop: true }),
    ...(fault && { fault }),
    ...(set && { set }),
  }
}

function apiOutcome(
  name: string,
  { status, share = 1, retryAfter, delay, performed = 0 }: NonNullable<IncidentEntry['api']>,
  random: Random,
  key: string,
): Outcome {
  const [least, most] = spanOf(delay ?? 0)!
  const wait = least + Math.round(drawFor(random, 'api delay', key) * (most - least))
  const refused = status !== undefined && drawFor(random, 'api', key) < share
  const isPerformed = refused && drawFor(random, 'performed', key) < performed
  return {
    ...(wait > 0 && { delay: wait }),
    ...(refused && {
      respond: {
        ...answerOf({ status, retryAfter, error_message: `the incident ${name} rejects this request` }),
        ...(isPerformed && { performed: true }),
      },
    }),
  }
}

/** Whether an incident has ended: all its entries are over. */
export const isOver = ({ file, started_at }: RunningIncident, now: number): boolean =>
  entriesOf(file).every(({ until }) => until !== Infinity) && now > started_at + endOfIncident(file)

/** Returns why an incident cannot start now: it contradicts a running one. */
export function obstacleTo(
  { incidents = [] }: ScenarioState,
  name: string,
  file: IncidentFile,
  now: number,
): string | undefined {
  const others = incidents.filter((each) => each.name !== name && !isOver(each, now))
  if (others.length >= MOST_RUNNING)
    return `at most ${MOST_RUNNING} incidents run at the same time; stop one first`
  for (const { name: running, started_at: start, file: other } of others) {
    const found = contradiction({ name, start: now, file }, { name: running, start, file: other })
    if (found !== undefined) return found
  }
  return undefined
}

const MOST_RUNNING = 10

/** Starts an incident, or starts it again. Entries that happen once become jobs. */
export function startIncident(tx: Tx, given: Omit<RunningIncident, 'jobs'>): void {
  const others = stopIncident(tx, given.name)
  const jobs = [...entriesOf(given.file).entries()].flatMap(([entry, { isOnce, time }]) => {
    const after = given.started_at + time - tx.now
    return isOnce && after >= 0
      ? [{ entry, job: addJob(tx, after, { kind: 'incident', name: given.name, entry }) }]
      : []
  })
  keep(tx, [...others, { ...given, jobs }])
}

/** Ends an incident; delayed callbacks and stuck payments stay as they are. @returns the others */
export function stopIncident(tx: Tx, name: string): readonly RunningIncident[] {
  const { incidents = [] } = stateIn(tx.rows.get('state', SCENARIO_STATE))
  const found = incidents.find((each) => each.name === name)
  if (!found) return incidents
  for (const { job } of found.jobs) tx.rows.delete('jobs', job)
  const others = incidents.filter((each) => each !== found)
  keep(tx, others)
  return others
}

/** Moves an incident forward, so that its next entry begins or the one in force ends now. @returns whether anything was left */
export function stepIncident(tx: Tx, running: RunningIncident): boolean {
  const next = nextChange(running, tx.now)
  if (next === undefined) return false
  startIncident(tx, { ...running, started_at: running.started_at - (next - tx.now) })
  return true
}

/** Returns when an entry begins or ends next, on the world's clock. */
export function nextChange({ file, started_at }: RunningIncident, now: number): number | undefined {
  const times = entriesOf(file).flatMap(({ time, until }) => [started_at + time, started_at + until])
  return times.filter((time) => time > now && time !== Infinity).sort((a, b) => a - b)[0]
}

function keep(tx: Tx, incidents: readonly RunningIncident[]): void {
  const { incidents: _, ...state } = stateIn(tx.rows.get('state', SCENARIO_STATE))
  const value: ScenarioState = incidents.length > 0 ? { ...state, incidents } : state
  tx.rows.put('state', { name: SCENARIO_STATE, value })
}

/**
 * Performs an entry that happens once. Many transactions are changed in parts, so that no world delays another.
 * @returns the result, in a few words
 */
export function performEntry(
  tx: Tx,
  { name, entry: n, ids, place = 0 }: Extract<JobTask, { kind: 'incident' }>,
): string {
  const { incidents = [] } = stateIn(tx.rows.get('state', SCENARIO_STATE))
  const running = incidents.find((each) => each.name === name)
  const entry = running && entriesOf(running.file)[n]
  if (!entry) return 'the incident was stopped'
  const change = entry.reversals ? 'reverses' : 'releases'
  const affected = ids ?? affectedBy(tx, running, n, entry)
  if (affected.length > PART) {
    for (let from = 0; from < affected.length; from += PART)
      addJob(tx, 0, {
        kind: 'incident',
        name,
        entry: n,
        ids: affected.slice(from, from + PART),
        place: from,
      })
    return `${change} ${affected.length}`
  }
  for (const [index, id] of affected.entries()) {
    if (entry.reversals) changeLater(tx, id, 'REVERSED')
    else release(tx, id, entry, randomOf(running), place + index)
  }
  return `${change} ${affected.length}`
}

/** Returns the ids of the transactions that an entry changes, in the order of the changes. */
function affectedBy(tx: Tx, running: RunningIncident, n: number, entry: TimedEntry): readonly number[] {
  const random = randomOf(running)
  const { backlog, reversals } = entry
  const since = running.started_at + sinceOf(entry)
  const isMeant = (row: TransactionRow) => {
    if (!concerns(entry, row)) return false
    if (!reversals) return isHeld(row)
    if (row.status !== 'SUCCESS' || row.settled_at! < since) return false
    return drawFor(random, `reversals ${n}`, paymentKey(row.party, row.amount)) < reversals.share
  }
  const found: number[] = []
  for (let before = Infinity; found.length < MOST_CHANGED;) {
    const page = tx.rows.below('transactions', { before, limit: PAGE })
    for (const row of page) if (isMeant(row)) found.push(row.id)
    if (page.length < PAGE) break
    before = page.at(-1)!.id
  }
  if (backlog?.order !== 'shuffled') return found.toReversed()
  const places = new Map(found.map((id) => [id, drawFor(random, `order ${n}`, String(id))]))
  return found.sort((a, b) => places.get(a)! - places.get(b)!)
}

const concerns = ({ network, direction }: TimedEntry, row: TransactionRow) =>
  (direction === undefined || row.direction === direction) &&
  (network === undefined || row.provider === network)

/** Other queued payments wait for their payer, a status query, or for ever. */
const isHeld = ({ status, plan }: TransactionRow) =>
  status === 'QUEUED' && plan?.settle?.held_by !== undefined

/** Returns when a backlog releases a payment that an incident keeps queued; undefined if none does. */
export function releaseOf({ rows }: Look, row: TransactionRow): number | undefined {
  if (!isHeld(row)) return undefined
  const { incidents = [] } = stateIn(rows.get('state', SCENARIO_STATE))
  const times = incidents.flatMap(({ file, jobs }) =>
    jobs.flatMap(({ entry: n, job }) => {
      const entry = entriesOf(file)[n]!
      const due = entry.backlog && concerns(entry, row) ? rows.get('jobs', job)?.due_at : undefined
      return due === undefined ? [] : [due]
    }),
  )
  return times.length === 0 ? undefined : Math.min(...times)
}

/** Settles a payment of a backlog. @param place - among the payments of the backlog */
function release(tx: Tx, id: number, entry: TimedEntry, random: Random, place: number): void {
  const row = tx.rows.get('transactions', id)
  if (!row || !isHeld(row)) return
  const { never: _never, held_by: incident, ...settle } = row.plan!.settle!
  const key = paymentKey(row.party, row.amount)
  const { plan } = withPlan({ plan: { ...row.plan, settle } }, planOf(entry, random, key, tx.now), incident!)
  const released = { ...row, plan: plan! }
  tx.rows.put('transactions', released)
  const after = Math.round((place * 1_000) / rateOf(entry.backlog!.release)!)
  addJob(tx, after, { kind: 'settle', transaction_id: id, ...endOf(released) })
}

/** Transactions read at once. */
const PAGE = 1_000
/** Transactions that one entry changes at most, and one job. */
const MOST_CHANGED = 50_000
const PART = 500

/** Draws a number in [0, 1) for a payment: the same for the same phone and amount. */
const drawFor = (random: Random, stream: string, key: string): number => {
  let hash = 0x811c9dc5
  for (let n = 0; n < key.length; n++) hash = Math.imul(hash ^ key.charCodeAt(n), 0x01000193)
  return random.fraction(stream, hash >>> 0)
}

/** Returns the key of a payment for draws. @param party - digits with the dial code, or an account */
export const paymentKey = (party: unknown, amount: unknown): string => `${String(party)} ${Number(amount)}`

/** Returns the scenario that `mix` selects for a payment, or undefined for none. */
export function mixedScenario(
  mix: { readonly [scenario: string]: number },
  random: Random,
  key: string,
): string | undefined {
  let left = drawFor(random, 'mix', key)
  return Object.entries(mix).find(([, share]) => (left -= share) < 0)?.[0]
}
