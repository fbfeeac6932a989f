import { standingText } from '../probe.ts'
import { isPaidOnce, isUnpaid } from './receiver-effects.ts'
import type { Order, PaidOrder } from '../orders.ts'
import { pause } from '../pause.ts'
import type { Stage } from '../stage.ts'
import { fail, type Finding, type ActiveCheck, pass, times, unsure, worstOf } from './try.ts'

const TRIGGER = ['trigger'] as const
const PROBE = ['trigger', 'probe'] as const
const COUNTS = ['trigger', 'probe', 'counts'] as const

/** Until the shop is through with what it does by itself. */
const settledDown = (stage: Stage, order: Order) =>
  stage.requests.quiet(stage.profile.client.patience, stage.profile.client.patience * 4, order)

/** What came of an order whose request was met by a fault: payments, deliveries. */
async function afterFault(stage: Stage, order: Order): Promise<Finding> {
  await settledDown(stage, order)
  const payments = await stage.orders.payments(order)
  const tries = await stage.requests.tries(order)
  if (tries.length === 0) return unsure('The shop sent no request for the order.')
  await stage.world.settle()
  stage.notes.show(tries, 'request')
  const seen = `For one order there were ${tries.length} requests and ${payments.length} payments.`
  if (payments.length > 1) return fail(seen)
  for (const payment of payments) await stage.callbacks.told({ payment })
  const standing = await stage.believes(order, (each) => payments.length === 0 || isPaidOnce(each))
  const both = `${seen} The order is ${standingText(standing)}.`
  if ((standing.fulfilled ?? 0) > 1) return fail(both)
  if (payments.length === 0 && !isUnpaid(standing)) return fail(both)
  return pass(both)
}

const lostAnswer: ActiveCheck = {
  time: 'real',
  needs: PROBE,
  async make(stage) {
    await stage.meet(
      'A payment is taken, and the connection is cut before its answer.',
      { fault: 'lost-response' },
      { settle: { status: 'success' } },
    )
    return afterFault(stage, stage.orders.place())
  },
}

const cutOrBroken: ActiveCheck = {
  time: 'real',
  needs: PROBE,
  async make(stage) {
    const findings: Finding[] = []
    const ways = {
      'The connection is reset before anything is done; then all works.': { fault: 'connection-reset' },
      'The request is answered 500 before anything is done; then all works.': {
        respond: { error_code: 'internal', error_message: 'a fault of the service' },
      },
    } as const
    for (const [title, then] of Object.entries(ways)) {
      await stage.meet(title, then, { settle: { status: 'success' } })
      findings.push(await afterFault(stage, stage.orders.place()))
    }
    return worstOf(findings)
  },
}

const findsOut: ActiveCheck = {
  time: 'real',
  needs: PROBE,
  async make(stage) {
    const { finds_out } = stage.profile.client
    await stage.meet('A payment succeeds at once, and its callback is never sent.', {
      settle: { after: 0, status: 'success' },
      callback: { drop: true },
    })
    const paid = await stage.orders.pay()
    const standing = await stage.believes(paid, isPaidOnce, { hope: finds_out })
    // Whether it goes on asking, for the checks of the record.
    if (isPaidOnce(standing)) await pause(1_300)
    stage.notes.show((await stage.requests.all()).slice(-6), 'request')
    const seen = `Without a callback the order is ${standingText(standing)}`
    return isPaidOnce(standing) ? pass(`${seen}.`) : fail(`${seen} after ${finds_out} ms.`)
  },
}

const slowAnswer: ActiveCheck = {
  time: 'real',
  needs: TRIGGER,
  async make(stage) {
    const { slow, patience } = stage.profile.client
    await stage.meet(`The answer to a payment is held back for ${slow} ms.`, {
      delay: slow,
      settle: { status: 'success' },
    })
    const order = stage.orders.place()
    await pause(slow)
    await stage.requests.quiet(patience / 2, patience * 2, order)
    const tries = await stage.requests.tries(order)
    stage.notes.show(tries, 'request')
    const seen = `There were ${tries.length} requests for the order.`
    if (tries.length === 0) return unsure(seen)
    return tries.length === 1 ? pass('There was one request for the order.') : fail(seen)
  },
}

const refused: ActiveCheck = {
  time: 'real',
  needs: PROBE,
  async make(stage) {
    const findings: Finding[] = []
    const messages = {
      'the amount is insufficient to cater for a cost of 15': 'the amount does not cover the cost',
      'the passed channel is not active': 'the channel is not active',
    }
    for (const [error_message, why] of Object.entries(messages)) {
      await stage.meet(`A payment is answered 400: ${why}.`, {
        respond: { error_code: 'invalid_argument', error_message },
      })
      const order = stage.orders.place()
      await stage.requests.quiet(stage.profile.client.patience / 2, stage.profile.client.patience * 2, order)
      const tries = await stage.requests.tries(order)
      stage.notes.show(tries, 'request')
      const standing = await stage.believes(order)
      const seen = `Refused because ${why}, it was sent ${times(tries.length)}, and the order is ${standingText(standing)}.`
      const repeated = new Set(tries.map(({ body }) => JSON.stringify(body))).size < tries.length
      findings.push(
        tries.length === 0 ? unsure(seen) : repeated || !isUnpaid(standing) ? fail(seen) : pass(seen),
      )
    }
    return worstOf(findings)
  },
}

const REASONS = [
  'insufficient_funds',
  'operator_error',
  'operator_busy',
  'subscriber_locked',
  'expired',
  'wrong_pin',
  'prompt_not_sent',
  'cancelled',
  'unreachable',
] as const

const everyReason: ActiveCheck = {
  time: 'frozen',
  needs: PROBE,
  async make(stage) {
    const wrong: string[] = []
    await stage.meet(
      `Payments fail, each for another reason: ${REASONS.join(', ')}.`,
      ...REASONS.map((reason) => ({ settle: { status: 'failed', reason } }) as const),
    )
    const orders: PaidOrder[] = []
    for (const _ of REASONS) orders.push(await stage.orders.pay())
    await stage.settle()
    for (const [n, reason] of REASONS.entries()) {
      const paid = orders[n]!
      await stage.callbacks.told(paid)
      const standing = await stage.believes(paid, ({ state }) => state !== 'open')
      if (!isUnpaid(standing) || standing.state === 'open')
        wrong.push(`at ${reason} the order is ${standingText(standing)}`)
    }
    if (wrong.length === 0) return pass(`Each of ${REASONS.length} reasons was taken for a failure.`)
    return fail(`Not every reason was taken for a failure: ${wrong.join('; ')}.`)
  },
}

const stuck: ActiveCheck = {
  time: 'real',
  needs: PROBE,
  async make(stage) {
    await stage.meet('A payment stays QUEUED, and nothing is told of it.', { settle: { never: true } })
    const paid = await stage.orders.pay()
    await pause(stage.profile.client.patience)
    const standing = await stage.believes(paid)
    const seen = `After ${stage.profile.client.patience} ms the order is ${standingText(standing)}.`
    const isOpen = standing.state === 'open' || standing.state === 'flagged' || standing.state === 'unknown'
    return isOpen && isUnpaid(standing) ? pass(seen) : fail(seen)
  },
}

const contradicted: ActiveCheck = {
  time: 'real',
  needs: PROBE,
  async make(stage) {
    await stage.meet('The callback of a payment says success, look-ups say failed.', {
      settle: { after: 0, status: 'success' },
      lookUp: { status: 'failed', reason: 'expired' },
    })
    const paid = await stage.orders.pay()
    await stage.callbacks.told(paid)
    await pause(stage.profile.client.patience)
    const standing = await stage.believes(paid, isPaidOnce)
    const lookUps = (await stage.requests.all()).filter(
      ({ operation }) => operation === 'getTransactionStatus',
    )
    stage.notes.show(lookUps, 'look-up')
    const seen = `The order is ${standingText(standing)}, after ${lookUps.length} look-ups that said failed.`
    return isPaidOnce(standing) ? pass(seen) : fail(seen)
  },
}

const unknownWords: ActiveCheck = {
  time: 'frozen',
  needs: COUNTS,
  async make(stage) {
    await stage.meet('The answer has fields that no description has, and a status that is new.', {
      answer: { set: { status: 'ROUTING', risk: { score: 12 }, hints: ['new'] } },
      settle: { never: true },
      callback: { drop: true },
    })
    const paid = await stage.orders.pay()
    const before = await stage.believes(paid)
    await stage.end(paid)
    await stage.callbacks.send(paid, 'good')
    const standing = await stage.believes(paid, isPaidOnce)
    const seen = `Before the callback the order was ${standingText(before)}, after it ${standingText(standing)}.`
    return isUnpaid(before) && isPaidOnce(standing) ? pass(seen) : fail(seen)
  },
}

export const client = {
  'CLI-2': lostAnswer,
  'CLI-3': cutOrBroken,
  'CLI-6': findsOut,
  'CLI-8': slowAnswer,
  'CLI-9': refused,
  'CLI-10': everyReason,
  'CLI-11': stuck,
  'CLI-13': contradicted,
  'CLI-16': unknownWords,
} as const
