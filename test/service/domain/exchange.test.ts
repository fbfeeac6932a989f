import { describe, expect, it } from 'vitest'
import { globalPayment, withdrawal } from '../../support/requests.ts'
import { startSandbox, type TestWorld } from '../../support/sandbox.ts'

const { world } = await startSandbox({ SANDBOX_REALISM: 'field', SANDBOX_EXTENSIONS: 'on' })
const plain = await startSandbox()

/** Certain outcomes: chance would fail some. */
const success = { prefer: 'outcome=success' }

const momo = (w: TestWorld, request_type: string, amount: number) => ({
  ...globalPayment(w),
  request_type,
  provider: 'yellowcard',
  amount,
  currency: 'TZS',
  country: 'TZ',
  customer: { first_name: 'Neema', country: 'TZ', id_type: 'passport', id_number: 'A1' },
  provider_config: {
    network_id: 'tz-yellowcard-momo-m-pesa',
    provider_id: 'tz-yellowcard',
    network_name: 'M-Pesa',
    network_code: 'TZM01',
    account_type: 'momo',
  },
  payment_config: { ...globalPayment(w).payment_config, account_number: '255754123456' },
})

async function pay(w: TestWorld, body: object, path = '/api/global/payments') {
  const { status, body: answer } = await w.post(path, body, success)
  expect([status, answer.error_message]).toEqual([status < 300 ? status : 200, undefined])
  await w.settle()
  const reference = answer.merchant_reference ?? answer.reference
  const { transaction } = (await w.get(`/sandbox/transactions/${reference}`)).body
  return { answer, transaction }
}

const accounts = async (w: TestWorld): Promise<Record<string, number>> => {
  const { balances, balanced } = (await w.get('/sandbox/ledger?limit=1')).body
  expect(balanced).toBe(true)
  return Object.fromEntries(
    balances.map((each: { account: string; balance: number }) => [each.account, each.balance]),
  )
}
const change = (before: Record<string, number>, after: Record<string, number>, account: string) =>
  Number(((after[account] ?? 0) - (before[account] ?? 0)).toFixed(2))

describe('a payment in another currency than the Team’s', () => {
  it('arrives in the currency of the Team, with the difference in the ledger', async () => {
    const w = world()
    const before = await accounts(w)
    const { answer, transaction } = await pay(w, momo(w, 'payment', 19_000))
    const { amount, cost, rate, difference } = transaction.exchange
    expect(answer.provider_response).toMatchObject({
      amount: 19_000,
      convertedAmount: amount.amount,
      rate,
      currency: 'TZS',
    })
    const converted = await w.post('/api/currency/convert', { from: 'TZS', to: 'KES', amount: 19_000 })
    expect(converted.body.rate * 0.985).toBeCloseTo(rate, 6)
    // 19,000 shillings of Tanzania are worth some 1,000 of Kenya, of which the service keeps 1.5 %.
    expect(amount).toMatchObject({ currency: 'KES', amount: Number((19_000 * rate).toFixed(2)) })
    expect(amount.amount).toBeGreaterThan(960)
    expect(amount.amount).toBeLessThan(1_010)
    expect(difference.amount / (amount.amount + difference.amount)).toBeCloseTo(0.015, 3)
    const after = await accounts(w)
    expect(change(before, after, 'team:63:wallet:KES')).toBe(Number((amount.amount - cost.amount).toFixed(2)))
    expect(change(before, after, 'exchange_difference:KES')).toBe(difference.amount)
    expect(change(before, after, 'exchange:TZS')).toBe(19_000)
    expect(change(before, after, 'exchange:KES')).toBe(
      -Number((amount.amount + difference.amount).toFixed(2)),
    )
    expect(change(before, after, 'team:63:wallet:TZS')).toBe(0)
    const { lines, closing_balance } = (await w.get('/sandbox/statements?account_id=63&wallet=wallet')).body
    expect(lines.at(-1)).toMatchObject({ kind: 'collection', amount: amount.amount, charge: cost.amount })
    expect(closing_balance).toBe(after['team:63:wallet:KES'])
  })

  it('converts a currency without decimals by its major units', async () => {
    const w = world()
    const uganda = {
      ...momo(w, 'payment', 28_000),
      currency: 'UGX',
      country: 'UG',
      customer: { first_name: 'Okello', country: 'UG', id_type: 'passport', id_number: 'A1' },
      provider_config: {
        network_id: 'ug-yellowcard-momo-mtn-momo',
        provider_id: 'ug-yellowcard',
        network_name: 'MTN MoMo',
        network_code: 'UGM01',
        account_type: 'momo',
      },
      payment_config: { ...globalPayment(w).payment_config, account_number: '256770123456' },
    }
    const { amount, rate } = (await pay(w, uganda)).transaction.exchange
    expect(amount).toMatchObject({ currency: 'KES', amount: Number((28_000 * rate).toFixed(2)) })
    expect(amount.amount).toBeGreaterThan(960)
    expect(amount.amount).toBeLessThan(1_010)
  })

  it('costs more than its worth as a payout, and returns everything when it is reversed', async () => {
    const w = world()
    const before = await accounts(w)
    const { transaction } = await pay(w, momo(w, 'withdrawal', 19_000))
    const { amount, cost, difference } = transaction.exchange
    expect(amount.amount).toBeGreaterThan(990)
    const paid = await accounts(w)
    expect(change(before, paid, 'team:63:wallet:KES')).toBe(-Number((amount.amount + cost.amount).toFixed(2)))
    expect(change(before, paid, 'exchange_difference:KES')).toBe(difference.amount)
    expect(change(before, paid, 'outside:TZS')).toBe(19_000)
    await w.post(`/sandbox/transactions/${transaction.reference}/simulate`, { outcome: 'reversed' })
    const after = await accounts(w)
    for (const account of Object.keys(after))
      expect([account, change(before, after, account)]).toEqual([account, 0])
  })

  it('stays in its currency unless realism is field', async () => {
    const w = plain.world()
    const before = await accounts(w)
    const { answer, transaction } = await pay(w, momo(w, 'payment', 19_000))
    expect(answer.provider_response).toMatchObject({ convertedAmount: 19_000, rate: 1 })
    expect(transaction.exchange).toBeNull()
    expect(change(before, await accounts(w), 'team:63:wallet:TZS')).toBe(19_000 - transaction.cost.amount)
  })
})

describe('a reversal whose money is gone', () => {
  async function spentWorld() {
    const w = world()
    const { transaction } = await pay(
      w,
      {
        amount: 5_000,
        phone_number: '0722123456',
        provider: 'm-pesa',
        network_code: '63902',
        account_id: 63,
        external_reference: 'order-1',
        callback_url: w.callback_url,
      },
      '/api/v2/payments',
    )
    const { 'team:63:wallet:KES': held = 0 } = await accounts(w)
    // Leaves some 985 in the wallet.
    const amount = held - 1_025
    await pay(w, withdrawal(w, { amount: Math.min(amount, 90_000) }), '/api/v2/withdraw')
    const left = (await accounts(w))['team:63:wallet:KES']!
    if (left > 1_025)
      await pay(
        w,
        withdrawal(w, { amount: left - 1_025, external_reference: 'payout-2' }),
        '/api/v2/withdraw',
      )
    const wallet = (await accounts(w))['team:63:wallet:KES']!
    await w.post(`/sandbox/transactions/${transaction.reference}/simulate`, { outcome: 'reversed' })
    return { w, wallet, transaction }
  }

  it('becomes a debt, which rejects payouts until incoming money has repaid it', async () => {
    const { w, wallet, transaction } = await spentWorld()
    const owed = Number((5_000 - transaction.cost.amount - wallet).toFixed(2))
    expect(owed).toBeGreaterThan(3_000)
    expect(await accounts(w)).toMatchObject({ 'team:63:wallet:KES': 0, 'team:63:debt:KES': -owed })
    expect((await w.get(`/sandbox/transactions/${transaction.reference}`)).body.transaction.status).toBe(
      'REVERSED',
    )
    const refusal = await w.post(
      '/api/v2/withdraw',
      withdrawal(w, { amount: 100, external_reference: 'payout-3' }),
      success,
    )
    expect(refusal).toMatchObject({
      status: 400,
      body: {
        error_message: expect.stringMatching(
          /^insufficient balance: account 63 owes KES \d,\d{3}\.\d\d of reversed payments/,
        ),
      },
    })
    const { teams } = (await w.get('/sandbox/teams')).body
    expect(teams.find(({ id }: { id: number }) => id === 63).wallets).toContainEqual(
      expect.objectContaining({ wallet: 'debt', balance: expect.objectContaining({ amount: -owed }) }),
    )
    await w.post('/sandbox/teams/63/fund', { wallet: 'wallet', amount: 1_000 })
    expect(await accounts(w)).toMatchObject({ 'team:63:wallet:KES': 0, 'team:63:debt:KES': 1_000 - owed })
    await w.post('/sandbox/teams/63/fund', { wallet: 'wallet', amount: 5_000 })
    expect(await accounts(w)).toMatchObject({ 'team:63:wallet:KES': 6_000 - owed, 'team:63:debt:KES': 0 })
    await pay(w, withdrawal(w, { amount: 100, external_reference: 'payout-4' }), '/api/v2/withdraw')
  })

  it('is rejected unless realism is field', async () => {
    const w = plain.world()
    const { transaction } = await pay(w, momo(w, 'payment', 19_000))
    await pay(w, momo(w, 'withdrawal', 2_017_000))
    expect(
      await w.post(`/sandbox/transactions/${transaction.reference}/simulate`, { outcome: 'reversed' }),
    ).toMatchObject({
      status: 400,
      body: { error_message: expect.stringMatching(/^insufficient balance/) },
    })
  })
})
