import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { requestCollection } from '../../src/service/domain/collections.ts'
import { ServiceError } from '../../src/service/domain/errors.ts'
import { archiveAll } from '../../src/sandbox/calendar.ts'
import type { World } from '../../src/worlds/world.ts'
import { temporaryFolder } from '../support/folder.ts'
import { balances } from '../support/ledger.ts'
import { collection, globalPayment, withdrawal } from '../support/requests.ts'
import { refused, startSandbox, type TestWorld } from '../support/sandbox.ts'

const DAY = 86_400_000
const { world: newWorld, answerOf } = await startSandbox({
  SANDBOX_RETENTION: '30d,3',
  SANDBOX_VALIDATION: 'lenient',
  SANDBOX_RETRY_JITTER: 'off',
})

/** Collects so often and settles; answers the references. */
async function collected(world: TestWorld, count: number, changes: object = {}): Promise<string[]> {
  const references: string[] = []
  for (let n = 0; n < count; n++) {
    const { body } = await world.post(
      '/api/v2/payments',
      collection(world, { callback_url: undefined, ...changes }),
    )
    references.push(body.reference)
    await world.settle()
  }
  return references
}

const status = (world: TestWorld, request_id: string) =>
  world.post('/api/global/transaction-status', { request_id })
const statuses = (world: TestWorld, references: readonly string[]) =>
  Promise.all(references.map(async (each) => (await status(world, each)).status))
const shown = async (world: TestWorld) => (await world.get('/sandbox/worlds/current')).body

describe('a world that keeps three transactions', () => {
  it('archives the older ones, and its ledger continues from their sums', async () => {
    const world = newWorld()
    const references = await collected(world, 8)
    expect(await statuses(world, references)).toEqual([404, 404, 404, 404, 404, 200, 200, 200])
    expect(await shown(world)).toMatchObject({ transactions: 8, retained: 3, archived: 5 })

    const { body } = await world.get('/sandbox/ledger')
    expect(body).toMatchObject({
      balanced: true,
      carried_forward: { transactions: 5, postings: 5, through: '2026-06-13T12:00:10Z' },
    })
    const line = (account: string, team: number | null, wallet: string, balance: number) => ({
      account,
      team,
      wallet,
      currency: 'KES',
      balance,
      minor: balance * 100,
    })
    expect(body.carried_forward.balances).toEqual([
      line('outside:KES', null, 'outside', -5_000),
      line('team:63:wallet:KES', 63, 'wallet', 4_925),
      line('fees:KES', null, 'fees', 75),
    ])
    expect(body.balances).toContainEqual(line('team:63:wallet:KES', 63, 'wallet', 107_880))
    const own = body.postings.filter(({ kind }: { kind: string }) => kind === 'collection')
    expect(own.map(({ transaction }: { transaction: string }) => transaction)).toEqual(
      references.slice(5).reverse(),
    )
  })

  it('keeps everything before that, and does not mention the limit', async () => {
    const world = newWorld()
    await collected(world, 3)
    expect((await world.get('/sandbox/ledger')).body.carried_forward).toBeNull()
    expect(await status(world, 'order-none')).toMatchObject(
      refused(404, 'resource_not_found', 'request_id order-none was not found'),
    )
  })

  it('reports for an archived reference that it is no longer kept, in every operation', async () => {
    const world = newWorld()
    const [first] = await collected(world, 5)
    const gone = `${first} was not found: it ended no later than 2026-06-13T12:00:04Z and is kept no longer; this world keeps transactions that are over for 30d and the last 3 of them`
    expect(await status(world, first!)).toMatchObject(
      refused(404, 'resource_not_found', `request_id ${gone}`),
    )
    const others = await Promise.all([
      world.get(`/sandbox/transactions/${first}/timeline`),
      world.get(`/sandbox/ledger?transaction=${first}`),
      world.get(`/sandbox/callbacks?transaction=${first}`),
      world.post(`/sandbox/transactions/${first}/simulate`, { outcome: 'reversed' }),
      world.post('/sandbox/callbacks/fire', { reference: first, url: world.callback_url }),
    ])
    for (const answer of others)
      expect(answer).toMatchObject(refused(404, 'resource_not_found', new RegExp(`^\\w+ ${gone}$`)))
  })

  it('mentions that possibility for any other identifier', async () => {
    const world = newWorld()
    await collected(world, 5)
    const may = refused(
      404,
      'resource_not_found',
      'request_id order-none was not found; this world keeps transactions that are over for 30d and the last 3 of them, and it may be one of the 2 that were before',
    )
    expect(await status(world, 'order-none')).toMatchObject(may)
    // As many digits, of which none were given out.
    expect((await status(world, 'UFD000000001.iI')).body.error_message).toMatch(/it may be one of/)
  })

  it('does not distinguish an invisible transaction from an archived one', async () => {
    const world = newWorld()
    const [, , , , last] = await collected(world, 5)
    await world.world().change(({ rows }) => {
      for (const { id } of rows.find('roles', 'account', 63)) rows.delete('roles', id)
    })
    expect((await status(world, last!)).body.error_message).toMatch(/; this world keeps .* it may be one of/)
  })

  it('never archives a queued one, which does not block later ones', async () => {
    const world = newWorld()
    const stuck = { is_offline: true, network_code: undefined, callback_url: undefined }
    // As one that was accepted when offline collections had no end.
    const queued = (await world.post('/api/v2/payments', collection(world, stuck))).body
    await world.world().change(({ rows }) => {
      for (const { id } of rows.walk('jobs', 'due', 0, { offset: 0, limit: 1 })) rows.delete('jobs', id)
    })
    await world.advance(40 * DAY)
    const references = await collected(world, 6)
    expect(await statuses(world, references)).toEqual([404, 404, 404, 200, 200, 200])
    expect((await status(world, queued.reference)).body.status).toBe('queued')

    const payment = { paybill: '756756', account: `553125#${queued.CheckoutRequestID}`, amount: 1000 }
    expect((await world.post('/sandbox/offline-payments', payment)).body.status).toBe('success')
    expect((await status(world, queued.reference)).body.status).toBe('success')
    await collected(world, 3)
    expect((await status(world, queued.reference)).status).toBe(404)
    expect(await world.post('/sandbox/offline-payments', payment)).toMatchObject(
      refused(400, 'invalid_argument', /belongs to no offline collection: it ended no later than .* is kept/),
    )
  })

  it('keeps one with a pending callback, and its full time afterwards', async () => {
    const world = newWorld()
    answerOf.next = ({ url }) => ({ status: url.endsWith('down') ? 500 : 200, error: '' })
    const down = { callback_url: `${world.callback_url}/down` }
    const { reference } = (await world.post('/api/v2/payments', collection(world, down))).body
    await world.advance(10_000)
    for (let n = 0; n < 12; n++) {
      await world.post('/api/v2/payments', collection(world, { callback_url: undefined }))
      await world.advance(2_000)
    }
    expect((await status(world, reference)).status).toBe(200)
    const [callback] = (await world.get(`/sandbox/callbacks?transaction=${reference}`)).body.callbacks
    expect(callback.state).toBe('pending')
    answerOf.next = () => ({ status: 200, error: '' })
    await world.settle()
    expect((await status(world, reference)).status).toBe(200)
    await collected(world, 6)
    expect((await status(world, reference)).status).toBe(404)
    expect(await world.get(`/sandbox/callbacks/${callback.id}`)).toMatchObject(
      refused(
        404,
        'resource_not_found',
        `callback ${callback.id} was not found: it ended and is no longer kept`,
      ),
    )
  })

  it('keeps one until its planned reversal, even if the clock is frozen', async () => {
    const world = newWorld()
    const plan = { prefer: 'scenario=success-then-reversed' }
    const request = collection(world, { callback_url: undefined })
    const { reference } = (await world.post('/api/v2/payments', request, plan)).body
    await world.patch('/sandbox/worlds/current', { settle_after: 0 })
    const one = async () => {
      const { body } = await world.post('/api/v2/payments', request)
      await world.post(`/sandbox/transactions/${body.reference}/simulate`, { outcome: 'success' })
      return body.reference as string
    }
    await world.post(`/sandbox/transactions/${reference}/simulate`, { outcome: 'success' })
    const references = []
    for (let n = 0; n < 10; n++) references.push(await one())
    expect((await status(world, reference)).body.status).toBe('success')
    expect((await statuses(world, references)).filter((each) => each === 200)).toHaveLength(2)
    await world.settle()
    expect((await status(world, reference)).body.status).toBe('reversed')
    for (let n = 0; n < 4; n++) await one()
    expect((await status(world, reference)).status).toBe(404)
    expect((await world.get('/sandbox/ledger')).body.balanced).toBe(true)
  })

  it('publishes no event about archiving', async () => {
    const world = newWorld()
    await collected(world, 6)
    const { events } = world.world()
    await events.ready()
    const told = Array.from({ length: events.count }, (_, n) => events.at(n + 1)!)
      .filter(({ type }) => type === 'transaction' || type === 'posting')
      .map((event) => event.data())
    expect(told).toHaveLength(18)
    expect(told.filter((each) => Object.hasOwn(each as object, 'deleted'))).toEqual([])
  })

  it('shows the last finished one even if it keeps none', async () => {
    const world = newWorld()
    await world.get('/sandbox/ledger')
    await world.patch('/sandbox/worlds/current', { retention: '1' })
    const references = []
    for (let n = 0; n < 3; n++) {
      const { body } = await world.post('/api/v2/payments', collection(world, { callback_url: undefined }))
      const ended = await world.post(`/sandbox/transactions/${body.reference}/simulate`, {
        outcome: 'failed',
      })
      expect(ended.body.status).toBe('failed')
      references.push(body.reference)
    }
    expect(await statuses(world, references)).toEqual([404, 404, 200])
  })
})

describe('an age', () => {
  it('archives older ones when the next one ends, and nothing while the clock is frozen', async () => {
    const world = newWorld()
    await world.get('/sandbox/ledger')
    await world.patch('/sandbox/worlds/current', { retention: '30d' })
    const old = await collected(world, 5)
    await world.advance(30 * DAY - 4_000)
    const more = await collected(world, 1)
    expect(await statuses(world, [...old, ...more])).toEqual([404, 404, 404, 200, 200, 200])
  })
})

describe('once a minute', () => {
  it('archives what is too old or too many without further activity', async () => {
    const world = newWorld()
    await world.get('/sandbox/ledger')
    await world.patch('/sandbox/worlds/current', { retention: '30d' })
    await collected(world, 40)
    await world.advance(30 * DAY)
    await archiveAll(world.world())
    expect(await shown(world)).toMatchObject({ retained: 1, archived: 39 })
    await world.patch('/sandbox/worlds/current', { retention: 'off' })
    await collected(world, 100)
    await world.patch('/sandbox/worlds/current', { retention: '10' })
    await archiveAll(world.world())
    expect(await shown(world)).toMatchObject({ retained: 10, archived: 130 })
    expect((await world.get('/sandbox/ledger')).body.balanced).toBe(true)
  })

  it('stops if all that is too many has pending jobs', async () => {
    const world = newWorld()
    answerOf.next = () => ({ status: 500, error: '' })
    await world.get('/sandbox/ledger')
    await world.patch('/sandbox/worlds/current', { retention: 'off' })
    for (let n = 0; n < 5; n++) await world.post('/api/v2/payments', collection(world))
    await world.advance(10_000)
    answerOf.next = () => ({ status: 200, error: '' })
    await world.patch('/sandbox/worlds/current', { retention: '1' })
    await archiveAll(world.world())
    expect(await shown(world)).toMatchObject({ retained: 5, archived: 0, pending_jobs: 5 })
    await world.settle()
    await archiveAll(world.world())
    expect(await shown(world)).toMatchObject({ retained: 1, archived: 4 })
  })
})

describe('the setting keep of a world', () => {
  it('overrides the process, and is reverted by a reset', async () => {
    const world = newWorld()
    await world.get('/sandbox/ledger')
    expect((await shown(world)).settings.retention).toBe('30d,3')
    const changed = await world.patch('/sandbox/worlds/current', { retention: 'off' })
    expect(changed.body.settings.retention).toBe('off')
    const references = await collected(world, 6)
    expect(new Set(await statuses(world, references))).toEqual(new Set([200]))
    await world.patch('/sandbox/worlds/current', { retention: '2' })
    await collected(world, 1)
    expect(await statuses(world, references)).toEqual([404, 404, 404, 404, 404, 200])
    await world.post('/sandbox/reset')
    expect(await shown(world)).toMatchObject({ archived: 0, settings: { retention: '30d,3' } })
    expect((await world.get('/sandbox/ledger')).body.carried_forward).toBeNull()
  })

  it.each(['', '0', '30d,0', '0d', '3,4', '1d,2d', 'all', '-1', '1.5'])('rejects %j', async (keep) => {
    const world = newWorld()
    await world.get('/sandbox/ledger')
    expect(await world.patch('/sandbox/worlds/current', { retention: keep })).toMatchObject(
      refused(
        400,
        'invalid_argument',
        `retention ${JSON.stringify(keep)} is not an age such as 30d, a number of transactions from 1 such as 100000, both with a comma between them, or off`,
      ),
    )
  })
})

describe('the archive', () => {
  it('survives export, import and snapshots', async () => {
    const [world, other] = [newWorld(), newWorld()]
    const [first] = await collected(world, 5)
    await world.post('/sandbox/snapshots')
    const before = (await world.get('/sandbox/ledger')).body
    await collected(world, 5)
    await world.post('/sandbox/snapshots/1/restore')
    expect((await world.get('/sandbox/ledger')).body).toEqual(before)

    await other.post('/sandbox/import', (await world.get('/sandbox/export')).body)
    expect((await other.get('/sandbox/ledger')).body).toEqual(before)
    expect((await status(other, first!)).body.error_message).toMatch(/may be one of the 2 that were before$/)
    await collected(other, 2)
    const { body } = await other.get('/sandbox/ledger')
    expect(body).toMatchObject({ balanced: true, carried_forward: { transactions: 4 } })
  })

  it('unbalances the ledger if it is modified', async () => {
    const world = newWorld()
    await collected(world, 5)
    await world.world().change(({ rows }) => {
      const [row] = rows.all('carried')
      rows.put('carried', { ...row!, amount: row!.amount + 1 })
    })
    expect((await world.get('/sandbox/ledger')).body.balanced).toBe(false)
  })
})

it('the file of a long run is no longer than what is kept', async () => {
  const path = join(temporaryFolder(), 'rows.json')
  const kept = await startSandbox({
    SANDBOX_RETENTION: '50',
    SANDBOX_VALIDATION: 'lenient',
    SANDBOX_DB: path,
  })
  const world = kept.world()
  await collected(world, 1)
  const { caller } = (await kept.sandbox.worlds.authenticate(world.world().name, 'demo'))!
  const { callback_url: _, ...payment } = collection(world)
  for (let n = 0; n < 20; n++) {
    await Promise.all(
      Array.from({ length: 50 }, () => world.world().change((tx) => requestCollection(tx, caller, payment))),
    )
    await world.settle()
  }
  expect((await world.get('/sandbox/ledger')).body.balanced).toBe(true)
  await kept.sandbox.close()
  expect(statSync(path).size).toBeLessThan(300_000)
})

/** mulberry32: the same numbers at every run. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const scenarios = [
  'success-then-reversed',
  'late-success',
  'operator-error',
  'payer-cancels',
  'stuck-without-callback',
]

/** A payment of chance: into a wallet, into a channel, out, abroad, in shillings with savings. */
async function anyPayment(world: TestWorld, below: (limit: number) => number) {
  const amount = 100 + below(900)
  const headers: Record<string, string> =
    below(2) === 0 ? {} : { prefer: `scenario=${scenarios[below(scenarios.length)]}` }
  const { payment_config, ...base } = globalPayment(world)
  const savings = { request_type: 'withdrawal', payment_split: { amount_to_save: below(50) } }
  const abroad = {
    ...base,
    country: 'UG',
    currency: 'UGX',
    amount: 20_000 + 100 * amount,
    provider: 'yellowcard',
    provider_config: undefined,
    payment_config: { ...payment_config, account_number: '256772123456' },
  }
  const requests = [
    ['/api/v2/payments', collection(world, { amount })],
    ['/api/v2/payments', collection(world, { amount, channel_id: 1502, network_code: undefined })],
    ['/api/v2/withdraw', withdrawal(world, { amount })],
    ['/api/global/payments', globalPayment(world, { amount, ...savings })],
    ['/api/global/payments', abroad],
    [
      '/api/global/payments',
      { ...abroad, ...savings, customer: { ...base.customer, id_type: 'p', id_number: '1' } },
    ],
  ] as const
  const [path, body] = requests[below(requests.length)]!
  return world.post(path, body, headers)
}

it.each([1, 2, 3])(
  'after 120 payments of all kinds, however they end, it holds the same balances as a world that keeps all (seed %i)',
  async (seed) => {
    const [few, all] = [newWorld(), newWorld()]
    for (const [world, keep] of [
      [few, '20'],
      [all, 'off'],
    ] as const) {
      await world.get('/sandbox/ledger')
      await world.patch('/sandbox/worlds/current', { retention: keep })
      const [below, received] = [numbersFrom(seed), numbersFrom(seed + 1_000)]
      answerOf.next = () => ({ status: received(4) ? 200 : 500, error: '' })
      const references: string[] = []
      for (let n = 0; n < 120; n++) {
        const { body } = await anyPayment(world, below)
        references.push(body.reference ?? body.merchant_reference)
        expect(references.at(-1), body.error_message).toBeDefined()
        if (below(3) === 0) await world.advance(below(3_000))
        const last = references.slice(-3)[below(3)]!
        const outcome = ['success', 'failed', 'reversed'][below(3)]
        if (below(4) === 0) await world.post(`/sandbox/transactions/${last}/simulate`, { outcome })
      }
      await world.settle()
    }
    const kept = await balances(few)
    expect(kept).toEqual(await balances(all))
    expect(kept['team:63:wallet:UGX']).not.toBe(3_000_000)
    expect((await shown(few)).archived).toBeGreaterThan(50)
  },
)

describe('the job of all worlds once a minute', () => {
  const worldThat = (isReset: boolean) => {
    const world = {
      name: 'demo',
      closed: false,
      async change() {
        world.closed = isReset
        throw new ServiceError('unavailable', 'the world was reset while this request ran')
      },
    }
    return world as unknown as World
  }

  it('tolerates a reset, and hides no other failure', async () => {
    await expect(archiveAll(worldThat(true))).resolves.toBeUndefined()
    await expect(archiveAll(worldThat(false))).rejects.toThrow('reset')
  })
})
