import { describe, expect, it } from 'vitest'
import { createSandbox } from '../../src/index.ts'
import { recordOf } from '../../src/traffic/customers.ts'
import { planOf, readPlan } from '../../src/traffic/plan.ts'
import { judge, readLimits } from '../../src/traffic/result.ts'
import { wrongKind } from '../../src/traffic/books.ts'
import { play } from './shops.ts'

const mix = { 'payer-cancels': 0.08, 'insufficient-funds': 0.05 }

describe('a run', () => {
  it('passes with a careful shop, and counts customers, payments and requests', async () => {
    const run = await play({ for: '4m', rate: '20/m', mix })
    expect(run.verdict).toMatchObject({ result: 'pass', exit_code: 0 })
    expect(run.wrong).toMatchObject({ count: 0, at_stake: 0, orders: [] })
    const { paid, failed, open, none } = run.ledger
    expect(paid + failed + open + none).toBe(run.customers.orders)
    expect(failed).toBeGreaterThan(2)
    expect(run.customers.again + run.customers.devices).toBeGreaterThan(0)
    expect(run.api.payment_requests).toBe(run.customers.orders)
    expect(run.receiver.count).toBeGreaterThanOrEqual(paid)
    expect(run.receiver.over_time.length).toBeGreaterThan(2)
  })

  it('survives an operator that stalls', async () => {
    const run = await play({ for: '13m', rate: '10/m', mix, incidents: ['m-pesa-stalls'] })
    expect(run.verdict.text).toMatch(/^The books of \d+ orders agree/)
    expect(run.incidents.map(({ name }) => name)).toEqual(['m-pesa-stalls'])
    expect(run.api.rejected).toBeGreaterThan(0)
  })

  it('waits for the last payments, so that a shop that ignores every callback fails', async () => {
    const deaf = () => ({ take: async () => {}, watch: async () => {} })
    const run = await play({ for: '5s', rate: '30/m' }, deaf)
    expect(run.ledger.open).toBe(0)
    expect(run.wrong.kinds.paid_not_fulfilled).toBeGreaterThan(0)
    expect(run.verdict.exit_code).toBe(1)
  })

  it('compares a payment that ends while the shop is asked by its end', async () => {
    await using sandbox = await createSandbox({ random: '7' })
    const { home } = sandbox
    const run = await home.traffic({
      for: '3s',
      rate: '1/s',
      clock: 'compressed',
      settle_after: '1h',
      agree: '1s',
      shop: {
        trigger: ({ order, amount, phone }) => home.pay({ reference: order, amount, phone }),
        probe: async () => {
          await home.settle()
          return { state: 'paid', fulfilled: 1 }
        },
        advance() {},
      },
    })
    expect(run.wrong.orders).toEqual([])
  })

  it('is inconclusive if every payment stays open', async () => {
    const file = { title: 'A stall without an end', at: { '0s': { settle: { never: true }, for: '10m' } } }
    const run = await play({ for: '1m', rate: '10/m', incidents: [file] })
    expect(run.ledger).toMatchObject({ paid: 0, failed: 0 })
    expect(run.verdict).toMatchObject({
      exit_code: 3,
      text: expect.stringMatching(/^All \d+ payments stay open, so that no result was compared/),
    })
  })

  it('gives the world back', async () => {
    await using sandbox = await createSandbox({ random: '7' })
    const { home } = sandbox
    const settings = async () => (await home.show()).settings
    const before = await settings()
    const shop = { trigger() {}, probe: () => undefined }
    const run = await home.traffic({
      for: '5s',
      rate: '1/s',
      clock: 'compressed',
      incidents: ['callback-storm'],
      shop,
    })
    expect(run.verdict).toMatchObject({
      result: 'inconclusive',
      text: expect.stringMatching(/made no payment in this world/),
    })
    expect(await settings()).toEqual(before)
    expect(await home.usedBy()).toBeNull()
    const running = (await home.incidents.list()).filter(({ state }) => state !== 'stopped')
    expect(running).toEqual([])
    expect((await home.clock.show()).frozen).toBe(false)
  })

  it('stops early, compares the books, and reports how far it came', async () => {
    const stop = new AbortController()
    let orders = 0
    await using sandbox = await createSandbox({ random: '7' })
    const run = await sandbox.home.traffic({
      for: '1h',
      rate: '1/s',
      clock: 'compressed',
      signal: stop.signal,
      shop: {
        trigger: () => ++orders === 30 && stop.abort(),
        probe: () => undefined,
      },
    })
    expect(run.complete).toBe(false)
    expect(run.reached_ms).toBeLessThan(120_000)
    expect(run.verdict.text).toMatch(/The run was stopped after \d+ of 3600 s/)
  })

  it('waits for no world that another run holds', async () => {
    await using sandbox = await createSandbox({ random: '7' })
    const lease = await sandbox.home.lease({ holder: 'another suite' })
    const shop = { trigger() {}, probe: () => undefined }
    await expect(
      sandbox.home.traffic({ for: '5s', rate: '1/s', clock: 'compressed', shop }),
    ).rejects.toMatchObject({
      status: 409,
    })
    await lease.release()
  })

  it('reports a shop that dies and a probe that fails as inconclusive', async () => {
    const refuse = () => {
      throw new Error('connection refused')
    }
    await using sandbox = await createSandbox({ random: '7' })
    const plan = { for: '20s', rate: '1/s', clock: 'compressed' } as const
    const dead = await sandbox.home.traffic({ ...plan, shop: { trigger: refuse, probe: () => undefined } })
    expect(dead.verdict).toMatchObject({
      result: 'inconclusive',
      text: 'The shop accepted no order: connection refused',
    })
    const blind = await sandbox.home.traffic({ ...plan, shop: { trigger() {}, probe: refuse } })
    expect(blind.verdict).toMatchObject({
      exit_code: 3,
      text: expect.stringMatching(/^The probe failed for \d+ of \d+ orders/),
    })
    const pay = ({ order, amount, phone }: { order: string; amount: number; phone: string }) =>
      sandbox.home.pay({ reference: order, amount, phone })
    const lost = await sandbox.home.traffic({ ...plan, shop: { trigger: pay, probe: () => undefined } })
    expect(lost.verdict).toMatchObject({
      exit_code: 3,
      text: expect.stringMatching(
        /^The probe failed for (\d+) of \1 orders: the shop does not know the order/,
      ),
    })
  })
})

describe('the record', () => {
  const plan = planOf({ for: '10m', rate: '5/s', mix, incidents: ['m-pesa-stalls'] })
  const text = (seed: string) => [...recordOf(plan, seed)].join('')

  it('has the same bytes for the same seed', () => {
    expect(text('1')).toBe(text('1'))
    expect(text('1')).not.toBe(text('2'))
  })

  it('has customers at the rate of the plan, with phones of their own, in order of time', () => {
    const presses = text('1')
      .trim()
      .split('\n')
      .slice(4)
      .map((line) => JSON.parse(line))
    const orders = presses.filter(({ kind }) => kind === 'order')
    expect(orders.length).toBeGreaterThan(2_850)
    expect(orders.length).toBeLessThan(3_150)
    expect(new Set(orders.map(({ phone }) => phone)).size).toBe(orders.length)
    expect(presses.map(({ at }) => at)).toEqual(
      presses.map(({ at }) => at).toSorted((a: number, b: number) => a - b),
    )
    const failing = orders.filter(({ outcome }) => outcome !== null).length / orders.length
    expect(failing).toBeGreaterThan(0.11)
    expect(failing).toBeLessThan(0.15)
  })

  it('follows ramps and the curve of a day', () => {
    const counted = (value: object) =>
      [...recordOf(planOf({ ...value, customers: { retries: 0, twice: 0, devices: 0 } }), '1')]
        .slice(1)
        .map((line) => JSON.parse(line).at as number)
    const ramp = counted({ phases: [{ for: '100s', rate: '0/s..20/s' }] })
    expect(ramp.filter((at) => at < 50_000).length / ramp.length).toBeCloseTo(0.25, 1)
    const day = counted({ for: '24m', daily: { peak: '10/s' } })
    const during = (hour: number) => day.filter((at) => Math.floor(at / 60_000) === hour).length
    expect(during(20)).toBeGreaterThan(5 * during(3))
  })
})

describe('an invalid plan', () => {
  it.each([
    ['title: Nothing', /^plan\.yaml:1:1 a plan needs a rate, phases or daily/],
    ['for: 40m\nrate: fast', /^plan\.yaml:2:7 rate must be a rate above 0, such as 20\/s/],
    ['for: 40m', /a plan needs a rate/],
    ['rate: 20/s', /rate needs for/],
    ['for: 40m\nrate: 20/s\ndaily: { peak: 60/s }', /rate and daily exclude each other/],
    ['for: 24h\nrate: 50/s', /about 4320000 customers, at most 200000/],
    [
      'for: 40m\nrate: 20/s\nincidents: [m-pesa-stall]',
      /"m-pesa-stall" is not an incident \(did you mean m-pesa-stalls\?\)/,
    ],
    ['for: 40m\nrate: 20/s\nmix: { payer-cancels: 1.5 }', /must be a number from 0 to 1/],
    ['for: 40m\nrate: 20/s\nspeed: 9', /speed.* is not a known key/],
    [
      'for: 40m\nrate: 2/s\nincidents: [{ title: A, at: { 1m: { network: hosted_cards, settle: { never: true } } } }]',
      /is not a network/,
    ],
  ])('%j is rejected', async (text, message) => {
    await expect(readPlan('plan.yaml', text)).rejects.toThrow(message)
  })

  it('has the number of further faults in its message', async () => {
    const text = Array.from({ length: 25 }, (_, n) => `unknown_${n}: 1`).join('\n')
    await expect(readPlan('plan.yaml', text)).rejects.toThrow(/and 5 more/)
  })

  it('is rejected if it names a limit that does not exist', () => {
    expect(() => readLimits('wronng=0')).toThrow(/"wronng" is not a limit \(did you mean wrong\?\)/)
    expect(() => readLimits('agree=soon')).toThrow(/soon/)
    expect(readLimits('agree=5m,wrong=2')).toMatchObject({ agree: 300_000, wrong: 2, 'paid-twice': 0 })
  })
})

describe('the books', () => {
  const paid = (counts: object) => ({ success: 0, failed: 0, open: 0, reversed: 0, payouts: 0, ...counts })
  it.each([
    [{ success: 1 }, { state: 'paid', fulfilled: 1 }, undefined],
    [{ success: 1 }, { state: 'open', fulfilled: 0 }, 'paid_not_fulfilled'],
    [{ success: 1 }, { state: 'paid', fulfilled: 2 }, 'fulfilled_twice'],
    [{ success: 2 }, { state: 'paid', fulfilled: 1 }, 'paid_twice'],
    [{ success: 1 }, { state: 'flagged', fulfilled: 0 }, undefined],
    [{ failed: 1 }, { state: 'paid', fulfilled: 1 }, 'fulfilled_unpaid'],
    [{ failed: 1 }, { state: 'failed', fulfilled: 0 }, undefined],
    [{ open: 1 }, { state: 'open', fulfilled: 0 }, undefined],
    [{ open: 1 }, { state: 'failed', fulfilled: 0 }, 'given_up_while_open'],
    [{ reversed: 1 }, { state: 'paid', fulfilled: 1 }, 'reversal_missed'],
    [{ reversed: 1 }, { state: 'reversed', fulfilled: 1 }, undefined],
    [{ reversed: 1, payouts: 2 }, { state: 'reversed', fulfilled: 1 }, 'refunded_twice'],
  ])('%j and %j are %s', (counts, belief, kind) => {
    expect(wrongKind(paid(counts), belief)).toBe(kind)
  })

  it('reports a rate that was not reached as inconclusive, not as passed', async () => {
    const run = await play({ for: '30s', rate: '20/m' })
    const slow = {
      ...run.generator,
      planned_per_second: 20,
      customers_per_second: 12,
      bottleneck: 'shop' as const,
    }
    expect(judge({ ...run, clock: 'real', generator: slow }, {}).verdict).toMatchObject({
      exit_code: 3,
      text: expect.stringMatching(/The rate was not reached: 12 customers a second instead of 20/),
    })
    const late = { ...run.generator, on_time: 0.9 }
    expect(judge({ ...run, clock: 'real', generator: late }, {}).verdict.exit_code).toBe(3)
    const few = { ...run.generator, customers_per_second: 0.1, on_time: 1 }
    expect(judge({ ...run, clock: 'real', generator: few }, {}).verdict.exit_code).toBe(0)
  })
})
