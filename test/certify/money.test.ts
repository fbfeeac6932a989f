/** Faults that lose money, correct shops that work in another way, and profiles that prove nothing. */
import { describe, it } from 'vitest'
import type { CheckId } from '../../src/certify/check-ids.ts'
import { certify, type CertifyOptions } from '../../src/certify/library.ts'
import { clockOf } from './shop/clock.ts'
import { certifyShop, withVerdict } from './certified.ts'
import type { Habits } from './shop/habits.ts'
import { isForOrder } from './shop/results.ts'

const LIMIT = 240_000

/** `npm test` tries one of each. */
const some = <T>(all: readonly T[]) => (process.env['MATRIX'] === 'sample' ? all.slice(0, 1) : [...all])

interface Fault {
  readonly check: CheckId
  readonly habits: (careful: Habits) => Partial<Habits>
  /** Long enough that no status query mends what a callback did. */
  readonly firstLook?: number
  /** Other checks that the run needs. */
  readonly also?: readonly CheckId[]
  /** The advice, if it differs from that of the check. */
  readonly fix?: RegExp
}

/** A shop that responds first and works later. */
const queued =
  (ms: number) =>
  ({ take }: Habits): Partial<Habits> => ({
    async take(shop, event, told, request) {
      const clock = clockOf()
      shop.start(clock.sleep(ms, shop.stopped).then(() => take(shop, event, told, request)))
    },
  })

const believes =
  (isPaid: (amount: number, due: number) => boolean) =>
  ({ nextStatus }: Habits): Partial<Habits> => ({
    nextStatus: (order, told) =>
      told.status === 'success' && told.currency === order.currency && isPaid(told.amount, order.amount)
        ? 'paid'
        : nextStatus(order, told),
  })

const faults: Readonly<Record<string, Fault>> = {
  'delivers while the payment is queued': {
    check: 'CLI-11',
    habits: ({ accepted }) => ({
      async accepted(shop, order, answer) {
        await accepted(shop, order, answer)
        await shop.store.write(({ orders }) => {
          const row = orders.get(order.reference)
          if (row?.status === 'waiting') Object.assign(row, { status: 'paid', deliveries: 1 })
        })
      },
    }),
  },
  'delivers for a status query and for the callback': {
    check: 'CLI-6',
    habits: ({ take }) => ({
      async take(shop, event, told, request) {
        await shop.store.write((rows) => {
          const order = shop.habits.orderOf(rows, told)
          if (order?.status === 'paid' && !rows.events.has(event)) order.deliveries++
        })
        await take(shop, event, told, request)
      },
    }),
  },
  'takes half the amount for enough': {
    check: 'RCV-17',
    habits: believes((amount, due) => amount >= Math.floor(due / 2)),
  },
  'takes one shilling less for enough': {
    check: 'RCV-17',
    habits: believes((amount, due) => amount >= due - 1),
  },
  'takes every status but failed for paid': {
    check: 'RCV-17',
    habits: ({ nextStatus }) => ({
      nextStatus: (order, told) =>
        told.status === 'queued' && isForOrder(order, told) ? 'paid' : nextStatus(order, told),
    }),
  },
  'trusts the amount behind a queue': {
    check: 'RCV-17',
    habits: (careful) => ({ ...queued(400)(careful), ...believes(() => true)(careful) }),
  },
  'trusts the amount behind a queue that is slower than its status queries': {
    check: 'RCV-17',
    habits: (careful) => ({ ...queued(4_000)(careful), ...believes(() => true)(careful) }),
    firstLook: 1_000,
  },
  'creates the order of a callback': {
    check: 'RCV-19',
    habits: ({ orderOf }) => ({
      orderOf(rows, told) {
        const known = orderOf(rows, told)
        const [some] = rows.orders.values()
        if (known || !some) return known
        const reference = told.external_reference
        const made = { ...some, order: reference, reference, status: 'waiting' as const, deliveries: 0 }
        rows.orders.set(reference, { ...made, amount: told.amount, serviceReference: told.reference })
        return rows.orders.get(reference)
      },
    }),
  },
  'pays again after a 500 that was accepted': {
    check: 'CLI-3',
    habits: () => ({ isKnown: async () => false }),
  },
  'queries the status after a lost response, and has a job that selects no orders': {
    check: 'CLI-6',
    habits: () => ({ watch: async () => {} }),
    also: ['CLI-2'],
    fix: /^The status query works, so check that the job runs and that it selects open orders/,
  },
  'leaves a rejected order open': { check: 'CLI-9', habits: () => ({ refused: async () => {} }) },
}

describe('a shop that', () => {
  it.for(some(Object.entries(faults)))(
    '%s fails',
    { timeout: LIMIT, retry: 1 },
    async ([, fault], { expect }) => {
      const {
        check,
        habits,
        firstLook = check.startsWith('RCV') ? LIMIT : 1_000,
        also = [],
        fix = /./,
      } = fault
      const only = [check, ...also]
      const { checks, summary, probe } = await certifyShop({ habits, only, patience: { firstLook } })
      expect(probe).toMatchObject({ usable: true })
      const failed = checks.filter(({ verdict }) => verdict === 'fail')
      expect(failed).toMatchObject([{ id: check, level: 'mandatory', fix: expect.stringMatching(fix) }])
      expect(summary).toMatchObject({ standing: 'not_ready', ready: false })
    },
  )
})

/** Limits requests to so many a second, and postpones the rest. */
function limited(most: number): (careful: Habits) => Partial<Habits> {
  let taken: number[] = []
  return ({ receiveCallback }) => ({
    async receiveCallback(shop, request) {
      const now = shop.clock.now()
      taken = taken.filter((at) => now - at < 1_000)
      if (taken.length >= most) return new Response(null, { status: 429, headers: { 'retry-after': '1' } })
      taken.push(now)
      return receiveCallback(shop, request)
    },
  })
}

const correct: Readonly<Record<string, (careful: Habits) => Partial<Habits>>> = {
  'works from a queue': queued(400),
  'limits callbacks to 20 a second': limited(20),
  'flags a success after a failure': ({ nextStatus }) => ({
    nextStatus: (order, told) =>
      order.status === 'failed' && told.status === 'success' ? 'unclear' : nextStatus(order, told),
  }),
}

describe('a correct shop that', () => {
  it.for(some(Object.entries(correct)))(
    '%s fails nothing',
    { timeout: LIMIT },
    async ([, habits], { expect }) => {
      const only = ['RCV-1', 'RCV-3', 'RCV-10', 'RCV-11', 'RCV-13', 'RCV-15', 'RCV-16', 'RCV-17', 'RCV-19']
      const found = await certifyShop({ habits, only, patience: { firstLook: LIMIT } })
      const open = found.checks.filter(({ verdict }) => verdict !== 'pass')
      expect(open.map(({ id, verdict, observed }) => ({ id, verdict, observed }))).toEqual([])
    },
  )

  it(
    'confirms each callback by a status query fails nothing',
    { timeout: LIMIT, retry: 1 },
    async ({ expect }) => {
      const { checks } = await certifyShop({
        habits: ({ take, isKnown }) => ({
          async take(shop, event, told, request) {
            await take(shop, event, told, request)
            const order = await shop.store.read((rows) => shop.habits.orderOf(rows, told))
            if (order) await isKnown(shop, order)
          },
        }),
        only: ['CLI-6', 'CLI-7', 'CLI-8', 'CLI-13', 'CLI-15', 'CLI-16'],
      })
      const open = checks.filter(({ verdict }) => verdict !== 'pass')
      expect(open.map(({ id, verdict, observed }) => ({ id, verdict, observed }))).toEqual([])
    },
  )
})

/** A shop that pays by the API and believes what a function says. */
const vacuous = (
  state: (order: string) => string | undefined,
  more: Partial<CertifyOptions['profile']> = {},
): CertifyOptions => ({
  only: ['RCV-1', 'RCV-17', 'CLI-11', 'ONB-10', 'CLI-6'],
  receivers: { 'https://shop.test': () => new Response(null, { status: 204 }) },
  profile: {
    profile: 'shop',
    isolation: 'world',
    receiver: { url: 'https://shop.test/callback', settles: 500 },
    client: { patience: 500, finds_out: 500 },
    trigger: async ({ order, amount, phone, callback, fetch, sandbox, authorization }) => {
      const body = {
        amount,
        phone_number: phone,
        provider: 'm-pesa',
        network_code: '63902',
        external_reference: order,
        callback_url: callback,
      }
      const headers = { authorization, 'content-type': 'application/json' }
      await fetch(`${sandbox}/api/v2/payments`, { method: 'POST', headers, body: JSON.stringify(body) })
    },
    probe: (order) => {
      const said = state(order)
      return said === undefined ? undefined : { state: said, fulfilled: said === 'paid' ? 1 : 0 }
    },
    ...more,
  },
})

const profiles: Readonly<Record<string, CertifyOptions>> = {
  'only a name': { profile: { profile: 'shop' }, receivers: {} },
  'only a receiver': {
    profile: { profile: 'shop', receiver: { url: 'https://shop.test/callback' } },
    receivers: { 'https://shop.test': () => new Response(null, { status: 204 }) },
  },
  'one check': vacuous(() => 'open'),
  'no probe': vacuous(() => 'open', { probe: undefined }),
  'a probe that says paid always': vacuous(() => 'paid'),
  'a probe that says open always': vacuous(() => 'open'),
  'a probe that says paid for every order that was placed': vacuous((order) =>
    order.includes('never-placed') ? undefined : 'paid',
  ),
  'a probe with unknown words': vacuous(() => 'banana'),
  'no features': vacuous(() => 'open', { features: [] }),
  'collecting without reversals and status queries': vacuous(() => 'open', { features: ['collect'] }),
}

describe('a profile with', () => {
  it.for(some(Object.entries(profiles)))(
    '%s is not ready',
    { timeout: LIMIT },
    async ([, options], { expect }) => {
      const found = await certify(options)
      expect(found.summary.ready).toBe(false)
      expect(['undecided', 'so_far', 'not_ready']).toContain(found.summary.standing)
      expect(withVerdict(found, 'pass')).not.toContain('RCV-17')
    },
  )
})
