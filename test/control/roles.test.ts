import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { operationsOf, resolve, type Response, routesOf } from '../../openapi/document.ts'
import { OPERATOR, roles, rolesOf } from '../../openapi/roles.ts'
import { lazy } from '../../src/lib/lazy.ts'
import { defaultSeed } from '../../src/worlds/default-seed.ts'
import type { Seed } from '../../src/generated/control/types.ts'
import { ALL_SERVED, descriptions } from '../support/descriptions.ts'
import { requestExamples } from '../support/examples.ts'
import { collection } from '../support/requests.ts'
import { client, refused, startSandbox } from '../support/sandbox.ts'

const described = (name: string) =>
  (parse(readFileSync(`openapi/control/responses/${name}.yaml`, 'utf8')) as { description: string })
    .description

/** What the description must say of a 403, by the roles it allows. */
const refusalOf: Record<string, string> = {
  owner: described('NotOwner'),
  'owner,admin,finance': described('MayOnlyRead'),
}

/** What stands in a path for what each world of these tests has. */
const inPath: Record<string, string> = {
  world: 'current',
  username: 'viewer',
  reference: 'order-1',
  account_id: '63',
  '/api/v2/account_kycs/{id}': '501',
  '/sandbox/kyc/{id}': '501',
  '/sandbox/scenarios/{name}': 'payer-cancels',
  '/sandbox/inbox/{name}': 'default',
  '/sandbox/channels/{id}': '1501',
  '/api/v2/payment_channels/{id}': '1501',
  '/sandbox/prompts/{id}': 'order-1',
  number: '254712345678',
  '/sandbox/teams/{id}': '63',
  '/sandbox/requests/{id}': 'req_1',
}
const inQuery: Record<string, string> = {
  listPaymentChannels: '?account_id=63',
  removeMember: '?account_id=63&user_id=4',
  discoverCountry: '?country=KE',
  getTransactionStatusByReference: '?reference=order-1',
  getWallet: '?wallet_type=service_wallet',
  waitForCallback: '?timeout=0',
  waitForRequests: '?timeout=0',
  waitForPrompt: '?timeout=0&phone=0712345678',
}
/** Bodies that fit what each world of these tests has, where the example does not. */
const bodies: Record<string, object> = {
  createGlobalPayment: { vendor_config: { vendor_id: 63 } },
  getTransactionStatus: { request_id: 'order-1' },
  deleteAccount: {},
}

const filled = (id: string, path: string) =>
  path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const before = path.slice(0, path.indexOf(whole) + whole.length)
    return inPath[before] ?? inPath[name] ?? '1'
  }) + (inQuery[id] ?? (path.endsWith('/wait') ? '?timeout=0' : ''))

/** Every operation that happens in a world, of the service and of the sandbox's own API. */
const operations = descriptions.flatMap(({ name, document }) =>
  routesOf(document)
    .filter((route) => !rolesOf(route).includes(OPERATOR))
    .map((route) => {
      const { id, method, path, operation } = route
      const declared = operation.responses?.['403']
      const refusal = declared && resolve<Response>(document, declared)
      const example = requestExamples(document).find((each) => each.route.id === id)?.value
      return {
        id,
        api: name.includes('control') ? ('control' as const) : ('service' as const),
        method,
        path,
        url: filled(id, path),
        body: example === undefined ? undefined : { ...(example as object), ...bodies[id] },
        allowed: rolesOf(route),
        refusal: refusal?.description,
      }
    }),
)
type Operation = (typeof operations)[number]
const control = operations.filter(({ api }) => api === 'control')

/** A user for each role, in every Team; that of `none` is of the organization alone. */
const members = { 1: 1, 2: 2, 3: 3, 4: 4 }
const demo = defaultSeed('owner', 'secret')
const seed: Seed = {
  ...demo,
  users: roles.map((name, n) => ({
    id: n + 1,
    first_name: name,
    last_name: 'Mwangi',
    email: `${name}@demo.example`,
    organization_ids: [1],
    is_admin: n === 0,
  })),
  api_keys: roles.map((username, n) => ({
    username,
    password: 'secret',
    user_id: n + 1,
    default_account_id: 63,
  })),
  teams: demo.teams.map((team) => ({ ...team, members })),
}
const { sandbox } = await startSandbox({ ...ALL_SERVED, SANDBOX_API_USERNAME: 'owner' }, { seed })

const made = { count: 0 }
const hasKyc = ({ id, path }: Operation) => path.includes('kyc') && id !== 'submitKyc'

/** Creates a world that has one of everything. */
async function createWorld(withKyc: boolean): Promise<string> {
  const name = `r${++made.count}`
  const owner = client(sandbox, `owner+${name}`, 'secret')
  await owner.post('/api/v2/payments', collection({ callback_url: 'http://receiver.test/' }))
  await owner.post('/sandbox/settle')
  await owner.post('/sandbox/snapshots')
  if (withKyc)
    await owner.post('/api/v2/account_kycs', operations.find((each) => each.id === 'submitKyc')!.body)
  return name
}

/** The worlds of calls that change nothing: reads, and calls that are rejected. */
const unchanged = { without: lazy(() => createWorld(false)), with: lazy(() => createWorld(true)) }

/** Calls an operation that may change something in a world of its own. */
async function answerTo(who: string, operation: Operation, sent?: unknown, changes = true) {
  const { method, url, path, body } = operation
  const isRead = method === 'get' || !changes
  const name = await (isRead
    ? unchanged[hasKyc(operation) ? 'with' : 'without']()
    : createWorld(hasKyc(operation)))
  const as = client(sandbox, `${who}+${name}`, 'secret')[method as 'get']
  if (path !== '/sandbox/events') return as(url, sent ?? body)
  // The stream does not end; its head says enough.
  const authorization = `Basic ${Buffer.from(`${who}+${name}:secret`).toString('base64')}`
  const response = await sandbox.fetch(
    new Request(`http://sandbox.test${url}`, { headers: { authorization } }),
  )
  await response.body?.cancel()
  return { status: response.status, body: undefined }
}

const ownersStatus = new Map<string, Promise<{ status: number }>>()
/** Returns the response of the owner, who is asked once. */
function answerToOwner(operation: Operation): Promise<{ status: number }> {
  const known = ownersStatus.get(operation.id) ?? answerTo('owner', operation)
  ownersStatus.set(operation.id, known)
  return known
}

const mayNot = (who: string, all: readonly Operation[]) => all.filter(({ allowed }) => !allowed.includes(who))

describe('the description', () => {
  it('states the required role of every operation', () => {
    expect(operations.filter(({ allowed }) => allowed[0] !== 'owner')).toEqual([])
    // Who may do something may do it with a stronger role too.
    for (const { allowed } of operations) expect(allowed).toEqual(roles.slice(0, allowed.length))
    expect(operations.length).toBeGreaterThan(65)
  })

  it('declares a 403 for the operations of the control API that need it', () => {
    const wrong = control.filter(
      ({ allowed, refusal, id }) => id !== 'getWorld' && refusal !== refusalOf[allowed.join()],
    )
    expect(wrong.map(({ id }) => id)).toEqual([])
  })
})

describe.each(roles)('the key of a user with the role %s', (who) => {
  const id = roles.indexOf(who) + 1
  const may = operations.filter(({ allowed }) => allowed.includes(who))

  it.each(may)('receives the owner’s response: $id', async (operation) => {
    const { status } = await answerToOwner(operation)
    expect([401, 403, 405, 500]).not.toContain(status)
    expect(operation.api === 'control' || status < 300).toBe(true)
    const answer = await (who === 'owner' ? answerToOwner(operation) : answerTo(who, operation))
    expect(answer.status).toBe(status)
  })

  it.each(mayNot(who, operations))('is rejected: $id', async (operation) => {
    const answer = await answerTo(who, operation, undefined, false)
    const message = operation.allowed.includes('finance')
      ? `user ${id} may only read; a change needs the key of the world's owner, or of a user who is owner, admin or finance in some Team`
      : `only the owner of the world may do this; user ${id} is not`
    // That there is such a Team, or something of one, is not told to who has no role in it.
    const inTeam = !Object.values(refusalOf).includes(operation.refusal ?? '')
    const unseen = who === 'none' && inTeam && answer.status === 404
    expect(answer).toMatchObject(
      unseen
        ? refused(404, 'resource_not_found', /./)
        : refused(403, 'permission_denied', operation.api === 'service' ? /./ : message),
    )
  })

  const withBody = mayNot(who, control).filter(({ body }) => body !== undefined)
  it.each(withBody)('receives 403 before the body is read: $id', async (operation) => {
    expect(await answerTo(who, operation, '{"broken', false)).toMatchObject({ status: 403 })
  })
})

describe('other routes', () => {
  const served = descriptions.flatMap(({ document }) =>
    operationsOf(document).filter(({ operation }) => operation['x-served-by'] === 'site'),
  )

  it('are the inbox route, which allows every role', () => {
    expect(served.map((route) => [route.id, rolesOf(route)])).toEqual([['deliverToInbox', roles]])
  })

  it.each(roles)('accept inbox messages with the key of a user with the role %s', async (who) => {
    const world = client(sandbox, `${who}+posts`, 'secret')
    const { method, path } = served[0]!
    const url = `http://sandbox.test${filled('deliverToInbox', path)}`
    const authorization = `Basic ${Buffer.from(`${who}+posts:secret`).toString('base64')}`
    const sent = new Request(url, {
      method: method.toUpperCase(),
      headers: { authorization },
      body: '{"a":1}',
    })
    expect((await sandbox.fetch(sent)).status).toBe(200)
    expect((await world.get('/sandbox/inbox/default')).body.messages[0].body).toBe('{"a":1}')
  })
})

describe('a viewer', async () => {
  const owner = client(sandbox, 'owner+readers', 'secret')
  const viewer = client(sandbox, 'viewer+readers', 'secret')
  await owner.patch('/sandbox/worlds/current', { signatures: 'token' })
  const { address } = (await owner.get('/sandbox/inbox/default')).body
  await owner.post('/api/v2/payments', collection({ callback_url: address }))
  await owner.post('/api/v2/account_invites', {
    organization_id: 1,
    account_id: 63,
    email: 'new@demo.example',
  })
  await owner.post('/sandbox/settle')
  const { secret } = (await owner.get('/sandbox/signing-secret')).body
  const { link } = (await owner.get('/sandbox/outbox')).body.mails[0]
  const key = new URL(address).searchParams.get('key')!
  const token = new URL(link).pathname.split('/').at(-1)!

  it.each([
    '/sandbox/outbox',
    '/sandbox/outbox/1',
    '/sandbox/inbox/default',
    '/sandbox/callbacks',
    '/sandbox/callbacks/1',
    '/sandbox/requests',
    '/sandbox/requests/req_1',
    '/sandbox/requests/req_1/curl',
    '/sandbox/requests/har',
    '/sandbox/transactions/order-1/timeline',
    '/sandbox/worlds/current',
  ])('sees %s without values that grant more', async (path) => {
    const { status, body } = await viewer.get(path)
    expect(status).toBe(200)
    for (const hidden of [secret, key, token]) expect(JSON.stringify(body)).not.toContain(hidden)
  })

  it('receives events without them, unlike the owner', async () => {
    const events = async (who: string) => {
      const authorization = `Basic ${Buffer.from(`${who}+readers:secret`).toString('base64')}`
      const response = await sandbox.fetch(
        new Request('http://sandbox.test/sandbox/events?after=0', { headers: { authorization } }),
      )
      const reader = response.body!.getReader()
      let text = ''
      while (!text.includes('event: mail')) text += Buffer.from((await reader.read()).value!).toString()
      await reader.cancel()
      return text
    }
    for (const hidden of [secret, key, token]) expect(await events('viewer')).not.toContain(hidden)
    expect(await events('owner')).toContain(token)
  })

  it('does not affect what the owner sees', async () => {
    expect(JSON.stringify((await owner.get('/sandbox/outbox')).body)).toContain(token)
    expect(JSON.stringify((await owner.get('/sandbox/callbacks/1')).body)).toContain(key)
    expect(JSON.stringify((await owner.get('/sandbox/callbacks/1')).body)).toContain(secret)
  })

  it.each([
    ['owner', 'owner'],
    ['admin', 'admin'],
    ['finance', 'finance'],
    ['viewer', 'viewer'],
    ['none', 'none'],
  ])('%s sees its role', async (username, role) => {
    const { body } = await client(sandbox, `${username}+readers`, 'secret').get('/sandbox/worlds/current')
    const user_id = roles.findIndex((each) => each === username) + 1
    expect(body.key).toEqual({ username: `${username}+readers`, user_id, role, expires_at: null })
  })

  it('sees its own world and none created from it', async () => {
    const { world } = (await owner.post('/sandbox/worlds', {})).body
    expect((await viewer.get('/sandbox/worlds/current')).body.id).toBe('owner+readers')
    expect((await viewer.get(`/sandbox/worlds/${encodeURIComponent('owner+readers')}`)).status).toBe(200)
    expect((await viewer.get(`/sandbox/worlds/${encodeURIComponent(world.id)}`)).status).toBe(403)
    expect((await owner.get(`/sandbox/worlds/${encodeURIComponent(world.id)}`)).status).toBe(200)
  })
})
