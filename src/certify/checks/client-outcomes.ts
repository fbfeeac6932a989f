import { pause, systemWall } from '../../lib/clock/clock.ts'
import { isPaidOnce, isUnpaid, standingText } from '../probe.ts'
import { ofRequest } from '../evidence.ts'
import { until } from '../waiting.ts'
import { type Checks, fail, notSeen, pass } from './check.ts'
import type { CheckRun } from '../check-run.ts'
import { failures } from './steps.ts'

const made = { level: 'mandatory', mode: 'active', probe: false, feature: 'collect' } as const
const counted = { ...made, probe: true } as const
const PROBE = ['trigger', 'probe'] as const
const COUNTS = ['trigger', 'probe', 'counts'] as const

export const clientOutcomes = {
  'CLI-6': {
    ...counted,
    feature: 'status-queries',
    version: 2,
    title: 'Queries the status when no callback arrives',
    tried: 'A payment succeeds and its callback is not sent; later it arrives after all.',
    expected:
      'The order is paid within client.finds_out of the profile, 10 seconds by default, and delivered once in the end.',
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
      const lookUps = await lookUpsOf(run)
      const seen = `Without a callback, the order is ${standingText(standing)}`
      if (!isPaidOnce(standing)) return fail(`${seen} after ${finds_out} ms.`, ...lookUps)
      run.evidence.step('The callback arrives after all.')
      const { exchange } = await run.callbacks.send(paid, 'late')
      const after = await run.standing(paid, isPaidOnce)
      const both = `${seen}; after the late callback it is ${standingText(after)}.`
      if (isPaidOnce(after)) return pass(both, ...lookUps, exchange)
      return { ...fail(both, ...lookUps, exchange), fix: ONE_WAY }
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
      return failures(run, REASONS)
    },
  },
  'CLI-11': {
    ...counted,
    version: 2,
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
      const { patience, finds_out } = run.profile.client
      await pause(patience)
      // A status query may mislead the shop, too.
      if (run.profile.features.includes('status-queries'))
        await until(finds_out, async () => (await lookUpsOf(run))[0])
      const standing = await run.standing(paid)
      const seen = `After ${patience} ms, the order is ${standingText(standing)}.`
      const isOpen = standing.state === 'open' || standing.state === 'flagged' || standing.state === 'unknown'
      const requests = (await run.requests.tries(paid)).map((each) => ofRequest(each, 'payment'))
      if (isOpen && isUnpaid(standing)) return pass(seen, ...requests)
      const found = fail(seen, ...requests)
      return isUnpaid(standing) ? found : { ...found, fix: QUEUED_IS_NOT_PAID }
    },
  },
  'CLI-13': {
    ...counted,
    version: 2,
    feature: 'status-queries',
    title: 'Keeps a success that a status query contradicts',
    tried:
      'After its first status query the shop gets a callback of success; later status queries report failure.',
    expected: 'The order stays paid, delivered once.',
    impact:
      'Systems can disagree for a while. Delivered goods cannot be taken back because of an outdated status.',
    fix: 'Let only a reversal undo a success. Flag contradictory results.',
    docs: 'outcomes.md#test-numbers',
    fault: 'An outdated status query undoes a delivered success.',
    time: 'real',
    needs: PROBE,
    async make(run) {
      const { finds_out, patience } = run.profile.client
      await run.useScenario('A payment stays pending, and status queries report failure once it is final.', {
        settle: { never: true },
        callback: { drop: true },
        statusQuery: { status: 'failed', reason: 'expired' },
      })
      const paid = await run.orders.pay()
      const began = systemWall()
      const first = await until(finds_out, async () => (await lookUpsOf(run))[0])
      if (!first)
        return notSeen(
          `The shop sent no status query within ${finds_out} ms, so none contradicts the callback.`,
        )
      await run.endPayment(paid)
      await run.callbacks.send(paid, 'good')
      // A shop that keeps querying does so about as often as before.
      await pause(Math.max(patience, (systemWall() - began) * 1.5))
      const standing = await run.standing(paid, isPaidOnce)
      const lookUps = await lookUpsOf(run)
      const seen = `The order is ${standingText(standing)}, after ${lookUps.length} status queries, of which those after the callback returned failed.`
      return isPaidOnce(standing) ? pass(seen, ...lookUps) : fail(seen, ...lookUps)
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
      const { exchange } = await run.callbacks.send(paid, 'good')
      const standing = await run.standing(paid, isPaidOnce)
      const seen = `The order was ${standingText(before)} before the callback and ${standingText(standing)} after it.`
      return isUnpaid(before) && isPaidOnce(standing) ? pass(seen, exchange) : fail(seen, exchange)
    },
  },
} as const satisfies Checks

/** Returns the status queries of the shop, newest last. */
const lookUpsOf = async (run: CheckRun) =>
  (await run.requests.all())
    .filter(({ operation }) => operation === 'getTransactionStatus')
    .slice(-6)
    .map((each) => ofRequest(each, 'status query'))

const ONE_WAY =
  'Let callbacks and status queries share the code that books a result, which changes the order only from the state open, in one transaction.'
const QUEUED_IS_NOT_PAID =
  'The response to a payment request confirms that it is queued, not that the customer has paid. Deliver only after a callback or status query with the status success.'

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
