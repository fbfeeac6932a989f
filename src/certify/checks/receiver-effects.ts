import { pause } from '../../lib/clock/clock.ts'
import { type CallbackVariant, retryAfter } from '../callbacks.ts'
import { isPaidOnce, isPaidOrFlagged, isUnpaid, type Standing, standingText } from '../probe.ts'
import type { Then } from '../check-run.ts'
import {
  casesText,
  type CheckDefinition,
  DELIVERED_UNPAID,
  fail,
  mended,
  pass,
  sharing,
  theOnly,
  unsure,
} from './check.ts'
import type { PaidOrder } from '../orders.ts'
import type { Profile } from '../read-profile.ts'
import {
  answerText,
  believes,
  isDeliveredUnpaid,
  isTakenBack,
  once,
  repeated,
  reversed,
  SUCCESS,
} from './steps.ts'

const NEEDS = ['trigger', 'probe'] as const
const COUNTS = [...NEEDS, 'counts'] as const

/** Takes a payment with the outcome `then`, and judges the order after the last callback. */
const settledPayment = (
  title: string,
  then: Then,
  accepts: (standing: Standing) => boolean,
  text = (standing: Standing) => `The order is ${standingText(standing)}.`,
  fixOf?: Parameters<typeof believes>[5],
): Pick<CheckDefinition, 'make'> => ({
  async make(run) {
    await run.useScenario(title, then)
    const paid = await run.payAndSettle()
    return believes(run, paid, accepts, await run.callbacks.waitForAll(paid), text, fixOf)
  },
})

const WRONG = {
  'If only the amount is not compared':
    'Deliver only if the amount equals that of the order. Flag the order if it differs.',
  'If only the currency is not compared':
    'Deliver only if the currency equals that of the order. Flag the order if it differs.',
  'If only the status is not compared':
    'Deliver only if the status is success. Others, such as queued, change nothing.',
  'If only the reference is not compared':
    'Deliver only if the reference equals that of the response to your payment request, and flag the order otherwise. If the callback comes before the response, query the status first.',
} as const
const KINDS: readonly (readonly [RegExp, keyof typeof WRONG])[] = [
  [/amount|shilling/, 'If only the amount is not compared'],
  [/currency/, 'If only the currency is not compared'],
  [/queued/, 'If only the status is not compared'],
  [/./, 'If only the reference is not compared'],
]

const NO_ANSWER = {
  'If the receiver does not respond, or responds with 500 or above':
    'Check that the order exists before you read it: the receiver probably crashes, and its log names the line. Respond with 200 (or 404) to unknown references.',
}

export const receiverEffects = sharing({ feature: 'collect', needs: NEEDS, docs: 'delivery.md#faults' })({
  'RCV-10': {
    title: 'Processes a repeated callback once',
    tried: 'The callback of a payment is sent twice in sequence, with the same id.',
    expected: 'Both get a response from 200 to 299, and the order is delivered once.',
    impact:
      'Every sender of callbacks sends some of them twice. An order delivered twice is given away once.',
    fix: 'Store the id of the callback (webhook-id) under a unique key, in the transaction that books its effect; respond with 200 if it is already stored.',
    needs: COUNTS,
    make: repeated,
  },
  'RCV-11': {
    title: 'Processes ten simultaneous copies once',
    tried: 'Ten copies of a payment’s callback are sent simultaneously.',
    expected: 'The order is delivered once, and no copy gets a response of 500 or above.',
    impact:
      'If the shop first checks whether a callback is booked and then books it, two simultaneous requests both pass the check.',
    fix: 'Let the database decide: a unique key for the callback’s id, or an update with the state in its condition. Checking first is not enough.',
    needs: COUNTS,
    async make(run) {
      const paid = await run.succeededPayment()
      run.evidence.step('Ten copies of the callback are sent simultaneously.')
      let sent = await run.callbacks.send(paid, 'copy', { copies: 10 })
      // A receiver that is busy with other checks may postpone all of them.
      for (let n = 0; n < 5 && sent.exchanges.every((each) => retryAfter(each) !== undefined); n++) {
        await pause(Math.max(...sent.exchanges.map((each) => retryAfter(each)!)))
        sent = await run.callbacks.send(paid, 'copy', { copies: 10 })
      }
      const standing = await run.standing(paid, isPaidOnce)
      const seen = `The order is ${standingText(standing)}, after ${sent.exchanges.length} simultaneous copies.`
      const fell = sent.exchanges.filter(({ response: answer }) => (answer?.status ?? 500) >= 500)
      if (!isPaidOnce(standing))
        return ((standing.fulfilled ?? 1) > 1 ? fail : unsure)(seen, ...sent.exchanges)
      if (fell.length > 0)
        return fail(`${seen} ${fell.length} responses were 500 or above, or missing.`, ...fell)
      return pass(seen, ...sent.exchanges)
    },
  },
  'RCV-12': {
    version: 2,
    mandatoryWith: 'restart',
    title: 'Recognizes a copy a day later, and after a restart',
    tried:
      'The callback of a payment is sent twice, again after 24 hours on the sandbox’s clock, and once more after a restart of the shop (if the profile describes how).',
    expected: 'Each gets a response from 200 to 299, and the order is delivered once.',
    impact:
      'Retries continue for days. A record in memory, or one that expires after an hour, does not prevent a second booking.',
    fix: 'Store processed callbacks with the orders, in the database and without expiry.',
    time: 'alone',
    needs: COUNTS,
    async make(run) {
      const paid = await run.succeededPayment()
      const first = await run.callbacks.send(paid, 'first')
      const sent = [first, await run.callbacks.again(first, 'at once')]
      const before = await once(run, paid, sent)
      if (before.verdict !== 'pass')
        return unsure(
          `An immediate copy already failed, which RCV-10 checks. ${before.observed}`,
          ...(before.decided ?? []),
        )
      run.evidence.step('24 hours pass on the sandbox’s clock; it is resent.')
      await run.world.clock.advance('24h')
      sent.push(await run.callbacks.again(first, 'a day later'))
      if (run.profile.restart) {
        run.evidence.step('The shop is restarted; it is resent.')
        await run.perform(run.profile.restart, 'restart')
        await run.waitForShop(paid)
        sent.push(await run.callbacks.again(first, 'after a restart'))
      }
      const finding = await once(run, paid, sent)
      if (run.profile.restart || finding.verdict !== 'pass') return finding
      return {
        ...finding,
        observed: `${finding.observed} Restarting was not checked: the profile does not describe it.`,
      }
    },
  },
  'RCV-13': {
    feature: 'reversals',
    title: 'Ends in the later state when callbacks arrive out of order',
    tried: 'A payment succeeds and is reversed; the callback of the reversal arrives first.',
    expected: 'The order is not paid in the end: its value is taken back, or it is flagged.',
    impact:
      'Networks do not preserve order. A shop that trusts the last callback gives away goods for a reversed payment.',
    fix: 'Never let success overwrite a reversal.',
    docs: 'delivery.md#order',
    ...settledPayment(
      'A payment succeeds and is reversed; the callback of the reversal is sent first.',
      {
        settle: { status: 'success' },
        later: [{ after: '10m', status: 'reversed' }],
        callback: 'out-of-order',
      },
      isTakenBack,
      (standing) =>
        `Finally, the order is ${standingText(standing)}.${standing.state === 'open' ? ' The reversal left no trace.' : ''}`,
    ),
  },
  'RCV-14': {
    title: 'Accepts a callback that precedes the response',
    tried: 'The callback of a payment is sent before the response to the payment request.',
    expected: 'The order is paid and delivered once.',
    impact:
      'This happens with fast rails. An order saved after the response does not exist yet, and its callback is lost.',
    fix: 'Save the order with your own reference before you request the payment, and find it by that reference. A single-threaded server cannot accept the callback while it waits for the response.',
    ...settledPayment(
      'The callback of a payment is sent before the response to its request.',
      { callback: { first: true, retry: { profile: 'sandbox' } } },
      isPaidOnce,
    ),
  },
  'RCV-15': {
    title: 'Accepts a success after a failure',
    tried: 'A payment fails, its callback is sent, and ten minutes later the payment succeeds.',
    expected: 'The order is paid and delivered once, or flagged for review.',
    impact: 'The money has arrived. A shop that treats a failure as final keeps it and delivers nothing.',
    fix: 'Let a success follow a failure: deliver, or flag the order if it can no longer be delivered.',
    docs: 'outcomes.md#test-numbers',
    mend: DELIVERED_UNPAID,
    ...settledPayment(
      'A payment fails, and succeeds ten minutes later.',
      {
        settle: { after: '60s', status: 'failed', reason: 'expired' },
        later: [{ after: '10m', status: 'success' }],
      },
      isPaidOrFlagged,
      (standing) =>
        `After the callbacks of the failure and then of the success, the order is ${standingText(standing)}.`,
      ({ fulfilled = 0 }) => fulfilled > 1 && theOnly(DELIVERED_UNPAID),
    ),
  },
  'RCV-16': {
    feature: 'reversals',
    version: 2,
    title: 'Takes the value back when a payment is reversed',
    tried: 'A payment succeeds, its callback is sent, and ten minutes later the payment is reversed.',
    expected: 'The order is no longer paid: its value is taken back, or it is flagged.',
    impact: 'The money is gone again. A shop that ignores the second callback has given the goods away.',
    fix: 'Handle the status reversed: withdraw the goods if possible, or flag the order.',
    docs: 'glossary.md#moving-money',
    mend: DELIVERED_UNPAID,
    make: (run) => reversed(run, '10m', 'A payment succeeds, and is reversed ten minutes later.'),
  },
  'RCV-17': {
    version: 2,
    title: 'Delivers nothing for a wrong amount, currency or account',
    tried:
      'Each order gets a correctly signed callback with wrong details: an amount of 1, half the amount, one less; another currency; a status that is not final; and, if the shop queries statuses, the reference of a foreign payment and of a payout.',
    expected: 'No order is paid or delivered.',
    impact:
      'Otherwise one shilling buys goods for a thousand, and a payment to another Team with the same order number pays for yours. A signature proves the sender, not that the callback fits the order.',
    fix: 'Before you deliver, compare amount and currency with the order, and the reference with the response to your request (or query the status); flag differences.',
    docs: 'go-live.md#check-the-content',
    mend: { ...DELIVERED_UNPAID, ...WRONG },
    async make(run) {
      const wrong: [string, Standing][] = []
      const exchanges = []
      const ways = waysFor(run.profile)
      // Placing all orders first ensures that the shop has the answer to each before its callback.
      const orders = [await run.pendingPayment()]
      while (orders.length < ways.length) orders.push(await run.orders.pay())
      for (const [n, [what, otherwise]] of ways.entries()) {
        const paid = orders[n]!
        run.evidence.step(`A correctly signed success callback reports ${what}.`)
        const set = { ...SUCCESS, ...otherwise(paid) }
        exchanges.push((await run.callbacks.send(paid, what, { set })).exchange)
      }
      for (const [n, [what]] of ways.entries()) {
        const standing = await run.standing(orders[n]!)
        if (!isUnpaid(standing)) wrong.push([what, standing])
      }
      if (wrong.length > 0) {
        const seen = casesText(wrong.map(([what, standing]) => [what, standingText(standing)]))
        const found = fail(`The shop accepted a wrong callback as payment: ${seen}.`, ...exchanges)
        if (wrong.every(([, standing]) => isDeliveredUnpaid(standing)))
          return mended(found, theOnly(DELIVERED_UNPAID))
        const kinds = new Set(wrong.map(([what]) => KINDS.find(([pattern]) => pattern.test(what))![1]))
        return mended(found, kinds.size === 1 && WRONG[[...kinds][0]!])
      }
      const faults = ways.map(([what]) => what).join(' or ')
      return pass(`No order was paid or delivered for ${faults}.`, ...exchanges)
    },
  },
  'RCV-18': {
    level: 'recommended',
    title: 'Delivers or flags an overpaid order',
    tried: 'A correctly signed callback reports an amount above the order’s.',
    expected: 'The order is delivered once, or flagged for review.',
    impact: 'The customer has paid more than enough, gets nothing, and has to call.',
    fix: 'Treat an overpaid order as paid and record the difference for repayment, or flag the order.',
    docs: 'go-live.md#check-the-content',
    async make(run) {
      const paid = await run.succeededPayment()
      run.evidence.step('A correctly signed success callback reports twice the amount.')
      const sent = await run.callbacks.send(paid, 'twice the amount', { set: { amount: paid.amount * 2 } })
      return believes(run, paid, isPaidOrFlagged, [sent.exchange])
    },
  },
  'RCV-19': {
    version: 2,
    title: 'Survives a callback for an unknown order',
    tried: 'A correctly signed callback contains a reference that the shop never created.',
    expected: 'The response is below 500, no order changes, and no order appears.',
    impact:
      'Other systems share the account. A callback that causes an error is resent for days and may hide those that matter.',
    fix: 'Respond with 200 (or 404) to unknown references, and log them. Never create an order from a callback.',
    docs: 'go-live.md#check-the-content',
    needs: [],
    probe: true,
    mend: NO_ANSWER,
    async make(run) {
      const paid = await run.pendingPayment()
      const invented = `nobody-${paid.order}`
      const unknown = {
        ...SUCCESS,
        external_reference: invented,
        reference: 'UNKNOWN00000.iI',
        provider_reference: 'UNKNOWN000',
      }
      run.evidence.step('A correctly signed callback contains the reference of an unknown payment.')
      const sent = await run.callbacks.send(paid, 'for an unknown order', { set: unknown })
      const seen = `The receiver ${answerText(sent)}.`
      if ((sent.status ?? 500) >= 500)
        return mended(fail(`${seen} It probably crashed.`, sent.exchange), theOnly(NO_ANSWER))
      if (!run.look || !run.profile.trigger)
        return pass(`${seen} Its effect on orders was not visible.`, sent.exchange)
      const [standing, created] = [await run.standing(paid), await run.standing({ order: invented })]
      if (!isUnpaid(created))
        return fail(`${seen} But the unknown order is ${standingText(created)}.`, sent.exchange)
      if (isUnpaid(standing)) return pass(`${seen} No order changed or appeared.`, sent.exchange)
      return fail(`${seen} But an unrelated order is ${standingText(standing)}.`, sent.exchange)
    },
  },
})

type Otherwise = (paid: PaidOrder) => NonNullable<CallbackVariant['set']>

const OTHERWISE: Readonly<Record<string, Otherwise>> = {
  'an amount of 1': () => ({ amount: 1 }),
  'half the amount': ({ amount }) => ({ amount: Math.floor(amount / 2) }),
  'one shilling less': ({ amount }) => ({ amount: amount - 1 }),
  'another currency': () => ({ currency: 'UGX' }),
  'a payment that is still queued': () => ({ status: 'queued', message: 'Request in progress.' }),
}
/** For shops that know the service’s references, and can compare them. Only the reference identifies the account. */
const ELSEWHERE: Readonly<Record<string, Otherwise>> = {
  'a payment into another account': () => ({
    reference: 'ELSEWHERE000.iI',
    provider_reference: 'ELSEWHERE0',
  }),
  'the result of a payout': () => ({ reference: 'PAIDOUT00000.iI', transaction_type: 'outbound_payment' }),
}
const waysFor = ({ features }: Profile) => [
  ...Object.entries(OTHERWISE),
  ...(features.includes('status-queries') ? Object.entries(ELSEWHERE) : []),
]
