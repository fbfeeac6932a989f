import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox, SandboxError, type WorldClient } from '../../src/index.ts'
import { libraryOf } from '../../src/scenarios/library.ts'
import { shippedScenarios } from '../../src/scenarios/load.ts'
import { aliasTable, directionOf } from '../../src/scenarios/outcomes.ts'
import { countries } from '../../src/service/domain/countries/countries.ts'

let sandbox: Sandbox
let world: WorldClient

beforeAll(async () => {
  sandbox = await createSandbox({ clock: 'frozen' })
  world = await sandbox.world()
})
afterAll(() => sandbox.close())

const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error as SandboxError,
  )

describe('pay', () => {
  it('collects without any option, and returns the callback', async () => {
    const shop = await sandbox.world()
    const payment = await shop.pay()
    expect(payment).toMatchObject({ operation: 'createCollection', status: 201, outcome: null })
    expect(payment.response).toMatchObject({ status: 'QUEUED', external_reference: payment.reference })
    await shop.settle()
    const callback = await shop.callback(payment)
    expect(callback).toMatchObject({
      reference: payment.reference,
      verified: true,
      deliveries: 1,
      status: 200,
    })
    expect(callback.body).toMatchObject({ status: 'success', external_reference: payment.reference })
    expect(await shop.requests.explain(payment.requestId)).toMatchObject({ decided_by: 'default' })
  })

  it('pays out without any option', async () => {
    const payment = await world.payOut()
    expect(payment).toMatchObject({ operation: 'createWithdrawal', status: 200 })
    await world.settle()
    expect((await world.callback(payment)).body).toMatchObject({ status: 'success' })
  })

  it.each(
    countries.flatMap(({ code, providers }) =>
      (['momo', 'bank', 'card'] as const)
        .filter((rail) => providers[rail].length > 0)
        .map((rail) => [code, rail] as const),
    ),
  )('collects in %s by %s, also with realistic rules', async (country, rail) => {
    const shop = await sandbox.world({ settings: { realism: 'realistic' } })
    const payment = await shop.pay({ country, rail, outcome: 'success' })
    expect(payment.status).toBeLessThan(300)
    await shop.settle()
    expect((await shop.callback(payment)).body).toMatchObject({ status: 'success' })
  })

  it.each(
    countries.flatMap(({ code, providers }) =>
      (['momo', 'bank'] as const)
        .filter((rail) => providers[rail].length > 0)
        .map((rail) => [code, rail] as const),
    ),
  )('prepares a payout in %s by %s that passes validation', async (country, rail) => {
    const shop = await sandbox.world({ settings: { realism: 'realistic' } })
    const { currency } = countries.find(({ code }) => code === country)!
    await shop.fund(63, { wallet: 'wallet', amount: 1_000_000, currency })
    const payment = await shop.payOut({ country, rail, outcome: 'success' })
    await shop.settle()
    expect((await shop.callback(payment)).body).toMatchObject({ status: 'success' })
  })

  it('passes every option on', async () => {
    const payment = await world.pay({
      callbackUrl: 'localhost:3000/callback',
      amount: 250,
      phone: '0722000111',
      accountId: 63,
      reference: 'order-1',
      fields: { channel_id: 1502 },
    })
    expect(payment.request).toMatchObject({
      callback_url: 'http://localhost:3000/callback',
      amount: 250,
      phone_number: '0722000111',
      account_id: 63,
      external_reference: 'order-1',
      channel_id: 1502,
    })
    const other = await world.pay({ callbackUrl: '3000', rail: 'bank', accountNumber: '12345678' })
    expect(other.request).toMatchObject({
      payment_config: { callback_url: 'http://localhost:3000', account_number: '12345678' },
    })
  })

  it('rejects unknown options with the nearest', async () => {
    await expect(world.pay({ outcom: 'success' } as object)).rejects.toThrow(
      'pay: outcom is not known here (did you mean outcome?)',
    )
  })

  it.each([
    [100, 'pay takes an object with outcome, callbackUrl,'],
    ['payer-cancels', 'got "payer-cancels"'],
    [null, 'got null'],
  ])('rejects %j in place of options', async (options, message) => {
    await expect(world.pay(options as never)).rejects.toThrow(message)
  })

  it.each<[(shop: WorldClient) => unknown, string]>([
    [
      (shop) => shop.phone(undefined as never),
      'phone takes a number such as "0712345678" as text, got nothing',
    ],
    [
      (shop) => shop.phone('0712345678').pin(1234 as never),
      'phone.pin takes a PIN such as "1234" as text, got 1234',
    ],
    [(shop) => shop.scenario(undefined as never), 'scenarios.on takes the name of an outcome such as'],
    [(shop) => shop.scenarios.off(5 as never), 'scenarios.off takes the name of an outcome such as'],
    [
      (shop) => shop.incident('' as never),
      'incidents.start takes a name such as "m-pesa-stalls" as text, got ""',
    ],
    [(shop) => shop.checkout(null as never), 'checkout takes any identifier of a payment as text, got null'],
    [
      (shop) => shop.invitations.accept(5 as never),
      'invitations.accept takes a token or the link of an invitation',
    ],
    [(shop) => shop.invitations.decline(undefined as never), 'invitations.decline takes a token'],
    [(shop) => shop.lease(undefined as never), 'lease takes an object with holder, duration,'],
  ])('refuses %s at once', async (call, message) => {
    await expect((async () => call(await sandbox.world()))()).rejects.toThrow(message)
  })

  it('refuses a payment that was not awaited, and what is no payment', async () => {
    const shop = await sandbox.world()
    const forgotten = shop.pay({ outcome: 'payer-cancels' })
    await expect(shop.callback(forgotten as never)).rejects.toThrow(
      'callback: the payment is a promise: await world.pay() first',
    )
    await forgotten
    for (const wrong of [undefined, {}, 5, ''])
      await expect(shop.callback(wrong as never)).rejects.toThrow(
        /^callback takes a payment or its reference, got /,
      )
    await expect(shop.listen('x' as never)).rejects.toThrow(
      'listen takes a function that receives events, got "x"',
    )
  })

  it('throws the response of a rejected payment', async () => {
    expect(await errorOf(world.pay({ outcome: 'rate-limited' }))).toMatchObject({ status: 429 })
    expect(await errorOf(world.pay({ amount: 0.001 }))).toMatchObject({ status: 400 })
  })
})

/** They take seconds of real time. */
const slow = ['slow-body', 'slow-provider']
/** The first request is accepted, or the status is that of a status query. */
const unusual = ['channel-down', 'status-query-contradicts-callback']
const money = shippedScenarios().filter(
  ({ name, operations }) => operations.has('createGlobalPayment') && !slow.includes(name),
)

describe('outcomes', () => {
  it.each(money.map((each) => [each.name, each] as const))(
    '%s ends a payment as its file expects',
    async (name, each) => {
      const shop = await sandbox.world()
      const [expected] = each.expect
      const pay = directionOf(each) === 'payout' ? shop.payOut : shop.pay
      const result = await pay({ outcome: name, reference: 'order-1' }).then(
        ({ status }) => status,
        (error: unknown) => (error instanceof SandboxError ? error.status : 'cut'),
      )
      await shop.settle({ within: '2h' })
      const { status: declared = 201, cut = false } = expected!.response ?? {}
      const isOne = each.expect.length === 1 && expected!.request.operation !== 'getAccount'
      const accepted = declared < 400 && !unusual.includes(name)
      expect(cut ? 'cut' : isOne && accepted ? Math.floor(Number(result) / 100) : 'any').toBe(
        cut ? result : isOne && accepted ? 2 : 'any',
      )
      const ended = accepted && isOne && expected!.status
      expect(ended && (await shop.transactions.status('order-1')).toLowerCase()).toBe(ended)
    },
  )

  const { byName } = libraryOf(shippedScenarios())

  it('have aliases that mean one outcome per direction and no other outcome', () => {
    const seen = new Map<string, string>()
    for (const [name, aliases] of aliasTable(byName))
      for (const alias of aliases) {
        const word = alias.replaceAll('_', '-')
        const own = byName.get(word)
        const isOther = own && own.name !== name && directionOf(own) === directionOf(byName.get(name)!)
        expect(isOther, alias).toBeFalsy()
        const key = `${word} ${directionOf(byName.get(name)!) ?? 'both'}`
        expect(seen.get(key), key).toBeUndefined()
        seen.set(key, name)
      }
  })

  it.each([
    ['cancelled', 'payer-cancels'],
    ['Insufficient_Funds', 'insufficient-funds'],
    ['no funds', 'insufficient-funds'],
    ['duplicate', 'duplicate-callback'],
    ['timeout', 'prompt-expires'],
    ['expired', 'prompt-expires'],
    ['declined', 'card-declined'],
    ['paid', 'success'],
  ])('%s means %s', async (word, name) => {
    expect((await world.pay({ outcome: word })).outcome).toBe(name)
  })

  it('choose between outcomes with the same alias by direction', async () => {
    expect((await world.payOut({ outcome: 'duplicate' })).outcome).toBe('duplicate-callback')
    expect((await world.payOut({ outcome: 'account_closed' })).request).toMatchObject({ channel: 'bank' })
  })

  it('choose the payout with the reason of a payin', async () => {
    const shop = await sandbox.world()
    expect((await shop.payOut({ outcome: 'operator-error' })).outcome).toBe('payout-fails-funds-return')
  })

  it.each([
    ['callback-twise', 'duplicate-callback'],
    ['two-webhooks', 'duplicate-callback'],
    ['customer-aborts', 'payer-cancels'],
    ['payer-cancls', 'payer-cancels'],
    ['webhook-never', 'callback-lost'],
    ['wrong-password', 'wrong-pin'],
    ['card-denied', 'card-declined'],
  ])('suggest for %s the outcome %s', async (word, name) => {
    const error = await errorOf(world.pay({ outcome: word }))
    expect(error).toMatchObject({ status: 404 })
    expect(error!.message).toContain(`(did you mean ${name}?)`)
    expect((await errorOf(world.scenario(word)))!.message).toContain(`(did you mean ${name}?)`)
  })

  it('of the other direction or rail are rejected with the remedy', async () => {
    expect((await errorOf(world.pay({ outcome: 'account-closed' })))!.message).toContain(
      'outcome account-closed is of payouts: pay out instead of collecting',
    )
    expect((await errorOf(world.payOut({ outcome: 'payer-cancels' })))!.message).toContain('is of payins')
    expect((await errorOf(world.pay({ outcome: 'card-declined', rail: 'momo' })))!.message).toContain(
      'rail must be card for the outcome card-declined, got momo',
    )
    expect((await errorOf(world.pay({ outcome: 'kyc-rejected' })))!.message).toContain('is not of payments')
  })

  it('can be switched on by an alias', async () => {
    const shop = await sandbox.world()
    await shop.scenario('cancelled')
    expect(await shop.scenarios.get('payer-cancels')).toMatchObject({ on: true })
    const payment = await shop.pay({ outcome: 'success' })
    await shop.settle()
    expect((await shop.callback(payment)).body).toMatchObject({ status: 'success' })
  })
})
