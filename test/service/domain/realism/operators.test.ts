import { describe, expect, it } from 'vitest'
import { collection, globalPayment, withdrawal } from '../../../support/requests.ts'
import { type Answer, refused, startSandbox, type TestWorld } from '../../../support/sandbox.ts'

const plain = await startSandbox()
const realistic = await startSandbox({ SANDBOX_REALISM: 'realistic' })

const both = [
  ['plain', plain.world, 'success', null],
  ['realistic', realistic.world, 'failed', null],
] as const

const pay = (w: TestWorld, changes: object = {}) => w.post('/api/v2/payments', collection(w, changes))
const payOut = (w: TestWorld, changes: object = {}) => w.post('/api/v2/withdraw', withdrawal(w, changes))
const unified = (w: TestWorld, country: string, changes: object, config: object) => {
  const request = globalPayment(w)
  return w.post('/api/global/payments', {
    ...request,
    country,
    ...changes,
    payment_config: { ...request.payment_config, ...config },
  })
}

/** How a payment ended, once everything has: its status and why. */
async function ended(w: TestWorld, { status, body }: Answer): Promise<string> {
  expect([status, body]).toEqual([expect.toBeOneOf([200, 201]), expect.anything()])
  await w.settle()
  return now(w, body)
}

async function now(w: TestWorld, body: Answer['body']): Promise<string> {
  const reference = body.reference ?? body.merchant_reference
  const row = await w
    .world()
    .read(({ rows }) => rows.find('transactions', 'identifier', reference).find((each) => each.id > 0)!)
  return row.reason ?? row.status
}

/** The figures of the ledger add up to nothing. */
async function balanced(w: TestWorld): Promise<void> {
  expect((await w.get('/sandbox/ledger')).body).toMatchObject({ balanced: true })
}

const airtel = { phone_number: '0733123456' }

describe('a number of another network', () => {
  it.each(both)('%s: the prompt of a collection', async (mode, world) => {
    const w = world()
    expect(await ended(w, await pay(w, airtel))).toBe(mode === 'plain' ? 'SUCCESS' : 'prompt_not_sent')
    await balanced(w)
  })

  it.each(both)('%s: a payout returns its money', async (mode, world) => {
    const w = world()
    const sent = await payOut(w, { account_number: '0733123456', network_code: '63902' })
    expect(await ended(w, sent)).toBe(mode === 'plain' ? 'SUCCESS' : 'not_registered')
    await balanced(w)
  })

  it('fails by callback with the operator’s code', async () => {
    const w = realistic.world()
    await w.patch('/sandbox/worlds/current', { callback_shape: 'nested' })
    await ended(w, await pay(w, airtel))
    expect(w.callbacks()[0]!.body).toMatchObject({ response: { ResultCode: 1025, Status: 'Failed' } })
  })

  it('succeeds on its own network, and without a named network', async () => {
    const w = realistic.world()
    expect(await ended(w, await pay(w, { ...airtel, provider: 'sasapay', network_code: '63903' }))).toBe(
      'SUCCESS',
    )
    expect(await ended(w, await payOut(w, { account_number: '0733123456' }))).toBe('SUCCESS')
    const channel = await pay(w, {
      ...airtel,
      provider: 'sasapay',
      network_code: undefined,
      is_offline: true,
    })
    expect(channel.status).toBe(201)
  })

  it.each([
    ['an operator that no plan has', '0749123456'],
    ['Telkom without T-Kash', '0770123456'],
  ])('fails only if the network is known: %s', async (_, phone_number) => {
    const w = realistic.world()
    const known = phone_number.startsWith('077')
    expect(await ended(w, await pay(w, { phone_number }))).toBe(known ? 'prompt_not_sent' : 'SUCCESS')
  })

  it('fails a unified payment by the network of provider_config', async () => {
    const w = realistic.world()
    const discovered = (await w.get('/api/global/discovery/payment-world/country?country=ZM')).body
    const networks: { network_name: string; network_id: string }[] = discovered.provider_networks.yellowcard
    const provider_config = networks.find((each) => each.network_name === 'Airtel Money')!
    const zambian = { provider: 'yellowcard', currency: 'ZMW', provider_config, amount: 100 }
    const to = (account_number: string) => unified(w, 'ZM', zambian, { account_number })
    expect(await ended(w, await to('+260971234567'))).toBe('SUCCESS')
    expect(await ended(w, await to('+260961234567'))).toBe('prompt_not_sent')
  })

  it('does not apply to reserved numbers', async () => {
    const w = realistic.world()
    const sent = await pay(w, { phone_number: '0700000044', provider: 'sasapay', network_code: '63903' })
    expect(await ended(w, sent)).toBe('SUCCESS')
    expect(w.callbacks()).toHaveLength(2)
  })

  it('does not apply if the request prefers an outcome', async () => {
    const w = realistic.world()
    const sent = await w.post('/api/v2/payments', collection(w, airtel), { prefer: 'outcome=success' })
    expect(await ended(w, sent)).toBe('SUCCESS')
  })
})

describe('a prompt while another is pending on the phone', () => {
  it.each(both)('%s', async (mode, world) => {
    const w = world()
    const first = await pay(w)
    const second = await pay(w, { amount: 200 })
    expect(await ended(w, second)).toBe(mode === 'plain' ? 'SUCCESS' : 'subscriber_locked')
    expect(await now(w, first.body)).toBe('SUCCESS')
    await balanced(w)
  })

  it('succeeds on another phone, and fails despite a different Team', async () => {
    const w = realistic.world()
    await pay(w)
    expect(await now(w, (await pay(w, { phone_number: '0722000111' })).body)).toBe('QUEUED')
    const unifiedOne = await unified(w, 'KE', { amount: 300 }, {})
    expect(await ended(w, unifiedOne)).toBe('subscriber_locked')
  })

  it('succeeds after the first has ended, and after one minute', async () => {
    const w = realistic.world()
    await w.patch('/sandbox/worlds/current', { settle_after: '10m' })
    const first = await pay(w)
    await w.advance(59_999)
    expect((await pay(w, { amount: 200 })).status).toBe(201)
    await w.advance(1)
    const third = await pay(w, { amount: 300 })
    await w.settle()
    expect([await now(w, first.body), await now(w, third.body)]).toEqual(['SUCCESS', 'SUCCESS'])
  })

  it('ignores a prompt that was rejected', async () => {
    const w = realistic.world()
    await pay(w, { ...airtel, external_reference: 'a' })
    expect(await ended(w, await pay(w, { ...airtel, provider: 'sasapay', network_code: '63903' }))).toBe(
      'SUCCESS',
    )
  })
})

describe('the same amount again within two minutes', () => {
  it.each(both)('%s: a collection', async (mode, world) => {
    const w = world()
    expect(await ended(w, await pay(w))).toBe('SUCCESS')
    expect(await ended(w, await pay(w))).toBe(mode === 'plain' ? 'SUCCESS' : 'rule_limited')
  })

  it.each(both)('%s: a payout, also while the first is queued', async (mode, world) => {
    const w = world()
    const first = await payOut(w)
    expect(await ended(w, await payOut(w))).toBe(mode === 'plain' ? 'SUCCESS' : 'rule_limited')
    expect(await now(w, first.body)).toBe('SUCCESS')
    await balanced(w)
  })

  it('succeeds with another amount or phone, or after two minutes', async () => {
    const w = realistic.world()
    await ended(w, await payOut(w))
    expect(await ended(w, await payOut(w, { amount: 501 }))).toBe('SUCCESS')
    expect(await ended(w, await payOut(w, { account_number: '0722000111' }))).toBe('SUCCESS')
    await w.advance(120_000)
    expect(await ended(w, await payOut(w))).toBe('SUCCESS')
  })

  it('succeeds if the first failed', async () => {
    const w = realistic.world()
    const failing = await w.post('/api/v2/payments', collection(w), { prefer: 'reason=cancelled' })
    expect(await ended(w, failing)).toBe('cancelled')
    expect(await ended(w, await pay(w))).toBe('SUCCESS')
  })
})

describe('more than KES 500,000 a day from a phone', () => {
  const payMost = async (w: TestWorld) => {
    for (const amount of [150_000, 149_999, 149_998, 50_003])
      expect(await ended(w, await pay(w, { amount }))).toBe('SUCCESS')
  }

  it.each(both)('%s', async (mode, world) => {
    const w = world()
    await payMost(w)
    expect(await ended(w, await pay(w, { amount: 60 }))).toBe(mode === 'plain' ? 'SUCCESS' : 'daily_limit')
  })

  it('resets at midnight in Nairobi', async () => {
    const w = realistic.world()
    await payMost(w)
    await w.advance(9 * 3_600_000)
    expect(await ended(w, await pay(w, { amount: 60 }))).toBe('SUCCESS')
  })
})

describe('decimals', () => {
  it.each(both)('%s: a prompt of M-Pesa', async (mode, world) => {
    const w = world()
    const sent = await pay(w, { amount: 10.5 })
    expect(sent).toMatchObject(
      mode === 'plain'
        ? { status: 201 }
        : refused(
            400,
            'invalid_argument',
            'amount must be a whole number of KES: M-Pesa accepts no decimals in payments, got 10.5',
          ),
    )
  })

  it('are accepted in payouts of M-Pesa and on other networks', async () => {
    const w = realistic.world()
    expect((await payOut(w, { amount: 10.5 })).status).toBe(200)
    const onAirtel = { ...airtel, amount: 10.5, provider: 'sasapay', network_code: '63903' }
    expect((await pay(w, onAirtel)).status).toBe(201)
  })
})

describe('a number of a landline', () => {
  const fixed = { account_number: '+260211123456' }
  const zambian = { provider: 'yellowcard', currency: 'ZMW', amount: 100 }
  const config = {
    network_id: 'zm-yellowcard-momo-mtn-momo',
    provider_id: 'zm-yellowcard',
    network_name: 'MTN MoMo',
    network_code: 'ZMM01',
    account_type: 'momo',
  }

  it.each(both)('%s', async (mode, world) => {
    const w = world()
    const sent = await unified(w, 'ZM', { ...zambian, provider_config: config }, fixed)
    expect(sent).toMatchObject(
      mode === 'plain'
        ? { status: 200 }
        : refused(
            400,
            'invalid_argument',
            /payment_config.account_number must be a mobile number of Zambia, got "260211123456"/,
          ),
    )
  })
})

describe('the document of a customer', () => {
  it.each([
    [
      'ZM',
      'NRC',
      '123456/10/1',
      '123456-10-1',
      /^customer\.id_number must be a National Registration Card number/,
    ],
    ['BW', 'Omang', '123412345', '12345678', /^customer\.id_number must be an Omang of nine digits/],
    ['NG', 'national_id', '12345678901', '123', /^customer\.id_number must be the eleven digits/],
    ['RW', 'national_id', '1198880012345678', '119888', /^customer\.id_number must be the sixteen digits/],
    ['GH', 'Ghana Card', 'GHA-123456789-0', 'C1', /^customer\.id_number must be a Ghana Card number/],
  ])(
    'in %s must have the form of its issuer, if operators are realistic',
    async (country, id_type, right, wrong, message) => {
      const of = (id_number: string) => ({ customer: { country, id_type, id_number } })
      const send = (w: TestWorld, id_number: string) =>
        unified(w, country, { provider: 'nobody', currency: 'XXX', ...of(id_number) }, {})
      const told = async (w: TestWorld, id_number: string) => (await send(w, id_number)).body.error_message
      expect(await told(realistic.world(), wrong)).toMatch(new RegExp(message.source.slice(1)))
      expect(await told(realistic.world(), right)).not.toMatch(/id_number/)
      expect(await told(plain.world(), wrong)).not.toMatch(/id_number/)
      const passport = { customer: { country, id_type: 'passport', id_number: wrong } }
      const { body } = await unified(realistic.world(), country, { provider: 'nobody', ...passport }, {})
      expect(body.error_message).not.toMatch(/id_number/)
    },
  )
})

describe('a payout to another network than M-Pesa', () => {
  it.each([
    [
      { account_number: '0733123456', network_code: '63903' },
      'airtel-money',
      'Airtel Money',
      'Transaction is successful',
    ],
    [{ account_number: '0733123456' }, 'airtel-money', 'Airtel Money', 'Transaction is successful'],
    [
      { account_number: '0773123456', network_code: '63907' },
      't-kash',
      'T-Kash',
      'Transaction processed successfully.',
    ],
    [{ account_number: '0712345678' }, 'm-pesa', 'M-Pesa', 'Transaction processed successfully.'],
  ])(
    'has the name, the receipt and the words of its network: %j',
    async (changes, provider, network, message) => {
      const w = plain.world()
      const { body } = await payOut(w, changes)
      await w.settle()
      const told = (await w.post('/api/global/transaction-status', { request_id: body.merchant_reference }))
        .body
      expect(told).toMatchObject({ status: 'success', provider, message })
      expect(told.provider_reference).toMatch(network === 'M-Pesa' ? /^UFD/ : /^CI260613\.1500\.[A-Z]\d{5}$/)
      expect(w.callbacks().at(-1)!.body).toMatchObject({
        provider,
        provider_reference: told.provider_reference,
      })
      const { transaction } = (await w.get(`/sandbox/transactions/${told.provider_reference}`)).body
      expect(transaction).toMatchObject({ provider, network, reference: body.merchant_reference })
      const { transactions } = (await w.get(`/sandbox/transactions?search=${network.slice(0, 6)}`)).body
      expect(transactions).toHaveLength(1)
    },
  )

  it('rejects a reason of cards when it is ended by hand', async () => {
    const w = plain.world()
    const { body } = await pay(w)
    expect(
      await w.post(`/sandbox/transactions/${body.reference}/simulate`, {
        outcome: 'failed',
        reason: 'card_lost',
      }),
    ).toMatchObject(
      refused(
        400,
        'invalid_argument',
        /^reason must be one of .*cancelled.* for a payin by momo, got "card_lost"/,
      ),
    )
  })
})

describe('bank accounts', () => {
  const bank = (account_number: string, network_code = '68') => ({
    channel: 'bank',
    recipient_type: undefined,
    network_code,
    account_number,
  })

  it.each(both)('%s: of Kenya have 8 to 16 digits', async (mode, world) => {
    const w = world()
    await w.patch('/sandbox/worlds/current', { validation: 'lenient' })
    expect((await payOut(w, bank('0110261234567'))).status).toBe(200)
    const short = await payOut(w, bank('12345'))
    expect(short).toMatchObject(
      mode === 'plain'
        ? { status: 200 }
        : refused(
            400,
            'invalid_argument',
            'account_number must be the 8 to 16 digits of a bank account, got "12345"',
          ),
    )
  })

  const nuban = async (w: TestWorld, account_number: string) => {
    const request = globalPayment(w)
    return w.post('/api/global/payments', {
      ...request,
      transaction_channel: 'bank',
      provider: 'yellowcard',
      country: 'NG',
      currency: 'NGN',
      customer: { ...request.customer, dob: '1990-01-01T00:00:00Z', country: 'NG' },
      provider_config: {
        network_id: 'ng-yellowcard-bank-first-bank',
        provider_id: 'ng-yellowcard',
        network_name: 'First Bank',
        network_code: 'NGB05',
        account_type: 'bank',
      },
      payment_config: { ...request.payment_config, account_number },
    })
  }

  it.each(both)('%s: of Nigeria have the check digit of their bank', async (mode, world) => {
    const w = world()
    expect((await nuban(w, '0000014579')).status).toBe(200)
    const wrong = [await nuban(w, '0000014578'), await nuban(w, '000001457')]
    expect(wrong).toMatchObject(
      mode === 'plain'
        ? [{ status: 200 }, { status: 200 }]
        : [
            refused(
              400,
              'invalid_argument',
              'payment_config.account_number must be an account of First Bank, whose check digit for 000001457 is 9, got "0000014578"',
            ),
            refused(400, 'invalid_argument', /must be the ten digits of a NUBAN, got "000001457"/),
          ],
    )
  })
})

describe('a world with manual payers', () => {
  const byHand = { payer: 'manual' }

  it.each(both)('%s: a prompt that nobody answers', async (mode, world) => {
    const w = world()
    await w.patch('/sandbox/worlds/current', byHand)
    const { body } = await pay(w)
    const reason = mode === 'plain' ? 'expired' : 'unreachable'
    const { jobs } = (await w.get('/sandbox/jobs')).body
    expect(jobs).toMatchObject([{ kind: 'unanswered', outcome: `FAILED: ${reason}` }])
    await w.advance(60_000)
    expect(await now(w, body)).toBe(reason)
  })

  it('does not wait for a payer with another pending prompt', async () => {
    const w = realistic.world()
    await w.patch('/sandbox/worlds/current', byHand)
    await pay(w)
    const second = await pay(w, { amount: 200 })
    await w.advance(2_000)
    expect(await now(w, second.body)).toBe('subscriber_locked')
  })
})

describe('the setting realism', () => {
  it('can be read and changed per world', async () => {
    const w = plain.world()
    expect((await w.get('/sandbox/worlds/current')).body.settings.realism).toBe('plain')
    await w.patch('/sandbox/worlds/current', { realism: 'realistic' })
    expect(await ended(w, await pay(w, airtel))).toBe('prompt_not_sent')
    await w.patch('/sandbox/worlds/current', { realism: 'plain' })
    expect(await ended(w, await pay(w, airtel))).toBe('SUCCESS')
  })

  it('400 for another word', async () =>
    expect(await plain.world().patch('/sandbox/worlds/current', { realism: 'real' })).toMatchObject(
      refused(400, 'invalid_argument', /realism must be one of plain, realistic/),
    ))
})
