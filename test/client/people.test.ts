import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSandbox, type Sandbox, type WorldClient } from '../../src/index.ts'

let sandbox: Sandbox
let world: WorldClient
beforeAll(async () => {
  sandbox = await createSandbox({ clock: 'frozen' })
})
afterAll(() => sandbox.close())

async function post<Answer>(path: string, body: object): Promise<Answer> {
  const answer = await world.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(answer.status, path).toBeLessThan(300)
  return (await answer.json()) as Answer
}

async function pay() {
  const { reference } = await post<{ reference: string }>('/api/v2/payments', {
    amount: 1000,
    phone_number: '0712345678',
    provider: 'm-pesa',
    network_code: '63902',
    account_id: 63,
    external_reference: 'order-1',
    callback_url: await world.inbox.url(),
  })
  return reference
}

it('ends transactions as the provider would, and returns their status and timeline', async () => {
  world = await sandbox.world()
  const reference = await pay()
  expect(await world.transactions.status('order-1')).toBe('QUEUED')
  const ended = await world.transactions.simulate(reference, { outcome: 'failed', reason: 'cancelled' })
  expect(ended.status).toBe('failed')
  expect(await world.transactions.status(reference)).toBe('FAILED')
  const { events } = await world.transactions.timeline(reference)
  expect(events.map(({ kind }) => kind)).toEqual(['request', 'state', 'state', 'callback'])
  expect(await world.requests.list()).toHaveLength(1)
})

it('fires callbacks, scripts inbox responses and shows signing secrets', async () => {
  world = await sandbox.world()
  await pay()
  await world.settle()
  await world.inbox.clear()
  await world.inbox.respond([500, 200])
  const fired = await world.callbacks.fire({
    reference: 'order-1',
    url: await world.inbox.url(),
    shape: 'nested',
  })
  await world.settle()
  const { attempts, callback } = await world.callbacks.get(fired.callback.id)
  expect([callback.state, ...attempts.map(({ response: answer }) => answer?.status)]).toEqual([
    'delivered',
    500,
    200,
  ])

  const [message] = await world.inbox.messages()
  const { headers, body } = message!
  const secret = await world.signatures.secret()
  expect((await world.signatures.check({ headers, body, secret })).valid).toBe(true)
  expect((await world.signatures.check({ headers, body: `${body} `, secret })).valid).toBe(false)
  const rotated = await world.signatures.rotate({ overlap: '0' })
  expect(rotated.secret).not.toBe(secret)
  expect(await world.signatures.show()).toEqual(rotated)
})

it('includes the signing secret in the response that creates a world', async () => {
  world = await sandbox.world()
  const made = await post<{ signing_secret: string; credentials: { username: string; password: string } }>(
    '/sandbox/worlds',
    {},
  )
  const { username, password } = made.credentials
  const authorization = `Basic ${btoa(`${username}:${password}`)}`
  const shown = await sandbox.fetch('/sandbox/signing-secret', { headers: { authorization } })
  expect(await shown.json()).toMatchObject({ secret: made.signing_secret })
})

it('decides KYC, accepts and declines invitations, and closes channels', async () => {
  world = await sandbox.world()
  const invite = (email: string) =>
    post('/api/v2/account_invites', { organization_id: 1, account_id: 63, email, role_id: 3 })
  await invite('a@duka.example')
  await invite('b@duka.example')
  const [second, first] = await world.outbox.list()
  expect(await world.invitations.accept(first!.link)).toMatchObject({ email: 'a@duka.example', role_id: 3 })
  expect(await world.invitations.decline(second!.link)).toMatchObject({ status: 'declined' })
  const { account_kyc } = await post<{ account_kyc: { id: number } }>('/api/v2/account_kycs', {
    account_id: 64,
    entity_type: 'business',
    country_code: 'KE',
    country: 'Kenya',
    kyc_tier: 2,
    contact_information: {
      first_name: 'Amina',
      identification_type: 'national_id',
      identification_number: 12345678,
      upload_information: { selfie_image: 'https://files.example/selfie.png' },
    },
    entity_information: { entity_name: 'Demo Ltd', business_type: 'limited_company' },
  })
  const decision = { status: 'rejected', reasons: ['illegible'] } as const
  expect(await world.kyc.review(account_kyc.id, decision)).toMatchObject(decision)
  expect(await world.kyc.show(account_kyc.id)).toMatchObject(decision)
  const { id, is_active } = await world.channels.update(1501, { is_active: false })
  expect([id, is_active]).toEqual([1501, false])
})

it('funds a Team created through the API and adds a channel to it', async () => {
  world = await sandbox.world()
  const { account } = await post<{ account: { id: number } }>('/api/v2/accounts', {
    organization_id: 1,
    name: 'Duka la Pili',
    dial_code: '254',
    number: '712345678',
  })
  const money = { wallet: 'service_wallet', amount: 500 } as const
  const funding = await world.fund(account.id, money)
  expect(funding).toMatchObject({ account_id: account.id, ...money, currency: 'KES' })
  expect(await world.balance(`team:${account.id}:service_wallet`)).toBe(500)

  const channel = await world.channels.create({
    account_id: account.id,
    channel_type: 'till',
    short_code: '700100',
  })
  expect(channel).toMatchObject({ short_code: '700100', is_active: true })
  await expect(world.fund(account.id, { ...money, amount: -1 })).rejects.toThrow(/amount must be/)
})

it('adds and lists outcomes, and explains how a request was decided', async () => {
  world = await sandbox.world()
  const put = await world.scenarios.put(
    'mine',
    'title: Mine\nwhen: { amount: 1000 }\nthen: { settle: { status: failed, reason: cancelled } }\n',
  )
  expect(put.title).toBe('Mine')
  await world.scenarios.put('other', { title: 'Other', when: { amount: 7 }, then: { delay: 1 } })
  expect((await world.scenarios.list()).map(({ name }) => name)).toContain('other')
  await pay()
  const [request] = await world.requests.list()
  expect(await world.requests.explain(request!.id)).toMatchObject({ decided_by: 'when', scenario: 'mine' })
  const { frozen, next } = await world.clock.show()
  expect([frozen, next?.kind]).toEqual([true, 'settle'])
})
