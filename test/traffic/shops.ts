/** The careful shop on a virtual clock, and eight shops with one fault each. */
import { createSandbox } from '../../src/index.ts'
import type { TrafficPlan, TrafficRun } from '../../src/client/types.ts'
import { virtualClock } from '../certify/shop/clock.ts'
import { careful, type Habits } from '../certify/shop/habits.ts'
import { LOST, ask } from '../certify/shop/service.ts'
import { createShop } from '../certify/shop/shop.ts'
import { memoryStore } from '../certify/shop/store.ts'

const ORIGIN = 'https://shop.example'
const SECRET = 'whsec_cGF5bWVudHMtc2FuZGJveC1kZW1vLW5vdC1zZWNyZXQ='

interface Mutant {
  readonly fault: string
  /** The incident that finds it. */
  readonly incident: string
  /** The rate of customers that the incident needs to meet enough of them; 10/m by default. */
  readonly rate?: string
  /** The kind of its wrong orders. */
  readonly kind: keyof TrafficRun['wrong']['kinds']
  readonly habits: (own: Habits) => Partial<Habits>
}

export const mutants: Readonly<Record<string, Mutant>> = {
  'no-idempotency': {
    fault: 'delivers with each success that it receives',
    incident: 'duplicate-after-failover',
    kind: 'fulfilled_twice',
    habits: () => ({
      take: (shop, _event, told) =>
        shop.store.write((rows) => {
          const order = shop.habits.orderOf(rows, told)
          if (!order) return
          if (order.status === 'paid' && told.status === 'success') order.deliveries++
          shop.habits.applyResult(shop, order, told)
        }),
    }),
  },
  'no-look-up': {
    fault: 'never asks for a payment that nothing was heard of',
    incident: 'certificate-expired',
    kind: 'paid_not_fulfilled',
    habits: () => ({ watch: async () => {} }),
  },
  'trusts-order': {
    fault: 'takes the last callback for the truth',
    incident: 'late-success',
    kind: 'paid_not_fulfilled',
    habits: () => ({
      isNews: (order, next) => next !== order.status && (next !== 'paid' || order.deliveries === 0),
    }),
  },
  'unbounded-queue': {
    fault: 'accepts every callback, and works through them one in twenty seconds',
    incident: 'm-pesa-stalls',
    kind: 'paid_not_fulfilled',
    habits({ take }) {
      let last: Promise<unknown> = Promise.resolve()
      return {
        watch: async () => {},
        async take(shop, event, told, request) {
          last = last
            .then(() => shop.clock.sleep(20_000, shop.stopped))
            .then(() => take(shop, event, told, request))
            .catch(() => {})
        },
      }
    },
  },
  'new-reference': {
    fault: 'tries again under another reference',
    incident: 'm-pesa-stalls',
    kind: 'paid_twice',
    habits({ nameOf }) {
      const tries = new Map<string, number>()
      return {
        isKnown: async () => false,
        nameOf: (order) => {
          const tried = tries.get(order.reference) ?? 0
          return tried === 0 ? nameOf(order) : `${nameOf(order)}.${tried}`
        },
        orderOf: ({ orders }, told) => orders.get(told.external_reference.replace(/\.\d+$/, '')),
        async begin(shop, order) {
          for (let tried = 0; tried < 4; tried++) {
            tries.set(order.reference, tried)
            const answer = await ask(shop, order.account, await shop.habits.requestOf(shop, order))
            if (answer !== LOST && answer.status < 300) return shop.habits.accepted(shop, order, answer)
            if (answer !== LOST && answer.status < 500 && answer.status !== 429)
              return shop.habits.refused(shop, order, answer)
            await shop.clock.sleep(shop.habits.pauseBefore(shop, tried, answer), shop.stopped)
          }
        },
      }
    },
  },
  'drops-under-load': {
    fault: 'drops callbacks when more than two come in a second, and looks up five times',
    incident: 'm-pesa-stalls',
    kind: 'paid_not_fulfilled',
    habits({ take, untilNextLook }) {
      let second = 0
      let taken = 0
      return {
        untilNextLook: (shop, asked) => (asked < 5 ? untilNextLook(shop, asked) : 1e9),
        async take(shop, event, told, request) {
          const now = Math.floor(shop.clock.now() / 1_000)
          if (now !== second) taken = 0
          second = now
          if (++taken <= 2) await take(shop, event, told, request)
        },
      }
    },
  },
  'unavailable-is-failure': {
    fault: 'treats 503 as a failed payment',
    incident: 'm-pesa-stalls',
    rate: '25/m',
    kind: 'paid_not_fulfilled',
    habits: ({ isNews }) => ({
      async begin(shop, order) {
        const answer = await ask(shop, order.account, await shop.habits.requestOf(shop, order))
        if (answer === LOST) return
        if (answer.status < 300) return shop.habits.accepted(shop, order, answer)
        return shop.habits.refused(shop, order, answer)
      },
      isNews: (order, next) => order.status !== 'refused' && isNews(order, next),
    }),
  },
  'fulfils-before-commit': {
    fault: 'delivers before the commit, which fails once in ten times',
    incident: 'm-pesa-stalls',
    kind: 'fulfilled_twice',
    habits({ take }) {
      let commits = 0
      return {
        async take(shop, event, told, request) {
          if (++commits % 10 !== 0) return take(shop, event, told, request)
          await shop.store.write((rows) => {
            const order = shop.habits.orderOf(rows, told)
            if (order && told.status === 'success' && order.status !== 'paid') order.deliveries++
          })
          throw new Error('could not serialize access')
        },
        async receiveCallback(shop, request) {
          return careful.receiveCallback(shop, request).catch(() => new Response(null, { status: 500 }))
        },
      }
    },
  },
}

/** Plays a plan against a shop in this process, on a compressed clock. */
export async function play(
  plan: Omit<TrafficPlan, 'shop'>,
  habits: (own: Habits) => Partial<Habits> = () => ({}),
): Promise<TrafficRun> {
  const clock = virtualClock()
  let shop: ReturnType<typeof createShop> | undefined
  await using sandbox = await createSandbox({
    random: '7',
    env: { SANDBOX_REQUEST_LOG_SIZE: '200000' },
    receivers: { [ORIGIN]: (request) => shop!.fetch(request) },
  })
  const { home } = sandbox
  shop = createShop({
    account: { baseUrl: home.url, authorization: home.authorization, callbackUrl: `${ORIGIN}/callback` },
    secrets: [SECRET],
    fetch: (request) => sandbox.fetch(request),
    clock,
    store: memoryStore(),
    // Signatures have real dates.
    habits: { isFresh: (signed) => careful.isFresh(signed, Date.now()), ...habits(careful) },
  })
  const own = shop
  const send = (path: string, body?: object) =>
    own.fetch(new Request(ORIGIN + path, body && { method: 'POST', body: JSON.stringify(body) }))
  try {
    return await home.traffic({
      clock: 'compressed',
      ...plan,
      shop: {
        async trigger(order) {
          const { status } = await send('/test/checkout', order)
          if (status !== 202) throw new Error(`the checkout responds with ${status}`)
        },
        async probe(order) {
          const response = await send(`/test/orders/${order}`)
          if (response.status === 404) return undefined
          const { status, deliveries } = (await response.json()) as { status: string; deliveries: number }
          return { state: STATES[status] ?? status, fulfilled: deliveries }
        },
        advance: (ms) => clock.advance(ms, () => own.idle()),
      },
    })
  } finally {
    shop.stop()
  }
}

const STATES: Readonly<Record<string, string>> = { waiting: 'open', refused: 'failed', unclear: 'flagged' }
