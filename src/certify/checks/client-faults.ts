import type { Order } from '../orders.ts'
import { pause } from '../waiting.ts'
import { standingText } from '../probe.ts'
import type { ShopRequest } from '../world-record.ts'
import type { CheckRun, Then } from '../check-run.ts'
import { type Checks, fail, type Finding, pass, times, unsure, worstOf } from './check.ts'
import { isPaidOnce, isUnpaid } from './steps.ts'

const made = { level: 'mandatory', how: 'made', probe: false } as const
const counted = { level: 'mandatory', how: 'made', probe: true } as const
const TRIGGER = ['trigger'] as const
const PROBE = ['trigger', 'probe'] as const

export const clientFaults = {
  'CLI-2': {
    ...counted,
    title: 'Never pays twice when the answer is lost',
    tried: 'A payment is taken, and the connection is cut before its answer arrives.',
    expected: 'The shop looks the payment up or waits: there is one payment for the order.',
    why: 'The customer is charged twice.',
    mend: 'After a lost answer ask the status by your own reference. Only what was not found may be sent again.',
    docs: 'outcomes.md#magic-numbers',
    fault: 'A lost answer is not borne: an order may be charged twice.',
    time: 'real',
    needs: PROBE,
    async make(run) {
      await run.useScenario(
        'A payment is taken, and the connection is cut before its answer.',
        { fault: 'lost-response' },
        { settle: { status: 'success' } },
      )
      return afterFault(run, run.orders.place())
    },
  },
  'CLI-3': {
    ...counted,
    title: 'Never pays twice after a reset connection or an error of the server',
    tried:
      'A payment is met by a connection that is reset, another by 500, both before anything is done; then all works.',
    expected: 'There is one payment for each order at most, and no order is paid without one.',
    why: 'From outside it looks the same as a lost answer. What is sent again without looking is paid twice on the day when it was one.',
    mend: 'Treat every answer that is not 2xx or 4xx as not known: look up by your own reference, then send again, with growing gaps.',
    docs: 'outcomes.md#magic-numbers',
    fault: 'An error of the network is not borne: an order may be charged twice.',
    time: 'real',
    needs: PROBE,
    async make(run) {
      const findings: Finding[] = []
      const ways = {
        'The connection is reset before anything is done; then all works.': { fault: 'connection-reset' },
        'The request is answered 500 before anything is done; then all works.': {
          respond: { error_code: 'internal', error_message: 'a fault of the service' },
        },
      } as const
      for (const [title, then] of Object.entries(ways)) {
        await run.useScenario(title, then, { settle: { status: 'success' } })
        findings.push(await afterFault(run, run.orders.place()))
      }
      return worstOf(findings)
    },
  },
  'CLI-4': {
    ...made,
    title: 'Honours Retry-After',
    tried: 'A payment is answered 429, another 503, both with a Retry-After; then all works.',
    expected: 'Nothing is sent for the order before that time is over.',
    why: 'Whoever goes on is answered nothing else, and is blocked in the end.',
    mend: 'Read Retry-After (seconds, or a date) and wait at least so long before the next request.',
    docs: 'troubleshooting.md#429-resource_exhausted',
    fault: 'The shop does not wait when the service asks it to.',
    time: 'real',
    needs: TRIGGER,
    async make(run) {
      const tries = await refusedOnce(run, [429, 503])
      // A slow shop may retry the first order before it sends the second, which then succeeds at once.
      if (tries[1]![0]?.status === 201) tries[1] = (await refusedOnce(run, [503]))[0]!
      for (const each of tries) run.evidence.show(each, 'request')
      return worstOf(tries.map(patient))
    },
  },
  'CLI-5': {
    ...made,
    level: 'recommended',
    title: 'Tries again with growing gaps, and ends',
    tried: 'Payments are answered 503 for as long as the shop tries.',
    expected: 'The gaps between its tries grow, and it ends after some.',
    why: 'A client that hammers prolongs the outage, and thousands of them make it.',
    mend: 'Double the gap each time, add a random part, and end after a number of tries; then look it up.',
    docs: 'outcomes.md#magic-numbers',
    time: 'real',
    needs: TRIGGER,
    async make(run) {
      await run.useScenario('Every payment is answered 503.', {
        respond: { error_code: 'unavailable', error_message: 'the service is down' },
      })
      const order = run.orders.place()
      const { patience } = run.profile.client
      await run.requests.quiet(Math.max(patience, 1_500), LONGEST_WATCH, order)
      const tries = await run.requests.tries(order)
      run.evidence.show(tries, 'try')
      if (tries.length === 0) return unsure('The shop sent no request for the order.')
      if (tries.length === 1) return pass('It tried once, and not again.')
      const gaps = tries.slice(1).map(({ came }, n) => came - tries[n]!.came)
      const seen = `It tried ${times(tries.length)}, with gaps of ${gaps
        .slice(0, 8)
        .map((gap) => `${(gap / 1000).toFixed(1)} s`)
        .join(', ')}.`
      if (gaps.length === 1) return gaps[0]! >= 200 ? pass(seen) : fail(`${seen} It did not wait.`)
      const grew = gaps.at(-1)! > Math.min(...gaps) * 1.2 + GRACE / 2
      return grew ? pass(seen) : fail(`${seen} The gaps do not grow.`)
    },
  },
  'CLI-8': {
    ...made,
    level: 'recommended',
    title: 'Bears a slow answer without a second request',
    tried:
      'The answer to a payment is held back for the profile’s client.slow, 2 seconds when it says nothing.',
    expected: 'There is one request for the order.',
    why: 'A short time limit and a retry behind it make two payments of one.',
    mend: 'Give payments a time limit of 30 seconds, and look up what was not answered in it.',
    docs: 'outcomes.md#magic-numbers',
    time: 'real',
    needs: TRIGGER,
    async make(run) {
      const { slow, patience } = run.profile.client
      await run.useScenario(`The answer to a payment is held back for ${slow} ms.`, {
        delay: slow,
        settle: { status: 'success' },
      })
      const order = run.orders.place()
      await pause(slow)
      await run.requests.quiet(patience / 2, patience * 2, order)
      const tries = await run.requests.tries(order)
      run.evidence.show(tries, 'request')
      const seen = `There were ${tries.length} requests for the order.`
      if (tries.length === 0) return unsure(seen)
      return tries.length === 1 ? pass('There was one request for the order.') : fail(seen)
    },
  },
  'CLI-9': {
    ...counted,
    title: 'Takes a refusal for one',
    tried:
      'A payment is refused with 400, as for an amount below the cost; another, as for a channel that is not active.',
    expected: 'The order is not paid, and the request is not repeated unchanged.',
    why: 'What was refused will be refused again; the customer waits for a prompt that never comes.',
    mend: 'Show the customer that it cannot be done, and do not send 4xx again (429 apart).',
    docs: 'troubleshooting.md#400-invalid_argument',
    fault: 'A refused payment is not taken for refused.',
    time: 'real',
    needs: PROBE,
    async make(run) {
      const findings: Finding[] = []
      const messages = {
        'the amount is insufficient to cater for a cost of 15': 'the amount does not cover the cost',
        'the passed channel is not active': 'the channel is not active',
      }
      for (const [error_message, why] of Object.entries(messages)) {
        await run.useScenario(`A payment is answered 400: ${why}.`, {
          respond: { error_code: 'invalid_argument', error_message },
        })
        const order = run.orders.place()
        await run.requests.quiet(run.profile.client.patience / 2, run.profile.client.patience * 2, order)
        const tries = await run.requests.tries(order)
        run.evidence.show(tries, 'request')
        const standing = await run.standing(order)
        const seen = `Refused because ${why}, it was sent ${times(tries.length)}, and the order is ${standingText(standing)}.`
        const repeated = new Set(tries.map(({ body }) => JSON.stringify(body))).size < tries.length
        findings.push(
          tries.length === 0 ? unsure(seen) : repeated || !isUnpaid(standing) ? fail(seen) : pass(seen),
        )
      }
      return worstOf(findings)
    },
  },
} as const satisfies Checks

/** Waits until the shop sends no further request for the order. */
const settledDown = (run: CheckRun, order: Order) =>
  run.requests.quiet(run.profile.client.patience, run.profile.client.patience * 4, order)

/** Judges an order whose request met a fault by its payments and deliveries. */
async function afterFault(run: CheckRun, order: Order): Promise<Finding> {
  await settledDown(run, order)
  const payments = await run.orders.payments(order)
  const tries = await run.requests.tries(order)
  if (tries.length === 0) return unsure('The shop sent no request for the order.')
  await run.world.settle()
  run.evidence.show(tries, 'request')
  const seen = `For one order there were ${tries.length} requests and ${payments.length} payments.`
  if (payments.length > 1) return fail(seen)
  for (const payment of payments) await run.callbacks.waitForAll({ payment })
  const standing = await run.standing(order, (each) => payments.length === 0 || isPaidOnce(each))
  const both = `${seen} The order is ${standingText(standing)}.`
  if ((standing.fulfilled ?? 0) > 1) return fail(both)
  if (payments.length === 0 && !isUnpaid(standing)) return fail(both)
  return pass(both)
}

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
    `A payment is answered ${refused.join(', the next ')}, with Retry-After: ${RETRY_AFTER}; then all works.`,
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
    return unsure(`The first request for the order was answered ${status}.`)
  if (!second) return pass(`After ${status} nothing more was sent.`)
  const gap = second.came - first.came
  const seen = `After ${status} the next request came after ${(gap / 1000).toFixed(1)} s; Retry-After said ${RETRY_AFTER}.`
  return gap >= RETRY_AFTER * 1_000 - GRACE ? pass(seen) : fail(seen)
}

const LONGEST_WATCH = 12_000
