/** Shops that do with callbacks what they should not, by the check that finds it. */
import type { Mutant } from './mutants.ts'
import { isCut } from './cut.ts'
import type { Result } from './results.ts'
import type { Order } from './store.ts'

type EffectCheck = `RCV-${10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19}`

const deliverAgain = (order: Order | undefined, told: Result) => {
  if (order?.status === 'paid' && told.status === 'success') order.deliveries++
}

export const effectMutants: Readonly<Record<EffectCheck, Mutant>> = {
  'RCV-10': {
    fault: 'knows a callback again only while it works on it',
    habits({ take }) {
      const done = new Map<string, number>()
      return {
        async take(shop, event, told, request) {
          const again = done.get(event)
          await take(shop, event, told, request)
          if (again !== undefined)
            await shop.store.write((rows) => deliverAgain(shop.habits.orderOf(rows, told), told))
          if (again === undefined && !(await isCut(shop, request))) done.set(event, shop.clock.now())
        },
      }
    },
  },
  'RCV-11': {
    fault: 'looks whether it was there, and then books it',
    habits: () => ({
      async take(shop, event, told) {
        const { store, habits, clock } = shop
        if (await store.read(({ events }) => events.has(event))) return
        const before = await store.read((rows) => ({ ...habits.orderOf(rows, told) }) as Order)
        await store.write((rows) => {
          rows.events.set(event, clock.now())
          const order = habits.orderOf(rows, told)
          if (!order) return
          const { deliveries } = order
          const next = habits.nextStatus(order, told)
          if (habits.isNews(order, next ?? order.status)) habits.applyResult(shop, order, told)
          else if (next === 'paid' && before.status === 'waiting') order.deliveries = deliveries + 1
        })
      },
    }),
  },
  'RCV-12': {
    fault: 'remembers what it has taken until it is started anew',
    habits({ take }) {
      const taken = new Set<string>()
      return {
        async take(shop, event, told, request) {
          const before = await shop.store.read(({ events }) => events.has(event))
          await take(shop, event, told, request)
          if (before && !taken.has(event))
            await shop.store.write((rows) => deliverAgain(shop.habits.orderOf(rows, told), told))
          taken.add(event)
        },
      }
    },
  },
  'RCV-13': {
    fault: 'believes what came last',
    habits: ({ isNews }) => ({
      isNews: (order, next) => isNews(order, next) || (order.status === 'reversed' && next === 'paid'),
    }),
  },
  'RCV-14': {
    fault: 'is told that it is paid, and then that it was asked for',
    habits({ accepted, isOver }) {
      const begunAgain = new Set<string>()
      return {
        async accepted(shop, order, answer) {
          await accepted(shop, order, answer)
          await shop.store.write(({ orders }) => {
            const row = orders.get(order.reference)!
            if (row.status === 'paid') begunAgain.add(order.reference)
            row.status = 'waiting'
          })
        },
        // No look-up mends it.
        isOver: (order) => isOver(order) || begunAgain.has(order.reference),
      }
    },
  },
  'RCV-15': {
    fault: 'takes a failure for the end',
    habits: ({ isNews }) => ({ isNews: (order, next) => order.status !== 'failed' && isNews(order, next) }),
  },
  'RCV-16': {
    fault: 'does not know reversals of what was paid',
    habits: ({ nextStatus }) => ({
      nextStatus: (order, told) =>
        told.status === 'reversed' && order.status === 'paid' ? undefined : nextStatus(order, told),
    }),
  },
  'RCV-17': {
    fault: 'does not compare what came with what was asked',
    habits: ({ nextStatus }) => ({
      nextStatus: (order, told) => (told.status === 'success' ? 'paid' : nextStatus(order, told)),
    }),
  },
  'RCV-18': {
    fault: 'leaves an order open whose payer sent too much',
    habits: ({ nextStatus }) => ({
      nextStatus: (order, told) => (told.amount > order.amount ? undefined : nextStatus(order, told)),
    }),
  },
  'RCV-19': {
    fault: 'falls over at an order that it does not know',
    habits: ({ take, orderOf, receiveCallback }) => ({
      async take(shop, event, told, request) {
        if (!(await shop.store.read((rows) => orderOf(rows, told)))) throw new Error('no such order')
        await take(shop, event, told, request)
      },
      receiveCallback: (shop, request) =>
        receiveCallback(shop, request).catch(() => new Response(null, { status: 500 })),
    }),
  },
}
