import type { CallbackVariant } from '../callbacks.ts'
import { type Standing, standingText } from '../probe.ts'
import type { Then } from '../check-run.ts'
import { type ActiveCheck, type Checks, fail, pass, unsure } from './check.ts'
import {
  answerText,
  pendingPayment,
  isPaidOnce,
  isPaidOrFlagged,
  isUnpaid,
  once,
  SUCCESS,
  succeededPayment,
} from './steps.ts'

const DOCS = 'delivery.md#faults'
const counted = { level: 'mandatory', how: 'made', probe: true } as const
const NEEDS = ['trigger', 'probe'] as const
const COUNTS = ['trigger', 'probe', 'counts'] as const

/** Whether the shop took the value back or flagged the order. */
const isTakenBack = ({ state, fulfilled }: Standing) =>
  state !== 'paid' && state !== 'open' && (state !== 'unknown' || fulfilled !== undefined)

interface SettledPayment {
  readonly title: string
  readonly then: Then
  readonly accepts: (standing: Standing) => boolean
  readonly text: (standing: Standing) => string
}

/** Takes a payment that goes as `then` decides, and judges the order after the last callback. */
const settledPayment = ({ title, then, accepts, text }: SettledPayment): ActiveCheck => ({
  time: 'frozen',
  needs: NEEDS,
  async make(run) {
    await run.useScenario(title, then)
    const paid = await run.payAndSettle()
    await run.callbacks.waitForAll(paid)
    const standing = await run.standing(paid, accepts)
    return accepts(standing) ? pass(text(standing)) : fail(text(standing))
  },
})

export const receiverEffects = {
  'RCV-10': {
    ...counted,
    title: 'Counts the same callback once when it comes twice',
    tried: 'The callback of a payment is sent twice, one after the other, with the same id.',
    expected: 'Both are answered from 200 to 299, and the order is delivered once.',
    why: 'Every sender of callbacks sends some of them twice. What is delivered twice is given away.',
    mend: 'Keep the id of the callback (webhook-id) under a unique key, in the transaction that books its effect; answer 200 to one that is there already.',
    docs: DOCS,
    fault: 'An order may be delivered twice: a callback that comes twice is not counted once.',
    time: 'frozen',
    needs: COUNTS,
    async make(run) {
      const paid = await succeededPayment(run)
      run.evidence.step('The callback is sent.')
      const first = await run.callbacks.send(paid, 'first')
      run.evidence.step('It is sent again, with the same id.')
      return once(run, paid, [first, await run.callbacks.again(first, 'copy')])
    },
  },
  'RCV-11': {
    ...counted,
    title: 'Counts ten copies at one moment once',
    tried: 'Ten copies of the callback of a payment leave at one moment.',
    expected: 'The order is delivered once, and no copy is answered with 500 or above.',
    why: 'To look whether it was booked, and then to book it, lets two requests through that look at the same time.',
    mend: 'Let the database decide: a unique key of the callback’s id, or an update with the state in its condition. Looking first is not enough.',
    docs: DOCS,
    fault: 'An order may be delivered many times: copies of its callback are not counted once.',
    time: 'frozen',
    needs: COUNTS,
    async make(run) {
      const paid = await succeededPayment(run)
      run.evidence.step('Ten copies of the callback leave at one moment.')
      const sent = await run.callbacks.send(paid, 'copy', { copies: 10 })
      const standing = await run.standing(paid, isPaidOnce)
      const seen = `The order is ${standingText(standing)}, after ${sent.exchanges.length} copies at one moment.`
      const fell = sent.exchanges.filter(({ answer }) => (answer?.status ?? 500) >= 500)
      if ((standing.fulfilled ?? 1) > 1) return fail(seen, ...sent.exchanges)
      if (!isPaidOnce(standing)) return unsure(seen, ...sent.exchanges)
      if (fell.length > 0)
        return fail(`${seen} ${fell.length} of them were answered 500 or above, or not at all.`, ...fell)
      return pass(seen, ...sent.exchanges)
    },
  },
  'RCV-12': {
    ...counted,
    level: 'recommended',
    title: 'Knows a copy a day later, and after a restart',
    tried:
      'The callback of a payment is sent twice, again after 24 hours of the sandbox’s clock, and once more after the shop was restarted (where the profile says how).',
    expected: 'Each is answered from 200 to 299, and the order is delivered once.',
    why: 'Retries go on for days. What is remembered in memory, or for an hour, is booked again after a deployment.',
    mend: 'Keep what was booked with the orders, in the database and without an end.',
    docs: DOCS,
    time: 'alone',
    needs: COUNTS,
    async make(run) {
      const paid = await succeededPayment(run)
      const first = await run.callbacks.send(paid, 'first')
      const sent = [first, await run.callbacks.again(first, 'at once')]
      const before = await once(run, paid, sent)
      if (before.verdict !== 'pass')
        return unsure(
          `A copy that came at once was not right already, which is for RCV-10. ${before.seen}`,
          ...(before.decided ?? []),
        )
      run.evidence.step('24 hours pass on the sandbox’s clock; it is sent again.')
      await run.world.clock.advance('24h')
      sent.push(await run.callbacks.again(first, 'a day later'))
      if (run.profile.restart) {
        run.evidence.step('The shop is restarted; it is sent again.')
        await run.perform(run.profile.restart, 'restart')
        await run.waitForShop(paid)
        sent.push(await run.callbacks.again(first, 'after a restart'))
      }
      const finding = await once(run, paid, sent)
      if (run.profile.restart || finding.verdict !== 'pass') return finding
      return { ...finding, seen: `${finding.seen} A restart was not tried: the profile has none.` }
    },
  },
  'RCV-13': {
    ...counted,
    feature: 'reversals',
    title: 'Ends at the later state when callbacks overtake one another',
    tried: 'A payment succeeds and is reversed; the reversal is told before the success.',
    expected: 'The order is not paid in the end: the value is taken back, or the order is flagged.',
    why: 'Networks keep no order. Whoever believes what came last gives away what was taken back.',
    mend: 'Never let success overwrite a reversal. When a callback does not fit the order’s state, look the transaction up and believe that.',
    docs: 'delivery.md#order',
    fault: 'An order may stay paid although its payment was taken back.',
    ...settledPayment({
      title: 'A payment succeeds and is reversed; the reversal is told before the success.',
      then: {
        settle: { status: 'success' },
        later: [{ after: '10m', status: 'reversed' }],
        callback: 'out-of-order',
      },
      accepts: isTakenBack,
      text: (standing) =>
        `In the end the order is ${standingText(standing)}.${standing.state === 'open' ? ' The reversal left no trace.' : ''}`,
    }),
  },
  'RCV-14': {
    ...counted,
    title: 'Takes a callback that comes before the answer',
    tried: 'The callback of a payment is sent before the request that made the payment is answered.',
    expected: 'The order is paid and delivered once.',
    why: 'Fast rails do that. An order that is saved only after the answer does not exist yet, and its callback is lost.',
    mend: 'Save the order with your own reference before you ask for the payment, and find it by that reference. A server that does one thing at a time cannot take it while it waits for its own answer.',
    docs: DOCS,
    fault: 'Fast payments get lost: their callback comes before the answer.',
    ...settledPayment({
      title: 'The callback of a payment is sent before its request is answered.',
      then: { callback: { first: true, retry: { profile: 'sandbox' } } },
      accepts: isPaidOnce,
      text: (standing) => `The order is ${standingText(standing)}.`,
    }),
  },
  'RCV-15': {
    ...counted,
    title: 'Takes a success that comes after a failure',
    tried: 'A payment fails, its callback is sent, and ten minutes later it succeeds after all.',
    expected: 'The order is paid and delivered once, or flagged for somebody to look at.',
    why: 'The money has arrived. A shop that takes failed for final keeps it and delivers nothing.',
    mend: 'Let a success follow a failure: deliver, or flag the order when it can no longer be delivered.',
    docs: 'outcomes.md#magic-numbers',
    fault: 'A payment that succeeds late is not booked.',
    ...settledPayment({
      title: 'A payment fails, and succeeds after all ten minutes later.',
      then: {
        settle: { after: '60s', status: 'failed', reason: 'expired' },
        later: [{ after: '10m', status: 'success' }],
      },
      accepts: isPaidOrFlagged,
      text: (standing) => `In the end the order is ${standingText(standing)}.`,
    }),
  },
  'RCV-16': {
    ...counted,
    feature: 'reversals',
    title: 'Takes the value back when a payment is reversed',
    tried: 'A payment succeeds, its callback is sent, and ten minutes later it is reversed.',
    expected: 'The order is not paid any more: its value is taken back, or it is flagged.',
    why: 'The money is gone again. Whoever ignores the second callback has given the goods away.',
    mend: 'Handle status reversed: withdraw what can be withdrawn, and flag the order where it cannot.',
    docs: 'glossary.md#moving-money',
    fault: 'An order stays paid although its payment was reversed.',
    time: 'frozen',
    needs: NEEDS,
    async make(run) {
      await run.useScenario('A payment succeeds, and is reversed ten minutes later.', {
        settle: { status: 'success' },
        later: [{ after: '10m', status: 'reversed' }],
      })
      const paid = await run.orders.pay()
      await run.settle('1m')
      const before = await run.standing(paid, isPaidOnce)
      await run.settle()
      await run.callbacks.waitForAll(paid)
      const standing = await run.standing(paid, isTakenBack)
      const seen = `After the success the order was ${standingText(before)}, after the reversal it is ${standingText(standing)}.`
      if (before.state !== 'paid') return unsure(seen)
      return isTakenBack(standing) ? pass(seen) : fail(seen)
    },
  },
  'RCV-17': {
    ...counted,
    title: 'Gives nothing for too little, another currency or another account',
    tried:
      'Orders each get a callback that is rightly signed: with an amount of 1; in another currency; and, of shops with look-ups, of a payment that is not the one that they made.',
    expected: 'None of the orders is paid or delivered.',
    why: 'Who pays one shilling gets what costs a thousand; money for another Team with an order of the same number pays for yours. A signature says who sent it, not that it fits the order.',
    mend: 'Compare amount and currency with the order, and reference with the one that your request was answered with (or look it up), before anything is delivered; flag what differs.',
    docs: 'go-live.md#check-the-content',
    fault: 'Goods are given for too little money, or for another currency.',
    time: 'frozen',
    needs: NEEDS,
    async make(run) {
      const wrong: string[] = []
      const exchanges = []
      // A shop without look-ups does not know the service’s references and cannot compare them.
      const compares = run.profile.features.includes('look-ups')
      const ways = Object.entries(OTHERWISE).filter(
        ([, { reference }]) => compares || reference === undefined,
      )
      // Placing all orders first ensures that the shop has the answer to each before its callback.
      const orders = [await pendingPayment(run)]
      while (orders.length < ways.length) orders.push(await run.orders.pay())
      for (const [n, [what, set]] of ways.entries()) {
        const paid = orders[n]!
        run.evidence.step(`A callback of success, rightly signed, tells of ${what}.`)
        const { exchange } = await run.callbacks.send(paid, what, { set: { ...SUCCESS, ...set } })
        exchanges.push(exchange)
        const standing = await run.standing(paid)
        if (!isUnpaid(standing)) wrong.push(`for ${what} the order is ${standingText(standing)}`)
      }
      if (wrong.length > 0)
        return fail(`A callback that does not fit was taken for payment: ${wrong.join('; ')}.`, ...exchanges)
      const told = ways.map(([what]) => what).join(' or ')
      return pass(`No order was paid or delivered for ${told}.`, ...exchanges)
    },
  },
  'RCV-18': {
    ...counted,
    level: 'recommended',
    title: 'Delivers what was overpaid, or flags it',
    tried: 'A callback, rightly signed, tells of an amount above the order’s.',
    expected: 'The order is delivered once, or flagged for somebody to look at.',
    why: 'The customer has paid, and more than asked; nothing happens, and nobody notices until the customer calls.',
    mend: 'Treat more than was asked as paid, and keep the difference to be paid back; or flag the order.',
    docs: 'go-live.md#check-the-content',
    time: 'frozen',
    needs: NEEDS,
    async make(run) {
      const paid = await succeededPayment(run)
      run.evidence.step('A callback of success, rightly signed, tells of twice the amount.')
      const sent = await run.callbacks.send(paid, 'twice the amount', { set: { amount: paid.amount * 2 } })
      const standing = await run.standing(paid, isPaidOrFlagged)
      const seen = `The order is ${standingText(standing)}.`
      return isPaidOrFlagged(standing) ? pass(seen, sent.exchange) : fail(seen, sent.exchange)
    },
  },
  'RCV-19': {
    ...counted,
    title: 'Survives a callback for an order that it does not know',
    tried: 'A callback, rightly signed, names a reference that the shop never made.',
    expected: 'It is answered below 500, and no order changes.',
    why: 'Other systems share the account. What throws is sent again for days, and may hide those that matter.',
    mend: 'Answer 200 (or 404) to what is not yours, and log it. Never make an order of it.',
    docs: 'go-live.md#check-the-content',
    fault: 'A callback for an unknown order is not borne.',
    time: 'frozen',
    async make(run) {
      const paid = await pendingPayment(run)
      const nobody = {
        ...SUCCESS,
        external_reference: `nobody-${paid.order}`,
        reference: 'NOBODY000000.iI',
        provider_reference: 'NOBODY0000',
      }
      run.evidence.step('A callback, rightly signed, names a payment that never was.')
      const sent = await run.callbacks.send(paid, 'of nobody', { set: nobody })
      const seen = `The receiver ${answerText(sent)}.`
      if ((sent.status ?? 500) >= 500) return fail(seen, sent.exchange)
      if (!run.look || !run.profile.trigger)
        return pass(`${seen} What it did to orders was not seen.`, sent.exchange)
      const standing = await run.standing(paid)
      if (isUnpaid(standing)) return pass(`${seen} No order changed.`, sent.exchange)
      return fail(`${seen} And the order that was not named is ${standingText(standing)}.`, sent.exchange)
    },
  },
} as const satisfies Checks

/** Fields of a correctly signed callback that differ from the request. */
const OTHERWISE: Readonly<Record<string, NonNullable<CallbackVariant['set']>>> = {
  'an amount of 1': { amount: 1 },
  'another currency': { currency: 'UGX' },
  // Only the reference identifies the account of a payment.
  'a payment into another account': { reference: 'ELSEWHERE000.iI', provider_reference: 'ELSEWHERE0' },
}
