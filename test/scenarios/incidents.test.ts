import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { shippedScenarios } from '../../src/scenarios/load.ts'
import { readIncident } from '../../src/scenarios/read.ts'
import { collection, withdrawal } from '../support/requests.ts'
import { refused, startSandbox, type TestWorld } from '../support/sandbox.ts'

const { world: newWorld } = await startSandbox()
const MINUTE = 60_000
const names = shippedScenarios().map(({ name }) => name)
const PHONE = 254_712_000_000

const pay = (world: TestWorld, n: number, more: object = {}) =>
  world.post(
    '/api/v2/payments',
    collection(world, {
      external_reference: `order-${n}`,
      phone_number: String(PHONE + n),
      amount: 100 + n,
      ...more,
    }),
  )

const statuses = async (world: TestWorld) => {
  const { body } = await world.get('/sandbox/transactions?limit=500')
  return (body.transactions as { status: string }[]).map(({ status }) => status)
}

const start = (world: TestWorld, name: string, body: object = {}) =>
  world.put(`/sandbox/incidents/${name}`, body)

describe('a shipped incident', () => {
  it.each(readdirSync('incidents').filter((file) => file.endsWith('.yaml')))(
    '%s is valid and names a source',
    (file) => {
      const incident = readIncident(file, readFileSync(`incidents/${file}`, 'utf8'), names)
      expect(incident.sources).not.toHaveLength(0)
    },
  )

  it('keeps payments queued, and settles the backlog with the outcome that each would have had', async () => {
    const world = newWorld()
    await start(world, 'm-pesa-stalls')
    await world.advance(2 * MINUTE)
    for (let n = 0; n < 20; n++) expect((await pay(world, n)).status).toBe(201)
    // The outcome of a test number.
    await pay(world, 20, { phone_number: '254700000002' })
    await world.advance(8 * MINUTE)
    expect(new Set(await statuses(world))).toEqual(new Set(['QUEUED']))
    expect(world.callbacks()).toHaveLength(0)
    await world.advance(2 * MINUTE)
    const ended = await statuses(world)
    expect(ended.filter((each) => each === 'SUCCESS')).toHaveLength(20)
    expect(ended.filter((each) => each === 'FAILED')).toHaveLength(1)
    const order = world.callbacks().map(({ body }) => body['external_reference'])
    expect(order).toHaveLength(21)
    expect(order).not.toEqual(order.toSorted())
  })

  it('settles a large backlog in parts, in the order of arrival', async () => {
    const world = newWorld()
    const at = {
      '0s': { settle: { never: true }, for: '10m' },
      '10m': { backlog: { release: '100/s' } },
    }
    await start(world, 'backlog', { file: { title: 'A large backlog', at } })
    for (let n = 0; n < 510; n++) await pay(world, n)
    await world.advance(10 * MINUTE)
    // At 100 a second, 400 payments settle within four seconds.
    await world.advance(3_995)
    expect(world.callbacks()).toHaveLength(400)
    await world.advance(2_000)
    const order = world.callbacks().map(({ body }) => body['external_reference'])
    expect(order).toEqual(Array.from({ length: 510 }, (_, n) => `order-${n}`))
  })

  it('stops a large backlog that is under way', async () => {
    const world = newWorld()
    const at = { '0s': { settle: { never: true }, for: '10m' }, '10m': { backlog: { release: '1/s' } } }
    await start(world, 'backlog', { file: { title: 'A large backlog', at } })
    for (let n = 0; n < 3; n++) await pay(world, n)
    await world.advance(9 * MINUTE)
    await world.delete('/sandbox/incidents/backlog')
    await world.advance(MINUTE)
    expect(new Set(await statuses(world))).toEqual(new Set(['QUEUED']))
  })

  it('rejects a share of the requests, and performs a part of these', async () => {
    const world = newWorld()
    const at = { '0s': { api: { status: 503, share: 0.5, performed: 0.5 }, for: '10m' } }
    await start(world, 'gateway', { file: { title: 'The gateway times out', at } })
    const seen = []
    for (let n = 0; n < 60; n++) seen.push((await pay(world, n)).status)
    const accepted = seen.filter((status) => status === 201).length
    expect(accepted).toBeGreaterThan(15)
    expect(accepted).toBeLessThan(45)
    const performed = (await statuses(world)).length
    expect(performed).toBeGreaterThan(accepted)
    expect(performed).toBeLessThan(60)
  })

  it('sends held callbacks when the entry ends, and some of them twice', async () => {
    const world = newWorld()
    const at = { '0s': { callbacks: { hold: true, duplicate: 0.5 }, for: '10m' } }
    await start(world, 'storm', { file: { title: 'A storm', at } })
    for (let n = 0; n < 20; n++) await pay(world, n)
    await world.advance(9 * MINUTE)
    expect(world.callbacks()).toHaveLength(0)
    await world.advance(2 * MINUTE)
    expect(world.callbacks().length).toBeGreaterThan(22)
    expect(world.callbacks().length).toBeLessThan(38)
  })

  it('sends held callbacks at the end of the entry, however long their payments took, and later ones at once', async () => {
    const world = newWorld()
    const at = { '0s': { callbacks: { hold: true }, for: '10m' } }
    await start(world, 'storm', { file: { title: 'A storm', at } })
    await pay(world, 1)
    await world.advance(5 * MINUTE)
    await pay(world, 2, { phone_number: '254700000005' })
    await world.advance(4 * MINUTE + 30_000)
    // This prompt expires after the entry.
    await pay(world, 3, { phone_number: '254700000005' })
    await world.advance(29_999)
    expect(world.callbacks()).toHaveLength(0)
    await world.advance(1)
    expect(world.callbacks()).toHaveLength(2)
    await world.advance(MINUTE)
    expect(world.callbacks()).toHaveLength(3)
  })

  it('releases payouts too, and nothing that is queued for another reason', async () => {
    const world = newWorld()
    const stuck = { phone_number: '254700000041' }
    await pay(world, 1, stuck)
    await start(world, 'm-pesa-stalls')
    await world.advance(2 * MINUTE)
    await pay(world, 2, stuck)
    await pay(world, 3)
    const payout = await world.post('/api/v2/withdraw', withdrawal(world, { external_reference: 'payout-1' }))
    expect(payout.status).toBe(200)
    await world.advance(12 * MINUTE)
    const { body } = await world.get('/sandbox/transactions?limit=500')
    const ends = (body.transactions as { external_reference: string; status: string }[]).map(
      ({ external_reference, status }) => `${external_reference} ${status}`,
    )
    expect(ends.toSorted()).toEqual([
      'order-1 QUEUED',
      'order-2 QUEUED',
      'order-3 SUCCESS',
      'payout-1 SUCCESS',
    ])
  })

  it('is named as the reason of an outcome, with the time of its backlog', async () => {
    const world = newWorld()
    await start(world, 'm-pesa-stalls')
    await world.advance(2 * MINUTE)
    const sent = await pay(world, 1)
    expect(sent.headers.get('sandbox-outcome')).toBe('default, incident m-pesa-stalls; stays queued')
    const id = sent.headers.get('sandbox-request-id')
    expect((await world.get(`/sandbox/requests/${id}/explain`)).body).toMatchObject({
      decided_by: 'default',
      outcome: 'stays queued',
      incidents: ['m-pesa-stalls'],
    })
    const wait = () => world.get('/sandbox/callbacks/wait?reference=order-1&timeout=1')
    expect((await wait()).body).toMatchObject({
      error_message: expect.stringContaining('the incident m-pesa-stalls keeps the payment QUEUED until 20'),
    })
    await world.delete('/sandbox/incidents/m-pesa-stalls')
    expect((await wait()).body).toMatchObject({
      cause: 'never_settles',
      error_message: expect.stringContaining(
        'the incident m-pesa-stalls keeps the payment QUEUED and no backlog releases it',
      ),
    })
  })

  it('rejects retries of a request anew, on a frozen clock too', async () => {
    const world = newWorld()
    const at = { '0s': { api: { status: 429, share: 0.5, retryAfter: '2s' } } }
    await start(world, 'busy', { file: { title: 'Busy', at } })
    for (let n = 0; n < 5; n++) {
      const seen = []
      for (let attempt = 0; attempt < 16; attempt++) seen.push((await pay(world, n)).status)
      expect(new Set(seen)).toEqual(new Set([201, 429]))
    }
  })

  it('reverses a share of the payments that succeeded, once', async () => {
    const world = newWorld()
    const at = { '5m': { reversals: { share: 0.5, of: 'settled' } } }
    await start(world, 'reversals', { file: { title: 'Reversals', at } })
    for (let n = 0; n < 20; n++) await pay(world, n)
    await world.advance(4 * MINUTE)
    expect(await statuses(world)).not.toContain('REVERSED')
    await world.advance(2 * MINUTE)
    const reversed = (await statuses(world)).filter((each) => each === 'REVERSED').length
    expect(reversed).toBeGreaterThan(3)
    expect(reversed).toBeLessThan(17)
  })

  it('applies a mix to the same payments for the same seed', async () => {
    const failed = async (seed: string) => {
      const world = newWorld()
      const at = { '0s': { mix: { 'payer-cancels': 0.3, 'insufficient-funds': 0.2 } } }
      await start(world, 'mixed', { seed, file: { title: 'A mix', at } })
      for (let n = 0; n < 30; n++) await pay(world, n)
      await world.settle()
      return statuses(world)
    }
    const monday = await failed('monday')
    expect(monday).toContain('FAILED')
    expect(monday).toContain('SUCCESS')
    expect(await failed('monday')).toEqual(monday)
    expect(await failed('tuesday')).not.toEqual(monday)
  })

  it('leaves requests alone that name a scenario in a header, and other networks', async () => {
    const world = newWorld()
    const at = { '0s': { network: 'equity', settle: { never: true } } }
    await start(world, 'equity', { file: { title: 'Equity stalls', at } })
    await pay(world, 1)
    await world.settle()
    expect(await statuses(world)).toEqual(['SUCCESS'])
  })
})

describe('the timeline', () => {
  it('shows what is in force and what is next, step by step', async () => {
    const world = newWorld()
    const states = (body: { incident: { entries: { state: string }[] } }) =>
      body.incident.entries.map(({ state }) => state)
    const { body } = await start(world, 'm-pesa-stalls')
    expect(states(body)).toEqual(['next', 'next', 'next'])
    const step = () => world.post('/sandbox/incidents/m-pesa-stalls/step')
    expect(states((await step()).body)).toEqual(['in_force', 'next', 'next'])
    await pay(world, 1)
    const recovered = await step()
    expect(states(recovered.body)).toEqual(['over', 'over', 'in_force'])
    await world.advance(MINUTE)
    expect(await statuses(world)).toEqual(['SUCCESS'])
    await step()
    expect(await step()).toMatchObject(refused(400, 'invalid_argument', /is over; start it again/))
  })

  it('ends when it is stopped, with its jobs', async () => {
    const world = newWorld()
    await start(world, 'm-pesa-stalls')
    expect((await world.get('/sandbox/jobs?kind=incident')).body.total).toBe(1)
    expect((await world.delete('/sandbox/incidents/m-pesa-stalls')).status).toBe(200)
    expect((await world.get('/sandbox/jobs?kind=incident')).body.total).toBe(0)
    expect((await world.delete('/sandbox/incidents/m-pesa-stalls')).status).toBe(404)
  })

  it('rejects an incident that contradicts a running one', async () => {
    const world = newWorld()
    await start(world, 'm-pesa-stalls')
    expect(await start(world, 'late-success')).toMatchObject(
      refused(
        400,
        'invalid_argument',
        /late-success and m-pesa-stalls contradict each other: both have settle for m-pesa/,
      ),
    )
    expect((await start(world, 'callback-storm')).status).toBe(200)
  })
})

describe('an invalid file', () => {
  const at = (entry: object, time = '5m') => ({ title: 'Wrong', at: { [time]: entry } })
  it.each([
    [
      at({ network: 'm-peso', settle: { never: true } }),
      /m-peso.* is not a network \(did you mean m-pesa\?\)/,
    ],
    [at({ for: '10m' }), /an entry needs one of settle/],
    [at({ settle: { never: true } }, 'soon'), /"soon" is not a time/],
    [at({ settle: { never: true } }, '5'), /"5" is not a time from the start of the incident with a unit/],
    [at({ api: { status: 429, retryAfter: 3 } }), /3 is shorter than 1s/],
    [at({ reversals: { share: 1, of: 'settled since 15m' } }), /settled since 15m begins after the entry/],
    [at({ backlog: { release: '400/s' }, settle: { never: true } }), /backlog happens once/],
    [at({ backlog: { release: 'fast' } }), /must be a rate above 0/],
    [at({ callbacks: { hold: true } }), /hold needs for/],
    [at({ callbacks: { delay: '5m..30s' } }), /must be a duration such as 30s, or a range/],
    [
      at({ mix: { 'payer-cancel': 0.5 } }),
      /payer-cancel" is not a scenario \(did you mean payer-cancels\?\)/,
    ],
    [at({ mix: { 'payer-cancels': 0.6, 'wrong-pin': 0.6 } }), /must sum to at most 1/],
    [at({ settle: { status: 'failed' } }), /status failed needs a reason/],
    [
      at([{ settle: { never: true } }, { settle: { after: '5m' } }] as never),
      /two entries have settle for all networks/,
    ],
  ])('%j is rejected', async (file, message) => {
    expect(await start(newWorld(), 'wrong', { file })).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })

  it('with more than 100 entries is rejected', async () => {
    const entry = { api: { delay: '1s' } }
    const times = Array.from({ length: 51 }, (_, n) => [
      `${n}m`,
      [
        { ...entry, for: '1s' },
        { ...entry, for: '1s' },
      ],
    ])
    const file = { title: 'Many', at: Object.fromEntries(times) }
    expect(await start(newWorld(), 'many', { file })).toMatchObject(
      refused(400, 'invalid_argument', /must have at most 100 entries/),
    )
  })

  it('is reported with line and column', () => {
    const text = 'title: Wrong\nat:\n  5m: { network: m-peso, settle: { never: true } }\n'
    expect(() => readIncident('wrong.yaml', text, names)).toThrow(/^wrong\.yaml:3:18 /)
  })
})
