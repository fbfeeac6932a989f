import type { Context, Hono } from 'hono'
import { requestTurns } from '../lib/clock/clock.ts'
import { audit } from './audit.ts'
import { authorize, inOrder, requireRoom, type Step } from './authorize.ts'
import type { Dependencies } from './dependencies.ts'
import { type Env, Exchange } from './exchange.ts'
import type { Handler, Reply, Call, RowHandler } from './handler.ts'
import { performObserved, rejectObserved } from './observed.ts'
import { readRequest } from './read-request.ts'
import { type Api, pathPattern, type Route, routeOf } from './route-binding.ts'
import type { RouteConfig } from '@hono/zod-openapi'
import { readTrace } from '../lib/text/headers.ts'
import { isRecord, mergeDeep } from '../lib/objects.ts'
import { decide, describeDecision, describeOperatorRule } from '../scenarios/decide.ts'
import {
  libraryIn,
  SCENARIO_STATE,
  type ScenarioState,
  stateIn,
  type Library,
  versionOf,
} from '../scenarios/library.ts'
import type { ScenarioRequest } from '../scenarios/scenario.ts'
import { unknown } from '../lib/text/word-schemas.ts'
import { closeChannel } from '../service/domain/channels.ts'
import type { Look, Tx } from '../service/domain/context.ts'
import { allRead, invalid, ServiceError } from '../service/domain/errors.ts'
import { behindKyc } from '../service/domain/facts.ts'
import { fieldLatency } from '../service/domain/realism/field.ts'
import type { Decision, Outcome } from '../service/vocabulary/outcome.ts'
import type { Reason } from '../service/vocabulary/rails.ts'
import type { FieldValues } from '../service/vocabulary/terms.ts'
import { CheckedScenarioRequest } from '../worlds/request-log.ts'
import type { World } from '../worlds/world.ts'
import { errorReply } from './errors.ts'
import { cutsBefore, cutsAnswer } from './chaos.ts'

/** From top to bottom. A step returns a promise only if it has to wait, which most requests never do. */
const steps: readonly Step[] = [
  authorize,
  ({ worldName }) => requestTurns.enter(worldName),
  (_, { api }, { chaos }) => api === 'service' && (chaos.delay || chaos.chaos) && chaos.meet(),
  (exchange, route, dependencies) =>
    exchange.observed
      ? performObserved(exchange, exchange.observed, () => inOrder(performing, exchange, route, dependencies))
      : inOrder(performing, exchange, route, dependencies),
  (exchange) => exchange.recording,
  (exchange, route, dependencies) => route.isAudited && audit(exchange, route, dependencies, exchange.reply),
]

const performing: readonly Step[] = [
  readRequest,
  // Checked again: other requests may have filled the world while the body arrived.
  (exchange, { grows }, { worlds }) => grows && requireRoom(exchange.world, worlds),
  (exchange) => exchange.observed?.reject && rejectObserved(exchange, exchange.observed.reject),
  performed,
]

/** Serves a request of a route. Errors thrown on the way become error responses. */
export function serve(
  c: Context<Env>,
  route: Route,
  dependencies: Dependencies,
): Response | Promise<Response> {
  const exchange = new Exchange(c, dependencies)
  if (route.api === 'service') exchange.operation = route.id
  const refuse = (thrown: unknown) => {
    const refusal = () => refused(exchange, route, dependencies, thrown)
    return exchange.recording?.then(refusal) ?? refusal()
  }
  try {
    const waiting = inOrder(steps, exchange, route, dependencies)
    return waiting ? waiting.then(() => sent(exchange)).catch(refuse) : sent(exchange)
  } catch (error) {
    return refuse(error)
  }
}

function sent(exchange: Exchange): Response {
  const response = exchange.send(exchange.reply!)
  exchange.close()
  return response
}

function refused(exchange: Exchange, route: Route, dependencies: Dependencies, error: unknown) {
  const refusal = exchange.refuse(error)
  const ended = () => {
    exchange.close()
    return refusal
  }
  const handedOver = exchange.handOver()
  if (handedOver) return handedOver.then(ended)
  return route.isAudited ? audit(exchange, route, dependencies).then(ended) : ended()
}

function performed(exchange: Exchange, route: Route, dependencies: Dependencies): void | Promise<void> {
  // The service was observed to reject such a request.
  if (exchange.reply) return
  const reply =
    route.api === 'service' && exchange.entry
      ? withScenario(exchange, route, dependencies)
      : perform(route.handler, exchange)
  if (reply instanceof Promise) return reply.then((made) => void (exchange.reply = made))
  exchange.reply = reply
}

function perform(handler: Handler, call: Exchange): Reply | Promise<Reply> {
  if (typeof handler === 'function') return handler(call)
  if ('reply' in handler) return handler.reply(call)
  const { read, change } = handler
  const changed = () => call.world.change((tx) => change!(tx, call))
  if (!read) return changed()
  const reply = call.world.read((look) => read(look, call), call.arrived)
  return reply instanceof Promise ? reply.then((made) => made ?? changed()) : (reply ?? changed())
}

/** Serves every route of a description; its schemas are created at its first request. */
export function bindRoutes(app: Hono<Env>, dependencies: Dependencies, api: Api): void {
  const all = Object.entries(api.routes)
  // A path with parameters also matches one without, as `/callbacks/{id}` matches `/callbacks/wait`.
  const patterns = all.filter(([, { path }]) => path.includes('{')).map(([, { path }]) => pathPattern(path))
  const hidden = all.filter(
    ([, { path }]) => !path.includes('{') && patterns.some((pattern) => pattern.test(path)),
  )
  for (const route of hidden) bind(route)
  // Other methods of such a path must not match the path with parameters.
  for (const [, { path }] of hidden) app.all(path, (c) => c.notFound())
  for (const route of all) if (!hidden.includes(route)) bind(route)

  function bind([id, config]: [string, RouteConfig]) {
    let route: Route | undefined
    app.on(config.method.toUpperCase(), honoPath(config.path), (c) =>
      serve(c, (route ??= routeOf(id, config, api)), dependencies),
    )
  }
}

/** Converts `{name}` of the description to `:name` of the router. */
const honoPath = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')

/** Returns the reply of a scenario or else of the handler; delayed or broken if the outcome says so. */
function withScenario(
  exchange: Exchange,
  { id, handler }: Route,
  dependencies: Dependencies,
): Reply | Promise<Reply> {
  const request = new CheckedScenarioRequest(id, exchange.caller, exchange.request, exchange.entry!.headers)
  const decider = new Decider(exchange, request, dependencies)
  const delivered = (reply: Reply) => {
    const { decision } = decider
    const isField = exchange.world.settings.realism === 'field'
    return decision && (isField || alters(decision))
      ? deliver(exchange, decision, reply, dependencies)
      : reply
  }
  const refused = (error: unknown) => {
    // The world is gone, which is no rule of the service.
    if (!(error instanceof ServiceError) || error.code === 'unavailable') throw error
    if (dependencies.headers && decider.decision) exchange.headers['Sandbox-Outcome'] = 'rules'
    return errorReply(error)
  }
  const reply = performDecided(decider, handler, exchange)
  return reply instanceof Promise ? reply.catch(refused).then(delivered) : delivered(reply)
}

/** Whether the outcome changes how the response is sent. */
function alters({ before_answer, outcome }: Decision): boolean {
  const { delay, fault, response: answer } = outcome
  // `Decider` performs `respond` and `channel`, the domain `plan` and `review`. An outcome that nothing performs does
  // not compile.
  type InWorld = 'respond' | 'channel' | 'plan' | 'review'
  allRead<Exclude<keyof Outcome, 'delay' | 'fault' | 'response' | InWorld>>()
  if (outcome.respond?.performed) return true
  return before_answer.length > 0 || delay !== undefined || fault !== undefined || answer !== undefined
}

/** Decides the outcome and runs the handler in one transaction of the world. */
function performDecided(decider: Decider, handler: Handler, call: Exchange): Reply | Promise<Reply> {
  if (typeof handler === 'function' || 'reply' in handler) return performAlone(decider, handler, call)
  const { read } = handler
  if (!read) return change(decider, handler, call)
  const reply = call.world.read((look) => {
    const decided = decider.inRead(look)
    return decided ? (decider.scripted ?? read(look, call)) : undefined
  }, call.arrived)
  // The decision consumes a step of a scenario, or the handler has something to change: both need a change.
  const orChange = (made: Reply | undefined) => made ?? change(decider, handler, call)
  return reply instanceof Promise ? reply.then(orChange) : orChange(reply)
}

async function performAlone(
  decider: Decider,
  handler: Exclude<Handler, RowHandler>,
  call: Exchange,
): Promise<Reply> {
  const decided = await call.world.read((look) => decider.inRead(look), call.arrived)
  if (!decided) await call.world.change((tx) => decider.inChange(tx))
  return decider.scripted ?? (typeof handler === 'function' ? handler(call) : handler.reply(call))
}

function change(decider: Decider, handler: RowHandler, call: Call): Reply | Promise<Reply> {
  const work = (tx: Tx) => (handler.change ?? handler.read!)(decider.decidedTx(tx), call)!
  const isDecided = decider.decision !== undefined
  const reply = call.world.change((tx) => {
    if (isDecided) return work(tx)
    decider.inChange(tx)
    return decider.scripted ?? (decider.closesChannel(tx) ? undefined : work(tx))
  })
  // The channel stays closed even if the rules reject the request.
  const orWork = (made: Reply | undefined) => made ?? call.world.change(work)
  return reply instanceof Promise ? reply.then(orWork) : orWork(reply)
}

/** Decides the outcome of one request, once. */
class Decider {
  decision: Decision | undefined
  readonly #exchange: Exchange
  readonly #request: CheckedScenarioRequest
  readonly #library: Library
  readonly #headers: boolean

  constructor(exchange: Exchange, request: CheckedScenarioRequest, { library, headers }: Dependencies) {
    this.#exchange = exchange
    this.#request = request
    this.#library = library()
    this.#headers = headers
  }

  /**
   * Decides during a read.
   * @returns false, without a decision, if the decision consumes a step of a scenario
   */
  inRead(look: Look): boolean {
    const before = stateIn(look.rows.get('state', SCENARIO_STATE))
    const { decision, state } = this.#decide(look, before)
    if (state) return false
    this.#keep(before, decision)
    return true
  }

  /** Decides and stores the consumed step. */
  inChange(tx: Tx): void {
    const before = stateIn(tx.rows.get('state', SCENARIO_STATE))
    const { decision, state } = this.#decide(tx, before)
    this.#keep(before, decision)
    if (state) tx.rows.put('state', { name: SCENARIO_STATE, value: state })
  }

  /** The reply of a scenario that replaces the handler. */
  get scripted(): Reply | undefined {
    const { respond, fault } = this.decision!.outcome
    if (fault !== undefined && cutsBefore(fault)) return { cut: fault }
    return respond && !respond.performed ? { status: respond.status, body: respond.body } : undefined
  }

  /** Closes the request's channel if the scenario says so. */
  closesChannel(tx: Tx): boolean {
    const { channel } = this.decision!.outcome
    const channel_id = channel && this.#request.value('channel_id')
    if (!channel || typeof channel_id !== 'number') return false
    closeChannel(tx, channel_id, channel.reactivate_after)
    return true
  }

  /** Returns the transaction as the rules see it. */
  decidedTx({ rows, now, random, settings }: Tx): Tx {
    const { decision } = this
    const onOperatorRule = (rule: string, reason: Reason) => {
      if (this.#headers)
        this.#exchange.headers['Sandbox-Outcome'] = describeOperatorRule(decision!, rule, reason)
    }
    const trace = () => {
      const exchange = this.#exchange
      return readTrace(exchange.header('traceparent'), exchange.header('tracestate'))
    }
    return { rows, now, random, settings, decision, onOperatorRule, trace }
  }

  #decide(look: Look, state: ScenarioState) {
    const library = this.#library
    const request = this.#request
    requireScenario(request, libraryIn(library, state))
    request.behind = behindKyc(look, request.operation, this.#exchange.request)
    return decide({ library, state, request, random: this.#exchange.world.random, now: look.now })
  }

  #keep(state: ScenarioState, decision: Decision): void {
    // A change that is made again may be decided otherwise.
    if (this.decision) for (const name of ANNOUNCED) delete this.#exchange.headers[name]
    this.decision = decision
    const { caller, request: sent } = this.#exchange
    const scenarios = versionOf(this.#library)
    const { behind } = this.#request
    this.#exchange.entry!.decided = { scenarios, state, decision, caller, sent, ...(behind && { behind }) }
    const { retry_after } = decision.outcome.respond ?? {}
    if (retry_after !== undefined) this.#exchange.headers['Retry-After'] = String(retry_after)
    if (this.#headers) announce(this.#exchange.headers, decision)
  }
}

/** The headers of a decision. */
const ANNOUNCED = ['Retry-After', 'Sandbox-Scenario', 'Sandbox-Outcome', 'Preference-Applied']

/** Adds response headers that describe the outcome. */
function announce(headers: { [name: string]: string }, decision: Decision): void {
  if (decision.scenario) headers['Sandbox-Scenario'] = decision.scenario
  headers['Sandbox-Outcome'] = describeDecision(decision)
  const { by, preferred } = decision
  if (!preferred) return
  const named = by === 'header' && decision.scenario !== null
  const applied = preferred.applied.filter((each) => named || !each.startsWith('scenario='))
  if (applied.length > 0) headers['Preference-Applied'] = applied.join(', ')
}

/** @throws {ServiceError} 400 with the nearest name if the requested scenario does not exist */
function requireScenario({ preferred }: ScenarioRequest, { byName }: Library): void {
  const name = preferred?.scenario
  if (name !== undefined && !byName.has(name))
    throw invalid(`scenario ${unknown(name, 'a scenario', [...byName.keys()])}`)
}

const SLOW_BODY = 10_000

/** Returns the latency in a world whose `realism` is `field`, the same for the n-th request of each run. */
function latencyOf({ world, entry }: Exchange): number | undefined {
  if (world.settings.realism !== 'field') return undefined
  return fieldLatency(world.random, Number(entry!.id.replace(/\D/g, '')))
}

/** Runs jobs that are due before the response, then delays or breaks the response if the outcome says so. */
async function deliver(
  exchange: Exchange,
  { outcome, before_answer }: Decision,
  made: Reply,
  { runNow, pause }: Dependencies,
): Promise<Reply> {
  const { world } = exchange
  for (const job of before_answer) await runNow(world, job)
  const { delay, fault, response: answer, respond } = outcome
  const reply = respond?.performed
    ? { status: respond.status, body: respond.body }
    : answer
      ? withFields(made, answer)
      : made
  exchange.entry!.fault = fault
  const slow = fault === 'slow-body' && 'body' in reply
  const time = delay ?? (slow ? SLOW_BODY : latencyOf(exchange))
  const end = time === undefined ? undefined : placeToWait(world)
  if (slow && end) {
    void pause(time!).then(end)
    return { ...reply, spread_over: time! }
  }
  if (end) await Promise.race([pause(time!), aborted(exchange.left)]).finally(end)
  return fault !== undefined && cutsAnswer(fault) ? { cut: fault } : reply
}

/** Overrides fields of a response; other bodies than objects, and lists, stay unchanged. */
const withFields = (reply: Reply, set: FieldValues): Reply =>
  'body' in reply && !('list' in reply) && isRecord(reply.body)
    ? { ...reply, body: mergeDeep(reply.body, set) }
    : reply

/**
 * Reserves one of the world's waiting slots and returns a function that releases it. Without a free slot the response
 * is sent at once: the operation has been performed, so it must not fail.
 */
function placeToWait(world: World): (() => void) | undefined {
  try {
    return world.budget.begin('waiters')
  } catch (error) {
    if (error instanceof ServiceError) return undefined
    throw error
  }
}

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
