/** How a client bears that it is told to wait. */
import type { ShopRequest } from '../scene.ts'
import type { Order } from '../orders.ts'
import type { Stage } from '../stage.ts'
import { fail, type Finding, type ActiveCheck, pass, times, unsure, worstOf } from './try.ts'

const TRIGGER = ['trigger'] as const

/** Seconds. */
const RETRY_AFTER = 2
/** Two machines that are busy, and a network between. */
const GRACE = 200

type Then = Parameters<Stage['meet']>[1]

const refusalOf = (error_code: 'resource_exhausted' | 'unavailable'): Then => ({
  respond: { error_code, error_message: 'try again later', retryAfter: `${RETRY_AFTER}s` },
})
const REFUSALS = { 429: refusalOf('resource_exhausted'), 503: refusalOf('unavailable') } as const
type Refused = keyof typeof REFUSALS

/** An order for each refusal, one after another, and what the shop sent for it. */
async function refusedOnce(stage: Stage, refused: readonly Refused[]): Promise<(readonly ShopRequest[])[]> {
  await stage.meet(
    `A payment is answered ${refused.join(', the next ')}, with Retry-After: ${RETRY_AFTER}; then all works.`,
    ...refused.map((status) => REFUSALS[status]),
    { settle: { status: 'success' } },
  )
  const { patience } = stage.profile.client
  const orders: Order[] = []
  for (const _ of refused) {
    const order = stage.orders.place()
    orders.push(order)
    await stage.requests.sent(1, order, patience)
  }
  const most = RETRY_AFTER * 1_000 + Math.min(500, patience)
  await Promise.all(orders.map((order) => stage.requests.sent(2, order, most)))
  return Promise.all(orders.map((order) => stage.requests.tries(order)))
}

const retryAfter: ActiveCheck = {
  time: 'real',
  needs: TRIGGER,
  async make(stage) {
    const tries = await refusedOnce(stage, [429, 503])
    // A slow shop asks again for the first order before it asks for the second, which then works at once.
    if (tries[1]![0]?.status === 201) tries[1] = (await refusedOnce(stage, [503]))[0]!
    for (const each of tries) stage.notes.show(each, 'request')
    return worstOf(tries.map(patient))
  },
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

const backsOff: ActiveCheck = {
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
    const grew = gaps.at(-1)! > Math.min(...gaps) * 1.2 + GRACE / 2
    return grew ? pass(seen) : fail(`${seen} The gaps do not grow.`)
  },
}

export const clientPace = { 'CLI-4': retryAfter, 'CLI-5': backsOff } as const
