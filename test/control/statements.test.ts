import { describe, expect, it } from 'vitest'
import { linesOf } from '../../src/storage/store/tables.ts'
import { balance, balances } from '../support/ledger.ts'
import { collection, globalPayment, withdrawal } from '../support/requests.ts'
import { refused, startSandbox, type TestWorld } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const { world: forgetful } = await startSandbox({ SANDBOX_RETENTION: '30d,3' })

const DAY = 86_400_000

const statement = async (w: TestWorld, query = '') => (await w.get(`/sandbox/statements?${query}`)).body

async function paid(w: TestWorld, changes: object = {}) {
  const { body } = await w.post('/api/v2/payments', collection(w, changes))
  await w.settle()
  return body
}

interface Line {
  readonly amount: number
  readonly charge: number
  readonly balance: number
}

/** Opening balance and lines come to the balance after each line, and to the closing balance. */
function expectSound({
  opening_balance,
  closing_balance,
  lines,
  totals,
}: {
  opening_balance: number
  closing_balance: number
  lines: readonly Line[]
  totals: { lines: number; paid_in: number; paid_out: number; charges: number }
}) {
  let held = Math.round(opening_balance * 100)
  for (const { amount, charge, balance } of lines) {
    held += Math.round((amount - charge) * 100)
    expect(Math.round(balance * 100)).toBe(held)
  }
  expect(Math.round(closing_balance * 100)).toBe(held)
  const { paid_in, paid_out, charges } = totals
  expect(totals.lines).toBe(lines.length)
  expect(Math.round((opening_balance + paid_in - paid_out - charges) * 100)).toBe(held)
}

describe('a new Team, by the API only', () => {
  it('is approved, funded, collects into its channel and pays out, and its statements equal the ledger', async () => {
    const w = world()
    const team = { organization_id: 1, name: 'Shop', dial_code: '254', number: '712345678' }
    const { id } = (await w.post('/api/v2/accounts', team)).body.account
    await w.post('/api/v2/account_kycs', { account_id: id, kyc_tier: 2 })
    await w.settle()
    const till = { account_id: id, channel_type: 'till', short_code: '700100' }
    const channel_id = (await w.post('/sandbox/channels', till)).body.payment_channel.id
    await w.post(`/sandbox/teams/${id}/fund`, { wallet: 'service_wallet', amount: 500 })
    await w.post(`/sandbox/teams/${id}/fund`, { wallet: 'wallet', amount: 5_000 })
    await paid(w, { account_id: id, network_code: undefined, channel_id })
    await w.post('/api/v2/withdraw', withdrawal(w, { account_id: id }))
    await w.settle()

    const wallet = await statement(w, `account_id=${id}`)
    const service = await statement(w, `account_id=${id}&wallet=service_wallet`)
    const held = await balances(w)
    expect(wallet.closing_balance).toBe(held[`team:${id}:wallet:KES`])
    expect(service.closing_balance).toBe(held[`team:${id}:service_wallet:KES`])
    expectSound(wallet)
    expectSound(service)
    expect(service.lines).toMatchObject([
      { kind: 'funding', amount: 500, charge: 0, balance: 500, reference: null, counterparty: null },
      { kind: 'reserve', amount: 0, charge: 15, balance: 485, counterparty: '254712345678' },
    ])
    expect(wallet.lines).toMatchObject([
      { kind: 'funding', amount: 5_000, charge: 0, balance: 5_000 },
      { kind: 'reserve', amount: -500, charge: 8, balance: 4_492, external_reference: 'payout-1' },
    ])
  })
})

describe('GET /sandbox/statements', () => {
  it('contains a collection with its charge, receipt and the balance after it', async () => {
    const w = world()
    const { reference } = await paid(w)
    const { account_id, lines, ...rest } = await statement(w)
    expect([account_id, rest]).toEqual([
      63,
      {
        wallet: 'wallet',
        currency: 'KES',
        from: null,
        to: null,
        opening_balance: 0,
        closing_balance: 100_985,
        totals: { lines: 2, paid_in: 101_000, paid_out: 0, charges: 15 },
        carried_forward: null,
        next_after: null,
      },
    ])
    expect(lines.at(-1)).toEqual({
      posting: expect.any(Number),
      time: '2026-06-13T12:00:02Z',
      kind: 'collection',
      reference,
      external_reference: 'order-1',
      provider_reference: expect.stringMatching(/^UFD/),
      counterparty: '254712345678',
      network: 'M-Pesa',
      amount: 1_000,
      charge: 15,
      balance: 100_985,
    })
  })

  it('equals the ledger with pending money, a failure, a reversal and savings', async () => {
    const w = world()
    const equals = async () => {
      const held = await balances(w)
      for (const wallet of ['wallet', 'service_wallet', 'savings']) {
        const told = await statement(w, `wallet=${wallet}`)
        expect(told.closing_balance).toBe(held[`team:63:${wallet}:KES`] ?? 0)
        expectSound(told)
      }
    }
    await w.post('/api/v2/withdraw', withdrawal(w))
    await equals()
    await w.post('/sandbox/transactions/payout-1/simulate', { outcome: 'failed' })
    await equals()
    await paid(w)
    await w.post('/sandbox/transactions/order-1/simulate', { outcome: 'reversed' })
    await equals()
    const payout = globalPayment(w, { request_type: 'withdrawal', payment_split: { amount_to_save: 100 } })
    expect((await w.post('/api/global/payments', payout)).status).toBe(200)
    await w.settle()
    await equals()
    expect((await statement(w, 'wallet=savings')).lines).toMatchObject([
      { kind: 'payout', amount: 100, charge: 0 },
    ])
  })

  it("uses days of the Team's country, including the first instant and excluding the last", async () => {
    const w = world()
    await w.get('/sandbox/clock')
    // Midnight of the 14th in Nairobi is nine in the evening of the 13th, UTC.
    await w.post('/sandbox/clock/advance', { to: '2026-06-13T20:59:58Z' })
    await w.post('/sandbox/teams/63/fund', { wallet: 'wallet', amount: 1 })
    await w.post('/sandbox/clock/advance', { to: '2026-06-13T21:00:00Z' })
    await w.post('/sandbox/teams/63/fund', { wallet: 'wallet', amount: 2 })
    const amounts = async (query: string) =>
      (await statement(w, query)).lines.map(({ amount }: Line) => amount)
    expect(await amounts('from=2026-06-14')).toEqual([2])
    expect(await amounts('from=2026-06-13&to=2026-06-14')).toEqual([100_000, 1])
    expect(await amounts('from=2026-06-13T21:00:00Z&to=2026-06-13T21:00:01Z')).toEqual([2])
    expect(await amounts('from=2026-06-14T00:00:00%2B03:00')).toEqual([2])
    expect(await amounts('to=2026-06-13T21:00:00Z')).toEqual([100_000, 1])
    const day = await statement(w, 'from=2026-06-14&to=2026-06-15')
    expect(day).toMatchObject({
      from: '2026-06-13T21:00:00Z',
      to: '2026-06-14T21:00:00Z',
      opening_balance: 100_001,
      closing_balance: 100_003,
    })
  })

  it('has pages with the lines of the whole', async () => {
    const w = world()
    for (let n = 1; n <= 5; n++) await w.post('/sandbox/teams/63/fund', { wallet: 'wallet', amount: n })
    const whole = await statement(w)
    const pages = []
    for (let after = ''; ;) {
      const page = await statement(w, `limit=2${after}`)
      expect(page.totals).toEqual(whole.totals)
      pages.push(...page.lines)
      if (page.next_after === null) break
      after = `&after=${page.next_after}`
    }
    expect(pages).toEqual(whole.lines)
    expect(whole.lines).toHaveLength(6)
  })

  it('is CSV on request, by Accept or by parameter', async () => {
    const w = world()
    await paid(w)
    const asked = await w.get('/sandbox/statements', undefined, { accept: 'text/csv' })
    expect(asked.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const rows = asked.body.split('\r\n')
    expect(rows[0]).toBe(
      'time,kind,reference,external_reference,provider_reference,counterparty,network,currency,amount,charge,balance,posting',
    )
    expect(rows[1]).toBe(',opening_balance,,,,,,KES,,,0,')
    expect(rows[3]).toMatch(/^2026-06-13T12:00:02Z,collection,.*,KES,1000,15,100985,\d+$/)
    expect(rows.slice(4)).toEqual([',closing_balance,,,,,,KES,,,100985,', ''])
    expect((await w.get('/sandbox/statements?format=csv')).body).toBe(asked.body)
    const json = await w.get('/sandbox/statements?format=json', undefined, { accept: 'text/csv' })
    expect(json.headers.get('content-type')).toMatch('application/json')
  })

  it.each(['=HYPERLINK("http://x")', '+1', '@SUM(A1)', '-cmd', '  =1+1', '\t=1'])(
    'has no CSV cell that a spreadsheet would compute: %j',
    async (external_reference) => {
      const w = world()
      await paid(w, { external_reference })
      const { body } = await w.get('/sandbox/statements?format=csv')
      const quoted = external_reference.replaceAll('"', '""')
      expect(body).toContain(/["\r\n,]/.test(quoted) ? `"'${quoted}"` : `'${quoted}`)
    },
  )

  it('has the closing balance only on its last CSV page', async () => {
    const w = world()
    await w.post('/sandbox/teams/63/fund', { wallet: 'wallet', amount: 1 })
    const first = (await w.get('/sandbox/statements?format=csv&limit=1')).body
    expect(first).toContain('opening_balance')
    expect(first).not.toContain('closing_balance')
    const after = first.trim().split(',').at(-1)
    const second = (await w.get(`/sandbox/statements?format=csv&limit=1&after=${after}`)).body
    expect(second).not.toContain('opening_balance')
    expect(second).toContain('closing_balance')
  })

  it('rejects an invalid period, another wallet or currency, and a posting of another account', async () => {
    const w = world()
    const asked = (query: string) => w.get(`/sandbox/statements?${query}`)
    const times = 'must be a day such as 2026-06-13, or a time with its offset such as 2026-06-13T12:00:00Z'
    expect(await asked('from=yesterday&to=2026-06-31&currency=USD')).toMatchObject(
      refused(
        400,
        'invalid_argument',
        `currency must be one of KES, TZS, ZMW, BWP, NGN, UGX, GHS, RWF, got "USD"; from ${times}, got "yesterday"; to ${times}, got "2026-06-31"`,
      ),
    )
    expect(await asked('from=2026-06-13T12:00:00')).toMatchObject(
      refused(400, 'invalid_argument', /^from must be/),
    )
    expect(await asked('from=2026-06-14&to=2026-06-14')).toMatchObject(
      refused(400, 'invalid_argument', 'to must be later than from, which is 2026-06-14, got "2026-06-14"'),
    )
    expect(await asked('wallet=in_transit')).toMatchObject(
      refused(400, 'invalid_argument', /^wallet must be/),
    )
    expect(await asked('after=9999')).toMatchObject(
      refused(400, 'invalid_argument', /^after must be the posting/),
    )
    expect(await asked('limit=10001')).toMatchObject(refused(400, 'invalid_argument', /10000/))
    expect(await asked('acount_id=63')).toMatchObject(refused(400, 'invalid_argument', /account_id/))
    expect((await asked('account_id=9999')).status).toBe(404)
  })

  it('finds a day among a hundred thousand postings without reading the others', async () => {
    const w = world()
    await w.get('/sandbox/clock')
    const account = 'team:63:wallet:KES'
    for (let before = 0; before < 100_000; before += 5_000)
      await w.world().change(({ rows, now }) => {
        for (let n = before + 1; n <= before + 5_000; n++)
          rows.insert('postings', {
            id: 1_000_000 + n,
            at: now + n * 60_000,
            kind: 'funding',
            currency: 'KES',
            transaction_id: null,
            lines: ['outside:KES', -100, account, 100],
          })
      })
    let read = 0
    const own = w.world()
    const { readInSlices } = own
    own.readInSlices = (work) =>
      readInSlices.call(own, (look) => {
        const rows: typeof look.rows = Object.create(look.rows) as typeof look.rows
        rows.walk = (...asked) => {
          const found = look.rows.walk(...asked)
          read += found.length
          return found
        }
        for (const name of ['get', 'rank'] as const)
          rows[name] = ((...asked: never[]) =>
            (look.rows[name] as (...all: never[]) => unknown)(...asked)) as never
        return work({ ...look, rows }) as never
      }) as never
    const from = new Date(own.clock.now() + 30 * DAY).toISOString()
    const to = new Date(own.clock.now() + 31 * DAY).toISOString()
    const day = await statement(w, `from=${from}&to=${to}&limit=10`)
    expect(day.totals.lines).toBe(1_440)
    expect(day.opening_balance).toBe(100_000 + 30 * 1_440 - 1)
    expect(read).toBe(1_440 + 10)
  })
})

describe('a statement that includes archived transactions', () => {
  it('starts with their sum and says so', async () => {
    const w = forgetful()
    for (let n = 1; n <= 8; n++) await paid(w, { external_reference: `order-${n}`, callback_url: undefined })
    const whole = await statement(w)
    expect(whole).toMatchObject({
      opening_balance: 4_925,
      closing_balance: await balance(w, 'team:63:wallet:KES'),
      carried_forward: { balance: 4_925, through: '2026-06-13T12:00:10Z' },
    })
    expectSound(whole)
    expect(
      whole.lines.map(({ external_reference }: { external_reference: string }) => external_reference),
    ).toEqual([null, 'order-6', 'order-7', 'order-8'])
    const later = await statement(w, 'from=2026-06-13T12:00:11Z')
    expect(later).toMatchObject({ opening_balance: 104_925, carried_forward: null })
    expectSound(later)
  })
})

describe('a statement that is wrong on purpose', () => {
  it.each([
    ['statement-line-missing', []],
    ['statement-other-amount', [1_001]],
    ['statement-line-twice', [1_000, 1_000]],
  ])('shows the payment with %s, while the ledger is right', async (scenario, amounts) => {
    const w = world()
    await w.post('/api/v2/payments', collection(w), { prefer: `scenario=${scenario}` })
    await w.settle()
    const told = await statement(w)
    const lines = told.lines.filter(({ kind }: { kind: string }) => kind === 'collection')
    expect(lines.map(({ amount }: Line) => amount)).toEqual(amounts)
    expect(told.closing_balance).toBe(await balance(w, 'team:63:wallet:KES'))
    const { totals, opening_balance, closing_balance } = told
    expect(opening_balance + totals.paid_in - totals.paid_out - totals.charges).not.toBe(closing_balance)
    expect(w.callbacks()).toHaveLength(1)
  })

  it('stays so over an export and an import', async () => {
    const w = world()
    await w.post('/api/v2/payments', collection(w), { prefer: 'scenario=statement-line-missing' })
    await w.settle()
    const before = await statement(w)
    await w.post('/sandbox/import', (await w.get('/sandbox/export')).body)
    expect(await statement(w)).toEqual(before)
  })
})

describe('postings and the index of accounts', () => {
  it('match after rolled-back changes', async () => {
    const w = world()
    await paid(w)
    await w
      .world()
      .change(({ rows }) => {
        rows.delete('postings', 1)
        throw new Error('no')
      })
      .catch(() => {})
    const told = await statement(w)
    const { postings } = await sandbox.worlds.get(w.world().name)!.read(({ rows }) => ({
      postings: rows.below('postings', { before: Infinity, limit: 1_000 }),
    }))
    const lines = postings.flatMap(linesOf).filter(({ account }) => account === 'team:63:wallet:KES')
    expect(told.totals.lines).toBe(lines.length)
  })
})
