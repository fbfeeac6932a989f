/** Puts scenarios in front of a handler: what happens to a request is decided and done in one transaction. */
import type { Tx } from '../../domain/context.ts'
import { ServiceError } from '../../domain/errors.ts'
import type { Decision } from '../../terms.ts'
import { refusalReply } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { Call, Handler, RowHandler } from '../handler.ts'
import type { Reply } from '../reply.ts'
import type { Route } from '../route-binding.ts'
import type { Dependencies } from '../serve.ts'
import { Deciding } from './deciding.ts'
import { deliver } from './deliver.ts'
import { CheckedScenarioRequest } from '../../worlds/scenario-request.ts'

/** Answers what a scenario, or else the handler, has for a request; late or wrong where that was decided. */
export async function withScenario(
  exchange: Exchange,
  { id, handler }: Route,
  dependencies: Dependencies,
): Promise<Reply> {
  const asked = new CheckedScenarioRequest(id, exchange.caller, exchange.request, exchange.entry!.headers)
  const deciding = new Deciding(exchange, asked, dependencies)
  let reply: Reply
  try {
    reply = await perform(deciding, handler, exchange)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (dependencies.headers && deciding.decision) exchange.headers['Sandbox-Outcome'] = 'rules'
    reply = refusalReply(error)
  }
  const { decision } = deciding
  return decision && alters(decision) ? deliver(exchange, decision, reply, dependencies) : reply
}

/** Whether anything happens to the answer on its way out. */
const alters = ({ before_answer, outcome }: Decision): boolean =>
  before_answer.length > 0 || outcome.delay !== undefined || outcome.fault !== undefined

/** Decides, and does what the handler says it does, in one transaction of the world. */
async function perform(deciding: Deciding, handler: Handler, call: Call): Promise<Reply> {
  if (typeof handler === 'function' || 'reply' in handler) {
    const decided = await call.world.read((look) => deciding.inRead(look))
    if (!decided) await call.world.change((tx) => deciding.inChange(tx))
    return deciding.scripted ?? (typeof handler === 'function' ? handler(call) : handler.reply(call))
  }
  const { read } = handler
  const reply =
    read &&
    (await call.world.read((look) => {
      const decided = deciding.inRead(look)
      return decided ? (deciding.scripted ?? read(look, call)) : undefined
    }))
  // Deciding uses something up, or the handler has found something to change: both take a change.
  return reply ?? change(deciding, handler, call)
}

async function change(deciding: Deciding, handler: RowHandler, call: Call): Promise<Reply> {
  const work = (tx: Tx) => (handler.change ?? handler.read!)(deciding.decidedTx(tx), call)!
  const reply = await call.world.change((tx) => {
    if (deciding.decision) return work(tx)
    deciding.inChange(tx)
    return deciding.scripted ?? (deciding.closesChannel(tx) ? undefined : work(tx))
  })
  // The channel stays closed even when the rules refuse the request for it.
  return reply ?? call.world.change(work)
}
