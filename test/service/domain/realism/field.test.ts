import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../../src/lib/random/random.ts'
import { networksOn } from '../../../../src/service/domain/countries/networks.ts'
import { defaultCosts, costFor } from '../../../../src/service/domain/costs.ts'
import { rules } from '../../../../src/service/domain/realism/rules.ts'
import {
  batchOf,
  fieldCallback,
  fieldLatency,
  fieldOutcome,
  outageAt,
} from '../../../../src/service/domain/realism/field.ts'
import type { Settings } from '../../../../src/service/domain/context.ts'
import { type Reason, reasonsOf } from '../../../../src/service/vocabulary/rails.ts'
import { collection, globalPayment } from '../../../support/requests.ts'
import { NOON, startSandbox } from '../../../support/sandbox.ts'

const random = createRandom('sandbox\0demo')
const mpesa = networksOn('KE', 'momo')[0]!
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 86_400_000
const DRAWS = 15_000
const row = {
  country: 'KE',
  rail: 'momo',
  party: '254722345678',
  direction: 'payin',
  network: 'M-Pesa',
} as const
const ratio = (hit: (n: number) => boolean) =>
  Array.from({ length: DRAWS }, (_, n) => hit(n)).filter(Boolean).length / DRAWS

/** A time within an outage of M-Pesa in the days after noon. */
function during(seed = random): { readonly from: number; readonly to: number } {
  for (let at = NOON; ; at += 5 * MINUTE) {
    const outage = outageAt(seed, 'KE', mpesa, at)
    if (outage && outage.from > NOON) return outage
  }
}

describe('the field', () => {
  it.each([
    ['momo', 'payin', 0.13],
    ['momo', 'payout', 0.04],
    ['bank', 'payin', 0.09],
    ['bank', 'payout', 0.05],
    ['card', 'payin', 0.17],
  ] as const)('fails a share of payments: %s %s', (rail, direction, expected) => {
    const reasons = reasonsOf(direction, rail)
    const found = new Set<Reason>()
    const failed = ratio((id) => {
      const reason = fieldOutcome(random, { ...row, id, rail, direction, network: undefined }, NOON)?.reason
      if (reason) found.add(reason)
      return reason !== undefined
    })
    expect([...found].filter((reason) => !reasons.includes(reason))).toEqual([])
    expect(found.size).toBeGreaterThan(2)
    expect(failed).toBeGreaterThan(expected - 0.01)
    expect(failed).toBeLessThan(expected + 0.01)
  })

  it('sends some callbacks late and some twice', () => {
    expect(ratio((n) => fieldCallback(random, n)?.after !== undefined)).toBeCloseTo(0.03, 2)
    expect(ratio((n) => fieldCallback(random, n)?.times === 2)).toBeCloseTo(0.01, 2)
  })

  it('responds in about 350 ms', () => {
    const times = Array.from({ length: DRAWS }, (_, n) => fieldLatency(random, n)).toSorted((a, b) => a - b)
    expect(times[DRAWS / 2]).toBeGreaterThan(330)
    expect(times[DRAWS / 2]).toBeLessThan(370)
    expect(times[DRAWS * 0.95]).toBeGreaterThan(800)
    expect(times.at(-1)).toBeLessThanOrEqual(10_000)
  })

  it('has two outages of M-Pesa a month, which end', () => {
    const lengths = new Map<number, number>()
    for (let at = NOON; at < NOON + 600 * DAY; at += 10 * MINUTE) {
      const outage = outageAt(random, 'KE', mpesa, at)
      if (outage) lengths.set(outage.from, outage.to - outage.from)
    }
    expect(lengths.size).toBeGreaterThan(25)
    expect(lengths.size).toBeLessThan(55)
    expect(Math.max(...lengths.values())).toBeLessThan(DAY)
  })

  it.each([
    ['a Friday morning', '2026-06-12T06:00:00Z', 'ZM', '2026-06-12T08:30:00.000Z'],
    ['after the cut-off', '2026-06-12T07:31:00Z', 'ZM', '2026-06-12T11:30:00.000Z'],
    ['a Friday evening', '2026-06-12T17:00:00Z', 'ZM', '2026-06-15T08:30:00.000Z'],
    ['a Saturday', '2026-06-13T12:00:00Z', 'BW', '2026-06-15T08:30:00.000Z'],
  ])('settles transfers in batches: %s', (_, at, country, expected) =>
    expect(
      new Date(batchOf(Date.parse(at), country, networksOn('ZM', 'bank')[0]!.clears!)).toISOString(),
    ).toBe(expected),
  )

  it('maintains networks of MTN on Sunday from midnight to two', () => {
    const [mtn] = networksOn('ZM', 'momo')
    const [from, to] = ['2026-06-13T22:00:00Z', '2026-06-14T00:00:00Z'].map((text) => Date.parse(text))
    expect(outageAt(random, 'ZM', mtn!, from! + HOUR)).toEqual({ from, to })
    expect(outageAt(random, 'ZM', mtn!, to!)?.from).not.toBe(from)
  })

  it('charges the price of the network, which is the usual one outside the field', () => {
    const costs = defaultCosts
    const cost = (realism: 'plain' | 'field', country: string, rail: 'momo' | 'card', network: string) =>
      costFor(
        { settings: { realism, costs } as Settings },
        { country, rail, network, party: '' },
        100_000,
        'KES',
      )
    expect(cost('plain', 'KE', 'card', 'Visa')).toBe(cost('plain', 'KE', 'momo', 'M-Pesa'))
    expect(cost('field', 'KE', 'card', 'Visa')).toBe(2 * cost('field', 'KE', 'momo', 'M-Pesa'))
    expect(cost('field', 'KE', 'momo', 'Airtel Money')).toBeLessThan(cost('field', 'KE', 'momo', 'M-Pesa'))
  })

  it('has a rule for each outcome', () => {
    const names = rules.map(({ name }) => name)
    for (const name of [
      'latency',
      'times',
      'failures',
      'outages',
      'batches',
      'fees',
      'maintenance',
      'callbacks',
    ])
      expect(names).toContain(`field.${name}`)
  })
})

describe('a world with realism: field', async () => {
  const env = { SANDBOX_REALISM: 'field', SANDBOX_SEED: 'field' }
  const phone = (n: number) => `07220${String(10_000 + n)}`

  async function history(count: number) {
    const started = await startSandbox(env)
    const w = started.world()
    const outcomes: (string | null)[] = []
    for (let n = 0; n < count; n++) {
      const { headers } = await w.post(
        '/api/v2/payments',
        collection(w, { phone_number: phone(n), amount: 50 }),
      )
      outcomes.push(headers.get('sandbox-outcome'))
    }
    await w.post('/sandbox/clock/advance', { by: '2h' })
    const { transactions } = (await w.get(`/sandbox/transactions?limit=${count}`)).body
    return { ...started, outcomes, transactions }
  }

  it('fails, delays and repeats like the field, the same in every run', async () => {
    const { outcomes, transactions, pauses, received } = await history(300)
    const failed = transactions.filter(({ status }: { status: string }) => status === 'FAILED')
    expect(failed.length).toBeGreaterThan(20)
    expect(failed.length).toBeLessThan(60)
    expect(outcomes.filter((each) => each?.startsWith('Realism.field.failures; fails'))).toHaveLength(
      failed.length,
    )
    const durations = new Set(transactions.map(({ duration_ms }: { duration_ms: number }) => duration_ms))
    expect(durations.size).toBeGreaterThan(200)
    expect(pauses.length).toBeGreaterThanOrEqual(300)
    expect(received.length).toBeGreaterThan(300)
    const again = await history(100)
    expect(again.outcomes).toEqual(outcomes.slice(0, 100))
    expect(again.pauses.slice(0, 100)).toEqual(pauses.slice(0, 100))
  })

  it('leaves scenarios, test numbers and hand-operated phones alone', async () => {
    const { world } = await startSandbox(env)
    const w = world()
    for (let n = 0; n < 60; n++) {
      const kept = await w.post(
        '/api/v2/payments',
        collection(w, { phone_number: '0700000000', amount: 60 + n }),
      )
      expect(kept.headers.get('sandbox-outcome')).not.toMatch(/field/)
      const own = collection(w, { phone_number: phone(n), amount: 50 })
      const chosen = await w.post('/api/v2/payments', own, { prefer: 'outcome=success' })
      expect(chosen.headers.get('sandbox-outcome')).not.toMatch(/field/)
    }
    await w.patch('/sandbox/worlds/current', { payer: 'manual' })
    for (let n = 0; n < 60; n++) {
      const made = await w.post('/api/v2/payments', collection(w, { phone_number: phone(100 + n) }))
      expect(made.headers.get('sandbox-outcome')).not.toMatch(/field/)
    }
  })

  it('fails most payments during an outage of their network, and ends the others after it', async () => {
    const { world } = await startSandbox(env)
    const w = world()
    await w.get('/sandbox/clock')
    const outage = during(w.world().random)
    await w.post('/sandbox/clock/advance', { to: new Date(outage.from + 1_000).toISOString() })
    const pay = async (n: number) => {
      const body = collection(w, { phone_number: phone(n), amount: 50 })
      return (await w.post('/api/v2/payments', body)).headers.get('sandbox-outcome') ?? ''
    }
    const outcomes: string[] = []
    for (let n = 0; n < 40; n++) outcomes.push(await pay(n))
    const lost = outcomes.filter((each) => /field\.outages; fails \(operator_(busy|error)\)/.test(each))
    expect(lost.length).toBeGreaterThan(18)
    expect(lost.length).toBeLessThan(38)
    await w.settle()
    const { transactions } = (await w.get('/sandbox/transactions?limit=100')).body
    const paid = transactions.filter(({ status }: { status: string }) => status === 'SUCCESS')
    expect(paid.length).toBeGreaterThan(0)
    for (const { settled_at } of paid) expect(Date.parse(settled_at)).toBeGreaterThan(outage.to)
  })

  it('pays a transfer to a bank without instant payments on the next business day', async () => {
    const { world } = await startSandbox(env)
    const w = world()
    await w.post('/sandbox/teams/63/fund', { wallet: 'wallet', amount: 5_000, currency: 'ZMW' })
    const plain = globalPayment(w)
    const pay = (n: number) =>
      w.post('/api/global/payments', {
        ...plain,
        request_type: 'withdrawal',
        transaction_channel: 'bank',
        provider: 'yellowcard',
        amount: 100,
        currency: 'ZMW',
        country: 'ZM',
        customer: {
          ...plain.customer,
          country: 'ZM',
          dob: '1990-01-01T00:00:00Z',
          id_type: 'passport',
          id_number: 'A1',
        },
        provider_config: {
          network_id: 'zm-yellowcard-bank-zanaco',
          provider_id: 'zm-yellowcard',
          network_name: 'Zanaco',
          network_code: 'ZMB01',
          account_type: 'bank',
        },
        payment_config: { ...plain.payment_config, account_number: `01234567${n}` },
      })
    for (let n = 10; n < 30; n++) expect((await pay(n)).body).toMatchObject({ success: true })
    await w.settle()
    const { transactions } = (await w.get('/sandbox/transactions?status=SUCCESS')).body
    expect(transactions.length).toBeGreaterThan(12)
    // Noon is on a Saturday; the first batch ends at half past ten on Monday in Lusaka.
    for (const { settled_at } of transactions)
      expect(settled_at.startsWith('2026-06-15T08:3') || settled_at.startsWith('2026-06-15T08:4')).toBe(true)
  })
})
