import type { PaidOrder } from '../orders.ts'
import { pause } from '../waiting.ts'
import { standingText } from '../probe.ts'
import { type Checks, fail, pass } from './check.ts'
import { isPaidOnce, isUnpaid } from './steps.ts'

const made = { level: 'mandatory', how: 'made', probe: false } as const
const counted = { level: 'mandatory', how: 'made', probe: true } as const
const PROBE = ['trigger', 'probe'] as const
const COUNTS = ['trigger', 'probe', 'counts'] as const

export const clientOutcomes = {
  'CLI-6': {
    ...counted,
    feature: 'look-ups',
    title: 'Finds out by look-up when no callback comes',
    tried: 'A payment succeeds and its callback is never sent.',
    expected: 'The order is paid within the profile’s client.finds_out, 10 seconds when it says nothing.',
    why: 'Callbacks get lost: a firewall, a deployment, a certificate. The customer has paid and waits.',
    mend: 'Ask the status of orders that have waited too long, by a job that runs without anybody asking.',
    docs: 'payments.md#look-at-the-result',
    fault: 'A payment whose callback is lost is not found out about.',
    time: 'real',
    needs: PROBE,
    async make(run) {
      const { finds_out } = run.profile.client
      await run.useScenario('A payment succeeds at once, and its callback is never sent.', {
        settle: { after: 0, status: 'success' },
        callback: { drop: true },
      })
      const paid = await run.orders.pay()
      const standing = await run.standing(paid, isPaidOnce, { hope: finds_out })
      // Gives the shop time to continue its look-ups, which CLI-15 judges.
      if (isPaidOnce(standing)) await pause(1_300)
      run.evidence.show((await run.requests.all()).slice(-6), 'request')
      const seen = `Without a callback the order is ${standingText(standing)}`
      return isPaidOnce(standing) ? pass(`${seen}.`) : fail(`${seen} after ${finds_out} ms.`)
    },
  },
  'CLI-10': {
    ...counted,
    title: 'Knows each reason of failure for a failure',
    tried: 'A payment fails for each reason that there is.',
    expected: 'No order is paid or delivered, and each is known to have failed.',
    why: 'A reason that is not in the shop’s list leaves its order open for ever, or passes for paid.',
    mend: 'Go by status; the reason is for people. Let a reason that you do not know be a failure too.',
    docs: 'scenario-files.md#then-for-what-follows',
    fault: 'A failed payment is not taken for failed, for some reasons of failure.',
    time: 'frozen',
    needs: PROBE,
    async make(run) {
      const wrong: string[] = []
      await run.useScenario(
        `Payments fail, each for another reason: ${REASONS.join(', ')}.`,
        ...REASONS.map((reason) => ({ settle: { status: 'failed', reason } }) as const),
      )
      const orders: PaidOrder[] = []
      for (const _ of REASONS) orders.push(await run.orders.pay())
      await run.settle()
      for (const [n, reason] of REASONS.entries()) {
        const paid = orders[n]!
        await run.callbacks.waitForAll(paid)
        const standing = await run.standing(paid, ({ state }) => state !== 'open')
        if (!isUnpaid(standing) || standing.state === 'open')
          wrong.push(`at ${reason} the order is ${standingText(standing)}`)
      }
      if (wrong.length === 0) return pass(`Each of ${REASONS.length} reasons was taken for a failure.`)
      return fail(`Not every reason was taken for a failure: ${wrong.join('; ')}.`)
    },
  },
  'CLI-11': {
    ...counted,
    title: 'Leaves a payment that is stuck open',
    tried: 'A payment stays QUEUED and nothing is ever told of it.',
    expected: 'The order is neither paid nor failed.',
    why: 'Cancelled, it may be paid yet and nobody delivers; paid, the goods are given away.',
    mend: 'Keep the order open, go on asking with growing gaps, and flag it to somebody after a time.',
    docs: 'troubleshooting.md#it-stays-queued',
    fault: 'A payment that is stuck is taken for paid or for failed.',
    time: 'real',
    needs: PROBE,
    async make(run) {
      await run.useScenario('A payment stays QUEUED, and nothing is told of it.', { settle: { never: true } })
      const paid = await run.orders.pay()
      await pause(run.profile.client.patience)
      const standing = await run.standing(paid)
      const seen = `After ${run.profile.client.patience} ms the order is ${standingText(standing)}.`
      const isOpen = standing.state === 'open' || standing.state === 'flagged' || standing.state === 'unknown'
      return isOpen && isUnpaid(standing) ? pass(seen) : fail(seen)
    },
  },
  'CLI-13': {
    ...counted,
    title: 'Keeps a success that a look-up contradicts',
    tried: 'The callback says success; look-ups say failed.',
    expected: 'The order stays paid, delivered once.',
    why: 'For a while systems disagree. What was delivered cannot be taken back because of a look-up that was behind.',
    mend: 'Let only a reversal undo a success. Flag what contradicts itself.',
    docs: 'outcomes.md#magic-numbers',
    fault: 'A success that was delivered is undone by an older look-up.',
    time: 'real',
    needs: PROBE,
    async make(run) {
      await run.useScenario('The callback of a payment says success, look-ups say failed.', {
        settle: { after: 0, status: 'success' },
        lookUp: { status: 'failed', reason: 'expired' },
      })
      const paid = await run.orders.pay()
      await run.callbacks.waitForAll(paid)
      await pause(run.profile.client.patience)
      const standing = await run.standing(paid, isPaidOnce)
      const lookUps = (await run.requests.all()).filter(
        ({ operation }) => operation === 'getTransactionStatus',
      )
      run.evidence.show(lookUps, 'look-up')
      const seen = `The order is ${standingText(standing)}, after ${lookUps.length} look-ups that said failed.`
      return isPaidOnce(standing) ? pass(seen) : fail(seen)
    },
  },
  'CLI-16': {
    ...made,
    level: 'recommended',
    title: 'Bears fields and statuses that it does not know',
    tried: 'Answers carry fields that no description has, and a status that is new.',
    expected: 'The order is paid by its callback all the same, and not before.',
    why: 'Services add fields and states without a new version. Strict readers stop working on that day.',
    mend: 'Ignore fields that you do not know; take a status that you do not know for not final.',
    docs: 'scenario-files.md#then-for-the-answer',
    time: 'frozen',
    needs: COUNTS,
    async make(run) {
      await run.useScenario('The answer has fields that no description has, and a status that is new.', {
        answer: { set: { status: 'ROUTING', risk: { score: 12 }, hints: ['new'] } },
        settle: { never: true },
        callback: { drop: true },
      })
      const paid = await run.orders.pay()
      const before = await run.standing(paid)
      await run.endPayment(paid)
      await run.callbacks.send(paid, 'good')
      const standing = await run.standing(paid, isPaidOnce)
      const seen = `Before the callback the order was ${standingText(before)}, after it ${standingText(standing)}.`
      return isUnpaid(before) && isPaidOnce(standing) ? pass(seen) : fail(seen)
    },
  },
} as const satisfies Checks

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
