import { describe, expect, it } from 'vitest'
import { servedCountries } from '../../../src/service/domain/countries/countries.ts'
import { refused, startSandbox } from '../../support/sandbox.ts'

const { world } = await startSandbox()
const path = '/api/global/discovery/payment-world/country'

describe('discoverCountry', () => {
  it('200 for Kenya, as observed', async () => {
    const { status, body } = await world().get(`${path}?country=KE`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      rails: { bank: true, card: true, momo: true },
      merchant_id: '',
      has_networks: true,
      country: 'KE',
      currency: 'KES',
      available_providers: {
        bank: ['kcb', 'equity', 'absa', 'stanbic', 'standard_chartered', 'dtb', 'i&m'],
        momo: ['m-pesa', 'mpesa_dc', 'sasapay', 'yellowcard'],
      },
    })
    expect(
      body.provider_networks['sasapay'].map((each: { network_code: string }) => each.network_code),
    ).toEqual(['MPESA', '63903', '63907'])
    expect(body.provider_networks['m-pesa']).toEqual([
      {
        network_id: 'm-pesa',
        provider_id: 'ke-m-pesa',
        network_name: 'M-Pesa',
        network_code: 'MPESA',
        channel_id: 'm-pesa',
        account_type: 'momo',
        min_amount: 1,
        max_amount: 150_000,
      },
    ])
  })

  it.each([
    ['TZ', 'TZS'],
    ['ZM', 'ZMW'],
    ['BW', 'BWP'],
    ['NG', 'NGN'],
    ['UG', 'UGX'],
    ['GH', 'GHS'],
    ['RW', 'RWF'],
  ])('200 for %s, in %s', async (country, currency) => {
    const { body } = await world().get(`${path}?country=${country}`)
    expect(body).toMatchObject({ country, currency, has_networks: true })
    for (const providers of Object.values<string[]>(body.available_providers))
      for (const provider of providers) expect(body.provider_networks[provider]).not.toEqual([])
  })

  it('400 without country', async () => {
    expect(await world().get(path)).toMatchObject(refused(400, 'invalid_argument', 'country is required'))
  })

  it.each(['FR', 'US', 'CZ'])(
    '400 for %s, which is not served, with the countries served and no suggestion',
    async (country) => {
      expect(await world().get(`${path}?country=${country}`)).toMatchObject(
        refused(
          400,
          'invalid_argument',
          `country must be one of ${servedCountries.join(', ')}, got "${country}"`,
        ),
      )
    },
  )

  it('400 for a code of three letters, with a suggestion', async () => {
    expect(await world().get(`${path}?country=KEN`)).toMatchObject(
      refused(400, 'invalid_argument', /got "KEN" \(did you mean KE\?\)$/),
    )
  })
})

describe('listTransactionProviders', () => {
  it('200 with providers by rail and their networks', async () => {
    const { status, body } = await world().post('/api/global/transaction-providers', {
      country: 'TZ',
      transaction_channel: 'momo',
      request_type: 'payment',
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      country: 'TZ',
      currency: 'TZS',
      providers: [{ provider: 'yellowcard', transaction_channel: 'momo' }],
    })
    expect(body.providers[0].networks).toHaveLength(4)
  })

  it.each([
    [undefined, ['momo', 'bank', 'card']],
    ['payment', ['momo', 'bank', 'card']],
    ['withdrawal', ['momo', 'bank']],
  ])('200 with the rails that serve request_type %s', async (request_type, rails) => {
    const { body } = await world().post('/api/global/transaction-providers', { country: 'TZ', request_type })
    const served = body.providers.map((each: { transaction_channel: string }) => each.transaction_channel)
    expect(served).toEqual(rails)
  })

  it.each([
    [{}, 'country is required'],
    [{ country: 'FR' }, /^country must be one of KE, TZ, .*, got "FR"$/],
    [{ country: 'KE', transaction_channel: 'cash' }, /^transaction_channel must be one of momo, bank, card/],
    [{ country: 'KE', request_type: 'loan' }, /^request_type must be one of payment, withdrawal/],
  ])('400 for %o', async (body, message) => {
    expect(await world().post('/api/global/transaction-providers', body)).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })
})
