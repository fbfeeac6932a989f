import type { Order } from '../orders.ts'
import { pause, systemWall } from '../../lib/clock/clock.ts'
import { isPaidOnce, isUnpaid, standingText } from '../probe.ts'
import { until } from '../waiting.ts'
import type { ShopRequest, WorldRecord } from '../world-record.ts'
import type { CheckRun, Then } from '../check-run.ts'
import type { Finding } from './check.ts'
import {
  DELIVERED_UNPAID,
  fail,
  isStatusQuery,
  mended,
  theOnly,
  notSeen,
  numbered,
  pass,
  passIf,
  sharing,
  times,
  unsure,
  worstOf,
} from './check.ts'
import {
  afterFaults,
  attempts,
  ERROR_AFTER,
  failures,
  IGNORES_FAILED,
  INTERNAL,
  LOST_RESPONSE,
  rejections,
} from './steps.ts'
import { ofRequest } from '../evidence.ts'

const TRIGGER = ['trigger'] as const
const PROBE = ['trigger', 'probe'] as const

const UNBOOKED = {
  'If the shop queries the status': 'Book the result of a status query with the code that books callbacks.',
}
const UNSELECTED = {
  'If the shop queries the status only after a lost response':
    'The status query works, so check that the job runs and that it selects open orders: log how many it selects. A job that selects by a state, an age or a rail that no order has reports no error.',
}
const ONE_WAY = {
  'If the order is delivered again by the late callback':
    'Deliver only when the order changes to paid. If a callback or a status query brings the state that the order already has, change nothing. Use the same code for both.',
}
const QUEUED = {
  'If the order is paid after a status query':
    'QUEUED means that the customer has not paid yet. Deliver only after a callback or status query with the status success.',
  'If the order is paid without a status query':
    'The response to a payment request confirms that it is queued, not that the customer has paid. Deliver only after a callback or status query with the status success.',
  'If the order is failed after a status query':
    'Mark the order as failed only after the status failed. Leave the order as it is after any other status, such as QUEUED.',
} as const

export const client = sharing({
  feature: 'collect',
  time: 'real',
  needs: PROBE,
  docs: 'outcomes.md#test-numbers',
})({
  'CLI-2': {
    title: 'Never pays twice after a lost response',
    tried: 'The sandbox accepts a payment and cuts the connection before responding.',
    expected: 'The shop queries the status or waits: there is one payment for the order.',
    impact: 'The customer is charged twice.',
    fix: 'After a lost response, query the status by your own reference. Send the payment again only if it is not found.',
    make: (run) => afterFaults(run, [LOST_RESPONSE]),
  },
  'CLI-3': {
    version: 2,
    title: 'Never pays twice after a reset connection or a server error',
    tried:
      'The connection of one payment is reset, and another gets a 500, both before anything happens; a third is accepted and gets a 500. Then everything works.',
    expected: 'There is at most one payment per order, and no order is paid without one.',
    impact:
      'From outside it looks the same as a lost response. A client that resends without checking will eventually pay twice.',
    fix: 'Treat the result of every response other than 2xx or 4xx as unknown: query the status by your own reference, then resend at growing intervals.',
    make: (run) =>
      afterFaults(run, [
        ['The connection is reset before anything happens', { fault: 'connection-reset' }],
        ['The request gets a 500 before anything happens', { respond: INTERNAL }],
        ERROR_AFTER,
      ]),
  },
  'CLI-4': {
    title: 'Honours Retry-After',
    tried: 'One payment gets a 429, another a 503, both with Retry-After; then everything works.',
    expected: 'The shop sends nothing for the order before that time is over.',
    impact: 'A client that keeps sending gets the same response and is blocked in the end.',
    fix: 'Read Retry-After (seconds or a date) and wait at least that long before the next request.',
    docs: 'troubleshooting.md#429-resource_exhausted',
    needs: TRIGGER,
    async make(run) {
      const tries = await refusedOnce(run, [429, 503])
      // A slow shop may retry the first order before it sends the second, which then succeeds at once.
      if (tries[1]![0]?.status === 201) tries[1] = (await refusedOnce(run, [503]))[0]!
      return worstOf(tries.map(patient))
    },
  },
  'CLI-5': {
    level: 'recommended',
    title: 'Retries at growing intervals, up to a limit',
    tried: 'Payments get a 503 for as long as the shop retries.',
    expected: 'The intervals between attempts grow, and the shop stops after some attempts.',
    impact: 'A client that retries without pause prolongs the outage, and thousands of them cause it.',
    fix: 'Double the interval each time, add a random part, and stop after a number of attempts; then query the status.',
    needs: TRIGGER,
    async make(run) {
      await run.useScenario('Every payment gets a 503.', {
        respond: { error_code: 'unavailable', error_message: 'the service is down' },
      })
      const calm = Math.max(run.profile.client.patience, 1_500)
      const { tries, exchanges } = await attempts(run, run.orders.place(), calm, LONGEST_WATCH, 'attempt')
      if (tries.length === 0) return unsure(NO_REQUEST)
      if (tries.length === 1) return pass('The shop tried once and did not retry.', ...exchanges)
      const gaps = tries.slice(1).map(({ came }, n) => came - tries[n]!.came)
      const seen = `The shop tried ${times(tries.length)}, at intervals of ${gaps
        .slice(0, 8)
        .map((gap) => `${(gap / 1000).toFixed(1)} s`)
        .join(', ')}.`
      const grew = gaps.at(-1)! > Math.min(...gaps) * 1.2 + GRACE / 2
      if (gaps.length === 1 ? gaps[0]! >= 200 : grew) return pass(seen, ...exchanges)
      return fail(
        `${seen} ${gaps.length === 1 ? 'It did not wait.' : 'The intervals do not grow.'}`,
        ...exchanges,
      )
    },
  },
  'CLI-8': {
    level: 'recommended',
    title: 'Waits for a slow response instead of resending',
    tried:
      'The sandbox delays the response to a payment for client.slow of the profile, 2 seconds by default.',
    expected: 'There is one request for the order.',
    impact: 'A short timeout followed by a retry makes two payments of one.',
    fix: 'Give payments a timeout of 30 seconds, and query the status after a timeout.',
    needs: TRIGGER,
    async make(run) {
      const { slow, patience } = run.profile.client
      await run.useScenario(`The response to a payment is delayed by ${slow} ms.`, {
        delay: slow,
        settle: { status: 'success' },
      })
      const order = run.orders.place()
      await pause(slow)
      const { tries, exchanges } = await attempts(run, order, patience / 2, patience * 2)
      if (tries.length === 1) return pass('There was one request for the order.', ...exchanges)
      return (tries.length === 0 ? unsure : fail)(
        `There were ${tries.length} requests for the order.`,
        ...exchanges,
      )
    },
  },
  'CLI-9': {
    version: 2,
    title: 'Accepts a rejection',
    tried:
      'One payment is rejected with 400 because the amount is below the cost, another because the channel is inactive.',
    expected: 'The order is failed or flagged, and the request is not repeated unchanged.',
    impact:
      'The same request will be rejected again, while the customer waits for a prompt that never comes.',
    fix: 'Mark the order as failed when the service rejects its payment (400 to 499), show it to the customer, and do not send it again. After 429, wait as Retry-After says and send it again.',
    docs: 'troubleshooting.md#400-invalid_argument',
    mend: DELIVERED_UNPAID,
    make: (run) =>
      rejections(run, {
        'the amount is insufficient to cater for a cost of 15': 'the amount does not cover the cost',
        'the passed channel is not active': 'the channel is not active',
      }),
  },
  'CLI-6': {
    feature: 'status-queries',
    version: 2,
    title: 'Queries the status when no callback arrives',
    tried: 'A payment succeeds and its callback is not sent; later it arrives after all.',
    expected:
      'The order is paid within client.finds_out of the profile, 10 seconds by default, and delivered once in the end.',
    impact: 'Callbacks get lost: a firewall, a deployment, a certificate. The customer has paid and waits.',
    fix: 'Run a scheduled job that queries the status of orders that have been open for too long. If there is one, check that it runs, that it selects the open orders, and that it sends the query.',
    docs: 'payments.md#look-at-the-result',
    mend: { ...UNSELECTED, ...UNBOOKED, ...ONE_WAY },
    mendBy: (records) =>
      records.some(({ check, requests }) => AFTER_FAULT.includes(check) && requests.some(isStatusQuery))
        ? theOnly(UNSELECTED)
        : undefined,
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
      if (!isPaidOnce(standing)) {
        const queries = `The shop sent ${lookUps.length || 'no'} status ${lookUps.length === 1 ? 'query' : 'queries'} in that time.`
        const found = fail(`${seen} after ${finds_out} ms. ${queries}`, ...lookUps)
        return mended(found, lookUps.length > 0 && theOnly(UNBOOKED))
      }
      run.evidence.step('The callback arrives after all.')
      const { exchange } = await run.callbacks.send(paid, 'late')
      const after = await run.standing(paid, isPaidOnce)
      const both = `${seen}; after the late callback it is ${standingText(after)}.`
      if (isPaidOnce(after)) return pass(both, ...lookUps, exchange)
      return mended(fail(both, ...lookUps, exchange), (after.fulfilled ?? 0) > 1 && theOnly(ONE_WAY))
    },
  },
  'CLI-10': {
    title: 'Treats every failure reason as a failure',
    tried: 'Payments fail, one for each failure reason.',
    expected: 'No order is paid or delivered, and each is marked as failed.',
    impact: 'If a reason is missing in the shop’s code, its order stays open forever or counts as paid.',
    fix: 'Decide by status; the reason is for people. Treat unknown reasons as failures, too.',
    docs: 'scenario-files.md#then',
    time: 'frozen',
    mend: { ...DELIVERED_UNPAID, ...IGNORES_FAILED },
    make: (run) => failures(run, REASONS),
  },
  'CLI-11': {
    version: 2,
    title: 'Leaves a stuck payment open',
    tried: 'A payment stays QUEUED and no callback is sent.',
    expected: 'The order is neither paid nor failed.',
    impact:
      'A cancelled order may still be paid, and then it is not delivered. An order marked as paid gives the goods away.',
    fix: 'Keep the order open, keep querying at growing intervals, and flag the order after a while.',
    docs: 'troubleshooting.md#it-stays-queued',
    mend: QUEUED,
    async make(run) {
      await run.useScenario('A payment stays QUEUED, and no callback is sent.', { settle: { never: true } })
      const paid = await run.orders.pay()
      const { patience } = run.profile.client
      await pause(patience)
      // A status query may mislead the shop, too.
      const asks = run.profile.features.includes('status-queries')
      const query = asks && (await firstLookUp(run))
      const standing = await run.standing(paid)
      const since = query ? 'The shop queries the status and gets QUEUED. Then' : `After ${patience} ms,`
      const seen = `${since} the order is ${standingText(standing)}.`
      const isOpen = standing.state === 'open' || standing.state === 'flagged' || standing.state === 'unknown'
      const requests = (await run.orders.tries(paid)).map((each) => ofRequest(each, 'payment'))
      if (isOpen && isUnpaid(standing)) return pass(seen, ...requests)
      const [paidByQuery, paidAtOnce, failedByQuery] = Object.values(QUEUED)
      const early = query ? paidByQuery : paidAtOnce
      return mended(fail(seen, ...requests), isUnpaid(standing) ? query && failedByQuery : early)
    },
  },
  'CLI-13': {
    feature: 'status-queries',
    version: 2,
    title: 'Keeps a success that a status query contradicts',
    tried:
      'After its first status query the shop gets a callback of success; later status queries report failure.',
    expected: 'The order stays paid, delivered once.',
    impact:
      'Systems can disagree for a while. Delivered goods cannot be taken back because of an outdated status.',
    fix: 'Let only a reversal undo a success. Flag contradictory results.',
    async make(run) {
      const { finds_out, patience } = run.profile.client
      await run.useScenario('A payment stays pending, and status queries report failure once it is final.', {
        settle: { never: true },
        callback: { drop: true },
        statusQuery: { status: 'failed', reason: 'expired' },
      })
      const paid = await run.orders.pay()
      const began = systemWall()
      const first = await firstLookUp(run)
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
      return passIf(isPaidOnce(standing), seen, ...lookUps)
    },
  },
  'CLI-16': {
    level: 'recommended',
    version: 2,
    title: 'Accepts unknown fields and statuses',
    tried: 'Responses to a payment and to status queries contain undocumented fields and a new status.',
    expected: 'The order is paid by its callback, and neither paid nor failed before.',
    impact: 'Services add fields and statuses without a new version. Strict clients then stop working.',
    fix: 'Ignore unknown fields, and treat an unknown status as not final.',
    docs: 'scenario-files.md#then',
    time: 'frozen',
    needs: [...PROBE, 'counts'],
    probe: false,
    async make(run) {
      const set = { status: 'ROUTING', risk: { score: 12 }, hints: ['new'] }
      await run.useScenario('Responses have undocumented fields and a new status.', {
        response: { set },
        settle: { never: true },
        callback: { drop: true },
        statusQuery: { set },
      })
      const paid = await run.orders.pay()
      await run.endPayment(paid)
      if (run.profile.features.includes('status-queries')) await firstLookUp(run)
      const before = await run.standing(paid)
      const { exchange } = await run.callbacks.send(paid, 'good')
      const standing = await run.standing(paid, isPaidOnce)
      const seen = `The order was ${standingText(before)} before the callback and ${standingText(standing)} after it.`
      const isCalm = isUnpaid(before) && before.state !== 'failed'
      return passIf(isCalm && isPaidOnce(standing), seen, exchange)
    },
  },
})

/** The checks in which a careful shop queries the status before it sends a payment again. */
const AFTER_FAULT: readonly WorldRecord['check'][] = ['CLI-2', 'CLI-3']

/** Seconds. */
const RETRY_AFTER = 2

/** Milliseconds of tolerance for busy machines and the network. */
const GRACE = 200

const REFUSALS = { 429: 'resource_exhausted', 503: 'unavailable' } as const

/** Places one order per refusal and returns the requests that the shop sent for each. */
async function refusedOnce(run: CheckRun, refused: readonly (keyof typeof REFUSALS)[]) {
  await run.useScenario(
    `A payment gets a ${refused.join(', the next a ')}, with Retry-After: ${RETRY_AFTER}; then everything works.`,
    ...refused.map((status): Then => ({
      respond: {
        error_code: REFUSALS[status],
        error_message: 'try again later',
        retryAfter: `${RETRY_AFTER}s`,
      },
    })),
    { settle: { status: 'success' } },
  )
  const { patience } = run.profile.client
  const orders: Order[] = []
  for (const _ of refused) {
    const order = run.orders.place()
    orders.push(order)
    await run.orders.sent(1, order, patience)
  }
  const most = RETRY_AFTER * 1_000 + Math.min(500, patience)
  await Promise.all(orders.map((order) => run.orders.sent(2, order, most)))
  return Promise.all(orders.map((order) => run.orders.tries(order)))
}

function patient(tries: readonly ShopRequest[]): Finding {
  const [first, second] = tries
  if (!first) return unsure(NO_REQUEST)
  const { status } = first
  if (status !== 429 && status !== 503)
    return unsure(`The response to the first request for the order was ${status}.`)
  const exchanges = numbered(tries, 'request')
  if (!second) return pass(`After ${status}, the shop sent nothing more.`, ...exchanges)
  // The shop waits from the answer on.
  const gap = second.came - first.came - first.duration_ms
  const seen = `After ${status}, the next request followed ${(gap / 1000).toFixed(1)} s later; Retry-After was ${RETRY_AFTER}.`
  return passIf(gap >= RETRY_AFTER * 1_000 - GRACE, seen, ...exchanges)
}

const LONGEST_WATCH = 12_000
const NO_REQUEST = 'The shop sent no request for the order.'

const lookUpsOf = async (run: CheckRun) =>
  (await run.orders.all())
    .filter(isStatusQuery)
    .slice(-6)
    .map((each) => ofRequest(each, 'status query'))

/** Waits for the first status query of the shop. */
const firstLookUp = (run: CheckRun) =>
  until(run.profile.client.finds_out, async () => (await lookUpsOf(run))[0])

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
