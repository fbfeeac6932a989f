import { closeChannel } from '../../domain/channels.ts'
import type { Look, Tx } from '../../domain/context.ts'
import { invalid } from '../../domain/errors.ts'
import { decide } from '../../scenarios/decide.ts'
import { describeDecision } from '../../scenarios/describe.ts'
import type { Library } from '../../scenarios/library.ts'
import { libraryIn, SCENARIO_STATE, type ScenarioState, stateIn } from '../../scenarios/state.ts'
import type { ScenarioRequest } from '../../scenarios/scenario.ts'
import type { Decision } from '../../terms.ts'
import { unknown } from '../../scenarios/words.ts'
import type { Exchange } from '../exchange.ts'
import type { Reply } from '../reply.ts'
import type { Dependencies } from '../serve.ts'
import { cutsBefore } from './faults.ts'

/** A request for which it is decided, once, what happens to it. */
export class Deciding {
  /** Undefined until it is decided. */
  decision: Decision | undefined
  readonly #exchange: Exchange
  readonly #request: ScenarioRequest
  readonly #library: Library
  readonly #headers: boolean

  constructor(exchange: Exchange, request: ScenarioRequest, { library, headers }: Dependencies) {
    this.#exchange = exchange
    this.#request = request
    this.#library = library()
    this.#headers = headers
  }

  /** Decides on what a look at the world shows. @returns false, and nothing is decided, when deciding uses something up */
  inRead({ rows }: Look): boolean {
    const before = stateIn(rows.get('state', SCENARIO_STATE))
    const { decision, state } = this.#decide(before)
    if (state) return false
    this.#keep(before, decision)
    return true
  }

  /** Decides, and writes what it uses up. */
  inChange({ rows }: Tx): void {
    const before = stateIn(rows.get('state', SCENARIO_STATE))
    const { decision, state } = this.#decide(before)
    this.#keep(before, decision)
    if (state) rows.put('state', { name: SCENARIO_STATE, value: state })
  }

  /** What a scenario answers in the place of the handler, whose work is not to be done then. */
  get scripted(): Reply | undefined {
    const { respond, fault } = this.decision!.outcome
    if (cutsBefore(fault)) return { cut: fault! }
    return respond && { status: respond.status, body: respond.body }
  }

  /** Closes the channel of the request where the scenario says so. */
  closesChannel(tx: Tx): boolean {
    const { channel } = this.decision!.outcome
    const channel_id = channel && this.#request.value('channel_id')
    if (!channel || typeof channel_id !== 'number') return false
    closeChannel(tx, channel_id, channel.reactivate_after)
    return true
  }

  /** The change as the rules see it. */
  decidedTx({ rows, now, random, settings }: Tx): Tx {
    return { rows, now, random, settings, decision: this.decision }
  }

  #decide(state: ScenarioState) {
    const library = this.#library
    requireScenario(this.#request, libraryIn(library, state))
    return decide({ library, state, request: this.#request, random: this.#exchange.world.random })
  }

  #keep(state: ScenarioState, decision: Decision): void {
    this.decision = decision
    this.#exchange.entry!.considered = { library: this.#library, state, request: this.#request, decision }
    if (this.#headers) announce(this.#exchange.headers, decision)
  }
}

/** Says in the answer's headers what was decided. */
function announce(headers: { [name: string]: string }, decision: Decision): void {
  if (decision.scenario) headers['Sandbox-Scenario'] = decision.scenario
  headers['Sandbox-Outcome'] = describeDecision(decision)
  const { by, preferred } = decision
  if (!preferred) return
  const named = by === 'header' && decision.scenario !== null
  const applied = preferred.applied.filter((each) => named || !each.startsWith('scenario='))
  if (applied.length > 0) headers['Preference-Applied'] = applied.join(', ')
}

/** @throws ServiceError 400 naming the nearest when the request names a scenario that does not exist */
function requireScenario({ preferred }: ScenarioRequest, { byName }: Library): void {
  const name = preferred?.scenario
  if (name !== undefined && !byName.has(name))
    throw invalid(`scenario ${unknown(name, 'a scenario', [...byName.keys()])}`)
}
