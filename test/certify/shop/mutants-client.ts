/** Shops whose client has one fault, by the check that finds it. */
import type { CheckId } from '../../../src/certify/check-ids.ts'
import type { Habits } from './habits.ts'
import type { Mutant } from './mutants.ts'
import type { Shop } from './shop.ts'

type ClientCheck = Extract<CheckId, `CLI-${string}`>

/** A shop that sends what begins a payment in another way. */
const sending =
  (send: (shop: Shop, request: Request) => Promise<Response>) =>
  ({ begin }: Habits): Partial<Habits> => ({
    begin: (shop, order) =>
      begin(
        order.kind === 'payout' ? shop : { ...shop, fetch: (request) => unlessAsking(shop, request, send) },
        order,
      ),
  })

const unlessAsking = (
  shop: Shop,
  request: Request,
  send: (shop: Shop, request: Request) => Promise<Response>,
) => (request.url.endsWith('/api/v2/payments') ? send(shop, request) : shop.fetch(request))

const known = /cancelled|insufficient|expired/i

export const clientMutants: Readonly<Record<ClientCheck, Mutant>> = {
  'CLI-1': {
    fault: 'gives all payments one name',
    habits: () => ({
      nameOf: () => 'payment',
      orderOf: ({ orders }, told) =>
        [...orders.values()].findLast(({ serviceReference }) => serviceReference === told.reference) ??
        [...orders.values()].findLast(
          ({ serviceReference, status, amount }) =>
            serviceReference === undefined && status === 'waiting' && amount === told.amount,
        ),
    }),
  },
  'CLI-2': {
    fault: 'sends again what was not answered, without looking',
    habits: sending(({ fetch }, request) => {
      const again = request.clone()
      return fetch(request).catch(() => fetch(again))
    }),
  },
  'CLI-3': {
    fault: 'sends again what the server failed at, twice',
    habits: sending(async ({ fetch }, request) => {
      const [second, third] = [request.clone(), request.clone()]
      const answer = await fetch(request)
      return answer.status === 500 ? Promise.all([fetch(second), fetch(third)]).then(([one]) => one) : answer
    }),
  },
  'CLI-4': {
    fault: 'does not read Retry-After',
    habits: ({ pauseBefore }) => ({ pauseBefore: (shop, tried) => pauseBefore(shop, tried, 'lost') }),
  },
  'CLI-5': {
    fault: 'tries again at one pace',
    habits: ({ pauseBefore }) => ({ pauseBefore: (shop, _, last) => pauseBefore(shop, 0, last) }),
  },
  'CLI-6': { fault: 'waits for callbacks alone', habits: () => ({ watch: async () => {} }) },
  'CLI-7': { fault: 'asks five times a second', habits: () => ({ untilNextLook: () => 200 }) },
  'CLI-8': {
    fault: 'takes a slow answer for none, and sends again',
    habits: sending((shop, request) => {
      const again = request.clone()
      let answered = false
      const first = shop.fetch(request).finally(() => (answered = true))
      const late = shop.clock
        .sleep(IMPATIENT, shop.stopped)
        .then(() => (answered ? first : shop.fetch(again)))
      return Promise.race([first, late])
    }),
  },
  'CLI-9': {
    fault: 'asks again for what was refused',
    habits: sending(async ({ fetch }, request) => {
      const again = request.clone()
      const answer = await fetch(request)
      return answer.status === 400 ? fetch(again) : answer
    }),
  },
  'CLI-10': {
    fault: 'knows three reasons of failure, and waits at the others',
    habits: ({ nextStatus }) => ({
      nextStatus: (order, told) => {
        const next = nextStatus(order, told)
        return next === 'failed' && !known.test(told.message) ? undefined : next
      },
    }),
  },
  'CLI-11': {
    fault: 'takes a payment for failed that nobody tells of',
    habits: ({ isKnown }) => ({
      async isKnown(shop, order) {
        const answer = await isKnown(shop, order)
        await shop.store.write(({ orders }) => {
          const row = orders.get(order.reference)
          if (row?.status === 'waiting') row.status = 'failed'
        })
        return answer
      },
    }),
  },
  'CLI-12': {
    fault: 'sends phones as they were typed, with the plus or without',
    habits({ phoneOf }) {
      let sent = 0
      return { phoneOf: (typed) => (sent++ % 2 === 0 ? phoneOf(typed) : `+${phoneOf(typed)}`) }
    },
  },
  'CLI-13': {
    fault: 'believes a look-up more than a callback',
    habits: ({ take, isKnown }) => ({
      async take(shop, event, told, request) {
        const order = await shop.store.read((rows) => shop.habits.orderOf(rows, told))
        let failed = false
        const asking: Shop = {
          ...shop,
          habits: {
            ...shop.habits,
            applyResult: (_, __, looked) => void (failed = looked.status === 'failed'),
          },
        }
        if (order && told.status === 'success') await isKnown(asking, order)
        return take(shop, event, failed ? { ...told, status: 'failed' } : told, request)
      },
    }),
  },
  'CLI-14': {
    fault: 'books a payout when it is taken, and never asks what became of it',
    habits: ({ requestOf, watch }) => ({
      async requestOf(shop, order) {
        const question = await requestOf(shop, order)
        const { callback_url: _, ...body } = question.body as Record<string, unknown>
        return order.kind === 'payout' ? { ...question, body } : question
      },
      async watch(shop, reference) {
        const order = await shop.store.read(({ orders }) => orders.get(reference))
        if (order?.kind === 'collection') await watch(shop, reference)
      },
    }),
  },
  'CLI-15': {
    fault: 'goes on asking for what it knows',
    habits: () => ({ isOver: () => false, untilNextLook: () => 1000 }),
  },
  'CLI-16': {
    fault: 'takes every status but QUEUED for the end',
    habits: ({ accepted }) => ({
      async accepted(shop, order, answer) {
        await accepted(shop, order, answer)
        if (answer.body['status'] === 'QUEUED') return
        await shop.store.write(({ orders }) => {
          const row = orders.get(order.reference)
          if (row?.status === 'waiting')
            Object.assign(row, { status: 'paid', deliveries: 1, paid: row.amount })
        })
      },
    }),
  },
}

/** Shorter than a profile of the tests holds an answer back, milliseconds. */
export const IMPATIENT = 1200
