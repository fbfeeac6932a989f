import type { Standing } from '../probe.ts'
import { standingText } from '../probe.ts'
import type { SentCallback } from '../callbacks.ts'
import type { PaidOrder } from '../orders.ts'
import type { Stage } from '../stage.ts'
import { untold } from './receiver-signatures.ts'
import { answerText, fail, type Finding, isTaken, type ActiveCheck, pass, unsure } from './try.ts'

const NEEDS = ['trigger', 'probe'] as const
const COUNTS = ['trigger', 'probe', 'counts'] as const

/** Paid, and delivered once where that is counted. */
export const isPaidOnce = ({ state, fulfilled = 1 }: Standing) => state === 'paid' && fulfilled === 1
/** Nothing of value was handed out. */
export const isUnpaid = ({ state, fulfilled = 0 }: Standing) => state !== 'paid' && fulfilled === 0
/** Somebody is to look at it. */
export const isFlagged = ({ state }: Standing) => state === 'flagged'
/** Paid no more, or to be looked at. */
const isTakenBack = ({ state, fulfilled }: Standing) =>
  state !== 'paid' && state !== 'open' && (state !== 'unknown' || fulfilled !== undefined)

export async function once(stage: Stage, paid: PaidOrder, sent: readonly SentCallback[]): Promise<Finding> {
  const exchanges = sent.flatMap((each) => each.exchanges)
  const standing = await stage.believes(paid, isPaidOnce)
  const seen = `The order is ${standingText(standing)}.`
  if ((standing.fulfilled ?? 1) > 1) return fail(seen, ...exchanges)
  if (!isPaidOnce(standing)) return unsure(`${seen} It should have been paid by the first.`, ...exchanges)
  const refused = sent.find((each) => !isTaken(each))
  if (refused && !isTaken(await stage.callbacks.send(await untold(stage), 'twin')))
    return unsure(`${seen} But the receiver takes no callback at all.`, ...exchanges)
  if (refused)
    return fail(
      `${seen} But to one of the copies the receiver ${answerText(refused)}, so that it would be sent again.`,
      ...exchanges,
    )
  return pass(seen, ...exchanges)
}

const twice: ActiveCheck = {
  time: 'frozen',
  needs: COUNTS,
  async make(stage) {
    const paid = await untold(stage)
    stage.notes.did('The callback is sent.')
    const first = await stage.callbacks.send(paid, 'first')
    stage.notes.did('It is sent again, with the same id.')
    return once(stage, paid, [first, await stage.callbacks.again(first, 'copy')])
  },
}

const atOnce: ActiveCheck = {
  time: 'frozen',
  needs: COUNTS,
  async make(stage) {
    const paid = await untold(stage)
    stage.notes.did('Ten copies of the callback leave at one moment.')
    const sent = await stage.callbacks.send(paid, 'copy', { copies: 10 })
    const standing = await stage.believes(paid, isPaidOnce)
    const seen = `The order is ${standingText(standing)}, after ${sent.exchanges.length} copies at one moment.`
    const fell = sent.exchanges.filter(({ answer }) => (answer?.status ?? 500) >= 500)
    if ((standing.fulfilled ?? 1) > 1) return fail(seen, ...sent.exchanges)
    if (!isPaidOnce(standing)) return unsure(seen, ...sent.exchanges)
    if (fell.length > 0)
      return fail(`${seen} ${fell.length} of them were answered 500 or above, or not at all.`, ...fell)
    return pass(seen, ...sent.exchanges)
  },
}

const dayLater: ActiveCheck = {
  time: 'alone',
  needs: COUNTS,
  async make(stage) {
    const paid = await untold(stage)
    const first = await stage.callbacks.send(paid, 'first')
    const sent = [first, await stage.callbacks.again(first, 'at once')]
    const before = await once(stage, paid, sent)
    if (before.verdict !== 'pass')
      return unsure(
        `A copy that came at once was not right already, which is for RCV-10. ${before.seen}`,
        ...(before.decided ?? []),
      )
    stage.notes.did('24 hours pass on the sandbox’s clock; it is sent again.')
    await stage.world.clock.advance('24h')
    sent.push(await stage.callbacks.again(first, 'a day later'))
    if (stage.profile.restart) {
      stage.notes.did('The shop is restarted; it is sent again.')
      await restarted(stage, paid)
      sent.push(await stage.callbacks.again(first, 'after a restart'))
    }
    const finding = await once(stage, paid, sent)
    if (stage.profile.restart || finding.verdict !== 'pass') return finding
    return { ...finding, seen: `${finding.seen} A restart was not tried: the profile has none.` }
  },
}

/** Restarts the shop, and waits until it answers. */
async function restarted(stage: Stage, paid: PaidOrder): Promise<void> {
  await stage.act(stage.profile.restart!, 'restart')
  await stage.awake(paid)
}

const overtaken: ActiveCheck = {
  time: 'frozen',
  needs: NEEDS,
  async make(stage) {
    await stage.meet('A payment succeeds and is reversed; the reversal is told before the success.', {
      settle: { status: 'success' },
      later: [{ after: '10m', status: 'reversed' }],
      callback: 'out-of-order',
    })
    const paid = await stage.settled()
    await stage.callbacks.told(paid)
    const standing = await stage.believes(paid, isTakenBack)
    const seen = `In the end the order is ${standingText(standing)}.`
    if (isTakenBack(standing)) return pass(seen)
    return fail(standing.state === 'open' ? `${seen} The reversal left no trace.` : seen)
  },
}

const beforeAnswer: ActiveCheck = {
  time: 'frozen',
  needs: NEEDS,
  async make(stage) {
    await stage.meet('The callback of a payment is sent before its request is answered.', {
      callback: { first: true, retry: { profile: 'sandbox' } },
    })
    const paid = await stage.settled()
    await stage.callbacks.told(paid)
    const standing = await stage.believes(paid, isPaidOnce)
    const seen = `The order is ${standingText(standing)}.`
    return isPaidOnce(standing) ? pass(seen) : fail(seen)
  },
}

const lateSuccess: ActiveCheck = {
  time: 'frozen',
  needs: NEEDS,
  async make(stage) {
    await stage.meet('A payment fails, and succeeds after all ten minutes later.', {
      settle: { after: '60s', status: 'failed', reason: 'expired' },
      later: [{ after: '10m', status: 'success' }],
    })
    const paid = await stage.settled()
    await stage.callbacks.told(paid)
    const standing = await stage.believes(paid, (each) => isPaidOnce(each) || isFlagged(each))
    const seen = `In the end the order is ${standingText(standing)}.`
    return isPaidOnce(standing) || isFlagged(standing) ? pass(seen) : fail(seen)
  },
}

const reversal: ActiveCheck = {
  time: 'frozen',
  needs: NEEDS,
  async make(stage) {
    await stage.meet('A payment succeeds, and is reversed ten minutes later.', {
      settle: { status: 'success' },
      later: [{ after: '10m', status: 'reversed' }],
    })
    const paid = await stage.orders.pay()
    await stage.settle('1m')
    const before = await stage.believes(paid, isPaidOnce)
    await stage.settle()
    await stage.callbacks.told(paid)
    const standing = await stage.believes(paid, isTakenBack)
    const seen = `After the success the order was ${standingText(before)}, after the reversal it is ${standingText(standing)}.`
    if (before.state !== 'paid') return unsure(seen)
    return isTakenBack(standing) ? pass(seen) : fail(seen)
  },
}

export const receiverEffects = {
  'RCV-10': twice,
  'RCV-11': atOnce,
  'RCV-12': dayLater,
  'RCV-13': overtaken,
  'RCV-14': beforeAnswer,
  'RCV-15': lateSuccess,
  'RCV-16': reversal,
} as const
