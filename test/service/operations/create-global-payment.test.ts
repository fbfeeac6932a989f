import { describe, expect, it } from 'vitest'
import { balance, balances } from '../../support/ledger.ts'
import { globalPayment } from '../../support/requests.ts'
import { type TestWorld, refused, startSandbox } from '../../support/sandbox.ts'

const { world } = await startSandbox()
const path = '/api/global/payments'

const phones: Record<string, string> = {
  KE: '254712345678',
  TZ: '255754123456',
  ZM: '260971234567',
  BW: '26771234567',
  NG: '2348031234567',
  UG: '256772123456',
  GH: '233241234567',
  RW: '250788123456',
}

/** A payment in a country on a rail, its `provider_config` taken from discovery as it came. */
async function inCountry(w: TestWorld, country: string, rail: string, changes: object = {}) {
  const { body } = await w.get(`/api/global/discovery/payment-world/country?country=${country}`)
  const provider = body.available_providers[rail][0]
  const network = body.provider_networks[provider].find(
    (each: { account_type: string }) => each.account_type === rail,
  )
  const base = globalPayment(w)
  return {
    ...base,
    transaction_channel: rail,
    provider,
    amount: network.min_amount * 10,
    currency: body.currency,
    country,
    customer: { ...base.customer, dob: '1990-01-01T00:00:00Z', id_type: 'passport', id_number: 'A1' },
    provider_config: network,
    payment_config: {
      ...base.payment_config,
      account_number: rail === 'momo' ? phones[country] : '0011223344',
    },
    ...changes,
  }
}

describe('createGlobalPayment', () => {
  it('200 for a pay-in, with the provider in process', async () => {
    const w = world()
    const { status, body } = await w.post(path, globalPayment(w))
    expect(status).toBe(200)
    expect(body).toEqual({
      status_code: '200',
      merchant_reference: expect.stringMatching(/^UFD\d{9}\.iI$/),
      transaction_type: 'payin',
      success: true,
      message: 'request sent',
      checkout_request_id: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      gateway: 'm-pesa',
      conversation_id: body.merchant_reference,
      provider_response: {
        amount: 1000,
        convertedAmount: 1000,
        country: 'KE',
        currency: 'KES',
        rate: 1,
        status: 'process',
        checkout_url: expect.stringContaining(`/${body.checkout_request_id}.`),
      },
    })
    await w.settle()
    expect(w.callbacks()[0]?.body).toMatchObject({ status: 'success', reference: body.merchant_reference })
    expect(await balance(w, 'team:63:wallet:KES')).toBe(100_985)
  })

  it('200 for a payout, without a provider_response', async () => {
    const w = world()
    const { status, body } = await w.post(path, globalPayment(w, { request_type: 'withdrawal' }))
    expect(status).toBe(200)
    expect(body).toMatchObject({
      transaction_type: 'payout',
      merchant_reference: expect.stringMatching(/\.eO$/),
    })
    expect(body).not.toHaveProperty('provider_response')
    expect(await balance(w, 'team:63:in_transit:KES')).toBe(1_015)
  })

  it('amount_to_save of a payout goes to the savings of the Team', async () => {
    const w = world()
    await w.post(
      path,
      globalPayment(w, { request_type: 'withdrawal', payment_split: { amount_to_save: 250.5 } }),
    )
    await w.settle()
    expect(await balances(w)).toMatchObject({
      'team:63:savings:KES': 250.5,
      'team:63:wallet:KES': 98_985,
      'team:63:in_transit:KES': 0,
    })
  })

  it('a pay-in with channel_id settles into the channel, not the wallet', async () => {
    const w = world()
    const answer = await w.post(
      path,
      globalPayment(w, { vendor_config: { vendor_id: 63, channel_id: 1503 } }),
    )
    expect(answer.status).toBe(200)
    await w.settle()
    expect(await balances(w)).toMatchObject({
      'team:63:wallet:KES': 100_000,
      'team:63:service_wallet:KES': 9_985,
    })
  })

  for (const country of Object.keys(phones)) {
    it.each(['momo', 'bank'])(
      `200 for pay-in and payout in ${country} on %s, with values of discovery`,
      async (rail) => {
        const w = world()
        expect(await w.post(path, await inCountry(w, country, rail))).toMatchObject({ status: 200 })
        const payout = await inCountry(w, country, rail, { request_type: 'withdrawal' })
        expect(await w.post(path, payout)).toMatchObject({ status: 200 })
        await w.settle()
        expect(w.callbacks().map((each) => each.body.status)).toEqual(['success', 'success'])
      },
    )

    it(`200 for a pay-in by card in ${country}, and 400 for a payout to one`, async () => {
      const w = world()
      const payout = await inCountry(w, country, 'card', { request_type: 'withdrawal' })
      expect(await w.post(path, payout)).toMatchObject(
        refused(
          400,
          'invalid_argument',
          'transaction_channel must be momo or bank for withdrawals, got "card"',
        ),
      )
      expect(await w.post(path, await inCountry(w, country, 'card'))).toMatchObject({ status: 200 })
      await w.settle()
      expect(w.callbacks().map((each) => each.body.status)).toEqual(['success'])
    })
  }

  it('200 with values of transaction-providers', async () => {
    const w = world()
    const { body } = await w.post('/api/global/transaction-providers', { country: 'NG' })
    const { provider, networks } = body.providers[0]
    const payment = await inCountry(w, 'NG', 'momo', { provider, provider_config: networks[1] })
    expect((await w.post(path, payment)).status).toBe(200)
  })

  it('a card pay-in names its hosted page', async () => {
    const w = world()
    const { body } = await w.post(path, await inCountry(w, 'KE', 'card'))
    expect(body.provider_response.checkout_url).toMatch(
      new RegExp(`^http://sandbox.test/checkout/demo%2Bt\\d+/${body.checkout_request_id}\\.[\\w-]{22}$`),
    )
  })

  const top = ['request_type', 'transaction_channel', 'provider', 'amount', 'currency', 'country', 'customer']
  it.each([...top, 'payment_config', 'provider_config'])('400 without %s', async (field) => {
    const w = world()
    expect(await w.post(path, globalPayment(w, { [field]: undefined }))).toMatchObject(
      refused(400, 'invalid_argument', new RegExp(`^${field} is required`)),
    )
  })

  const config = ['reference', 'account_number', 'remark', 'payment_category', 'callback_url', 'redirect_url']
  it.each(config)('400 without payment_config.%s', async (field) => {
    const w = world()
    const base = globalPayment(w)
    const payment_config = { ...base.payment_config, [field]: undefined }
    expect(await w.post(path, { ...base, payment_config })).toMatchObject(
      refused(400, 'invalid_argument', `payment_config.${field} is required`),
    )
  })

  const provider = ['network_id', 'provider_id', 'network_name', 'network_code', 'account_type']
  it.each(provider)('400 without provider_config.%s', async (field) => {
    const w = world()
    const base = globalPayment(w)
    const provider_config = { ...base.provider_config, [field]: undefined }
    expect(await w.post(path, { ...base, provider_config })).toMatchObject(
      refused(400, 'invalid_argument', `provider_config.${field} is required`),
    )
  })

  it.each([
    [{ country: 'FR' }, /^country must be one of KE, TZ, .*, got "FR"$/],
    [{ currency: 'USD' }, 'currency must be KES in KE, got "USD"'],
    [{ provider: 'kcb' }, /^provider must be one of m-pesa, .* for momo in KE, got "kcb"$/],
    [{ request_type: 'refund' }, /^request_type must be one of payment, withdrawal, got "refund"$/],
    [{ transaction_channel: 'cash' }, /^transaction_channel must be one of momo, bank, card/],
    [{ transaction_channel: 'MOMO' }, /, got "MOMO" \(did you mean momo\?\)$/],
    [{ provider: 'M-PESA' }, / for momo in KE, got "M-PESA" \(did you mean m-pesa\?\)$/],
    [{ amount: 150_001 }, 'amount must be from KES 1.00 to KES 150,000.00 on M-Pesa, got 150001'],
    [{ amount: 0.001 }, /^amount must be from KES 1.00 to .*, got 0.001$/],
    [{ amount: 1.005 }, /^amount must have at most 2 decimals in KES, got 1.005$/],
    [{ customer: 'Jane' }, /^customer must be an object, got "Jane"$/],
    [
      { request_type: 'withdrawal', payment_split: { amount_to_save: 1_001 } },
      'payment_split.amount_to_save must be from 0 to the amount, KES 1,000.00, got 1001',
    ],
    [
      { request_type: 'withdrawal', vendor_config: { channel_id: 1502 } },
      'vendor_config.channel_id must be omitted: only payments in KE use channels, got 1502',
    ],
    [{ vendor_config: { vendor_id: 63, channel_id: 1505 } }, 'passed channel is not active'],
    [
      { vendor_config: { vendor_id: 63, channel_id: 1504 } },
      'vendor_config.channel_id must be a channel of type bank, paybill or till, got 1504, which is a wallet',
    ],
    [
      { customer: { country: 'Kenya' } },
      'customer.country must be an ISO 3166-1 alpha-2 code, such as KE, got "Kenya"',
    ],
    [{ customer: { country: 'XX' } }, /^customer.country must be an ISO 3166-1 alpha-2 code/],
    [
      { customer: { address: { line_1: '12 Moi Avenue', country: 'Kenya' } } },
      'customer.address.country must be an ISO 3166-1 alpha-2 code, such as KE, got "Kenya"',
    ],
    [{ vendor_config: { vendor_id: 64 } }, /^KYC tier 0 of account 64/],
  ])('400 for %o', async (changes, message) => {
    const w = world()
    expect(await w.post(path, globalPayment(w, changes))).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })

  it.each([
    ['network_code', '63903', 'MPESA'],
    ['provider_id', 'ke-sasapay', 'ke-m-pesa'],
    ['account_type', 'bank', 'momo'],
  ])('400 for a provider_config with the %s of another network', async (field, sent, own) => {
    const w = world()
    const { provider_config, ...payment } = globalPayment(w)
    const strange = { ...payment, provider_config: { ...provider_config, [field]: sent } }
    expect(await w.post(path, strange)).toMatchObject(
      refused(
        400,
        'invalid_argument',
        `provider_config.${field} must be ${own}, the value of network m-pesa, got "${sent}"`,
      ),
    )
  })

  it.each([
    ['payout', 'withdrawal'],
    ['pay-out', 'withdrawal'],
    ['Disbursement', 'withdrawal'],
    ['collection', 'payment'],
    ['pay_in', 'payment'],
    ['charge', 'payment'],
    ['payin', 'payment'],
    ['witdrawal', 'withdrawal'],
    ['paymnt', 'payment'],
  ])('400 for request_type %s, and suggests %s', async (request_type, meant) => {
    const w = world()
    const message = `request_type must be one of payment, withdrawal, got "${request_type}" (did you mean ${meant}?)`
    expect(await w.post(path, globalPayment(w, { request_type }))).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })

  it('404 for a made-up id of a network whose id is observed', async () => {
    const w = world()
    const provider_config = { ...globalPayment(w).provider_config, network_id: 'ke-m-pesa-momo-m-pesa' }
    expect((await w.post(path, globalPayment(w, { provider_config }))).status).toBe(404)
  })

  it.each(['MX', 'ke', undefined])('200 for a customer of %s', async (country) => {
    const w = world()
    const customer = { first_name: 'Jane', country, address: { country } }
    expect((await w.post(path, globalPayment(w, { customer }))).status).toBe(200)
  })

  it('400 that names the misspelt field within another', async () => {
    const w = world()
    const { payment_config, ...payment } = globalPayment(w)
    const { account_number, ...rest } = payment_config
    const misspelt = { ...payment, payment_config: { ...rest, accountNumber: account_number } }
    expect(await w.post(path, misspelt)).toMatchObject(
      refused(
        400,
        'invalid_argument',
        'payment_config.account_number is required, got accountNumber instead',
      ),
    )
  })

  it('400 for a phone of another country', async () => {
    const w = world()
    const payment = await inCountry(w, 'TZ', 'momo')
    const payment_config = { ...payment.payment_config, account_number: phones['ZM'] }
    expect(await w.post(path, { ...payment, payment_config })).toMatchObject(
      refused(
        400,
        'invalid_argument',
        /^payment_config.account_number must be a phone number of Tanzania, such as .*, got "260971234567"$/,
      ),
    )
  })

  it('400 on the bank rail without the date of birth', async () => {
    const w = world()
    const payment = await inCountry(w, 'KE', 'bank', { customer: { first_name: 'Jane' } })
    expect(await w.post(path, payment)).toMatchObject(
      refused(400, 'invalid_argument', 'customer.dob is required on the bank rail'),
    )
  })

  it.each(['TZ', 'ZM', 'NG'])('400 for a payout in %s without the document of the owner', async (country) => {
    const w = world()
    const changes = { request_type: 'withdrawal', customer: { first_name: 'Jane', id_type: 'passport' } }
    expect(await w.post(path, await inCountry(w, country, 'momo', changes))).toMatchObject(
      refused(400, 'invalid_argument', `customer.id_number is required for payouts in ${country}`),
    )
  })

  it.each([
    [{ vendor_config: { vendor_id: 9 } }, 'vendor_config.vendor_id 9 was not found'],
    [{ vendor_config: { channel_id: 9 } }, 'vendor_config.channel_id 9 was not found'],
  ])('404 for %o', async (changes, message) => {
    const w = world()
    expect(await w.post(path, globalPayment(w, changes))).toMatchObject(
      refused(404, 'resource_not_found', message),
    )
  })

  it('404 for a network that is not one of the provider', async () => {
    const w = world()
    const base = globalPayment(w)
    const provider_config = { ...base.provider_config, network_id: 'nowhere' }
    expect(await w.post(path, { ...base, provider_config })).toMatchObject(
      refused(
        404,
        'resource_not_found',
        'provider_config.network_id nowhere was not found; m-pesa has m-pesa',
      ),
    )
  })

  it('403 for a viewer', async () => {
    const w = world()
    expect((await w.viewer.post(path, globalPayment(w))).status).toBe(403)
  })
})

describe('createGlobalPayment in the lenient profile', async () => {
  const lenient = await startSandbox({ SANDBOX_VALIDATION: 'lenient' })

  it('200 with the first seven fields and the account number', async () => {
    const w = lenient.world()
    const {
      request_type,
      transaction_channel,
      provider: name,
      amount,
      currency,
      country,
      customer,
    } = globalPayment(w)
    const answer = await w.post(path, {
      request_type,
      transaction_channel,
      provider: name,
      amount,
      currency,
      country,
      customer,
      payment_config: { account_number: '0712345678' },
    })
    expect(answer.status).toBe(200)
  })

  const uuid = '0b7c3d5e-2f4a-4e8b-9c6d-1a2b3c4d5e6f'
  const kenyan = { provider_id: 'x', network_name: 'M-Pesa', account_type: 'momo' }
  it.each([
    ['yellowcard', { ...kenyan, network_id: uuid, network_code: '63902' }],
    ['yellowcard', { ...kenyan, network_id: uuid, network_code: 'M PESA' }],
    ['yellowcard', { network_id: uuid }],
    ['m-pesa', { ...kenyan, network_id: 'm-pesa', network_code: 'MPESA' }],
    ['m-pesa', { network_code: 'M PESA' }],
    ['m-pesa', { network_id: 'ke-sasapay-momo-airtel-money', network_code: '63903' }],
    ['sasapay', { network_id: 'm-pesa', provider_id: 'ke-m-pesa', account_type: 'MOMO' }],
  ])('200 for a pay-in through %s with the network as %o', async (name, provider_config) => {
    const w = lenient.world()
    expect(await w.post(path, globalPayment(w, { provider: name, provider_config }))).toMatchObject({
      status: 200,
    })
  })

  it('200 for a payout with vendor_config.channel_id, which is ignored', async () => {
    const w = lenient.world()
    const payout = { request_type: 'withdrawal', vendor_config: { vendor_id: 63, channel_id: 1502 } }
    expect(await w.post(path, globalPayment(w, payout))).toMatchObject({ status: 200 })
    expect(await balance(w, 'team:63:in_transit:KES')).toBe(1_015)
  })

  it.each([
    [{ network_id: 'nowhere' }, 404, /^provider_config.network_id nowhere was not found; m-pesa has m-pesa$/],
    [
      { account_type: 'bank' },
      400,
      /^provider_config.account_type must be momo, the value of network m-pesa, got "bank"$/,
    ],
  ])('still rejects %o', async (provider_config, status, error_message) => {
    const w = lenient.world()
    expect(await w.post(path, globalPayment(w, { provider_config }))).toMatchObject({
      status,
      body: { error_message: expect.stringMatching(error_message) },
    })
  })

  it('200 for a withdrawal without account_id and recipient_type, with fields of older integrations', async () => {
    const w = lenient.world()
    const answer = await w.post('/api/v2/withdraw', {
      external_reference: 'x',
      amount: 100,
      phone_number: '0712345678',
      channel: 'mobile',
      channel_id: 7,
      payment_service: 'm-pesa',
    })
    expect(answer.status).toBe(200)
  })

  it.each([
    ['a paybill', { channel: 'paybill', short_code: '888880', account_number: 'INV-7' }],
    ['a till', { channel: 'till', short_code: '543210' }],
    ['a bank account', { channel: 'bank', network_code: '68', account_number: '1180012345' }],
  ])('200 for a withdrawal to %s with only its channel, with a generated reference', async (_, payee) => {
    const w = lenient.world()
    const { status, body } = await w.post('/api/v2/withdraw', { amount: 100, ...payee })
    expect(status).toBe(200)
    expect(body.external_reference).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
    const found = await w.post('/api/global/transaction-status', { request_id: body.external_reference })
    expect(found.body).toMatchObject({ reference: body.merchant_reference, status: 'queued' })
    const second = await w.post('/api/v2/withdraw', { amount: 100, ...payee })
    expect(second.body.external_reference).not.toBe(body.external_reference)
  })

  it('400 for a withdrawal to a phone without phone_number', async () => {
    const w = lenient.world()
    expect(await w.post('/api/v2/withdraw', { amount: 100, channel: 'phone' })).toMatchObject(
      refused(400, 'invalid_argument', 'phone_number is required unless channel is bank, paybill or till'),
    )
  })
})
