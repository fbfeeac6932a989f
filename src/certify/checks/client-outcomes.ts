import type { PaidOrder } from '../orders.ts'
import { pause } from '../../lib/clock/clock.ts'
import { standingText } from '../probe.ts'
import { type Checks, fail, pass } from './check.ts'
import { isPaidOnce, isUnpaid } from './steps.ts'

const made = { level: 'mandatory', mode: 'active', probe: false } as const
const counted = { level: 'mandatory', mode: 'active', probe: true } as const
const PROBE = ['trigger', 'probe'] as const
const COUNTS = ['trigger', 'probe', 'counts'] as const

export const clientOutcomes = {
  'CLI-6': {
    ...counted,
    feature: 'status-queries',
    title: 'Queries the status when no callback arrives',
    tried: 'A payment succeeds and its callback is never sent.',
    expected: 'The order is paid within client.finds_out of the profile, 10 seconds by default.',
    impact: 'Callbacks get lost: a firewall, a deployment, a certificate. The customer has paid and waits.',
    fix: 'Run a scheduled job that queries the status of orders that have been open for too long.',
    docs: 'payments.md#look-at-the-result',
    fault: 'If a callback is lost, the shop never learns that the payment succeeded.',
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
      // Gives the shop time to continue its status queries, which CLI-15 judges.
      if (isPaidOnce(standing)) await pause(1_300)
      run.evidence.show((await run.requests.all()).slice(-6), 'request')
      const seen = `Without a callback, the order is ${standingText(standing)}`
      return isPaidOnce(standing) ? pass(`${seen}.`) : fail(`${seen} after ${finds_out} ms.`)
    },
  },
  'CLI-10': {
    ...counted,
    title: 'Treats every failure reason as a failure',
    tried: 'Payments fail, one for each failure reason.',
    expected: 'No order is paid or delivered, and each is marked as failed.',
    impact: 'If a reason is missing in the shop’s code, its order stays open forever or counts as paid.',
    fix: 'Decide by status; the reason is for people. Treat unknown reasons as failures, too.',
    docs: 'scenario-files.md#then',
    fault: 'For some failure reasons, the shop does not treat a failed payment as failed.',
    time: 'frozen',
    needs: PROBE,
    async make(run) {
      const wrong: string[] = []
      await run.useScenario(
        `Payments fail, each for a different reason: ${REASONS.join(', ')}.`,
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
          wrong.push(`for ${reason}, the order is ${standingText(standing)}`)
      }
      if (wrong.length === 0) return pass(`The shop treated each of ${REASONS.length} reasons as a failure.`)
      return fail(`The shop did not treat every reason as a failure: ${wrong.join('; ')}.`)
    },
  },
  'CLI-11': {
    ...counted,
    title: 'Leaves a stuck payment open',
    tried: 'A payment stays QUEUED and no callback is sent.',
    expected: 'The order is neither paid nor failed.',
    impact:
      'A cancelled order may still be paid, and then it is not delivered. An order marked as paid gives the goods away.',
    fix: 'Keep the order open, keep querying at growing intervals, and flag the order after a while.',
    docs: 'troubleshooting.md#it-stays-queued',
    fault: 'The shop marks a stuck payment as paid or failed.',
    time: 'real',
    needs: PROBE,
    async make(run) {
      await run.useScenario('A payment stays QUEUED, and no callback is sent.', { settle: { never: true } })
      const paid = await run.orders.pay()
      await pause(run.profile.client.patience)
      const standing = await run.standing(paid)
      const seen = `After ${run.profile.client.patience} ms, the order is ${standingText(standing)}.`
      const isOpen = standing.state === 'open' || standing.state === 'flagged' || standing.state === 'unknown'
      return isOpen && isUnpaid(standing) ? pass(seen) : fail(seen)
    },
  },
  'CLI-13': {
    ...counted,
    title: 'Keeps a success that a status query contradicts',
    tried: 'The callback reports success; status queries report failure.',
    expected: 'The order stays paid, delivered once.',
    impact:
      'Systems can disagree for a while. Delivered goods cannot be taken back because of an outdated status.',
    fix: 'Let only a reversal undo a success. Flag contradictory results.',
    docs: 'outcomes.md#test-numbers',
    fault: 'An outdated status query undoes a delivered success.',
    time: 'real',
    needs: PROBE,
    async make(run) {
      await run.useScenario('The callback of a payment reports success, status queries report failure.', {
        settle: { after: 0, status: 'success' },
        statusQuery: { status: 'failed', reason: 'expired' },
      })
      const paid = await run.orders.pay()
      await run.callbacks.waitForAll(paid)
      await pause(run.profile.client.patience)
      const standing = await run.standing(paid, isPaidOnce)
      const lookUps = (await run.requests.all()).filter(
        ({ operation }) => operation === 'getTransactionStatus',
      )
      run.evidence.show(lookUps, 'status query')
      const seen = `The order is ${standingText(standing)}, after ${lookUps.length} status queries that returned failed.`
      return isPaidOnce(standing) ? pass(seen) : fail(seen)
    },
  },
  'CLI-16': {
    ...made,
    level: 'recommended',
    title: 'Accepts unknown fields and statuses',
    tried: 'Responses contain undocumented fields and a new status.',
    expected: 'The order is paid by its callback, and not before.',
    impact: 'Services add fields and statuses without a new version. Strict clients then stop working.',
    fix: 'Ignore unknown fields, and treat an unknown status as not final.',
    docs: 'scenario-files.md#then',
    time: 'frozen',
    needs: COUNTS,
    async make(run) {
      await run.useScenario('The response has undocumented fields and a new status.', {
        response: { set: { status: 'ROUTING', risk: { score: 12 }, hints: ['new'] } },
        settle: { never: true },
        callback: { drop: true },
      })
      const paid = await run.orders.pay()
      const before = await run.standing(paid)
      await run.endPayment(paid)
      await run.callbacks.send(paid, 'good')
      const standing = await run.standing(paid, isPaidOnce)
      const seen = `The order was ${standingText(before)} before the callback and ${standingText(standing)} after it.`
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
