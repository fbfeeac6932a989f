import { describe, expect, it } from 'vitest'
import { endingOf, testAccount, testShortCode } from '../../src/service/domain/countries/countries.ts'
import { globalPayment, withdrawal } from '../support/requests.ts'
import { startSandbox, type TestWorld } from '../support/sandbox.ts'

describe('a card payment selects its outcome by', async () => {
  const { world } = await startSandbox()
  const byCard = (w: TestWorld, account_number: string) => {
    const request = globalPayment(w)
    return w.post('/api/global/payments', {
      ...request,
      transaction_channel: 'card',
      provider: 'hosted_card',
      provider_config: {
        network_id: 'ke-hosted-card-card-visa',
        provider_id: 'ke-hosted-card',
        network_name: 'Visa',
        network_code: 'visa',
        account_type: 'card',
      },
      payment_config: { ...request.payment_config, account_number },
    })
  }

  it.each(['0700000011', '0700 000-011', '254700000011', '+254700000011', '9900000011'])(
    'the number %s in any format',
    async (number) => {
      const { headers } = await byCard(world(), number)
      expect(headers.get('sandbox-outcome')).toBe('when; fails (card_declined) after 3s')
    },
  )

  it.each(['0712345678', 'Card of 0700000011', 'card'])('nothing in %s', async (text) => {
    const { status, headers } = await byCard(world(), text)
    expect([status, headers.get('sandbox-outcome')]).toEqual([200, 'default'])
  })
})

describe.each(['plain', 'realistic'])('reserved accounts, %s', async (realism) => {
  const { world } = await startSandbox({ SANDBOX_REALISM: realism })
  const statuses = (w: TestWorld) => w.callbacks().map(({ body }) => body['status'])
  const bank = { channel: 'bank', network_code: '68' }

  it.each([
    ['a bank account', { ...bank, account_number: '9900000031' }, 'account-not-found'],
    ['a closed one', { ...bank, account_number: '9900000032' }, 'account-closed'],
    ['one in another name', { ...bank, account_number: '9900000033' }, 'name-mismatch'],
    [
      'a paybill',
      { channel: 'paybill', recipient_type: 'PAYBILL', short_code: '0000031' },
      'account-not-found',
    ],
    ['a till', { channel: 'till', recipient_type: 'TILL', short_code: '0000032' }, 'account-closed'],
    [
      'a till that is none',
      { channel: 'till', recipient_type: 'TILL', short_code: '0000021' },
      'recipient-not-found',
    ],
  ])('%s: a payout fails and its money returns', async (_, changes, scenario) => {
    const w = world()
    const request = withdrawal(w, changes)
    const sent = await w.post('/api/v2/withdraw', {
      ...request,
      ...(changes.channel === 'till' && { account_number: undefined }),
    })
    expect(sent.headers.get('sandbox-scenario')).toBe(scenario)
    await w.settle()
    expect(statuses(w)).toEqual(['failed'])
    expect((await w.get('/sandbox/ledger')).body).toMatchObject({ balanced: true })
  })

  it('return a payout on the next business day', async () => {
    const w = world()
    await w.post('/api/v2/withdraw', withdrawal(w, { ...bank, account_number: '9900000034' }))
    // From Saturday noon to a minute before nine on Monday, in Nairobi.
    await w.advance(41 * 3_600_000 + 59 * 60_000)
    expect(statuses(w)).toEqual(['success'])
    await w.advance(120_000)
    expect(statuses(w)).toEqual(['success', 'reversed'])
    expect((await w.get('/sandbox/ledger')).body).toMatchObject({ balanced: true })
  })

  it('work in the unified endpoint, in every country', async () => {
    const w = world()
    const request = globalPayment(w)
    const sent = await w.post('/api/global/payments', {
      ...request,
      request_type: 'withdrawal',
      transaction_channel: 'bank',
      provider: 'yellowcard',
      country: 'NG',
      currency: 'NGN',
      customer: {
        ...request.customer,
        dob: '1990-01-01T00:00:00Z',
        country: 'NG',
        id_type: 'passport',
        id_number: 'A1',
      },
      provider_config: {
        network_id: 'ng-yellowcard-bank-first-bank',
        provider_id: 'ng-yellowcard',
        network_name: 'First Bank',
        network_code: 'NGB05',
        account_type: 'bank',
      },
      payment_config: { ...request.payment_config, account_number: '9900000033' },
    })
    expect(sent).toMatchObject({ status: 200 })
    expect(sent.headers.get('sandbox-scenario')).toBe('name-mismatch')
  })
})

it('are listed by GET /sandbox/test-numbers', async () => {
  const { world } = await startSandbox()
  const { test_numbers } = (await world().get('/sandbox/test-numbers')).body
  expect(test_numbers).toContainEqual(
    expect.objectContaining({ ending: '034', account: '9900000034', short_code: '0000034' }),
  )
})

it.each(['990000003', '99000000311', '1234', '000031', '00000311', '99000000', '9900000 31'])(
  'do not include %s',
  (party) => expect(endingOf(party)).toBeUndefined(),
)

it('have the ending of their scenario', () => {
  expect(endingOf(testAccount('031'))).toBe('031')
  expect(endingOf(testShortCode('031'))).toBe('031')
  expect(endingOf(`${testShortCode('031')}#INV-1`)).toBe('031')
})
