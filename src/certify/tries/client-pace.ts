/** How a client bears that it is told to wait. */
import type { Asked } from '../scene.ts'
import type { Order } from '../orders.ts'
import { fail, type Finding, type Made, pass, times, unsure, worstOf } from './try.ts'

const TRIGGER = ['trigger'] as const

/** Seconds. */
const RETRY_AFTER = 2
/** The clocks of two machines, and a network between. */
const GRACE = 100

const retryAfter: Made = {
  time: 'real',
  needs: TRIGGER,
  async make(stage) {
    const refusal = (error_code: 'resource_exhausted' | 'unavailable') =>
      ({ respond: { error_code, error_message: 'try again later', retryAfter: `${RETRY_AFTER}s` } }) as const
    await stage.meet(
      `One payment is answered 429, the next 503, each with Retry-After: ${RETRY_AFTER}; then all works.`,
      refusal('resource_exhausted'),
      refusal('unavailable'),
      { settle: { status: 'success' } },
    )
    const orders: Order[] = []
    for (let n = 0; n < 2; n++) {
      const order = stage.orders.place()
      orders.push(order)
      await stage.requests.tried(order)
    }
    const calm = RETRY_AFTER * 1_000 + Math.min(500, stage.profile.client.patience)
    await Promise.all(orders.map((order) => stage.requests.quiet(calm, 8_000, order)))
    const findings: Finding[] = []
    for (const order of orders) {
      const tries = await stage.requests.tries(order)
      stage.notes.show(tries, 'request')
      findings.push(patient(tries))
    }
    return worstOf(findings)
  },
}

function patient(tries: readonly Asked[]): Finding {
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

const backsOff: Made = {
  time: 'real',
  needs: TRIGGER,
  async make(stage) {
    await stage.meet('Every payment is answered 503.', {
      respond: { error_code: 'unavailable', error_message: 'the service is down' },
    })
    const order = stage.orders.place()
    const { patience } = stage.profile.client
    await stage.requests.quiet(Math.max(patience, 1_500), LONGEST_WATCH, order)
    const tries = await stage.requests.tries(order)
    stage.notes.show(tries, 'try')
    if (tries.length === 0) return unsure('The shop sent no request for the order.')
    if (tries.length === 1) return pass('It tried once, and not again.')
    const gaps = tries.slice(1).map(({ came }, n) => came - tries[n]!.came)
    const seen = `It tried ${times(tries.length)}, with gaps of ${gaps
      .slice(0, 8)
      .map((gap) => `${(gap / 1000).toFixed(1)} s`)
      .join(', ')}.`
    if (gaps.length === 1) return gaps[0]! >= 200 ? pass(seen) : fail(`${seen} It did not wait.`)
    const grew = gaps.at(-1)! > gaps[0]! * 1.2
    return grew ? pass(seen) : fail(`${seen} The gaps do not grow.`)
  },
}

export const clientPace = { 'CLI-4': retryAfter, 'CLI-5': backsOff } as const
