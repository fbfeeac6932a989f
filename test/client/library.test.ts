import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { connect, createSandbox, type Sandbox, SandboxError, type WorldClient } from '../../src/index.ts'
import { matchers } from '../../src/client/matchers.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await createSandbox({ clock: 'frozen' })
})
afterAll(() => sandbox.close())

const pay = async (world: WorldClient, changes: object = {}) => {
  const answer = await world.fetch('/api/v2/payments', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      amount: 1000,
      phone_number: '0712345678',
      provider: 'm-pesa',
      network_code: '63902',
      account_id: 63,
      external_reference: 'order-1',
      ...changes,
    }),
  })
  return { status: answer.status, body: (await answer.json()) as { reference: string } }
}

describe('createSandbox', () => {
  it('responds without a port', async () => {
    const answer = await sandbox.fetch(
      new Request('http://call-sandbox-listen-first.invalid/api/v2/account/63'),
    )
    expect(answer.status).toBe(401)
    expect((await sandbox.home.fetch('/api/v2/account/63')).status).toBe(200)
  })

  it('takes a seed as an object and rejects a contradictory one', async () => {
    const seed = {
      organizations: [{ id: 1, name: 'Duka', currency: 'KES', admin_id: 1 }],
      users: [{ id: 1, first_name: 'A', last_name: 'B', email: 'a@duka.example', organization_ids: [1] }],
      api_keys: [{ username: 'duka', password: 'siri', user_id: 1, default_account_id: 5 }],
      teams: [
        {
          id: 5,
          organization_id: 1,
          name: 'Duka',
          uuid: 'duka',
          currency: 'KES',
          country: 'KE',
          kyc_tier: 3,
          members: { 1: 1 },
        },
      ],
    }
    await using own = await createSandbox({ seed })
    expect((await own.home.fetch('/api/v2/account/5')).status).toBe(200)
    const api_keys = [{ ...seed.api_keys[0]!, default_account_id: 6 }]
    await expect(createSandbox({ seed: { ...seed, api_keys } })).rejects.toThrow(/there is no Team 6/)
  })

  it('reports errors of a seed object with the field names of a seed file', async () => {
    const seed = { organizations: [{ id: 'x', nme: 'Duka' }], users: [], api_keys: [], chanels: [] }
    await expect(createSandbox({ seed } as object)).rejects.toThrow(
      'seed.organizations[0].id must be a whole number, got "x"',
    )
    const told = await createSandbox({ seed } as object).catch((error: Error) => error.message)
    expect(told).toMatch(/^seed\.teams is required$/m)
    expect(told).toMatch(/^seed\.chanels is not known here.*channels/m)
    await expect(createSandbox({ seed: {} } as object)).rejects.toThrow('seed.users is required')
  })

  it.each([
    [{ clock: 'warm' }, 'createSandbox: clock must be frozen or real, got "warm"'],
    [{ random: 7 }, 'createSandbox: random must be text, got 7'],
    [{ seed: [] }, 'createSandbox: seed must be a seed as an object, YAML or the path of a file, got []'],
    [{ logLevel: 'loud' }, 'createSandbox: logLevel must be debug, info, warn, error or silent, got "loud"'],
    [{ clok: 'frozen' }, 'createSandbox: clok is not known here (did you mean clock?)'],
    [{ env: { SANDBOX_SETTLE_AFTER: 0 } }, 'createSandbox: env.SANDBOX_SETTLE_AFTER must be text, got 0'],
    [
      { env: { SANDBOX_SETTLE: '0' } },
      'createSandbox: env.SANDBOX_SETTLE is not known here (did you mean SANDBOX_SETTLE_AFTER?)',
    ],
    [
      { env: { SETTLE_AFTER: '0' } },
      'createSandbox: env.SETTLE_AFTER is not known here (did you mean SANDBOX_SETTLE_AFTER?)',
    ],
  ])('names the invalid option: %o', async (options, message) => {
    const made = createSandbox(options as object)
    await expect(made).rejects.toThrow(message)
  })

  it('accepts unrelated environment variables', async () => {
    const env = { ...process.env, SANDBOX_SETTLE_AFTER: '7s' }
    await using own = await createSandbox({ env, scenarios: undefined } as object)
    expect((await own.home.show()).settings.settle_after).toBe('7s')
  })

  it('reports that it is closed, even to pending waits', async () => {
    const own = await createSandbox({ clock: 'frozen' })
    const { home } = own
    const waits = [home.callbacks.waitFor({ timeout: '20s' }), home.requests.waitFor({ timeout: '20s' })]
    const refusals = waits.map((wait) => expect(wait).rejects.toThrow(/wait: the sandbox is closed$/))
    await home.show()
    await own.close()
    await Promise.all(refusals)
    await expect(home.show()).rejects.toThrow('the sandbox is closed: after close() it answers nothing')
  })

  it('listens on request, and the same client works over the network', async () => {
    await using own = await createSandbox()
    const url = await own.listen()
    const world = await connect(url).world()
    expect(world.url).toBe(url)
    expect((await pay(world)).status).toBe(201)
    expect(await world.requests.waitFor({ reference: 'order-1' })).toHaveLength(1)
    await expect(connect(url, { username: 'demo', password: 'x' }).show()).rejects.toThrow(
      expect.objectContaining({ status: 401, code: 'unauthenticated' }),
    )
  })

  it('connects to a sandbox below a path', async () => {
    const asked: string[] = []
    const site = createServer(({ url }, answer) => {
      asked.push(url!)
      answer.setHeader('content-type', 'application/json').end('{"name":"payments-sandbox"}')
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void site.close())
    const { port } = site.address() as AddressInfo
    await connect(`http://127.0.0.1:${port}/pay/`).settle()
    expect(asked).toEqual(['/pay/__admin/version', '/pay/sandbox/settle'])
  })

  it.each([
    ['{"state":"paid"}', 'application/json', /responds like another program: is it a sandbox\?$/],
    ['', 'text/plain', /responds with 200 and text\/plain: is it a sandbox\?$/],
  ])('refuses another server that responds with %j', async (body, type, message) => {
    const asked: string[] = []
    const site = createServer(({ url }, answer) => {
      asked.push(url!)
      answer.setHeader('content-type', type).end(body)
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void site.close())
    const world = connect(`http://127.0.0.1:${(site.address() as AddressInfo).port}`)
    await expect(world.world()).rejects.toThrow(message)
    await expect(world.pay()).rejects.toThrow(message)
    expect(asked).toEqual(['/__admin/version'])
  })

  it('names the address if nothing listens there', async () => {
    await using own = await createSandbox()
    const url = await own.listen()
    await own.close()
    await expect(connect(url).world()).rejects.toThrow(`no sandbox answers at ${url}: start one there`)
    await expect(connect('http://127.0.0.1:1').world()).rejects.toThrow('HTTP clients refuse this port')
  })

  it.each([
    ['x', 'listen: the port must be a whole number from 0 to 65535, got "x"'],
    ['8080', 'got "8080"'],
    [65_536, 'got 65536'],
    [-1, 'got -1'],
  ])('rejects the port %j', async (port, message) => {
    await using own = await createSandbox()
    await expect(own.listen(port as number)).rejects.toThrow(message)
    expect(await own.listen()).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  })

  it('names a port in use and can listen on another', async () => {
    await using own = await createSandbox()
    await using other = await createSandbox()
    const { port } = new URL(await own.listen())
    await expect(other.listen(Number(port))).rejects.toThrow(
      `port ${port} is in use; pass another, or none for any free one`,
    )
    expect(await other.listen()).toMatch(/^http:/)
  })

  it.each([
    ['localhost:8080', 'such as http://127.0.0.1:8080, got "localhost:8080"'],
    ['8080', 'got "8080"'],
    [undefined, 'got nothing'],
    ['http://demo:demo@127.0.0.1:8080', 'the address contains credentials; pass { username, password }'],
  ])('rejects the address %j', (address, message) => {
    expect(() => connect(address as string)).toThrow(message)
  })

  it('rejects credentials with other field names', () => {
    // @ts-expect-error no such field
    const connecting = () => connect('http://127.0.0.1:8080', { user: 'demo', password: 'demo' })
    expect(connecting).toThrow('there is no username among user, password')
  })
})

describe('the input of an operation', () => {
  it('is rejected if it is misspelt or not part of a request', async () => {
    const world = await sandbox.world()
    // @ts-expect-error no such part
    await expect(world.call('createCollection', { boddy: {} })).rejects.toThrow('did you mean body?')
    // @ts-expect-error no account
    await expect(world.fund({ account_id: 63, amount: 5 })).rejects.toThrow(
      'must be text or a number, got {"account_id":63,"amount":5}',
    )
    // @ts-expect-error no such setting
    await expect(world.configure({ settle_afer: '2s' })).rejects.toThrow(
      'settle_afer (did you mean settle_after?)',
    )
  })
})

describe('matchers', () => {
  it.each([
    [{}, 'got {}'],
    [Promise.resolve(), 'got a promise: await it'],
  ])('reject %o as a subject', async (subject, message) => {
    await expect(matchers.toHaveBalance(subject as never, 'team:63:wallet', 1)).rejects.toThrow(message)
    await expect(matchers.toHaveDelivered(subject as never)).rejects.toThrow(message)
    await expect(matchers.toHaveRequested(subject as never, {})).rejects.toThrow(message)
  })
})

describe('filters', () => {
  it('are checked by the compiler and before a request is sent', async () => {
    const world = await sandbox.world()
    // @ts-expect-error no such filter
    await expect(world.requests.list({ operaton: 'createCollection' })).rejects.toThrow(
      new TypeError('requests.list: operaton is not known here (did you mean operation?)'),
    )
    // @ts-expect-error no such filter
    await expect(world.requests.waitFor({ reference: 'a', timout: '0' })).rejects.toThrow(/mean timeout\?/)
    // @ts-expect-error no such filter
    await expect(world.callbacks.list({ referense: 'a' })).rejects.toThrow(/mean reference\?/)
    // @ts-expect-error no such filter
    await expect(world.callbacks.waitFor({ sate: 'failed' })).rejects.toThrow(/mean state\?/)
    await expect(world.callbacks.waitFor({ reference: undefined })).rejects.toThrow(
      'callbacks.waitFor takes a reference as text, got nothing',
    )
    // @ts-expect-error no such state
    await expect(world.callbacks.list({ state: 'lost' })).rejects.toThrow(SandboxError)
    // @ts-expect-error no such fact
    await expect(world.requests.count({ amout: 7 })).rejects.toThrow(/did you mean amount\?/)
    // @ts-expect-error no such test
    await expect(world.requests.count({ amount: { atLeast: 7 } })).rejects.toThrow(SandboxError)
    expect(await world.requests.count({ 'body.amount': { gte: 7 } })).toBe(0)
  })
})

describe('a world', () => {
  it('is isolated from other worlds', async () => {
    const [one, other] = await Promise.all([sandbox.world(), sandbox.world()])
    await pay(one)
    expect((await one.show()).transactions).toBe(1)
    expect((await other.show()).transactions).toBe(0)
    await one.delete()
    await expect(one.show()).rejects.toThrow(SandboxError)
  })

  it('has settings, snapshots, keys and a request log', async () => {
    const world = await sandbox.world({ settings: { settle_after: '1h' } })
    const before = await world.snapshots.take('empty')
    await pay(world)
    expect((await world.configure({ callback_shape: 'nested' })).settings.callback_shape).toBe('nested')
    expect(await world.requests.count({ operation: 'createCollection', amount: { gte: 1000 } })).toBe(1)
    const [request] = await world.requests.list({ reference: 'order-1' })
    expect(await world.requests.curl(request!.id)).toMatch(/^curl -X POST/)
    expect(await world.requests.get(request!.id)).toEqual(request)
    expect(await world.requests.har()).toMatchObject({ log: { version: '1.2' } })
    const exported = await world.export()
    await world.snapshots.restore(before)
    expect((await world.show()).transactions).toBe(0)
    await world.import(exported)
    expect((await world.show()).transactions).toBe(1)
    await world.reset()
    expect((await world.show()).settings).toMatchObject({ settle_after: '1h', callback_shape: 'flat' })
    const key = await world.apiKeys.create({ role_id: 4 })
    expect(await world.apiKeys.list()).toHaveLength(3)
    await world.apiKeys.revoke(key.username)
    expect(await world.outbox.list()).toEqual([])
    await world.outbox.clear()
    await world.requests.clear()
    expect(await world.snapshots.list()).toHaveLength(1)
    await world.snapshots.delete(before)
  })

  it('lists all items across pages', async () => {
    const world = await sandbox.world()
    const inbox = await world.inbox.url()
    const address = new URL(inbox)
    const post = (body: string) =>
      world.fetch(`${address.pathname}${address.search}`, { method: 'POST', body })
    for (let n = 0; n < 120; n++) await post(String(n))
    const long = 'x'.repeat(60_000)
    for (let n = 0; n < 20; n++) await post(long)
    const messages = await world.inbox.messages()
    expect(messages.map(({ body }) => body)).toEqual([
      ...Array.from({ length: 20 }, () => long),
      ...Array.from({ length: 120 }, (_, n) => String(119 - n)),
    ])
    const first = await world.fetch('/sandbox/inbox/default')
    expect(((await first.json()) as { messages: unknown[] }).messages).toHaveLength(17)
    for (let n = 0; n < 110; n++) await pay(world, { callback_url: inbox })
    await world.settle()
    expect(await world.callbacks.list()).toHaveLength(110)
  })

  it('applies the outcomes that are switched on', async () => {
    const world = await sandbox.world()
    await world.scenario('insufficient-balance')
    expect((await pay(world)).status).toBe(201)
    await world.scenario('channel-not-active')
    expect((await pay(world)).status).toBe(400)
    await world.scenarios.off('channel-not-active')
    expect((await pay(world)).status).toBe(201)
    await world.scenarios.next('channel-not-active')
    expect([(await pay(world)).status, (await pay(world)).status]).toEqual([400, 201])
    await world.scenarios.reset()
    await expect(world.scenario('payer-cancls')).rejects.toThrow(/payer-cancels/)
  })

  it('has its own time and waits for callbacks', async () => {
    const world = await sandbox.world()
    const callback_url = await world.inbox.url()
    await pay(world, { callback_url })
    await expect(world.callbacks.waitFor({ reference: 'order-1', timeout: '0' })).rejects.toThrow(
      expect.objectContaining({ status: 504 }),
    )
    const before = await world.clock.now()
    const { jobs } = await world.clock.advance('72h')
    expect(jobs.map(({ kind }) => kind)).toEqual(['settle', 'callback'])
    expect((await world.clock.now()).getTime() - before.getTime()).toBe(72 * 3_600_000)
    const [callback] = await world.callbacks.waitFor({ reference: 'order-1' })
    expect(JSON.parse(callback!.body)).toMatchObject({ status: 'success', external_reference: 'order-1' })
    expect(await world.callbacks.list({ reference: 'order-1' })).toEqual([callback!.callback])
    expect(await world.callbacks.get(callback!.callback.id)).toEqual(callback)
    expect(await world.inbox.messages()).toHaveLength(1)

    await world.callbacks.resend(callback!.callback.id)
    expect((await world.settle()).jobs).toHaveLength(1)
    expect(await world.inbox.messages()).toHaveLength(2)

    const expected = { reference: 'order-1', body: { status: 'success', amount: 1000 } }
    expect((await matchers.toHaveDelivered(world, expected)).pass).toBe(true)
    const wrong = await matchers.toHaveDelivered(world, { reference: 'order-1', body: { status: 'failed' } })
    expect([wrong.pass, wrong.message()]).toEqual([
      false,
      expect.stringMatching(
        /found 0; 1 delivered, the closest is callback 1:\n {2}status: expected "failed", got "success"$/,
      ),
    ])
    const none = await matchers.toHaveDelivered(world, { reference: 'order-2' })
    expect([none.pass, none.message()]).toEqual([
      false,
      'expected 1 delivered callback(s) of {"reference":"order-2"}, found 0; GET /sandbox/callbacks/wait: 0 of 1 callbacks were delivered so far; no payment has the reference order-2 (did you mean order-1?) (no_payment)',
    ])
  })

  it('has a clock that can be advanced, resumed and frozen', async () => {
    const world = await sandbox.world({ clock: { at: '2027-01-01T00:00:00Z' } })
    await world.clock.advance(new Date('2027-02-01T00:00:00Z'))
    await world.clock.advance('2027-03-01T00:00:00Z')
    expect(await world.clock.now()).toEqual(new Date('2027-03-01T00:00:00Z'))
    await world.clock.speed(60)
    expect((await world.show()).clock.speed).toBe(60)
    await world.clock.freeze()
    expect((await world.show()).clock.speed).toBe(0)
    await world.clock.resume()
    expect((await world.show()).clock.speed).toBe(1)
    await world.reset()
    expect(await world.clock.now()).toEqual(new Date('2027-01-01T00:00:00Z'))
  })

  it('yields events', async () => {
    const world = await sandbox.world()
    await pay(world)
    const seen: string[] = []
    for await (const { type } of world.events({ after: '0' })) {
      seen.push(type)
      if (type === 'request') break
    }
    expect(seen).toContain('transaction')
  })

  it('describes the state when a wait times out', async () => {
    const world = await sandbox.world()
    await pay(world)
    await expect(world.requests.waitFor({ reference: 'order-2', timeout: '0' })).rejects.toThrow(
      'GET /sandbox/requests/wait: 0 of 1 requests arrived so far; the last others were POST /api/v2/payments (order-1)',
    )
  })
})

describe('matchers', () => {
  it('toHaveRequested describes the closest request without secrets', async () => {
    const world = await sandbox.world()
    await pay(world)
    await pay(world, { amount: 70, external_reference: 'order-2' })
    const wanted = { operation: 'createCollection', reference: 'order-2', amount: { gte: 1000 } } as const
    const none = await matchers.toHaveRequested(world, wanted)
    expect(none.message()).toMatch(
      /there were 0; the nearest was POST \/api\/v2\/payments \(req_\d+\): amount: expected \{"gte":1000\}, got 70$/,
    )
    const secret = { operation: 'createCollection', 'headers.authorization': 'Basic eA==' } as const
    expect((await matchers.toHaveRequested(world, secret)).message()).toMatch(
      /headers\.authorization: expected \[redacted\], got \[redacted\]$/,
    )
  })

  it('waits explain why a callback failed', async () => {
    const world = await sandbox.world()
    await world.inbox.respond([500])
    await pay(world, { callback_url: await world.inbox.url() })
    await world.clock.advance('10s')
    await expect(world.callbacks.waitFor({ reference: 'order-1', timeout: '0' })).rejects.toThrow(
      /callback 1 of order-1 is pending after \d attempts?, .*: answered 500 \(/,
    )
    const none = await matchers.toHaveDelivered(world, { reference: 'order-1' })
    expect(none.message()).toMatch(/: answered 500 \(/)
  })

  it('toHaveRequested and toHaveBalance pass or report the actual value', async () => {
    const world = await sandbox.world()
    await pay(world)
    expect(await matchers.toHaveRequested(world, { amount: 1000 })).toMatchObject({ pass: true })
    const twice = await matchers.toHaveRequested(world, { amount: 1000 }, 2)
    expect([twice.pass, twice.message()]).toEqual([
      false,
      'expected 2 requests with {"amount":1000}, there were 1',
    ])
    const { balances } = await world.ledger()
    const wallet = balances.find(({ account }) => account.startsWith('team:63'))!
    expect((await matchers.toHaveBalance(world, wallet.account, wallet.balance)).pass).toBe(true)
    const wrong = await matchers.toHaveBalance(world, wallet.account, 1)
    expect([wrong.pass, wrong.message()]).toEqual([
      false,
      `expected ${wallet.account} to hold 1, it holds ${wallet.balance}`,
    ])
    await expect(matchers.toHaveBalance(world, 'team:1:wallet', 1)).rejects.toThrow(
      /account "team:1:wallet" does not exist \(did you mean team:/,
    )
  })
})

describe('balance', () => {
  it('accepts account names in short form and returns major units', async () => {
    const world = await sandbox.world()
    await pay(world)
    await world.settle()
    expect(await world.balance('team:63:wallet')).toBe(100_985)
    expect(await world.balance('team:63:wallet:KES')).toBe(100_985)
    expect(await world.balance('fees')).toBe(15)
    expect(await world.balance('outside:KES')).toBe(-111_000)
    expect((await matchers.toHaveBalance(world, 'team:63:wallet', 100_985)).pass).toBe(true)
  })

  it('is 0 for an account without postings', async () => {
    const world = await sandbox.world()
    expect(await world.balance('team:63:savings')).toBe(0)
    expect(await world.balance('team:63:savings:GHS')).toBe(0)
    expect(await world.balance('fees')).toBe(0)
  })

  it.each([
    ['team:63:walet', 'team:63:wallet'],
    ['team:6:wallet:KES', 'team:63:wallet:KES'],
    ['team:63:wallet:KSH', 'team:63:wallet:KES'],
    ['fee', 'fees'],
  ])('suggests the closest account for %s', async (account, nearest) => {
    const world = await sandbox.world()
    await expect(world.balance(account)).rejects.toThrow(
      `GET /sandbox/ledger: account "${account}" does not exist (did you mean ${nearest}?)`,
    )
  })

  it('requires the currency of an account without a default', async () => {
    const world = await sandbox.world()
    await expect(world.balance('outside')).rejects.toThrow(
      /account outside exists in several currencies: outside:KES, outside:/,
    )
  })
})
