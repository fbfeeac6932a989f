import type { Order } from '../orders.ts'
import { pause } from '../../lib/clock/clock.ts'
import type { ShopRequest } from '../world-record.ts'
import type { CheckRun, Then } from '../check-run.ts'
import { type Checks, fail, type Finding, pass, times, unsure, worstOf } from './check.ts'
import { afterFaults, ERROR_AFTER, INTERNAL, LOST_RESPONSE, rejections, shownAs } from './steps.ts'

const made = { level: 'mandatory', mode: 'active', probe: false, feature: 'collect' } as const
const counted = { ...made, probe: true } as const
const TRIGGER = ['trigger'] as const
const PROBE = ['trigger', 'probe'] as const

export const clientFaults = {
  'CLI-2': {
    ...counted,
    title: 'Never pays twice after a lost response',
    tried: 'The sandbox accepts a payment and cuts the connection before responding.',
    expected: 'The shop queries the status or waits: there is one payment for the order.',
    impact: 'The customer is charged twice.',
    fix: 'After a lost response, query the status by your own reference. Send the payment again only if it is not found.',
    docs: 'outcomes.md#test-numbers',
    fault: 'After a lost response, an order may be charged twice.',
    time: 'real',
    needs: PROBE,
    async make(run) {
      return afterFaults(run, [LOST_RESPONSE])
    },
  },
  'CLI-3': {
    ...counted,
    version: 2,
    title: 'Never pays twice after a reset connection or a server error',
    tried:
      'The connection of one payment is reset, and another gets a 500, both before anything happens; a third is accepted and gets a 500. Then everything works.',
    expected: 'There is at most one payment per order, and no order is paid without one.',
    impact:
      'From outside it looks the same as a lost response. A client that resends without checking will eventually pay twice.',
    fix: 'Treat the result of every response other than 2xx or 4xx as unknown: query the status by your own reference, then resend at growing intervals.',
    docs: 'outcomes.md#test-numbers',
    fault: 'After a network error, an order may be charged twice.',
    time: 'real',
    needs: PROBE,
    async make(run) {
      return afterFaults(run, [
        ['The connection is reset before anything happens', { fault: 'connection-reset' }],
        ['The request gets a 500 before anything happens', { respond: INTERNAL }],
        ERROR_AFTER,
      ])
    },
  },
  'CLI-4': {
    ...made,
    title: 'Honours Retry-After',
    tried: 'One payment gets a 429, another a 503, both with Retry-After; then everything works.',
    expected: 'The shop sends nothing for the order before that time is over.',
    impact: 'A client that keeps sending gets the same response and is blocked in the end.',
    fix: 'Read Retry-After (seconds or a date) and wait at least that long before the next request.',
    docs: 'troubleshooting.md#429-resource_exhausted',
    fault: 'The shop ignores the service’s request to wait.',
    time: 'real',
    needs: TRIGGER,
    async make(run) {
      const tries = await refusedOnce(run, [429, 503])
      // A slow shop may retry the first order before it sends the second, which then succeeds at once.
      if (tries[1]![0]?.status === 201) tries[1] = (await refusedOnce(run, [503]))[0]!
      return worstOf(tries.map(patient))
    },
  },
  'CLI-5': {
    ...made,
    level: 'recommended',
    title: 'Retries at growing intervals, up to a limit',
    tried: 'Payments get a 503 for as long as the shop retries.',
    expected: 'The intervals between attempts grow, and the shop stops after some attempts.',
    impact: 'A client that retries without pause prolongs the outage, and thousands of them cause it.',
    fix: 'Double the interval each time, add a random part, and stop after a number of attempts; then query the status.',
    docs: 'outcomes.md#test-numbers',
    time: 'real',
    needs: TRIGGER,
    async make(run) {
      await run.useScenario('Every payment gets a 503.', {
        respond: { error_code: 'unavailable', error_message: 'the service is down' },
      })
      const order = run.orders.place()
      const { patience } = run.profile.client
      await run.requests.quiet(Math.max(patience, 1_500), LONGEST_WATCH, order)
      const tries = await run.requests.tries(order)
      const seenAs = shownAs(tries, 'attempt')
      if (tries.length === 0) return unsure('The shop sent no request for the order.')
      if (tries.length === 1) return pass('The shop tried once and did not retry.', ...seenAs)
      const gaps = tries.slice(1).map(({ came }, n) => came - tries[n]!.came)
      const seen = `The shop tried ${times(tries.length)}, at intervals of ${gaps
        .slice(0, 8)
        .map((gap) => `${(gap / 1000).toFixed(1)} s`)
        .join(', ')}.`
      if (gaps.length === 1)
        return gaps[0]! >= 200 ? pass(seen, ...seenAs) : fail(`${seen} It did not wait.`, ...seenAs)
      const grew = gaps.at(-1)! > Math.min(...gaps) * 1.2 + GRACE / 2
      return grew ? pass(seen, ...seenAs) : fail(`${seen} The intervals do not grow.`, ...seenAs)
    },
  },
  'CLI-8': {
    ...made,
    level: 'recommended',
    title: 'Waits for a slow response instead of resending',
    tried:
      'The sandbox delays the response to a payment for client.slow of the profile, 2 seconds by default.',
    expected: 'There is one request for the order.',
    impact: 'A short timeout followed by a retry makes two payments of one.',
    fix: 'Give payments a timeout of 30 seconds, and query the status after a timeout.',
    docs: 'outcomes.md#test-numbers',
    time: 'real',
    needs: TRIGGER,
    async make(run) {
      const { slow, patience } = run.profile.client
      await run.useScenario(`The response to a payment is delayed by ${slow} ms.`, {
        delay: slow,
        settle: { status: 'success' },
      })
      const order = run.orders.place()
      await pause(slow)
      await run.requests.quiet(patience / 2, patience * 2, order)
      const tries = await run.requests.tries(order)
      const exchanges = shownAs(tries, 'request')
      const seen = `There were ${tries.length} requests for the order.`
      if (tries.length === 0) return unsure(seen)
      return tries.length === 1
        ? pass('There was one request for the order.', ...exchanges)
        : fail(seen, ...exchanges)
    },
  },
  'CLI-9': {
    ...counted,
    version: 2,
    title: 'Accepts a rejection',
    tried:
      'One payment is rejected with 400 because the amount is below the cost, another because the channel is inactive.',
    expected: 'The order is failed or flagged, and the request is not repeated unchanged.',
    impact:
      'The same request will be rejected again, while the customer waits for a prompt that never comes.',
    fix: 'Tell the customer that the payment is not possible, and do not resend after 4xx (except 429).',
    docs: 'troubleshooting.md#400-invalid_argument',
    fault: 'The shop does not treat a rejected payment as rejected.',
    time: 'real',
    needs: PROBE,
    async make(run) {
      return rejections(run, {
        'the amount is insufficient to cater for a cost of 15': 'the amount does not cover the cost',
        'the passed channel is not active': 'the channel is not active',
      })
    },
  },
} as const satisfies Checks

/** Seconds. */
const RETRY_AFTER = 2

/** Milliseconds of tolerance for busy machines and the network. */
const GRACE = 200

const refusalOf = (error_code: 'resource_exhausted' | 'unavailable'): Then => ({
  respond: { error_code, error_message: 'try again later', retryAfter: `${RETRY_AFTER}s` },
})

const REFUSALS = { 429: refusalOf('resource_exhausted'), 503: refusalOf('unavailable') } as const
type Refused = keyof typeof REFUSALS

/** Places one order per refusal and returns the requests that the shop sent for each. */
async function refusedOnce(run: CheckRun, refused: readonly Refused[]): Promise<(readonly ShopRequest[])[]> {
  await run.useScenario(
    `A payment gets a ${refused.join(', the next a ')}, with Retry-After: ${RETRY_AFTER}; then everything works.`,
    ...refused.map((status) => REFUSALS[status]),
    { settle: { status: 'success' } },
  )
  const { patience } = run.profile.client
  const orders: Order[] = []
  for (const _ of refused) {
    const order = run.orders.place()
    orders.push(order)
    await run.requests.sent(1, order, patience)
  }
  const most = RETRY_AFTER * 1_000 + Math.min(500, patience)
  await Promise.all(orders.map((order) => run.requests.sent(2, order, most)))
  return Promise.all(orders.map((order) => run.requests.tries(order)))
}

function patient(tries: readonly ShopRequest[]): Finding {
  const [first, second] = tries
  if (!first) return unsure('The shop sent no request for the order.')
  const { status } = first
  if (status !== 429 && status !== 503)
    return unsure(`The response to the first request for the order was ${status}.`)
  const exchanges = shownAs(tries, 'request')
  if (!second) return pass(`After ${status}, the shop sent nothing more.`, ...exchanges)
  // The shop waits from the answer on.
  const gap = second.came - first.came - first.duration_ms
  const seen = `After ${status}, the next request followed ${(gap / 1000).toFixed(1)} s later; Retry-After was ${RETRY_AFTER}.`
  return gap >= RETRY_AFTER * 1_000 - GRACE ? pass(seen, ...exchanges) : fail(seen, ...exchanges)
}

const LONGEST_WATCH = 12_000
