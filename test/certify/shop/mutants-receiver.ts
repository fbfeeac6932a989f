/** Shops whose receiver has one fault, by the check that finds it. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { CheckId } from '../../../src/certify/checks.ts'
import type { Mutant } from './mutants.ts'
import { type Result, resultOf } from './results.ts'
import type { Shop } from './shop.ts'
import { type Signed, signedOf, TOLERANCE } from './signature.ts'
import type { Order } from './store.ts'

type ReceiverCheck = Extract<CheckId, `RCV-${string}`>

const resultIn = (body: Uint8Array) => resultOf(JSON.parse(Buffer.from(body).toString()))

/** Characters of a signature. */
const WHOLE = 47

/** The order that a body names. */
const orderIn = ({ store }: Shop, body: Uint8Array) =>
  store.read(({ orders }) => orders.get(resultIn(body)?.external_reference ?? ''))

const deliverAgain = (order: Order | undefined, told: Result) => {
  if (order?.status === 'paid' && told.status === 'success') order.deliveries++
}

export const receiverMutants: Readonly<Record<ReceiverCheck, Mutant>> = {
  'RCV-1': {
    fault: 'takes it, and answers as if it had not',
    habits: ({ receiveCallback }) => ({
      async receiveCallback(shop, request) {
        const answer = await receiveCallback(shop, request)
        return answer.ok ? new Response(null, { status: 404 }) : answer
      },
    }),
  },
  'RCV-2': {
    fault: 'checks the signature where there is one',
    habits: ({ genuine }) => ({
      genuine: (shop, headers, body) =>
        headers.has('webhook-signature') ? genuine(shop, headers, body) : Promise.resolve('unsigned'),
    }),
  },
  'RCV-3': {
    fault: 'believes any signature for an order that waits for that amount',
    habits: ({ genuine }) => ({
      async genuine(shop, headers, body) {
        const event = await genuine(shop, headers, body)
        const signed = event ? undefined : signedOf(headers, body)
        const whole = signed?.signatures.every((each) => each.length === WHOLE)
        if (!signed || !whole || !shop.habits.isFresh(signed, shop.clock.now())) return event
        const order = await orderIn(shop, body)
        return order?.status === 'waiting' && order.amount === resultIn(body)?.amount ? signed.id : undefined
      },
    }),
  },
  'RCV-4': {
    fault: 'checks the signature of the body that it expected, not of the one that came',
    habits: ({ genuine }) => ({
      async genuine(shop, headers, body) {
        const event = await genuine(shop, headers, body)
        const order = event ? undefined : await orderIn(shop, body)
        if (!order) return event
        const expected = Buffer.from(body)
          .toString()
          .replace(/"amount":\d+/, `"amount":${order.amount}`)
        return genuine(shop, headers, Buffer.from(expected))
      },
    }),
  },
  'RCV-5': {
    fault: 'takes what was signed long ago',
    habits: () => ({ isFresh: ({ timestamp }, now) => Number(timestamp) - now / 1000 <= TOLERANCE }),
  },
  'RCV-6': {
    fault: 'takes what is signed ahead of the clock',
    habits: () => ({ isFresh: ({ timestamp }, now) => now / 1000 - Number(timestamp) <= TOLERANCE }),
  },
  'RCV-7': {
    fault: 'falls over at a signature of another length',
    habits: ({ receiveCallback }) => ({
      isSignedWith: (secret, signed) =>
        signed.signatures.some((each) =>
          timingSafeEqual(Buffer.from(each), Buffer.from(ownSignature(secret, signed))),
        ),
      receiveCallback: (shop, request) =>
        receiveCallback(shop, request).catch(() => new Response(null, { status: 500 })),
    }),
  },
  'RCV-8': {
    fault: 'looks at the first of several signatures alone',
    // While a secret is rotated there are two.
    also: ['RCV-9'],
    habits: ({ isSignedWith }) => ({
      isSignedWith: (secret, signed) =>
        isSignedWith(secret, { ...signed, signatures: signed.signatures.slice(0, 1) }),
    }),
  },
  'RCV-9': {
    fault: 'takes anything for signed once it has seen that the secret is rotated',
    habits({ genuine }) {
      let rotated = false
      return {
        async genuine(shop, headers, body) {
          const event = await genuine(shop, headers, body)
          const signed = signedOf(headers, body)
          if (event && signed!.signatures.length > 1) rotated = true
          return event ?? (rotated ? signed?.id : undefined)
        },
      }
    },
  },
  'RCV-10': {
    fault: 'knows a callback again only while it works on it',
    // A day later is later, too.
    also: ['RCV-12'],
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
          if (habits.isNews(order, habits.nextStatus(order, told) ?? order.status))
            habits.applyResult(shop, order, told)
          else if (before.status === 'waiting') order.deliveries = deliveries + 1
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
    habits: ({ accepted }) => ({
      async accepted(shop, order, answer) {
        await accepted(shop, order, answer)
        await shop.store.write(({ orders }) => void (orders.get(order.reference)!.status = 'waiting'))
      },
      watch: async () => {},
    }),
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
  'RCV-20': {
    fault: 'answers with a page',
    habits: ({ receiveCallback }) => ({
      async receiveCallback(shop, request) {
        const answer = await receiveCallback(shop, request)
        return answer.ok ? new Response('<p>Thank you.</p>'.repeat(400)) : answer
      },
    }),
  },
  'RCV-21': {
    fault: 'thinks long about what it refuses',
    habits: ({ refuse }) => ({
      async refuse(shop) {
        await shop.clock.sleep(LATE, shop.stopped)
        return refuse(shop)
      },
    }),
  },
  'RCV-22': {
    fault: 'bears twenty at a time',
    habits({ receiveCallback }) {
      let inside = 0
      return {
        async receiveCallback(shop, request) {
          if (inside >= 20) return new Response(null, { status: 503 })
          inside++
          try {
            return await receiveCallback(shop, request)
          } finally {
            inside--
          }
        },
      }
    },
  },
  'RCV-23': {
    fault: 'notes that it has it, and stops working on it when the connection goes',
    habits: ({ take }) => ({
      async take(shop, event, told, request) {
        const known = await shop.store.read(({ events }) => events.has(event))
        if (known || !(await isCut(shop, request))) return take(shop, event, told, request)
        return shop.store.write(({ events }) => void events.set(event, shop.clock.now()))
      },
    }),
  },
  'RCV-24': {
    fault: 'reads JSON by a pattern',
    habits: ({ parse }) => ({
      parse: (body) =>
        /"amount":\d+(\.\d+)?,"/.test(Buffer.from(body).toString()) ? parse(body) : undefined,
    }),
  },
  'RCV-25': {
    fault: 'takes PUT and DELETE for POST',
    habits: () => ({ isMethod: ({ method }) => method !== 'GET' && method !== 'HEAD' }),
  },
  'RCV-26': {
    fault: 'falls over at a large body',
    habits: ({ receiveCallback }) => ({
      async receiveCallback(shop, request) {
        const answer = await receiveCallback(shop, request)
        return answer.status === 413 ? new Response(null, { status: 500 }) : answer
      },
    }),
  },
  'RCV-27': {
    fault: 'shows where it failed',
    habits: () => ({
      refuse: async () => new Response(new Error('the signature does not hold').stack, { status: 401 }),
    }),
  },
  'RCV-28': {
    fault: 'answers, and stores when somebody looks',
    habits({ take, reconcile, showOrder }) {
      const left: (() => Promise<void>)[] = []
      const store = async () => {
        for (let next = left.shift(); next; next = left.shift()) await next()
      }
      return {
        async take(...told) {
          left.push(() => take(...told))
        },
        showOrder: (...asked) => store().then(() => showOrder(...asked)),
        reconcile: (...asked) => store().then(() => reconcile(...asked)),
      }
    },
  },
}

/** Whether the connection goes while the shop works, milliseconds long. */
const isCut = async (shop: Shop, { signal }: Request): Promise<boolean> =>
  signal.aborted ||
  Promise.race([
    shop.clock.sleep(WORK, shop.stopped).then(() => false),
    new Promise<boolean>((resolve) => signal.addEventListener('abort', () => resolve(true))),
  ])
const WORK = 500

/** Later than a profile of the tests allows, milliseconds. */
export const LATE = 2400

const ownSignature = (secret: string, { id, timestamp, body }: Signed) =>
  `v1,${createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest('base64')}`
