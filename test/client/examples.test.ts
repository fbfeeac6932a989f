// Written by npm run generate from the docstrings of the library.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'

import {
  connect,
  createSandbox,
  SandboxError,
  type Sandbox,
  type WorldClient,
  type SandboxOptions,
  type TestSandbox,
  sandbox,
  type SignUpOptions,
  signUp,
  type Credentials,
  type RefusalBody,
  type CallbackFilter,
  type CallbackWaiting,
  type WorldEvent,
  type Listening,
  type IncidentName,
  type StartIncident,
  type LeaseOptions,
  type WorldLease,
  type ServiceOperation,
  type ControlOperation,
  type Operation,
  type OperationInput,
  type OperationResponse,
  type ServiceRequest,
  type ServiceResponse,
  type CallbackBody,
  type ControlRequest,
  type ControlResponse,
  type PayOptions,
  type Payment,
  type ReceivedCallback,
  type PromptFilter,
  type PromptWaiting,
  type PhoneClient,
  type RequestFilter,
  type Conditions,
  type Waiting,
  type ScenarioName,
  type InviteFilter,
  type KycFilter,
  type JobFilter,
  type TransactionFilter,
  type LedgerFilter,
  type StatementFilter,
  type AuditFilter,
  type Receiver,
} from '../../src/index.ts'

import { matchers, type Delivered, type SandboxMatchers } from '../../src/client/matchers.ts'

import { type RouteHandlers, toFetch, type App } from '../../src/callbacks/receivers/to-fetch.ts'

import { certify, certifyWorld, reportOf } from '../../src/certify/library.ts'

import { compare, compareDescriptions, learn, reportText, record, probe } from '../../src/fidelity/library.ts'

import { createServer } from 'node:http'

declare module 'vitest' {
  interface Matchers<T> extends SandboxMatchers {}
}

let running: Sandbox
let url: string
let world: WorldClient
const folder = temporaryFolder()

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
  const log = await world.fetch('/sandbox/requests/har')
  await writeFile(join(folder, 'session.har'), await log.text())
  const description = await world.fetch('/openapi.json')
  await writeFile(join(folder, 'their-openapi.json'), await description.text())
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

it('TestSandbox', () =>
  expect(
    (async () => {
      const test: TestSandbox = await sandbox()
      await test.world.pay()
      await test.close()
    })(),
  ).resolves.toBeUndefined())

it('sandbox', async () => {
  const { world, close } = await sandbox()
  const payment = await world.pay({ outcome: 'payer-cancels' })
  await world.settle()
  const callback = await world.callback(payment)
  expect(callback.body.status).toEqual('failed')
  await close()
})

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
  const rejected = await signUp(url, workshop).catch((error: unknown) => error)
  expect(rejected instanceof Error).toEqual(true)
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
  const demo = connect(url, owner)
  expect(demo.username).toEqual('demo')
})

it('RefusalBody', async () => {
  const error = await world.scenario('no-such-scenario').catch((error: unknown) => error)
  const body: RefusalBody = error instanceof SandboxError ? error.body : {}
  expect(body.error_code).toEqual('resource_not_found')
})

it('SandboxError', async () => {
  const error = await world.scenario('no-such-scenario').catch((error: unknown) => error)
  expect(error instanceof SandboxError && error.status).toEqual(404)
  expect(error instanceof SandboxError && error.operation).toEqual('switchScenario')

  const late = await world.callbacks
    .waitFor({ reference: 'order-9', timeout: '0' })
    .catch((error: unknown) => error)
  expect(
    late instanceof SandboxError && late.isOf('waitForCallbacks') ? late.body.callbacks : 'another',
  ).toEqual([])
})

it('AdminClient', async () => {
  const { status } = await world.admin().health()
  expect(status).toEqual('ok')
})

it('CallbackFilter', async () => {
  const delivered: CallbackFilter = { reference: 'order-1', state: 'delivered' }
  const callbacks = await world.callbacks.list(delivered)
  expect(callbacks.length).toEqual(1)
})

it('CallbackWaiting', async () => {
  const over: CallbackWaiting = { reference: 'order-1', state: 'final', timeout: '10s' }
  const [callback] = await world.callbacks.waitFor(over)
  expect(callback?.callback.state).toEqual('delivered')
})

it('CallbacksClient', async () => {
  const [newest] = await world.callbacks.waitFor({ reference: 'order-1' })
  expect(newest?.attempts.length).toEqual(1)
})

it('SignaturesClient', async () => {
  const shop = await world.world()
  const { previous } = await shop.signatures.rotate()
  expect(previous.length).toEqual(1)
})

it('InboxClient', async () => {
  const [newest] = await world.inbox.messages()
  expect(newest?.response_status).toEqual(200)
})

it('CheckoutClient', async () => {
  const card = { number: '4000 0025 0000 3155', expiry: '12/30', cvc: '123' }
  const page = world.checkout('no-such-order')
  const rejected = await page.pay({ card }).catch((error: Error) => error)
  expect(rejected instanceof Error).toEqual(true)
})

it('CheckoutsClient', async () => {
  const cards = await world.checkouts.testCards()
  expect(cards.length > 0).toEqual(true)
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

it('IncidentName', async () => {
  const name: IncidentName = 'm-pesa-stalls'
  const { state } = await world.incident(name)
  expect(state).toEqual('running')
})

it('StartIncident', () =>
  expect(
    (async () => {
      const how: StartIncident = { seed: 'monday' }
      await world.incident('callback-storm', how)
    })(),
  ).resolves.toBeUndefined())

it('IncidentsClient', async () => {
  const shop = await world.world()
  await shop.incident('m-pesa-stalls')
  const { entries } = await shop.incidents.step('m-pesa-stalls')
  expect(entries[0]?.state).toEqual('in_force')
})

it('LeaseOptions', async () => {
  const suite: LeaseOptions = { holder: 'checkout suite, build 4711', wait: '10m', restore: true }
  const shop = await world.world()
  await using lease = await shop.lease(suite)
  expect(lease.holder).toEqual('checkout suite, build 4711')
})

it('WorldLease', async () => {
  const shop = await world.world()
  const lease: WorldLease = await shop.lease({ holder: 'checkout suite' })
  expect(Date.parse(lease.until) - Date.parse(lease.since)).toEqual(60000)
  await lease.release()
  expect(await shop.usedBy()).toEqual(null)
})

it('ServiceOperation', async () => {
  const paying: ServiceOperation[] = ['createCollection', 'createGlobalPayment']
  expect(paying.length).toEqual(2)
})

it('ControlOperation', async () => {
  const operation: ControlOperation = 'getClock'
  const { frozen } = await world.call(operation)
  expect(frozen).toEqual(true)
})

it('Operation', async () => {
  const operations: Operation[] = ['createCollection', 'settle']
  expect(operations.length).toEqual(2)
})

it('OperationInput', async () => {
  const input: OperationInput<'getTransaction'> = [{ path: { reference: 'order-1' } }]
  const { transaction } = await world.call('getTransaction', ...input)
  expect(transaction.external_reference).toEqual('order-1')
})

it('OperationResponse', async () => {
  const clock: OperationResponse<'getClock'> = await world.call('getClock')
  expect(clock.frozen).toEqual(true)
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

it('ServiceResponse', async () => {
  const country: ServiceResponse<'discoverCountry'> = await world.call('discoverCountry', {
    query: { country: 'KE' },
  })
  expect(country.currency).toEqual('KES')
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

it('ControlResponse', async () => {
  const { id }: ControlResponse<'getWorld'> = await world.show()
  expect(typeof id).toEqual('string')
})

it('PayOptions', async () => {
  const options: PayOptions = { outcome: 'payer-cancels', amount: 250, reference: 'order-9' }
  const shop = await world.world()
  const payment = await shop.pay(options)
  expect(payment.reference).toEqual('order-9')
})

it('Payment', async () => {
  const shop = await world.world()
  const payment: Payment = await shop.pay({ outcome: 'no-funds' })
  expect(payment.outcome).toEqual('insufficient-funds')
  expect(payment.operation).toEqual('createCollection')
})

it('ReceivedCallback', async () => {
  const shop = await world.world()
  const payment = await shop.pay({ outcome: 'duplicate-callback' })
  await shop.settle()
  const callback: ReceivedCallback = await shop.callback(payment)
  expect(callback.body.status).toEqual('success')
  expect(callback.verified).toEqual(true)
  expect(callback.deliveries).toEqual(2)
})

it('PromptFilter', async () => {
  const paid: PromptFilter = { state: 'paid', phone: '0712345678' }
  const prompts = await world.prompts.list(paid)
  expect(prompts.length).toEqual(1)
})

it('PromptWaiting', async () => {
  const waiting: PromptWaiting = { timeout: '0' }
  const rejected = await world
    .phone('0722000111')
    .prompt(waiting)
    .catch((error: unknown) => error)
  expect(rejected instanceof Error).toEqual(true)
})

it('PromptsClient', async () => {
  const prompts = await world.prompts.list()
  expect(prompts.map(({ state }) => state)).toEqual(['paid'])
})

it('PhoneClient', async () => {
  const phone: PhoneClient = world.phone('0712345678')
  const [receipt] = await phone.messages()
  expect(receipt?.text.includes('Confirmed')).toEqual(true)
})

it('RequestFilter', async () => {
  const created: RequestFilter = { operation: 'createCollection', status: 201 }
  const requests = await world.requests.list(created)
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
  const [request] = await world.requests.find({ operation: 'createCollection', amount: 1000 })
  expect(request?.status).toEqual(201)
})

it('ScenarioName', async () => {
  const names: ScenarioName[] = ['payer-cancels', 'my-own']
  expect(names.length).toEqual(2)
})

it('ScenariosClient', async () => {
  const shop = await world.world()
  await shop.scenarios.next('payer-cancels', 2)
  const { queued } = await shop.scenarios.get('payer-cancels')
  expect(queued).toEqual(2)
})

it('TeamsClient', async () => {
  const teams = await world.teams.list()
  expect(teams.some(({ id }) => id === 63)).toEqual(true)
})

it('ChannelsClient', async () => {
  const rejected = await world.channels.update(4_000_000, { is_active: false }).catch((error: Error) => error)
  expect(rejected instanceof Error).toEqual(true)
})

it('InviteFilter', async () => {
  const open: InviteFilter = { status: 'sent', account_id: 63 }
  expect(await world.invitations.list(open)).toEqual([])
})

it('InvitationsClient', async () => {
  const open = await world.invitations.list({ status: 'sent' })
  expect(open.length).toEqual(0)
})

it('KycFilter', async () => {
  const pending: KycFilter = { status: 'pending' }
  expect(await world.kyc.list(pending)).toEqual([])
})

it('KycClient', async () => {
  const pending = await world.kyc.list({ status: 'pending' })
  expect(pending.length).toEqual(0)
})

it('ClockClient', async () => {
  const shop = await world.world()
  const before = await shop.clock.now()
  await shop.clock.advance('72h')
  const after = await shop.clock.now()
  expect(after.getTime() - before.getTime()).toEqual(72 * 3_600_000)
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
  const collected = await world.transactions.list({ direction: 'payin' })
  expect(collected.map(({ amount }) => amount.amount)).toEqual([1000])
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
  const shop: WorldClient = await world.world()
  await shop.pay()
  await shop.settle()
  const messages = await shop.inbox.messages()
  expect(messages.length).toEqual(1)
  expect(await shop.balance('team:63:wallet:KES')).toEqual(100985)
})

it('SnapshotsClient', () =>
  expect(
    (async () => {
      const shop = await world.world()
      const before = await shop.snapshots.take('before')
      await shop.clock.advance('1h')
      await shop.snapshots.restore(before)
    })(),
  ).resolves.toBeUndefined())

it('CertificationsClient', async () => {
  const { id } = await world.certifications.make('shop')
  const { payload } = await world.certifications.get(id)
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString()).subject).toEqual('shop')
})

it('ApiKeysClient', async () => {
  const shop = await world.world()
  const { username } = await shop.apiKeys.create()
  const keys = await shop.apiKeys.list()
  expect(keys.some((key) => key.username === username)).toEqual(true)
})

it('OutboxClient', async () => {
  const mails = await world.outbox.list('ada@example.com')
  expect(mails.map(({ subject }) => subject)).toEqual([])
})

it('WorldsClient', async () => {
  const shop = await world.world()
  const { id } = await shop.show()
  const worlds = await world.worlds.list()
  expect(worlds.some((each) => each.id === id)).toEqual(true)
})

it('AuditFilter', async () => {
  const created: AuditFilter = { operation: 'createApiKey' }
  const shop = await world.world()
  await shop.apiKeys.create()
  const entries = await shop.audit(created)
  expect(entries.map(({ status }) => status)).toEqual([201])
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

it('compare', async () => {
  const { differences } = await compare(join(folder, 'session.har'))
  expect(differences.filter(({ severity }) => severity === 'breaking')).toEqual([])
})

it('compareDescriptions', async () => {
  const { differences } = await compareDescriptions(join(folder, 'their-openapi.json'))
  expect(differences.filter(({ kind }) => kind === 'narrowed')).toEqual([])
})

it('learn', async () => {
  const { overlay } = await learn(join(folder, 'session.har'))
  const again = await compare(join(folder, 'session.har'), { observed: overlay })
  expect(again.differences).toEqual([])
})

it('reportText', async () => {
  const page = await reportText(await compare(join(folder, 'session.har')), 'markdown')
  expect(page.includes('# Sandbox and service')).toEqual(true)
})

it('record', async () => {
  const recording = await record({ service: url, out: join(folder, 'shop.har') })
  // Here the code under test uses `recording.url` as the address of the service.
  const { lost } = await recording.close()
  expect(lost).toEqual(0)
})

it('probe', async () => {
  const user = { username: 'demo', password: 'demo' }
  // Without `every`, one second passes from one request to the next; a sandbox needs no pause.
  const { written } = await probe({ service: url, user, out: join(folder, 'probe.har'), every: 0 })
  expect(written).toEqual(20)
})
