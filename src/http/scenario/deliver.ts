import { ServiceError } from '../../service/domain/errors.ts'
import { isRecord, mergeDeep } from '../../lib/objects.ts'
import type { Decision } from '../../service/vocabulary/outcome.ts'
import type { FieldValues } from '../../service/vocabulary/terms.ts'
import type { World } from '../../worlds/world.ts'
import type { Exchange } from '../exchange.ts'
import type { Reply } from '../reply.ts'
import type { Dependencies } from '../dependencies.ts'
import { cutsAnswer } from './faults.ts'

const SLOW_BODY = 10_000

/** What is due before the answer is done; then it leaves, late or wrong where that was decided. */
export async function deliver(
  exchange: Exchange,
  { outcome, before_answer }: Decision,
  made: Reply,
  { runNow, pause }: Dependencies,
): Promise<Reply> {
  const { world } = exchange
  for (const job of before_answer) await runNow(world, job)
  const { delay, fault, answer } = outcome
  const reply = answer ? withFields(made, answer) : made
  exchange.entry!.fault = fault
  const slow = fault === 'slow-body' && 'body' in reply
  const time = delay ?? (slow ? SLOW_BODY : undefined)
  const end = time === undefined ? undefined : placeToWait(world)
  if (slow && end) {
    void pause(time!).then(end)
    return { ...reply, spread_over: time! }
  }
  if (end) await Promise.race([pause(time!), aborted(exchange.left)]).finally(end)
  return fault !== undefined && cutsAnswer(fault) ? { cut: fault } : reply
}

/** An answer with fields that are otherwise; one without a body, with a list or with another than an object is as it was. */
const withFields = (reply: Reply, set: FieldValues): Reply =>
  'body' in reply && !('list' in reply) && isRecord(reply.body)
    ? { ...reply, body: mergeDeep(reply.body, set) }
    : reply

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

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
