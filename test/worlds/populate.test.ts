import { describe, expect, it } from 'vitest'
import { createSandbox as openLibrary } from '../../src/index.ts'
import { countries, countryByCode } from '../../src/service/domain/countries/countries.ts'
import { minorUnit } from '../../src/service/domain/money.ts'
import { isOfAnother, networkOf, operatorOf } from '../../src/service/domain/countries/networks.ts'
import { receiptForms } from '../../src/service/domain/references.ts'
import { reasonsOf } from '../../src/service/vocabulary/rails.ts'
import { lazy } from '../../src/lib/lazy.ts'
import { readSeed } from '../../src/worlds/read-seed.ts'
import { runCommand } from '../../src/cli/program.ts'
import { temporaryFolder } from '../support/folder.ts'
import { call, client, hosted, refused, startSandbox, type Answer } from '../support/sandbox.ts'

const { sandbox, world } = await startSandbox()
const networkCountries = countries.map(({ code }) => code)

const small = { teams: 6, members: 9, transactions: 200, days: 20, seed: 7 }
const clock = { at: '2026-06-13T12:00:00Z' }
/** A world that no test changes. */
const unchanged = lazy(() => made(small))

async function made(populate: object, rest: object = {}) {
  const { status, body } = await world().post('/sandbox/worlds', { populate, clock, ...rest })
  expect(status).toBe(201)
  const { username, password } = body.credentials
  return { id: body.world.id as string, w: client(sandbox, username, password) }
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read what the export has
type Rows = Record<string, readonly any[]>
const rowsOf = async (w: { get(path: string): Promise<Answer> }): Promise<Rows> =>
  (await w.get('/sandbox/export')).body.rows

/** What of a world is made up: the rows without its own keys and the record of how it began. */
const madeUp = ({ apiKeys: _keys, state: _state, ...rows }: Rows) => rows

describe('POST /sandbox/worlds with populate', () => {
  it('creates the requested Teams, members and transactions with a balanced ledger', async () => {
    const { w } = await unchanged()
    const rows = await rowsOf(w)
    expect(rows['transactions']).toHaveLength(200)
    expect(rows['teams']).toHaveLength(3 + 6)
    expect(rows['users']).toHaveLength(2 + 9)
    expect(rows['jobs']).toBeUndefined()
    expect(rows['callbacks']).toBeUndefined()
    const ledger = (await w.get('/sandbox/ledger?limit=1')).body
    expect(ledger.balanced).toBe(true)
    expect((await w.get('/sandbox/worlds/current')).body).toMatchObject({
      transactions: 200,
      retained: 200,
      archived: 0,
    })
  })

  it('ends all payments within the days before, on several rails, with failures and all KYC states', async () => {
    const { w } = await made({ ...small, transactions: 1_000 })
    const { transactions, kycs, invites } = await rowsOf(w)
    const end = Date.parse(clock.at)
    const all = (field: string) => new Set(transactions!.map((row) => row[field]))
    expect(all('status')).toEqual(new Set(['SUCCESS', 'FAILED', 'REVERSED']))
    expect(all('rail')).toEqual(new Set(['momo', 'bank', 'card']))
    expect(all('direction')).toEqual(new Set(['payin', 'payout']))
    expect(all('reason').size).toBeGreaterThan(4)
    for (const { created_at, settled_at } of transactions!) {
      expect(created_at).toBeGreaterThanOrEqual(end - 20 * 86_400_000)
      expect(settled_at).toBeLessThanOrEqual(end)
    }
    expect(new Set(kycs!.map(({ status }) => status))).toEqual(new Set(['approved', 'pending']))
    expect(new Set(invites!.map(({ status }) => status))).toContain('sent')
    const local = (at: number) => new Date(at + 3 * 3_600_000).getUTCHours()
    const byDay = transactions!.filter(({ created_at }) => local(created_at) >= 8 && local(created_at) < 20)
    expect(byDay.length).toBeGreaterThan(700)
  })

  it('is deterministic, and different for another seed', async () => {
    const first = madeUp(await rowsOf((await unchanged()).w))
    const again = madeUp(await rowsOf((await made(small)).w))
    const other = madeUp(await rowsOf((await made({ ...small, seed: 8 })).w))
    expect(JSON.stringify(again)).toBe(JSON.stringify(first))
    expect(JSON.stringify(other)).not.toBe(JSON.stringify(first))
  })

  it('has payments as people of each country know them', async () => {
    const { w } = await made({ teams: 12, members: 0, transactions: 3_000, days: 30, seed: 3 })
    const { transactions } = await rowsOf(w)
    const { body } = await w.get('/sandbox/transactions?limit=1000')
    const settled = transactions!.filter(({ status }) => status === 'SUCCESS')
    expect(new Set(transactions!.map(({ country }) => country))).toEqual(new Set(networkCountries))
    for (const row of settled)
      expect([row, receiptForms[networkOf(row)!.receipt].pattern.test(row.provider_reference)]).toEqual([
        row,
        true,
      ])
    const cards = transactions!.filter(({ rail }) => rail === 'card')
    expect(cards.filter(({ party }) => !/^[45]\d{5}\*{6}\d{4}$/.test(party))).toEqual([])
    const ofPhones = transactions!.filter(({ rail, network }) => rail === 'momo' && network !== undefined)
    const misplaced = ofPhones.filter(({ country, party, network }) => {
      const home = countryByCode(country)!
      return operatorOf(home, party) === undefined || isOfAnother(home, party, network)
    })
    expect(misplaced).toEqual([])
    const failed = transactions!.filter(({ reason }) => reason !== null)
    expect(failed.filter((row) => !reasonsOf(row['direction'], row['rail']).includes(row['reason']))).toEqual(
      [],
    )
    for (const { provider_reference, reference } of settled.slice(0, 40)) {
      const told = await w.post('/api/global/transaction-status', { request_id: provider_reference })
      expect(told.body).toMatchObject({ reference, provider_reference, status: 'success' })
    }
    const coin = (row: { country: string; cost: number; currency: string }) =>
      (row.cost / minorUnit(row.currency) / countryByCode(row.country)!.coin) % 1
    expect(
      transactions!.filter(
        (row) => row['country'] !== 'KE' && ![0, 1].includes(Number(coin(row as never).toFixed(6))),
      ),
    ).toEqual([])
    const phones = transactions!.filter(({ country, rail }) => country === 'KE' && rail === 'momo')
    const mpesa = phones.filter((row) => networkOf(row as never)!.name === 'M-Pesa').length / phones.length
    expect(mpesa).toBeGreaterThan(0.85)
    expect(mpesa).toBeLessThan(0.99)
    const references = transactions!.map((row) => `${row['account_id']} ${row['external_reference']}`)
    expect(new Set(references).size).toBe(references.length)
    expect(body.transactions[0].network).toEqual(expect.any(String))
    // Neither references nor receipts rise by a constant.
    const distances = (texts: readonly string[], base: number) => {
      const numbers = texts.map((text) => Number.parseInt(text, base))
      return new Set(numbers.slice(1).map((number, n) => number - numbers[n]!)).size
    }
    const all = transactions!.map(({ reference }) => reference.slice(3, 12))
    expect(distances(all, 10)).toBeGreaterThan(0.9 * all.length)
    const receipts = settled.filter((row) => networkOf(row)!.receipt === 'mpesa')
    const drawn = receipts.map((row) => row.provider_reference.slice(3))
    expect(distances(drawn, 36)).toBeGreaterThan(0.9 * drawn.length)
  })

  it('respects the limits of every Team on every day', async () => {
    const { w } = await made({ teams: 1, members: 0, transactions: 3_000, days: 1 })
    const { transactions } = await rowsOf(w)
    const byDay = new Map<string, number>()
    for (const { amount, direction, created_at, status } of transactions!) {
      if (status === 'FAILED') continue
      const day = `${direction} ${Math.floor(created_at / 86_400_000)}`
      byDay.set(day, (byDay.get(day) ?? 0) + amount)
    }
    expect(Math.max(...byDay.values())).toBeLessThanOrEqual(5_000_000_00)
  })

  it('has statements that match its ledger', async () => {
    const { w } = await unchanged()
    const { balances } = (await w.get('/sandbox/ledger?limit=1')).body
    for (const { account, balance, currency } of balances) {
      const [, id, wallet] = /^team:(\d+):(wallet|service_wallet):/.exec(account) ?? []
      if (!id) continue
      const query = `account_id=${id}&wallet=${wallet}&currency=${currency}&limit=10000`
      const { totals, closing_balance } = (await w.get(`/sandbox/statements?${query}`)).body
      expect(closing_balance).toBe(balance)
      expect(Math.round((totals.paid_in - totals.paid_out - totals.charges) * 100)).toBe(
        Math.round(balance * 100),
      )
    }
  })

  it('accepts payments to generated Teams', async () => {
    const { w } = await made(small)
    const { teams } = await rowsOf(w)
    const team = teams!.find(({ id, country, kyc_tier }) => id > 1_000 && country === 'KE' && kyc_tier === 3)!
    const { status, body } = await w.post('/api/v2/payments', {
      account_id: team['id'],
      amount: 100,
      phone_number: '0712345678',
      provider: 'm-pesa',
      network_code: '63902',
      external_reference: 'order-1',
    })
    expect(status).toBe(201)
    await w.post('/sandbox/settle')
    const told = await w.post('/api/global/transaction-status', { request_id: body.reference })
    expect(told.body.status).toBe('success')
  })

  it('is restored by a reset, and survives a snapshot, an export and an import', async () => {
    const { w } = await made(small)
    const before = madeUp(await rowsOf(w))
    const { id } = (await w.post('/sandbox/snapshots', {})).body
    await w.post('/sandbox/teams/63/fund', { wallet: 'wallet', amount: 1 })
    await w.post('/sandbox/reset')
    expect(madeUp(await rowsOf(w))).toEqual(before)
    await w.post('/sandbox/teams/63/fund', { wallet: 'wallet', amount: 1 })
    await w.post(`/sandbox/snapshots/${id}/restore`)
    expect(madeUp(await rowsOf(w))).toEqual(before)
    const other = world()
    await other.post('/sandbox/import', (await w.get('/sandbox/export')).body)
    expect(await rowsOf(other)).toMatchObject({ transactions: before['transactions'] })
  })

  it.each([
    [{ transactions: 10_000_000 }, /populate\.transactions must be at most 100000, got 10000000/],
    [{ teams: -1 }, /populate\.teams must be at least 0, got -1/],
    [{ members: 5_001 }, /populate\.members must be at most 5000, got 5001/],
    [{ days: 0 }, /populate\.days must be at least 1, got 0/],
    [{ days: null }, /populate\.days/],
    [{ transactions: 1.5 }, /populate\.transactions/],
    [{ transactions: 'many' }, /populate\.transactions/],
    [{ transaction: 5 }, /populate\.transaction .*transactions/],
  ])('is rejected for %j, with the field, the value and what is accepted', async (populate, message) => {
    expect(await world().post('/sandbox/worlds', { populate, clock })).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })

  it('is rejected if the limits of the Teams do not allow it', async () => {
    const tier = {
      wallet_collections_allowed: true,
      payouts_allowed: true,
      per_transaction: 500,
      per_day: 500,
    }
    const settings = { tiers: [tier, tier] }
    const populate = { teams: 1, members: 0, transactions: 500, days: 1 }
    expect(await world().post('/sandbox/worlds', { populate, clock, settings })).toMatchObject(
      refused(
        400,
        'invalid_argument',
        /^populate\.transactions must be fewer where 1 Teams have 1 days, got 500/,
      ),
    )
  })

  it('is rejected if it exceeds the memory limit of the world', async () => {
    const strangers = await startSandbox({ ...hosted, SANDBOX_WORLD_ROWS: '1MB' })
    const authorization = `Basic ${Buffer.from(`demo:${hosted.SANDBOX_API_PASSWORD}`).toString('base64')}`
    const { status, body } = await call(
      strangers.sandbox,
      'POST',
      '/sandbox/worlds',
      { populate: { ...small, transactions: 2_000 } },
      { authorization },
    )
    expect([status, body.error_message]).toEqual([
      429,
      expect.stringMatching(/^rows of this world: .*SANDBOX_WORLD_ROWS/),
    ])
  })

  it('does not block other worlds', async () => {
    const other = world()
    await other.get('/sandbox/clock')
    const making = { over: false }
    let served = 0
    const work = made({ ...small, transactions: 600 }).finally(() => (making.over = true))
    while (!making.over) {
      await other.get('/sandbox/clock')
      await new Promise<void>((resolve) => void setImmediate(resolve))
      if (!making.over) served += 1
    }
    await work
    expect(served).toBeGreaterThan(5)
  })
})

describe('payments-sandbox seed', () => {
  const run = async (...args: string[]) => {
    let out = ''
    let err = ''
    const stream = (take: (text: string) => void) => ({
      write: (text: string) => void take(text),
      colours: false,
    })
    const io = { env: {}, out: stream((text) => (out += text)), err: stream((text) => (err += text)) }
    const code = await runCommand(['seed', ...args], io as never)
    return { code, out, err }
  }

  it('prints a reproducible seed file that the sandbox accepts', async () => {
    const asked = ['--teams', '3', '--members', '4', '--transactions', '50', '--days', '5', '--seed', '7']
    const { code, out } = await run(...asked)
    expect([code, (await run(...asked)).out]).toEqual([0, out])
    const seed = await readSeed(out, 'seed.yaml')
    expect(seed.populate).toEqual({ teams: 3, members: 4, transactions: 50, days: 5, seed: 7 })
    const own = await startSandbox({}, { seed })
    const shown = (await own.world().get('/sandbox/worlds/current')).body
    expect(shown).toMatchObject({ transactions: 50, retained: 50 })
  })

  it('rejects values that are not numbers or too large', async () => {
    const { code, err } = await run('--teams', 'many', '--transactions', '10000000')
    expect(code).toBe(2)
    expect(err).toMatch(/--teams must be .*"many".*--transactions must be at most 100000, got 10000000/)
  })
})

describe('the library', () => {
  it('populates a new world', async () => {
    const own = await openLibrary({ clock: 'frozen' })
    const populatedWorld = await own.world({ populate: { teams: 1, members: 0, transactions: 20, days: 3 } })
    expect(await populatedWorld.show()).toMatchObject({ transactions: 20 })
    await own.close()
  })
})

describe('a populated world in a file', () => {
  it('survives a restart', async () => {
    const SANDBOX_DB = `${temporaryFolder()}/rows`
    const first = await startSandbox({ SANDBOX_DB })
    const w = first.world()
    const { credentials } = (await w.post('/sandbox/worlds', { populate: small, clock })).body
    const { username, password } = credentials
    const before = madeUp(await rowsOf(client(first.sandbox, username, password)))
    await first.sandbox.close()
    const second = await startSandbox({ SANDBOX_DB })
    expect(madeUp(await rowsOf(client(second.sandbox, username, password)))).toEqual(before)
  })
})
