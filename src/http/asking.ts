/** Puts scenarios in front of a handler: its first look at the world, or change of it, is decided before it is made. */
import { closeChannel } from '../domain/channels.ts'
import type { Look, Tx } from '../domain/context.ts'
import { invalid } from '../domain/errors.ts'
import { decide } from '../scenarios/decide.ts'
import type { Library } from '../scenarios/library.ts'
import { libraryIn, SCENARIO_STATE, stateIn } from '../scenarios/state.ts'
import type { ScenarioRequest } from '../scenarios/scenario.ts'
import type { Decision, Outcome } from '../terms.ts'
import { unknown } from '../scenarios/words.ts'
import type { StateRow } from '../store/rows.ts'
import type { NotAPromise } from '../store/store.ts'
import type { JournalEntry } from '../worlds/journal.ts'
import type { World } from '../worlds/world.ts'
import { cutsBefore } from './faults.ts'

/** Thrown through a handler whose work is not to be done, because a scenario answers for it. */
export const ANSWERED = new Error('a scenario answers')

export interface Asking {
  /** The world as the handler sees it. */
  readonly world: World
  /** Decides for a handler that does not look at the world. @throws ANSWERED */
  decide(): Promise<void>
  /** Undefined until the handler has looked at the world. */
  decision(): Decision | undefined
}

/** What came of the work; undefined when it is still to be done. */
type Done<T> = { readonly result: T } | typeof ANSWERED | undefined

/**
 * @param onDecision called once, before the work is done
 */
export function askScenarios(
  world: World,
  library: Library,
  asked: ScenarioRequest,
  entry: JournalEntry,
  onDecision: (decision: Decision) => void,
): Asking {
  let decision: Decision | undefined

  const consider = (row: StateRow | undefined) => {
    const state = stateIn(row)
    requireScenario(asked, libraryIn(library, state))
    const decided = decide({ library, state, asked, random: world.random })
    return { before: state, decision: decided.decision, state: decided.state }
  }
  const keep = ({ before, decision: made }: ReturnType<typeof consider>) => {
    decision = made
    entry.considered = { library, state: before, asked, decision: made }
    onDecision(made)
  }

  const change: World['change'] = async <T>(work: (tx: Tx) => T & NotAPromise<T>) => {
    if (decision) return world.change((tx) => work(decidedIn(tx, decision)))
    const done = await world.change((tx): Done<T> => {
      const considered = consider(tx.rows.get('state', SCENARIO_STATE))
      keep(considered)
      if (considered.state) tx.rows.put('state', { name: SCENARIO_STATE, value: considered.state })
      if (answers(considered.decision)) return ANSWERED
      const { outcome } = considered.decision
      if (outcome.channel && closesChannel(tx, asked, outcome.channel)) return undefined
      return { result: work(decidedIn(tx, decision)) }
    })
    if (done === ANSWERED) throw ANSWERED
    // The channel stays closed even when the rules refuse the request for it.
    return done && 'result' in done ? done.result : world.change((tx) => work(decidedIn(tx, decision)))
  }

  const read: World['read'] = async <T>(work: (look: Look) => T & NotAPromise<T>) => {
    if (decision) return world.read(work)
    const done = await world.read((look): Done<T> => {
      const considered = consider(look.rows.get('state', SCENARIO_STATE))
      if (considered.state) return undefined
      keep(considered)
      return answers(considered.decision) ? ANSWERED : { result: work(look) }
    })
    if (done === ANSWERED) throw ANSWERED
    // Deciding uses something up, which only a change can write.
    return done && 'result' in done ? done.result : change(work)
  }

  return {
    world: Object.assign(Object.create(world) as World, { change, read }),
    decide: () => read(() => {}),
    decision: () => decision,
  }
}

const decidedIn = ({ rows, now, random, settings }: Tx, decision: Decision | undefined): Tx => ({
  rows,
  now,
  random,
  settings,
  decision,
})

const answers = ({ outcome }: Decision) => outcome.respond !== undefined || cutsBefore(outcome.fault)

function closesChannel(
  tx: Tx,
  asked: ScenarioRequest,
  { reactivate_after }: NonNullable<Outcome['channel']>,
): boolean {
  const channel_id = asked.value('channel_id')
  if (typeof channel_id !== 'number') return false
  closeChannel(tx, channel_id, reactivate_after)
  return true
}

/** @throws ServiceError 400 naming the nearest when the request names a scenario that does not exist */
function requireScenario({ preferred }: ScenarioRequest, { byName }: Library): void {
  const name = preferred?.scenario
  if (name !== undefined && !byName.has(name))
    throw invalid(`scenario ${unknown(name, 'a scenario', [...byName.keys()])}`)
}
