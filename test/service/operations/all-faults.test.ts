import { describe, expect, it } from 'vitest'
import { refused, startSandbox } from '../../support/sandbox.ts'

const { world } = await startSandbox()
const PHONE = 'must be a Kenyan mobile number (07XXXXXXXX, 01XXXXXXXX, 2547XXXXXXXX or +2547XXXXXXXX)'
const PROVIDERS = 'm-pesa, mpesa_dc, sasapay, yellowcard'
const CODES = '63902 (M-Pesa), 63903 (Airtel Money), 63907 (T-Kash)'
const lines = (...all: string[]) => refused(400, 'invalid_argument', all.join('; '))

describe('a request with several faults', () => {
  it('400 that names every wrong value of a collection, and the nearest word', async () => {
    const body = {
      amount: 999_999,
      phone_number: 'abc',
      provider: 'mpesa',
      network_code: '1',
      account_id: 63,
    }
    expect(await world().post('/api/v2/payments', body)).toMatchObject(
      lines(
        `provider must be one of ${PROVIDERS}, got "mpesa" (did you mean m-pesa?)`,
        `network_code must be one of ${CODES}, got "1"`,
        `phone_number ${PHONE}, got "abc"`,
        'amount must be from KES 1.00 to KES 150,000.00, got 999999',
      ),
    )
  })

  it('400 that names wrong forms and wrong values together, each field once', async () => {
    const body = { amount: '5', phone_number: 'abc', network_code: '63902', account_id: 65 }
    expect(await world().post('/api/v2/payments', body)).toMatchObject(
      lines(
        'amount must be a number, got "5"',
        'provider is required',
        'account_id must be a Team that holds KES, got 65, which holds TZS (use POST /api/global/payments)',
        `phone_number ${PHONE}, got "abc"`,
      ),
    )
  })

  it('400 of a withdrawal, without what depends on a wrong recipient_type', async () => {
    const body = {
      amount: 0.5,
      phone_number: '07',
      channel: 'phone',
      recipient_type: 'TILLL',
      account_id: 63,
    }
    expect(await world().post('/api/v2/withdraw', body)).toMatchObject(
      lines(
        'external_reference is required',
        'recipient_type must be one of MSISDN, PAYBILL, TILL, got "TILLL" (did you mean TILL?)',
        `phone_number ${PHONE}, got "07"`,
        'amount must be from KES 1.00 to KES 150,000.00, got 0.5',
      ),
    )
  })

  it('400 of a global payment, at every depth', async () => {
    const body = {
      request_type: 'withdrawal',
      transaction_channel: 'bank',
      provider: 'yellow_card',
      amount: 5,
      currency: 'KES',
      country: 'TZ',
      customer: { id_type: 7 },
      payment_config: { account_number: '12', redirect_url: 'shop' },
      provider_config: { network_id: 'x' },
    }
    const { status, body: told } = await world().post('/api/global/payments', body)
    expect(status).toBe(400)
    const message: string = told.error_message
    for (const fault of [
      'customer.id_type must be text, got 7',
      'payment_config.reference is required',
      'provider must be one of yellowcard for bank in TZ, got "yellow_card" (did you mean yellowcard?)',
      'currency must be TZS in TZ, got "KES"',
      'customer.dob is required on the bank rail',
      'customer.id_number is required for payouts in TZ',
      'payment_config.redirect_url must be an http or https URL, or empty, got "shop"',
    ])
      expect(message.split('; ')).toContain(fault)
    expect(message).not.toMatch(/id_type is required|network_id.*not found/)
  })

  it('returns 400 before 404', async () => {
    const w = world()
    const body = { amount: 100, phone_number: '0712345678', provider: 'm-pesa', network_code: '63902' }
    expect(await w.post('/api/v2/payments', { ...body, account_id: 999, amount: 0.5 })).toMatchObject(
      lines('amount must be from KES 1.00 to KES 150,000.00, got 0.5'),
    )
    expect(await w.post('/api/v2/payments', { ...body, account_id: 999 })).toMatchObject(
      refused(404, 'resource_not_found', 'account_id 999 was not found'),
    )
  })

  it('400 of a Team, of a change of one, and of a KYC', async () => {
    const w = world()
    const team = { organization_id: 'x', name: 'Shop', dial_code: 'KE', number: '712345678' }
    expect(await w.post('/api/v2/accounts', team)).toMatchObject(
      lines(
        'organization_id must be a whole number, got "x"',
        'dial_code must be a country dial code, such as 254 or +254, got "KE"',
      ),
    )
    expect(
      await w.put('/api/v2/accounts', { account_id: 63, logo: 'logo.png', notify_amount: 0.001 }),
    ).toMatchObject(
      lines(
        'logo must be an http or https URL, got "logo.png"',
        'notify_amount must have at most 2 decimals in KES, got 0.001',
      ),
    )
    expect(await w.put('/api/v2/account_kycs/x', { kyc_tier: 9, entity_type: 'robot' })).toMatchObject(
      lines(
        'id must be a whole number in digits, such as 63, got "x"',
        'entity_type must be one of individual, business, got "robot"',
        'kyc_tier must be from 1 to 3, got 9',
      ),
    )
  })

  it('400 of an invitation', async () => {
    const body = { organization_id: 1, account_id: 63, email: 'x', role_id: 9 }
    expect(await world().post('/api/v2/account_invites', body)).toMatchObject(
      lines(
        'email must be an e-mail address, got "x"',
        'role_id must be one of 1 (owner), 2 (admin), 3 (finance), 4 (viewer), got 9',
      ),
    )
  })

  it('400 of discovery', async () => {
    const w = world()
    expect(
      await w.post('/api/global/transaction-providers', { country: 'Kenya', transaction_channel: 'moma' }),
    ).toMatchObject(
      lines(
        'transaction_channel must be one of momo, bank, card, got "moma" (did you mean momo?)',
        'country must be its code KE, got "Kenya"',
      ),
    )
  })
})
