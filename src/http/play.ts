/** Plays a request's scenario: what was decided is done to the answer, and said in its headers. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ServiceError } from '../domain/errors.ts'
import type { Sent } from '../domain/facts.ts'
import { describeDecision } from '../scenarios/describe.ts'
import type { Library } from '../scenarios/library.ts'
import type { Decision } from '../terms.ts'
import type { World } from '../worlds/world.ts'
import { askedOf } from './asked.ts'
import { ANSWERED, askScenarios } from './asking.ts'
import type { Env } from './env.ts'
import { answerError } from './errors.ts'
import { cut, cutsAnswer, cutsBefore, slowly } from './faults.ts'

/** What playing needs of the process. */
export interface Stage {
  readonly library: () => Library
  /** Does a job of a world now. */
  readonly runNow: (world: World, job_id: number) => Promise<void>
  /** Waits on the wall. */
  readonly pause: (ms: number) => Promise<void>
}

export interface Checked extends Sent {
  readonly operation: string
}

/** These handlers never look at the world. */
const worldless = new Set(['discoverCountry', 'listTransactionProviders'])
const SLOW_BODY = 10_000

export async function playScenarios(
  c: Context<Env>,
  stage: Stage,
  sent: Checked,
  headers: boolean,
  handle: () => Promise<Response>,
): Promise<Response> {
  const world = c.get('world')
  const entry = c.get('entry')
  const asked = askedOf(c, sent.operation, sent)
  const asking = askScenarios(world, stage.library(), asked, entry, (decision) => {
    if (headers) announce(c.get('answer_headers'), decision)
  })
  c.set('world', asking.world)
  let answer: Response | undefined
  try {
    if (worldless.has(sent.operation)) await asking.decide()
    answer = await handle()
  } catch (error) {
    if (error === ANSWERED) answer = scripted(c, asking.decision()!)
    else if (error instanceof ServiceError) {
      if (headers && asking.decision()) c.get('answer_headers')['Sandbox-Outcome'] = 'rules'
      answer = answerError(c, error)
    } else throw error
  }
  const decision = asking.decision()
  return decision && alters(decision) ? deliver(c, stage, world, decision, answer) : answer!
}

function announce(headers: Env['Variables']['answer_headers'], decision: Decision): void {
  if (decision.scenario) headers['Sandbox-Scenario'] = decision.scenario
  headers['Sandbox-Outcome'] = describeDecision(decision)
  const { by, preferred } = decision
  if (!preferred) return
  const named = by === 'header' && decision.scenario !== null
  const applied = preferred.applied.filter((each) => named || !each.startsWith('scenario='))
  if (applied.length > 0) headers['Preference-Applied'] = applied.join(', ')
}

/** The answer that a scenario gives instead of the handler; none when it only cuts the connection. */
function scripted(c: Context<Env>, { outcome }: Decision): Response | undefined {
  if (!outcome.respond || cutsBefore(outcome.fault)) return undefined
  return c.json(outcome.respond.body, outcome.respond.status as ContentfulStatusCode)
}

/** Whether anything happens to the answer on its way out. */
const alters = ({ before_answer, outcome }: Decision): boolean =>
  before_answer.length > 0 || outcome.delay !== undefined || outcome.fault !== undefined

/** What is owed before the answer is done; then it leaves, late or wrong where that was decided. */
async function deliver(
  c: Context<Env>,
  { runNow, pause }: Stage,
  world: World,
  { outcome, before_answer }: Decision,
  answer: Response | undefined,
): Promise<Response> {
  for (const job of before_answer) await runNow(world, job)
  const { delay, fault } = outcome
  c.get('entry').fault = fault
  const slow = fault === 'slow-body' && answer !== undefined
  const time = delay ?? (slow ? SLOW_BODY : undefined)
  const end = time === undefined ? undefined : placeToWait(world)
  if (slow && end) {
    void pause(time!).then(end)
    return slowly(answer, time!, pause)
  }
  if (end) await Promise.race([pause(time!), untilLeft(c)]).finally(end)
  return fault && cutsAnswer(fault) ? cut(c, fault) : answer!
}

/**
 * A place among those who wait in the world, and how to give it back. Undefined when all are taken: what was asked for is
 * done by then, so that the answer leaves at once instead of being refused.
 */
function placeToWait(world: World): (() => void) | undefined {
  try {
    return world.budget.begin('waiters')
  } catch (error) {
    if (error instanceof ServiceError) return undefined
    throw error
  }
}

const untilLeft = ({ req }: Context<Env>) =>
  new Promise<void>((resolve) => req.raw.signal.addEventListener('abort', () => resolve(), { once: true }))
