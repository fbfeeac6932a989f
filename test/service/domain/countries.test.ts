import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { countries, testNumbers } from '../../../src/service/domain/countries/countries.ts'
import { fromShillings } from '../../../src/service/domain/money.ts'
import { globalPayment } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'

/** Files beside the countries that are none. */
const machinery = ['countries.ts', 'country.ts', 'networks.ts']

describe('the countries served', () => {
  it('have a row in the table for each of their files', () => {
    const files = readdirSync('src/service/domain/countries').filter((file) => !machinery.includes(file))
    expect(countries.map(({ code }) => `${code.toLowerCase()}.ts`).sort()).toEqual(files.sort())
  })
})

const { world } = await startSandbox()

describe.each(countries)('in $name', (country) => {
  const { code, currency, identifies_payout_owner } = country
  const w = world()
  const { number: phone } = testNumbers('000').find((each) => each.country === code)!
  const momo = Object.entries(country.networks).flatMap(([provider, networks]) =>
    networks.filter((each) => each.account_type === 'momo').map((network) => ({ provider, ...network })),
  )

  it.each(['payment', 'withdrawal'])(
    'completes a mobile-money %s on a network of discovery',
    async (type) => {
      const [{ provider, provider_id, network_id, network_name, network_code, min_amount } = momo[0]!] = momo
      const amount = Math.max(min_amount, Math.ceil(fromShillings(1_000, currency) / 10 ** country.digits))
      const plain = globalPayment(w)
      const { status, body } = await w.post('/api/global/payments', {
        ...plain,
        request_type: type,
        provider,
        amount,
        currency,
        country: code,
        customer: {
          ...plain.customer,
          phone,
          country: code,
          ...(identifies_payout_owner && { id_type: 'passport', id_number: 'A1' }),
        },
        provider_config: { network_id, provider_id, network_name, network_code, account_type: 'momo' },
        payment_config: { ...plain.payment_config, account_number: phone },
      })
      expect({ status, body }).toMatchObject({ status: 200 })
      await w.settle()
      const now = await w.post('/api/global/transaction-status', { request_id: body.merchant_reference })
      expect(now.body).toMatchObject({ status: 'success', amount, currency })
    },
  )
})
