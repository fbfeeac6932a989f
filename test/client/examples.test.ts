// Written by npm run generate from the docstrings of the library.

import { afterAll, beforeAll, expect, it } from 'vitest'

import {
  connect,
  createSandbox,
  type Sandbox,
  type WorldClient,
  type SandboxOptions,
  signUp,
  type SignUpOptions,
  type Credentials,
  type RefusalBody,
  SandboxError,
  type AdminClient,
  type CallbackFilter,
  type CallbackWaiting,
  type CallbacksClient,
  type SignaturesClient,
  type InboxClient,
  type CheckoutClient,
  type CheckoutsClient,
  type WorldEvent,
  type Listening,
  type LeaseOptions,
  type WorldLease,
  type ServiceOperation,
  type ControlOperation,
  type Operation,
  type OperationInput,
  type OperationAnswer,
  type ServiceRequest,
  type ServiceAnswer,
  type CallbackBody,
  type ControlRequest,
  type ControlAnswer,
  type PromptFilter,
  type PromptWaiting,
  type PromptsClient,
  type PhoneClient,
  type RequestFilter,
  type Conditions,
  type Waiting,
  type RequestsClient,
  type ScenarioName,
  type ScenariosClient,
  type TeamsClient,
  type ChannelsClient,
  type InviteFilter,
  type InvitationsClient,
  type KycFilter,
  type KycClient,
  type ClockClient,
  type JobFilter,
  type TransactionFilter,
  type TransactionsClient,
  type LedgerFilter,
  type StatementFilter,
  type SnapshotsClient,
  type CertificationsClient,
  type ApiKeysClient,
  type OutboxClient,
  type WorldsClient,
  type AuditFilter,
  type Receiver,
} from '../../src/index.ts'

import { matchers, type Delivered, type SandboxMatchers } from '../../src/client/matchers.ts'

import { type RouteHandlers, toFetch, type App } from '../../src/callbacks/receivers/to-fetch.ts'

import { certify, certifyWorld, reportOf } from '../../src/certify/library.ts'

import { createServer } from 'node:http'

declare module 'vitest' {
  interface Matchers<T> extends SandboxMatchers {}
}

let running: Sandbox
let url: string
let world: WorldClient

beforeAll(async () => {
  expect.extend(matchers)
  running = await createSandbox({ clock: 'frozen' })
  url = await running.listen()
  world = await connect(url).world()
  await world.fetch('/api/v2/payments', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      amount: 1000,
      phone_number: '0712345678',
      provider: 'm-pesa',
      network_code: '63902',
      account_id: 63,
      external_reference: 'order-1',
      callback_url: await world.inbox.url(),
    }),
  })
  await world.settle()
})
afterAll(() => running.close())

it('SandboxOptions', () =>
  expect(
    (async () => {
      const options: SandboxOptions = {
        clock: 'frozen',
        random: 'build 7',
        env: { SANDBOX_SETTLE_AFTER: '1h' },
      }
      const sandbox = await createSandbox(options)
      await sandbox.close()
    })(),
  ).resolves.toBeUndefined())

it('Sandbox', async () => {
  const sandbox = await createSandbox()
  const url = await sandbox.listen()
  const answer = await fetch(`${url}/livez`)
  expect(answer.status).toEqual(200)
  await sandbox.close()
})

it('createSandbox', () =>
  expect(
    (async () => {
      const sandbox = await createSandbox({ clock: 'frozen' })
      const world = await sandbox.world()
      await world.scenario('payer-cancels')
      // Here the code under test takes payments at `world.url` with `world.authorization`, through `sandbox.fetch`.
      await world.settle()
      await sandbox.close()
    })(),
  ).resolves.toBeUndefined())

it('connect', () =>
  expect(
    (async () => {
      const world = await connect(url).world()
      await world.clock.advance('72h')
      await world.delete()
    })(),
  ).resolves.toBeUndefined())

it('SignUpOptions', async () => {
  const workshop: SignUpOptions = { token: 'a-token-of-the-workshop', name: 'Duka checkout' }
  const refused = await signUp(url, workshop).catch((error: unknown) => error)
  expect(refused instanceof Error).toEqual(true)
})

it('signUp', async () => {
  const sandbox = await createSandbox({ env: { SANDBOX_SIGN_UP: 'open' } })
  const world = await signUp(await sandbox.listen(), { name: 'Duka checkout' })
  const { name } = await world.show()
  expect(name).toEqual('Duka checkout')
  await sandbox.close()
})

it('Credentials', async () => {
  const owner: Credentials = { username: 'demo', password: 'demo' }
  const world = connect(url, owner)
  expect(world.username).toEqual('demo')
})

it('RefusalBody', async () => {
  const refused = await world.scenario('no-such-scenario').catch((error: unknown) => error)
  const body: RefusalBody = refused instanceof SandboxError ? refused.body : {}
  expect(body.error_code).toEqual('resource_not_found')
})

it('SandboxError', async () => {
  const refused = await world.scenario('no-such-scenario').catch((error: unknown) => error)
  expect(refused instanceof SandboxError && refused.status).toEqual(404)
  expect(refused instanceof SandboxError && refused.operation).toEqual('switchScenario')

  const late = await world.callbacks
    .waitFor({ reference: 'order-9', timeout: '0' })
    .catch((error: unknown) => error)
  expect(
    late instanceof SandboxError && late.isOf('waitForCallbacks') ? late.body.callbacks : 'another',
  ).toEqual([])
})

it('AdminClient', async () => {
  const healthy = async (admin: AdminClient) => {
    const { status } = await admin.health()
    return status
  }
  expect(await healthy(world.admin())).toEqual('ok')
})

it('CallbackFilter', async () => {
  const mine: CallbackFilter = { reference: 'order-1', state: 'delivered' }
  const callbacks = await world.callbacks.list(mine)
  expect(callbacks.length).toEqual(1)
})

it('CallbackWaiting', async () => {
  const over: CallbackWaiting = { reference: 'order-1', state: 'over', timeout: '10s' }
  const [callback] = await world.callbacks.waitFor(over)
  expect(callback?.callback.state).toEqual('delivered')
})

it('CallbacksClient', async () => {
  const newest = async (callbacks: CallbacksClient) => {
    const [callback] = await callbacks.waitFor({ reference: 'order-1' })
    return callback?.attempts.length
  }
  expect(await newest(world.callbacks)).toEqual(1)
})

it('SignaturesClient', async () => {
  const rotated = async (signatures: SignaturesClient) => {
    const before = await signatures.secret()
    const { secret, older } = await signatures.rotate()
    return [secret === before, older.length]
  }
  const shop = await world.world()
  expect(await rotated(shop.signatures)).toEqual([false, 1])
})

it('InboxClient', async () => {
  const received = async (inbox: InboxClient) => {
    const messages = await inbox.messages()
    return messages.map(({ answered }) => answered)
  }
  expect(await received(world.inbox)).toEqual([200])
})

it('CheckoutClient', async () => {
  const card = { number: '4000 0025 0000 3155', expiry: '12/30', cvc: '123' }
  const confirm = async (page: CheckoutClient) => {
    await page.pay({ card })
    return page.challenge('pass')
  }
  const refused = await confirm(world.checkout('no-such-order')).catch((error: Error) => error)
  expect(refused instanceof Error).toEqual(true)
})

it('CheckoutsClient', async () => {
  const cards = async (checkouts: CheckoutsClient) => {
    const all = await checkouts.testCards()
    return all.length > 0
  }
  expect(await cards(world.checkouts)).toEqual(true)
})

it('WorldEvent', async () => {
  let first: WorldEvent | undefined
  for await (const event of world.events({ after: '0' })) {
    first = event
    break
  }
  expect(first?.type).toEqual('transaction')
})

it('Listening', async () => {
  const types: string[] = []
  const shop = await world.world()
  const listening: Listening = await shop.listen(({ type }) => types.push(type))
  await shop.scenario('payer-cancels')
  await shop.delete()
  await listening.ended
  expect(types.length > 0).toEqual(true)
})

it('LeaseOptions', async () => {
  const suite: LeaseOptions = { holder: 'checkout suite, build 4711', wait: '10m', restore: true }
  const shop = await world.world()
  await using lease = await shop.lease(suite)
  expect(lease.holder).toEqual('checkout suite, build 4711')
})

it('WorldLease', async () => {
  const untilOf = ({ until }: WorldLease) => Date.parse(until)
  const shop = await world.world()
  const lease = await shop.lease({ holder: 'checkout suite' })
  expect(untilOf(lease) - Date.parse(lease.since)).toEqual(60000)
  await lease.release()
  expect(await shop.usedBy()).toEqual(null)
})

it('ServiceOperation', async () => {
  const paying: ServiceOperation[] = ['createCollection', 'createGlobalPayment']
  expect(paying.length).toEqual(2)
})

it('ControlOperation', async () => {
  const asked: ControlOperation = 'getClock'
  const { frozen } = await world.call(asked)
  expect(frozen).toEqual(true)
})

it('Operation', async () => {
  const seen: Operation[] = ['createCollection', 'settle']
  expect(seen.length).toEqual(2)
})

it('OperationInput', async () => {
  const one: OperationInput<'getTransaction'> = [{ path: { reference: 'order-1' } }]
  const { transaction } = await world.call('getTransaction', ...one)
  expect(transaction.external_reference).toEqual('order-1')
})

it('OperationAnswer', async () => {
  const seen: OperationAnswer<'getClock'>[] = []
  seen.push(await world.call('getClock'))
  expect(seen.length).toEqual(1)
})

it('ServiceRequest', async () => {
  const body: ServiceRequest<'createCollection'> = {
    amount: 1000,
    phone_number: '0712345678',
    provider: 'm-pesa',
    network_code: '63902',
    account_id: 63,
  }
  const shop = await world.world()
  const { status } = await shop.call('createCollection', { body })
  expect(status).toEqual('QUEUED')
})

it('ServiceAnswer', async () => {
  const currencyOf = ({ currency }: ServiceAnswer<'discoverCountry'>) => currency
  expect(currencyOf(await world.call('discoverCountry', { query: { country: 'KE' } }))).toEqual('KES')
})

it('CallbackBody', async () => {
  const [message] = await world.inbox.messages()
  const result = JSON.parse(message!.body) as CallbackBody<'createCollection'>
  expect(result.status).toEqual('success')
})

it('ControlRequest', () =>
  expect(
    (async () => {
      const body: ControlRequest<'advanceClock'> = { by: '1h' }
      const shop = await world.world()
      await shop.call('advanceClock', { body })
    })(),
  ).resolves.toBeUndefined())

it('ControlAnswer', async () => {
  const idOf = ({ id }: ControlAnswer<'getWorld'>) => id
  expect(typeof idOf(await world.show())).toEqual('string')
})

it('PromptFilter', async () => {
  const paid: PromptFilter = { state: 'paid', phone: '0712345678' }
  const prompts = await world.prompts.list(paid)
  expect(prompts.length).toEqual(1)
})

it('PromptWaiting', async () => {
  const patient: PromptWaiting = { timeout: '30s' }
  const refused = await world
    .phone('0722000111')
    .prompt({ ...patient, timeout: '0' })
    .catch((error: unknown) => error)
  expect(refused instanceof Error).toEqual(true)
})

it('PromptsClient', async () => {
  const states = async (prompts: PromptsClient) => {
    const all = await prompts.list()
    return all.map(({ state }) => state)
  }
  expect(await states(world.prompts)).toEqual(['paid'])
})

it('PhoneClient', async () => {
  const phone: PhoneClient = world.phone('0712345678')
  const [receipt] = await phone.messages()
  expect(receipt?.text.includes('Confirmed')).toEqual(true)
})

it('RequestFilter', async () => {
  const taken: RequestFilter = { operation: 'createCollection', status: 201 }
  const requests = await world.requests.list(taken)
  expect(requests.length).toEqual(1)
})

it('Conditions', async () => {
  const large: Conditions = { operation: 'createCollection', amount: { gte: 1000 } }
  expect(await world.requests.count(large)).toEqual(1)
})

it('Waiting', async () => {
  const waiting: Waiting = { count: 1, timeout: '10s' }
  const requests = await world.requests.waitFor({ reference: 'order-1', ...waiting })
  expect(requests.length).toEqual(1)
})

it('RequestsClient', async () => {
  const why = async (requests: RequestsClient) => {
    const [request] = await requests.find({ operation: 'createCollection', amount: 1000 })
    return request?.status
  }
  expect(await why(world.requests)).toEqual(201)
})

it('ScenarioName', async () => {
  const failing: ScenarioName[] = ['payer-cancels', 'my-own']
  expect(failing.length).toEqual(2)
})

it('ScenariosClient', async () => {
  const failing = async (scenarios: ScenariosClient) => {
    await scenarios.next('payer-cancels', 2)
    const queued = await scenarios.list()
    return queued.find(({ name }) => name === 'payer-cancels')?.queued
  }
  const shop = await world.world()
  expect(await failing(shop.scenarios)).toEqual(2)
})

it('TeamsClient', async () => {
  const idsOf = async (teams: TeamsClient) => {
    const all = await teams.list()
    return all.map(({ id }) => id).includes(63)
  }
  expect(await idsOf(world.teams)).toEqual(true)
})

it('ChannelsClient', async () => {
  const close = async (channels: ChannelsClient, id: number) => {
    const { is_active } = await channels.update(id, { is_active: false })
    return is_active
  }
  const refused = await close(world.channels, 4_000_000).catch((error: Error) => error)
  expect(refused instanceof Error).toEqual(true)
})

it('InviteFilter', async () => {
  const open: InviteFilter = { status: 'sent', account_id: 63 }
  expect(await world.invitations.list(open)).toEqual([])
})

it('InvitationsClient', async () => {
  const open = async (invitations: InvitationsClient) => {
    const sent = await invitations.list({ status: 'sent' })
    return sent.length
  }
  expect(await open(world.invitations)).toEqual(0)
})

it('KycFilter', async () => {
  const waiting: KycFilter = { status: 'pending' }
  expect(await world.kyc.list(waiting)).toEqual([])
})

it('KycClient', async () => {
  const waiting = async (kyc: KycClient) => {
    const pending = await kyc.list({ status: 'pending' })
    return pending.length
  }
  expect(await waiting(world.kyc)).toEqual(0)
})

it('ClockClient', async () => {
  const later = async (clock: ClockClient) => {
    const before = await clock.now()
    await clock.advance('72h')
    const after = await clock.now()
    return (after.getTime() - before.getTime()) / 3_600_000
  }
  const shop = await world.world()
  expect(await later(shop.clock)).toEqual(72)
})

it('JobFilter', async () => {
  const attempts: JobFilter = { kind: 'callback' }
  expect(await world.jobs(attempts)).toEqual([])
})

it('TransactionFilter', async () => {
  const collected: TransactionFilter = { direction: 'payin', status: 'SUCCESS', party: '0712345678' }
  const [transaction] = await world.transactions.list(collected)
  expect(transaction?.amount).toEqual({ amount: 1000, currency: 'KES', minor: 100000 })
})

it('TransactionsClient', async () => {
  const amounts = async (transactions: TransactionsClient) => {
    const collected = await transactions.list({ direction: 'payin' })
    return collected.map(({ amount }) => amount.amount)
  }
  expect(await amounts(world.transactions)).toEqual([1000])
})

it('LedgerFilter', async () => {
  const wallet: LedgerFilter = { account: 'team:63:wallet' }
  const { balances } = await world.ledger(wallet)
  expect(balances[0]?.balance).toEqual(100985)
})

it('StatementFilter', async () => {
  const june: StatementFilter = { account_id: 63, from: '2026-06-01', to: '2026-07-01' }
  const statement = await world.statement(june)
  expect(statement.wallet).toEqual('wallet')
})

it('WorldClient', async () => {
  const pay = async (shop: WorldClient) => {
    const answer = await shop.fetch('/api/v2/payments', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        amount: 1000,
        phone_number: '0712345678',
        provider: 'm-pesa',
        network_code: '63902',
        account_id: 63,
        external_reference: 'order-1',
        callback_url: await shop.inbox.url(),
      }),
    })
    return answer.status
  }
  const shop = await world.world()
  expect(await pay(shop)).toEqual(201)
  await shop.settle()
  const messages = await shop.inbox.messages()
  expect(messages.length).toEqual(1)
  expect(await shop.balance('team:63:wallet:KES')).toEqual(100985)
})

it('SnapshotsClient', () =>
  expect(
    (async () => {
      const undone = async (snapshots: SnapshotsClient, change: () => Promise<unknown>) => {
        const before = await snapshots.take('before')
        await change()
        await snapshots.restore(before)
      }
      const shop = await world.world()
      await undone(shop.snapshots, () => shop.clock.advance('1h'))
    })(),
  ).resolves.toBeUndefined())

it('CertificationsClient', async () => {
  const subjectOf = async (certifications: CertificationsClient) => {
    const { id } = await certifications.make('shop')
    const { payload } = await certifications.get(id)
    return JSON.parse(Buffer.from(payload, 'base64url').toString()).subject
  }
  expect(await subjectOf(world.certifications)).toEqual('shop')
})

it('ApiKeysClient', async () => {
  const another = async (apiKeys: ApiKeysClient) => {
    const before = await apiKeys.list()
    await apiKeys.create()
    const after = await apiKeys.list()
    return after.length - before.length
  }
  const shop = await world.world()
  expect(await another(shop.apiKeys)).toEqual(1)
})

it('OutboxClient', async () => {
  const subjects = async (outbox: OutboxClient) => {
    const mails = await outbox.list('ada@example.com')
    return mails.map(({ subject }) => subject)
  }
  expect(await subjects(world.outbox)).toEqual([])
})

it('WorldsClient', async () => {
  const idsOf = async (worlds: WorldsClient) => {
    const all = await worlds.list()
    return all.map(({ id }) => id)
  }
  const shop = await world.world()
  const { id } = await shop.show()
  const ids = await idsOf(world.worlds)
  expect(ids.includes(id)).toEqual(true)
})

it('AuditFilter', async () => {
  const keys: AuditFilter = { operation: 'createApiKey' }
  const shop = await world.world()
  await shop.apiKeys.create()
  const made = await shop.audit(keys)
  expect(made.map(({ status }) => status)).toEqual([201])
})

it('Receiver', async () => {
  const statuses: string[] = []
  const receive: Receiver = async (request) => {
    const { status } = (await request.json()) as { status: string }
    statuses.push(status)
    return new Response(null, { status: 204 })
  }
  const sandbox = await createSandbox({ clock: 'frozen', receivers: { 'https://shop.test': receive } })
  const shop = await sandbox.world()
  await shop.call('createCollection', {
    body: {
      amount: 1000,
      phone_number: '0712345678',
      provider: 'm-pesa',
      network_code: '63902',
      account_id: 63,
      callback_url: 'https://shop.test/callbacks',
    },
  })
  await shop.settle()
  expect(statuses).toEqual(['success'])
  await sandbox.close()
})

it('Delivered', async () => {
  const paid: Delivered = { reference: 'order-1', body: { status: 'success' } }
  await expect(world).toHaveDelivered(paid)
})

it('matchers', async () => {
  expect.extend(matchers)
  await expect(world).toHaveRequested({ operation: 'createCollection', amount: 1000 })
  await expect(world).toHaveDelivered({ reference: 'order-1', body: { status: 'success' } })
  await expect(world).toHaveBalance('team:63:wallet:KES', 100985)
})

it('RouteHandlers', async () => {
  const route: RouteHandlers = { POST: async (request: Request) => Response.json(await request.json()) }
  const answer = await toFetch(route)(
    new Request('https://shop.test/callbacks', { method: 'POST', body: '{"status":"success"}' }),
  )
  expect(await answer.json()).toEqual({ status: 'success' })
})

it('App', async () => {
  const app: App = (_request, response) => response.writeHead(204).end()
  const answer = await toFetch(app)(new Request('https://shop.test/callbacks', { method: 'POST' }))
  expect(answer.status).toEqual(204)
})

it('toFetch', async () => {
  const app = createServer((request, response) => response.end(`${request.method} ${request.url}`))
  const answer = await toFetch(app)(new Request('https://shop.test/callbacks', { method: 'POST' }))
  expect(await answer.text()).toEqual('POST /callbacks')
})

it('certify', async () => {
  const certification = await certify({
    only: ['RCV-1'],
    receivers: { 'https://shop.test': () => new Response(null, { status: 204 }) },
    profile: { profile: 'shop', receiver: { url: 'https://shop.test/callback' } },
  })
  expect(certification.checks.map(({ verdict }) => verdict)).toEqual(['pass'])
})

it('certifyWorld', async () => {
  const { checks } = await certifyWorld(world, 'shop')
  expect(checks.find(({ id }) => id === 'CLI-1')?.verdict).toEqual('pass')
})

it('reportOf', async () => {
  const page = await reportOf(await certifyWorld(world), 'csv')
  expect(page.includes('RCV-1')).toEqual(true)
})
