import { describe, expect, it } from 'vitest'
import { collection } from '../../support/requests.ts'
import { refused, startSandbox } from '../../support/sandbox.ts'
import { balance, balances } from '../../support/ledger.ts'

const { world } = await startSandbox()
const path = '/api/v2/payments'

describe('createCollection', () => {
  it('201 QUEUED for a wallet collection, with references and the echo', async () => {
    const w = world()
    const answer = await w.post(path, collection(w))
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      success: true,
      status: 'QUEUED',
      reference: expect.stringMatching(/^UFD\d{9}\.iI$/),
      CheckoutRequestID: expect.stringMatching(/^\d{5}$/),
      external_reference: 'order-1',
    })
  })

  it('sends a success callback after two seconds, and adds the amount minus its cost to the wallet', async () => {
    const w = world()
    const { body } = await w.post(path, collection(w))
    await w.advance(1_999)
    expect(w.callbacks()).toEqual([])
    expect(await balance(w, 'team:63:wallet:KES')).toBe(100_000)
    await w.advance(1)
    expect(w.callbacks().map((each) => each.body)).toEqual([
      {
        success: true,
        status: 'success',
        message: 'The service request is processed successfully.',
        reference: body.reference,
        external_reference: 'order-1',
        amount: 1000,
        currency: 'KES',
        transaction_id: '',
        transaction_date: '2026-06-13T12:00:02Z',
        transaction_type: 'inbound_payment',
        provider_reference: expect.stringMatching(/^UFD[0-9A-Z]{7}$/),
        provider: 'm-pesa',
        callback_urls: null,
      },
    ])
    expect(await balance(w, 'team:63:wallet:KES')).toBe(100_985)
    expect(await balance(w, 'fees:KES')).toBe(15)
  })

  it('201 for a channel collection, which takes only its cost, from the service wallet', async () => {
    const w = world()
    const answer = await w.post(path, collection(w, { channel_id: 1502 }))
    expect(answer.status).toBe(201)
    expect(await balance(w, 'team:63:service_wallet:KES')).toBe(9_985)
    await w.settle()
    expect(await balances(w)).toMatchObject({
      'team:63:wallet:KES': 100_000,
      'team:63:service_wallet:KES': 9_985,
      'team:63:in_transit:KES': 0,
      'fees:KES': 15,
    })
  })

  it('201 for an offline collection, which stays queued until someone pays at the paybill', async () => {
    const w = world()
    const offline = collection(w, { is_offline: true, network_code: undefined, merchant_fee: 10 })
    const { status, body } = await w.post(path, offline)
    expect(status).toBe(201)
    await w.settle()
    await w.advance(23 * 3_600_000)
    const now = await w.post('/api/global/transaction-status', { request_id: body.reference })
    expect(now.body.status).toBe('queued')
  })

  it('fails an unpaid offline collection after 24 hours with a callback, and allows deleting the Team', async () => {
    const w = world()
    const team = { organization_id: 1, name: 'Kiosk', dial_code: '254', number: '712345600' }
    const account_id = (await w.post('/api/v2/accounts', team)).body.account.id
    const offline = { account_id, is_offline: true, channel_id: undefined, network_code: undefined }
    await w
      .world()
      .change((tx) => tx.rows.put('teams', { ...tx.rows.get('teams', account_id)!, kyc_tier: 3 }))
    const { reference, CheckoutRequestID } = (await w.post(path, collection(w, offline))).body
    expect((await w.delete(`/api/v2/accounts/${account_id}`)).status).toBe(400)
    await w.advance(86_400_000)
    await w.settle()
    expect(w.callbacks().map(({ body }) => body)).toMatchObject([
      {
        success: false,
        status: 'failed',
        reference,
        message: 'Transaction has expired',
        provider_reference: '',
      },
    ])
    const late = { paybill: '756756', account: `553125#${CheckoutRequestID}`, amount: 1000 }
    expect(await w.post('/sandbox/offline-payments', late)).toMatchObject(
      refused(
        400,
        'invalid_argument',
        `account "553125#${CheckoutRequestID}" is of a collection that is FAILED; only a QUEUED one can be paid`,
      ),
    )
    expect((await w.delete(`/api/v2/accounts/${account_id}`)).status).toBe(200)
  })

  it('leaves no job for a paid offline collection', async () => {
    const w = world()
    const offline = collection(w, { is_offline: true, network_code: undefined })
    const { CheckoutRequestID } = (await w.post(path, offline)).body
    expect((await w.get('/sandbox/clock')).body).toMatchObject({
      scheduled: 1,
      next: { kind: 'expire_offline', due_at: '2026-06-14T12:00:00.000Z' },
    })
    const payment = { paybill: '756756', account: `553125#${CheckoutRequestID}`, amount: 1000 }
    await w.post('/sandbox/offline-payments', payment)
    await w.settle()
    expect((await w.get('/sandbox/clock')).body.scheduled).toBe(0)
    await w.advance(2 * 86_400_000)
    expect(w.callbacks().map(({ body }) => body.status)).toEqual(['success'])
  })

  it('201 without account_id, for the default Team of the key', async () => {
    const w = world()
    expect((await w.post(path, collection(w, { account_id: undefined }))).status).toBe(201)
    await w.settle()
    expect(await balance(w, 'team:63:wallet:KES')).toBe(100_985)
  })

  it('201 again for an external_reference that was used before, and another reference', async () => {
    const w = world()
    const first = await w.post(path, collection(w))
    const second = await w.post(path, collection(w))
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body.reference).not.toBe(first.body.reference)
  })

  it.each(['0712345678', '0112345678', '254712345678', '+254712345678'])(
    '201 for phone %s',
    async (phone) => {
      const w = world()
      expect((await w.post(path, collection(w, { phone_number: phone }))).status).toBe(201)
    },
  )

  it('unknown fields are ignored', async () => {
    const w = world()
    const body = JSON.stringify(collection(w)).replace('{', '{"__proto__":{"amount":1},"colour":"red",')
    expect((await w.post(path, body)).status).toBe(201)
  })

  it('400 when the channel is not active', async () => {
    const w = world()
    const answer = await w.post(path, collection(w, { channel_id: 1505 }))
    expect(answer).toMatchObject(refused(400, 'invalid_argument', 'passed channel is not active'))
  })

  it('400 when the amount does not cover the cost, naming the cost', async () => {
    const w = world()
    const answer = await w.post(path, collection(w, { amount: 1 }))
    expect(answer).toMatchObject(
      refused(
        400,
        'invalid_argument',
        'the transaction amount is insufficient as it wont cater for cost: (1.00)',
      ),
    )
  })

  it('returns the cost of a reversed channel collection to the service wallet', async () => {
    const w = world()
    const before = await balances(w)
    await w.post(path, collection(w, { channel_id: 1502, external_reference: 'reversed' }))
    await w.settle()
    await w.post('/sandbox/transactions/reversed/simulate', { outcome: 'reversed' })
    expect(await balances(w)).toMatchObject(before)
  })

  it('400 when the service wallet cannot pay the cost of a channel collection', async () => {
    const w = world()
    await w.get('/api/v2/account/64')
    await w.world().change(({ rows }) => {
      const channel = rows.get('channels', 1502)!
      rows.insert('channels', { ...channel, id: 1599, account_id: 64 })
    })
    const answer = await w.post(path, collection(w, { account_id: 64, channel_id: 1599 }))
    expect(answer).toMatchObject(
      refused(400, 'invalid_argument', /^insufficient balance: the service_wallet of account 64/),
    )
  })

  it('400 when the tier does not let the Team collect into its wallet', async () => {
    const w = world()
    const answer = await w.post(path, collection(w, { account_id: 64 }))
    expect(answer).toMatchObject(
      refused(400, 'invalid_argument', /KYC tier 0 of account 64 .*KES 1,000\.00.*tier 1/),
    )
  })

  it('400 without channel_id, network_code and is_offline', async () => {
    const w = world()
    const answer = await w.post(path, collection(w, { network_code: undefined }))
    expect(answer).toMatchObject(
      refused(400, 'invalid_argument', /one of channel_id .* network_code .* is_offline/),
    )
  })

  it('400 for a Team that does not hold Kenya shillings, naming the other endpoint', async () => {
    const w = world()
    const answer = await w.post(path, collection(w, { account_id: 65 }))
    expect(answer).toMatchObject(refused(400, 'invalid_argument', /holds TZS.*POST \/api\/global\/payments/))
  })

  it.each([
    ['amount', { amount: 0 }, /^amount must be more than 0, got 0$/],
    ['amount', { amount: -5 }, /^amount must be more than 0, got -5$/],
    ['amount', { amount: '1000' }, /^amount must be a number, got "1000"$/],
    ['amount', { amount: 10.005 }, /^amount must have at most 2 decimals in KES, got 10.005$/],
    ['amount', { amount: 1e15 }, /^amount must be from KES 1.00 to KES 150,000.00, got 1000000000000000$/],
    ['amount', { amount: 150_000.01 }, /^amount must be from KES 1.00 to KES 150,000.00, got 150000.01$/],
    ['amount', { amount: undefined }, /^amount is required$/],
    [
      'phone_number',
      { phone_number: '255754123456' },
      /^phone_number must be a Kenyan mobile number .*, got "255754123456"$/,
    ],
    ['phone_number', { phone_number: 254712345678 }, /^phone_number must be text, got 254712345678$/],
    ['phone_number', { phone_number: undefined }, /^phone_number is required$/],
    [
      'provider',
      { provider: 'paypal' },
      /^provider must be one of m-pesa, mpesa_dc, sasapay, .*, got "paypal"$/,
    ],
    ['provider', { provider: undefined }, /^provider is required$/],
    ['network_code', { network_code: '1' }, /^network_code must be one of 63902 \(M-Pesa\), .*, got "1"$/],
    [
      'callback_url',
      { callback_url: 'not a url' },
      /^callback_url must be an http or https URL, got "not a url"$/,
    ],
    ['callback_url', { callback_url: 'ftp://a.example' }, /^callback_url must be an http or https URL/],
    ['channel_id', { channel_id: 1502.5 }, /^channel_id must be a whole number, got 1502.5$/],
    ['is_offline', { is_offline: 'yes' }, /^is_offline must be true or false, got "yes"$/],
  ])('400 that names %s for %o', async (_, changes, message) => {
    const w = world()
    expect(await w.post(path, collection(w, changes))).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })

  it('400 that names the misspelt field instead of a missing one', async () => {
    const w = world()
    const { amount, phone_number, ...rest } = collection(w)
    const answer = await w.post(path, { ...rest, ammount: amount, phoneNumber: phone_number })
    expect(answer.body.error_message).toBe(
      'amount is required, got ammount instead; phone_number is required, got phoneNumber instead',
    )
  })

  it('400 that names every field at fault', async () => {
    const w = world()
    const answer = await w.post(path, { amount: 'x', provider: 7 })
    expect(answer.body.error_message).toBe(
      'amount must be a number, got "x"; phone_number is required; provider must be text, got 7; one of channel_id (into a payment channel), network_code (into the wallet) or is_offline: true is required',
    )
  })

  it.each([
    ['a channel that does not exist', { channel_id: 9999 }, 'channel_id 9999 was not found'],
    ['a channel of another Team', { channel_id: 1502, account_id: 64 }, 'channel_id 1502 was not found'],
    ['a Team that does not exist', { account_id: 9999 }, 'account_id 9999 was not found'],
  ])('404 for %s', async (_, changes, message) => {
    const w = world()
    expect(await w.post(path, collection(w, changes))).toMatchObject(
      refused(404, 'resource_not_found', message),
    )
  })

  it('403 for a viewer', async () => {
    const w = world()
    expect(await w.viewer.post(path, collection(w))).toMatchObject(
      refused(403, 'permission_denied', 'role viewer may not move money in account 63'),
    )
  })
})
