import { describe, expect, it } from 'vitest'
import { csvText } from '../../src/lib/text/csv.ts'
import type { TransactionRow } from '../../src/storage/store/payment-rows.ts'
import { collection, globalPayment, withdrawal } from '../support/requests.ts'
import { client, NOON, refused, startSandbox, type TestWorld } from '../support/sandbox.ts'

const { world: newWorld, sandbox } = await startSandbox()

const LIST = '/sandbox/transactions'
const references = async (world: TestWorld, query = '') =>
  (await world.get(`${LIST}${query}`)).body.transactions.map(
    (each: { external_reference: string }) => each.external_reference,
  )

/** A world with a collection that succeeded, one that failed, a pay-out and a card that waits. */
async function shop() {
  const world = newWorld()
  await world.post('/api/v2/payments', collection(world))
  await world.post(
    '/api/v2/payments',
    collection(world, { phone_number: '0700000002', external_reference: 'order-2' }),
  )
  await world.settle()
  await world.advance(60_000)
  await world.post('/api/v2/withdraw', withdrawal(world))
  await world.settle()
  const card = await world.post(
    '/api/global/payments',
    globalPayment(world, {
      transaction_channel: 'card',
      provider: 'hosted_card',
      provider_config: {
        network_id: 'ke-hosted-card-card-visa',
        provider_id: 'ke-hosted-card',
        network_name: 'Visa',
        network_code: 'visa',
        account_type: 'card',
      },
      payment_config: {
        ...globalPayment(world).payment_config,
        reference: 'card-1',
        account_number: '4000001234560000',
      },
    }),
  )
  expect(card.body.error_message).toBe(undefined)
  return world
}

describe('GET /sandbox/transactions', () => {
  it('lists them newest first, with amounts in major and minor units', async () => {
    const world = await shop()
    const { status, body } = await world.get(LIST)
    expect([status, body.next_before]).toEqual([200, null])
    expect(await references(world)).toEqual(['card-1', 'payout-1', 'order-2', 'order-1'])
    expect(body.transactions.at(-1)).toMatchObject({
      id: 1,
      status: 'SUCCESS',
      reason: null,
      direction: 'payin',
      rail: 'momo',
      account_id: 63,
      amount: { amount: 1000, currency: 'KES', minor: 100_000 },
      cost: { amount: 15, currency: 'KES', minor: 1_500 },
      party: '254712345678',
      scenario: null,
      callback_state: 'delivered',
      created_at: '2026-06-13T12:00:00.000Z',
      duration_ms: 2_000,
    })
    expect(body.transactions[2]).toMatchObject({
      status: 'FAILED',
      reason: 'cancelled',
      scenario: 'payer-cancels',
    })
  })

  it.each([
    ['?status=FAILED', ['order-2']],
    ['?status=QUEUED', ['card-1']],
    ['?reason=cancelled', ['order-2']],
    ['?rail=card', ['card-1']],
    ['?direction=payout', ['payout-1']],
    ['?is_offline=true', []],
    ['?is_offline=false&rail=momo', ['payout-1', 'order-2', 'order-1']],
    ['?operation=createCollection', ['order-2', 'order-1']],
    ['?account_id=64', []],
    ['?account_id=63&status=SUCCESS&direction=payin', ['order-1']],
    ['?party=0712345678', ['payout-1', 'order-1']],
    ['?party=%2B254%20712%20345678', ['payout-1', 'order-1']],
    ['?scenario=payer-cancels', ['order-2']],
    ['?reference=order-2', ['order-2']],
    ['?search=ORDER-', ['order-2', 'order-1']],
    ['?search=0712', ['payout-1', 'order-1']],
    ['?search=0712%20345', ['payout-1', 'order-1']],
    ['?search=00254712', ['payout-1', 'order-1']],
    ['?search=%2B254-712-345-678', ['payout-1', 'order-1']],
    ['?callback_state=none', ['card-1']],
    ['?from=2026-06-13T12:01:00Z', ['card-1', 'payout-1']],
    ['?to=2026-06-13T12:01:00Z', ['order-2', 'order-1']],
    ['?search=%27%20OR%201%3D1', []],
    ['?search=order.1', []],
    ['?search=%28%5B%5C', []],
    ['?party=.*', []],
  ])('filters by %s', async (query, expected) => {
    expect(await references(await shop(), query)).toEqual(expected)
  })

  it('finds one by each of its identifiers and by its receipt', async () => {
    const world = await shop()
    const { transactions } = (await world.get(`${LIST}?status=SUCCESS&direction=payin`)).body
    for (const name of ['reference', 'checkout_request_id', 'provider_reference'])
      expect(await references(world, `?reference=${transactions[0][name]}`)).toEqual(['order-1'])
  })

  it.each([
    ['?status=DONE', /^status must be one of .*got "DONE"/],
    ['?rail=cheque', /^rail must be one of/],
    ['?limit=0', /^limit must be at least 1/],
    ['?limit=1001', /^limit must be at most 1000/],
    ['?before=x', /^before must be/],
    ['?from=yesterday', /^from must be an ISO 8601 date-time/],
    ['?account_id=sixty-three', /^account_id must be/],
    ['?format=xls', /^format must be one of/],
    [`?search=${'x'.repeat(300)}`, /^search must be at most 255/],
    ['?search=', /^search must/],
    ['?stauts=FAILED', /^stauts is none of .* \(did you mean status\?\)$/],
  ])('400: %s', async (query, message) => {
    expect(await newWorld().get(LIST + query)).toMatchObject(refused(400, 'invalid_argument', message))
  })

  it('pages without gaps or repetition while others arrive', async () => {
    const world = newWorld()
    const pay = (n: number) =>
      world.post('/api/v2/payments', collection(world, { external_reference: `o-${n}`, amount: 10 }))
    for (let n = 1; n <= 7; n++) await pay(n)
    const seen: string[] = []
    let query = '?limit=2'
    for (let n = 8; ; n++) {
      const { transactions, next_before } = (await world.get(LIST + query)).body
      seen.push(...transactions.map((each: { external_reference: string }) => each.external_reference))
      if (next_before === null) break
      query = `?limit=2&before=${next_before}`
      await pay(n)
      await world.settle()
    }
    expect(seen).toEqual(['o-7', 'o-6', 'o-5', 'o-4', 'o-3', 'o-2', 'o-1'])
  })

  it('pages through many with the same reference', async () => {
    const world = newWorld()
    for (let n = 0; n < 5; n++) await world.post('/api/v2/payments', collection(world, { amount: 10 + n }))
    const first = (await world.get(`${LIST}?reference=order-1&limit=3`)).body
    const rest = (await world.get(`${LIST}?reference=order-1&limit=3&before=${first.next_before}`)).body
    const amounts = [...first.transactions, ...rest.transactions].map((each) => each.amount.amount)
    expect([amounts, rest.next_before]).toEqual([[14, 13, 12, 11, 10], null])
  })

  it('excludes other worlds', async () => {
    const world = await shop()
    const { reference } = (await world.get(LIST)).body.transactions[0]
    const other = newWorld()
    expect((await other.get(LIST)).body.transactions).toEqual([])
    expect((await other.get(`${LIST}?reference=${reference}`)).body.transactions).toEqual([])
    expect((await other.get(`${LIST}/${reference}`)).status).toBe(404)
  })

  it('returns the Teams in which the user has a role', async () => {
    const world = await shop()
    await world.post('/api/v2/payments', collection(world, { account_id: 64, channel_id: undefined }))
    const { body: key } = await world.post('/sandbox/api-keys', { account_id: 64, role_id: 4 })
    const { transactions } = (await client(sandbox, key.username, key.password).get(LIST)).body
    expect(transactions.filter((each: TransactionRow) => each.account_id !== 64)).toEqual([])
    expect((await world.viewer.get(LIST)).body.transactions).toHaveLength(4)
  })

  it('reads 50,000 of 100,000 rows per page, and returns where to continue', async () => {
    const world = newWorld()
    await world.post('/api/v2/payments', collection(world))
    await world.settle()
    for (let before = 0; before < 100_000; before += 1_000)
      await world.world().change(({ rows }) => {
        const first = rows.get('transactions', 1)!
        for (let id = Math.max(2, before + 1); id <= before + 1_000; id++)
          rows.insert('transactions', {
            ...first,
            id,
            reference: `r${id}`,
            checkout_request_id: `c${id}`,
            external_reference: `order-${id}`,
            status: id === 7 ? 'FAILED' : 'SUCCESS',
          })
      })
    for (const query of ['', '?reference=order-5', '?before=40000&direction=payin', '?search=order-99'])
      expect(await references(world, query)).not.toEqual([])
    const { body } = await world.get(`${LIST}?status=FAILED`)
    expect(body).toEqual({ transactions: [], next_before: 50_001 })
    const rest = await world.get(`${LIST}?status=FAILED&before=${body.next_before}`)
    expect(rest.body.transactions).toMatchObject([{ id: 7 }])
  })
})

describe('transactions as CSV', () => {
  const csv = async (world: TestWorld, query: string, accept?: string) => {
    const authorization = `Basic ${btoa(`${world.world().name}:demo`)}`
    const headers = { authorization, ...(accept && { accept }) }
    const response = await sandbox.fetch(new Request(`http://sandbox.test${LIST}${query}`, { headers }))
    return { response, lines: (await response.text()).split('\r\n') }
  }

  it('are returned for Accept: text/csv or format=csv', async () => {
    const world = await shop()
    for (const { response, lines } of [await csv(world, '', 'text/csv'), await csv(world, '?format=csv')]) {
      expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
      expect(response.headers.get('link')).toBeNull()
      expect(lines).toHaveLength(6)
      expect(lines[0]).toMatch(/^reference,external_reference,/)
      expect(lines[3]).toMatch(/,order-2,.*,FAILED,cancelled,63,/)
    }
    expect((await csv(world, '?format=json', 'text/csv')).response.headers.get('content-type')).toMatch(
      /json/,
    )
  })

  it('have the next page in a header', async () => {
    const world = await shop()
    const { response, lines } = await csv(world, '?format=csv&limit=2&account_id=63')
    expect(lines).toHaveLength(4)
    const [, next] = /^<(.*)>; rel="next"$/.exec(response.headers.get('link')!)!
    expect(next).toMatch(/account_id=63/)
    expect((await csv(world, next!.replace(LIST, ''))).lines[1]).toMatch(/,order-2,/)
  })

  it('have no cell that a spreadsheet would compute', async () => {
    const world = newWorld()
    const nasty = ['=1+1', '+cmd|x', '-2', '@SUM(A1)', ' =1', 'a,"b"\n=c']
    for (const external_reference of nasty)
      await world.post('/api/v2/payments', collection(world, { external_reference, amount: 10 }))
    const { lines } = await csv(world, '?format=csv')
    for (const line of lines.slice(1)) expect(line).not.toMatch(/(^|,)"?\s*[=+@-]/)
    expect(csvText(['a'], [['=1'], [-2], ['x"y'], [null], ['\t=1'], ['＝1'], ['＠A']])).toBe(
      `a\r\n'=1\r\n-2\r\n"x""y"\r\n\r\n'\t=1\r\n'＝1\r\n'＠A\r\n`,
    )
  })
})

describe('GET /sandbox/transactions/{reference}', () => {
  it('returns states, callbacks and the creating request', async () => {
    const world = await shop()
    const { status, body } = await world.get(`${LIST}/order-2`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      transaction: { external_reference: 'order-2', status: 'FAILED', scenario: 'payer-cancels' },
      states: [
        { status: 'QUEUED', reason: null },
        { status: 'FAILED', reason: 'cancelled', rejection_reason: null },
      ],
      checkout: null,
      callbacks: [{ state: 'delivered' }],
      planned: [],
      request: { operation: 'createCollection', body: { external_reference: 'order-2' } },
    })
  })

  it('returns pending jobs of a queued one', async () => {
    const world = newWorld()
    await world.post('/api/v2/payments', collection(world))
    const { planned } = (await world.get(`${LIST}/order-1`)).body
    expect(planned).toMatchObject([{ kind: 'settle', due_in_ms: 2_000, outcome: 'SUCCESS', attempts: 0 }])
  })

  it('returns a reversal', async () => {
    const world = newWorld()
    await world.post('/api/v2/payments', collection(world), { prefer: 'scenario=success-then-reversed' })
    await world.settle()
    const { body } = await world.get(`${LIST}/order-1`)
    expect(body.states.map((each: { status: string }) => each.status)).toEqual([
      'QUEUED',
      'SUCCESS',
      'REVERSED',
    ])
    expect(body.transaction.scenario).toBe('success-then-reversed')
  })

  it('finds it by its receipt, and survives export and import with its scenario', async () => {
    const world = await shop()
    const exported = (await world.get('/sandbox/export')).body
    expect((await world.post('/sandbox/import', exported)).status).toBe(200)
    const { transaction, request } = (await world.get(`${LIST}/order-1`)).body
    expect(request).toBeNull()
    expect((await world.get(`${LIST}/${transaction.provider_reference}`)).body.transaction).toEqual(
      transaction,
    )
    expect((await world.get(`${LIST}/order-2`)).body.transaction.scenario).toBe('payer-cancels')
  })

  it.each(['nothing', '__proto__', '..%2F..%2Fx', '1'])('returns 404 for %s', async (reference) => {
    expect((await (await shop()).get(`${LIST}/${reference}`)).status).toBe(404)
  })
})

it('is empty in a new world', async () => {
  expect((await newWorld().get(`${LIST}?from=${new Date(NOON).toISOString()}`)).body).toEqual({
    transactions: [],
    next_before: null,
  })
})
