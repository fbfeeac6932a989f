import { describe, expect, it } from 'vitest'
import { balances } from '../../support/ledger.ts'
import { withdrawal } from '../../support/requests.ts'
import { refused, startSandbox } from '../../support/sandbox.ts'

const { world } = await startSandbox()
const nested = await startSandbox({ SANDBOX_CALLBACK_SHAPE: 'nested' })
const path = '/api/v2/withdraw'

describe('createWithdrawal', () => {
  it('200 QUEUED to a phone, with amount and cost reserved at once', async () => {
    const w = world()
    const { status, body } = await w.post(path, withdrawal(w))
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'QUEUED',
      merchant_reference: expect.stringMatching(/^UFD\d{9}\.eO$/),
      checkout_request_id: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
      response_code: '200',
      conversation_id: body.merchant_reference,
      external_reference: 'payout-1',
    })
    expect(await balances(w)).toMatchObject({
      'team:63:wallet:KES': 99_492,
      'team:63:in_transit:KES': 508,
    })
  })

  it('sends a success callback and deducts the money', async () => {
    const w = world()
    const { body } = await w.post(path, withdrawal(w))
    await w.settle()
    expect(w.callbacks().map((each) => each.body)).toEqual([
      {
        success: true,
        status: 'success',
        message: 'Transaction processed successfully.',
        reference: body.merchant_reference,
        external_reference: 'payout-1',
        amount: 500,
        currency: 'KES',
        transaction_id: '',
        transaction_date: '2026-06-13T12:00:02Z',
        transaction_type: 'outbound_payment',
        provider_reference: expect.stringMatching(/^UFD[0-9A-Z]{7}$/),
        provider: 'm-pesa',
        callback_urls: null,
      },
    ])
    expect(await balances(w)).toMatchObject({
      'team:63:wallet:KES': 99_492,
      'team:63:in_transit:KES': 0,
      'fees:KES': 8,
    })
  })

  it.each([
    ['a phone without account_number', { account_number: undefined }],
    ['a paybill', { recipient_type: 'PAYBILL', short_code: '888880', account_number: 'INV-7' }],
    ['a till', { recipient_type: 'PAYBILL', short_code: '543210', account_number: undefined }],
    ['a bank account', { channel: 'bank', network_code: '68', account_number: '1180012345' }],
    ['a phone by channel mobile', { channel: 'mobile' }],
    [
      'a paybill by channel',
      { channel: 'paybill', recipient_type: 'PAYBILL', short_code: '888880', account_number: 'INV-7' },
    ],
    ['a till by channel', { channel: 'till', recipient_type: 'PAYBILL', short_code: '543210' }],
    ['a till by channel and TILL', { channel: 'till', recipient_type: 'TILL', short_code: '543210' }],
    ['a till by TILL', { recipient_type: 'TILL', short_code: '543210' }],
  ])('200 to %s', async (_, changes) => {
    const w = world()
    expect((await w.post(path, withdrawal(w, changes))).status).toBe(200)
    await w.settle()
    expect(w.callbacks()).toHaveLength(1)
  })

  it('a payout to a bank by its code names the bank, and has no mobile-money receipt', async () => {
    const w = world()
    const toBank = { channel: 'bank', network_code: '01', account_number: '1180012345' }
    expect((await w.post(path, withdrawal(w, toBank))).status).toBe(200)
    await w.post(path, withdrawal(w, { ...toBank, network_code: '57' }))
    await w.settle()
    expect(w.callbacks().map(({ body }) => [body.provider, body.provider_reference])).toEqual([
      ['kcb', expect.stringMatching(/^FT26164[0-9A-Z]{5}$/)],
      ['i&m', expect.stringMatching(/^FT26164[0-9A-Z]{5}$/)],
    ])
  })

  it('the nested result of a payout to a bank has an empty MpesaReceiptNumber', async () => {
    const w = nested.world()
    const toBank = { channel: 'bank', network_code: '68', account_number: '1180012345' }
    await w.post(path, withdrawal(w, toBank))
    await w.post(path, withdrawal(w))
    await w.settle()
    expect(w.callbacks()).toMatchObject([
      { body: { response: { Status: 'Success', MpesaReceiptNumber: '' } } },
      { body: { response: { MpesaReceiptNumber: expect.stringMatching(/^UFD[0-9A-Z]{7}$/) } } },
    ])
  })

  it('200 without a callback_url, and nothing is sent', async () => {
    const w = world()
    expect((await w.post(path, withdrawal(w, { callback_url: undefined }))).status).toBe(200)
    await w.settle()
    expect(w.callbacks()).toEqual([])
  })

  it('200 for the whole balance, 400 for one minor unit more', async () => {
    const w = world()
    expect(await w.post(path, withdrawal(w, { amount: 99_960.01 }))).toMatchObject(
      refused(
        400,
        'invalid_argument',
        'insufficient balance: the wallet of account 63 has KES 100,000.00, KES 100,000.01 is needed',
      ),
    )
    expect((await w.post(path, withdrawal(w, { amount: 99_960 }))).status).toBe(200)
    expect(await balances(w)).toMatchObject({
      'team:63:wallet:KES': 0,
      'team:63:in_transit:KES': 100_000,
    })
  })

  it('400 insufficient balance, with the available and required amounts', async () => {
    const w = world()
    expect(await w.post(path, withdrawal(w, { amount: 100_000 }))).toMatchObject(
      refused(
        400,
        'invalid_argument',
        'insufficient balance: the wallet of account 63 has KES 100,000.00, KES 100,040.00 is needed',
      ),
    )
    expect(await balances(w)).toMatchObject({ 'team:63:wallet:KES': 100_000 })
  })

  it('400 when the tier does not let the Team pay out', async () => {
    const w = world()
    expect(await w.post(path, withdrawal(w, { account_id: 64 }))).toMatchObject(
      refused(
        400,
        'invalid_argument',
        /KYC tier 0 of account 64 does not allow payouts of KES 500\.00.*tier 2/,
      ),
    )
  })

  it.each(['external_reference', 'account_id', 'amount', 'phone_number', 'channel', 'recipient_type'])(
    '400 without %s',
    async (field) => {
      const w = world()
      expect(await w.post(path, withdrawal(w, { [field]: undefined }))).toMatchObject(
        refused(400, 'invalid_argument', `${field} is required`),
      )
    },
  )

  it.each([
    ['short_code', { recipient_type: 'PAYBILL' }, 'short_code is required when recipient_type is PAYBILL'],
    [
      'short_code',
      { recipient_type: 'PAYBILL', short_code: 'x' },
      /^short_code must be a till or paybill .*, got "x"$/,
    ],
    [
      'recipient_type',
      { recipient_type: 'BANK' },
      /^recipient_type must be one of MSISDN, PAYBILL, TILL, got "BANK"$/,
    ],
    ['recipient_type', { recipient_type: 'msisdn' }, /, got "msisdn" \(did you mean MSISDN\?\)$/],
    [
      'channel',
      { channel: 'pigeon' },
      /^channel must be one of phone, mobile, bank, paybill, till, got "pigeon"$/,
    ],
    [
      'account_number',
      { channel: 'bank', account_number: undefined },
      /^account_number is required when channel/,
    ],
    [
      'network_code',
      { channel: 'bank', account_number: '1180012345', network_code: undefined },
      'network_code is required when channel is bank',
    ],
    [
      'short_code',
      { channel: 'paybill', recipient_type: 'PAYBILL' },
      'short_code is required when channel is paybill',
    ],
    [
      'short_code',
      { channel: 'till', recipient_type: 'TILL' },
      'short_code is required when channel is till',
    ],
    ['short_code', { recipient_type: 'TILL' }, 'short_code is required when recipient_type is TILL'],
    [
      'recipient_type',
      { channel: 'till', short_code: '543210' },
      'recipient_type must be PAYBILL or TILL when channel is till, got "MSISDN"',
    ],
    [
      'network_code',
      { channel: 'bank', account_number: '1', network_code: '63902' },
      /^network_code must be the code of a bank, one of 01 \(KCB Bank\), 02.*, got "63902"$/,
    ],
    ['account_number', { account_number: '12' }, /^account_number must be a Kenyan mobile .*, got "12"$/],
    [
      'phone_number',
      { phone_number: '+14155550100' },
      /^phone_number must be a Kenyan mobile .*, got "\+14155550100"$/,
    ],
    ['amount', { amount: 0.5 }, /^amount must be from KES 1.00 to KES 150,000.00, got 0.5$/],
    ['network_code', { network_code: 'x' }, /^network_code must be one of 63902 \(M-Pesa\), .*, got "x"$/],
    ['account_id', { account_id: 65 }, /^account_id must be a Team that holds KES, got 65, which holds TZS/],
  ])('400 that names %s for %o', async (_, changes, message) => {
    const w = world()
    expect(await w.post(path, withdrawal(w, changes))).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })

  it('404 for a Team that does not exist', async () => {
    const w = world()
    expect(await w.post(path, withdrawal(w, { account_id: 1 }))).toMatchObject(
      refused(404, 'resource_not_found', 'account_id 1 was not found'),
    )
  })

  it('403 for a viewer', async () => {
    const w = world()
    expect((await w.viewer.post(path, withdrawal(w))).status).toBe(403)
  })
})
