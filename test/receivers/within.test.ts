/** Callbacks to receivers in this process, each beside the same receiver over the network. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createSandbox, type CallbackDetails, type Sandbox, type WorldClient } from '../../src/index.ts'
import type { Receiver } from '../../src/callbacks/receivers/receiver.ts'
import { toFetch } from '../../src/callbacks/receivers/to-fetch.ts'

const ORIGIN = 'http://shop.test'

interface Seen {
  readonly path: string | undefined
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
  readonly whole: boolean
}
let seen: Seen[] = []

/** Takes a callback whole, or as much as comes, and then answers. */
const taking =
  (answer: RequestListener): RequestListener =>
  (request, response) => {
    let body = ''
    const keep = (whole: boolean) => seen.push({ path: request.url, headers: request.headers, body, whole })
    request.setEncoding('utf8')
    request.on('data', (text: string) => (body += text))
    request.on('error', () => keep(false))
    request.on('end', () => {
      keep(true)
      answer(request, response)
    })
  }

const LISTENERS: Readonly<Record<string, RequestListener>> = {
  'takes it': (_, response) => response.writeHead(204, { 'x-shop': 'mine' }).end(),
  'takes it with a body': (_, response) => response.end('thanks'),
  'fails once': (_, response) => response.writeHead(seen.length === 1 ? 500 : 200).end('once'),
  redirects: (_, response) => response.writeHead(302, { location: 'https://other.test/' }).end(),
  'asks to be called later': (_, response) => response.writeHead(503, { 'retry-after': '3600' }).end(),
  'is gone': (_, response) => response.writeHead(410).end(),
  'refuses the sender': (_, response) => response.writeHead(401).end('who?'),
  'answers more than is kept': (_, response) => response.end('x'.repeat(100_000)),
  'breaks off before it answers': (request) => request.socket.destroy(),
  'breaks off in its answer': (request, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('half', () => setImmediate(() => request.socket.destroy()))
  },
  'never answers': () => {},
}
const FAULTS = [
  'tampered',
  'wrong-secret',
  'stale',
  'future',
  'unsigned',
  'malformed-signature',
  'truncated-body',
  'lost-response',
  'slow',
] as const

let current: RequestListener
const listener: RequestListener = (request, response) => taking(current)(request, response)
const server = createServer(listener)
let network: string
let sandbox: Sandbox
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  network = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  sandbox = await createSandbox({
    clock: 'frozen',
    random: 'one',
    env: { SANDBOX_CALLBACK_TIMEOUT: '1s' },
    receivers: { [ORIGIN]: toFetch(listener) },
  })
})
afterAll(async () => {
  await sandbox.close()
  server.closeAllConnections()
  server.close()
})

async function paid(world: WorldClient, origin: string): Promise<readonly CallbackDetails[]> {
  await world.call('createCollection', {
    body: {
      amount: 100,
      phone_number: '0712345678',
      provider: 'm-pesa',
      network_code: '63902',
      account_id: 63,
      external_reference: 'order-1',
      callback_url: `${origin}/callbacks?shop=1`,
    },
  })
  await world.settle()
  const all = await world.callbacks.list()
  return Promise.all(all.map(({ id }) => world.callbacks.get(id)))
}

/** What is on record of the attempts and what the receiver saw, with what no two deliveries share left out. */
async function story(
  origin: string,
  answer: RequestListener,
  { fault, once = false }: { readonly fault?: string; readonly once?: boolean },
): Promise<unknown> {
  seen = []
  current = answer
  await using world = await sandbox.world()
  await world.signatures.rotate({ secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` })
  if (once) await world.configure({ retry_profile: 'none' })
  if (fault !== undefined) {
    await world.scenarios.put('fault', { title: 'A fault', then: { callback: { fault: fault as 'slow' } } })
    await world.scenario('fault')
  }
  const callbacks = await paid(world, origin)
  // One that is cut off sees it a little later than who cut it.
  const made = callbacks.reduce((sum, { attempts }) => sum + attempts.length, 0)
  await vi.waitFor(() => expect(seen).toHaveLength(made), 30_000)
  const text = JSON.stringify({ callbacks: callbacks.map(({ attempts }) => attempts), seen })
  const plain = text.replaceAll(new URL(origin).host, 'HOST')
  return JSON.parse(plain, (name, value: unknown) => (VARYING.test(name) ? undefined : value))
}
const VARYING =
  /^(at|sent_at|real_at|duration_ms|date|next_attempt_at|webhook-id|webhook-timestamp|webhook-signature|body|reference|content-length)$/

describe('a receiver in this process', () => {
  it.each(Object.entries(LISTENERS))('that %s is met as over the network', async (name, answer) => {
    // Each attempt takes the whole of its time.
    const once = name === 'never answers'
    expect(await story(ORIGIN, answer, { once })).toEqual(await story(network, answer, { once }))
  })

  it.each(FAULTS)('meets the fault %s as over the network', async (fault) => {
    const answer = LISTENERS['takes it']!
    expect(await story(ORIGIN, answer, { fault })).toEqual(await story(network, answer, { fault }))
  })
})

describe('a receiver as a function', () => {
  const own = async (receive: Receiver) => {
    const other = await createSandbox({ clock: 'frozen', receivers: { 'https://shop.test': receive } })
    const world = await other.world()
    const [callback] = await paid(world, 'https://shop.test')
    return { callback: callback!, close: () => other.close() }
  }

  it('gets a Request of the address that was given, signed, whose bytes it can read', async () => {
    let got: { url: string; method: string; id: string | null; text: string } | undefined
    const { callback, close } = await own(async (request) => {
      const { url, method, headers } = request
      got = { url, method, id: headers.get('webhook-id'), text: await request.text() }
      return new Response(null, { status: 202 })
    })
    expect(got).toMatchObject({ url: 'https://shop.test/callbacks?shop=1', method: 'POST' })
    expect(got!.id).toBe(callback.attempts[0]!.request.headers['webhook-id'])
    expect(got!.text).toBe(callback.body)
    expect(callback.callback.state).toBe('delivered')
    await close()
  })

  it('may call the sandbox meanwhile, with a frozen clock', async () => {
    let status = ''
    const other: Sandbox = await createSandbox({
      clock: 'frozen',
      receivers: {
        'https://shop.test': async (request) => {
          const { external_reference } = (await request.json()) as { external_reference: string }
          status = (
            await other.home.call('getTransactionStatus', { body: { request_id: external_reference } })
          ).status
          return new Response()
        },
      },
    })
    await paid(other.home, 'https://shop.test')
    expect(status).toBe('success')
    await other.close()
  })

  it.each<[string, Receiver, string]>([
    [
      'throws',
      () => Promise.reject(new Error('no stock')),
      'the receiver of shop.test threw Error: no stock',
    ],
    ['throws at once', JSON.parse as never, 'the receiver of shop.test threw SyntaxError'],
    ['refuses', () => Response.error(), 'connection refused: nothing listens at shop.test'],
    ['answers no Response', (() => 'ok') as never, 'it returned no Response; use toFetch'],
  ])('that %s is told of, and called again', async (_, receive, error) => {
    const { callback, close } = await own(receive)
    expect(callback.attempts).toHaveLength(6)
    expect(callback.attempts[0]).toMatchObject({ response: null, error: expect.stringContaining(error) })
    await close()
  })

  it('is cut off with its Request when the sandbox closes', async () => {
    let signal: AbortSignal | undefined
    const other = await createSandbox({
      receivers: {
        'https://shop.test': (request) => {
          ;({ signal } = request)
          return new Promise<Response>(() => {})
        },
      },
      env: { SANDBOX_SETTLE_AFTER: '0s' },
    })
    const world = await other.world()
    const settling = paid(world, 'https://shop.test').catch(() => {})
    await vi.waitFor(() => expect(signal).toBeDefined(), 30_000)
    await other.close()
    await settling
    await vi.waitFor(() => expect(signal!.aborted).toBe(true), 30_000)
  })

  it('takes nothing of another origin, and leaves the network to it', async () => {
    let calls = 0
    const other = await createSandbox({
      clock: 'frozen',
      receivers: { 'https://shop.test': () => (calls++, new Response()) },
    })
    const [callback] = await paid(await other.world(), 'http://127.0.0.1:1')
    expect(calls).toBe(0)
    expect(callback!.attempts[0]!.error).toContain('connection refused')
    await other.close()
  })

  it.each([
    [{ 'shop.test': () => new Response() }, 'must be an origin such as https://shop.test'],
    [{ 'shop.test': () => new Response() }, 'scheme and host, no path, got "shop.test"'],
    [{ 'https://shop.test/hooks': () => new Response() }, 'must be an origin such as https://shop.test'],
    [{ 'https://shop.test': { fetch: 1 } }, 'must be a function (request) => Response'],
    [{ 'https://shop.test': { fetch: 1 } }, 'an Express or Fastify app, got {"fetch":1}'],
  ])('is refused as %o', async (receivers, message) => {
    await expect(createSandbox({ receivers: receivers as never })).rejects.toThrow(message)
  })
})

describe('toFetch', () => {
  const ask = (app: Parameters<typeof toFetch>[0], init: RequestInit = { method: 'POST', body: '{"a":1}' }) =>
    toFetch(app)(new Request('https://shop.test/hook?x=1', init))

  it('gives a listener what it would get over TLS', async () => {
    const answer = await ask((request, response) => {
      const { encrypted, remoteAddress } = request.socket
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      response.end(JSON.stringify({ url: request.url, host: request.headers.host, encrypted, remoteAddress }))
    })
    expect(await answer.json()).toEqual({
      url: '/hook?x=1',
      host: 'shop.test',
      encrypted: true,
      remoteAddress: '127.0.0.1',
    })
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  it('streams a body of any size there and back', async () => {
    const large = 'x'.repeat(3_000_000)
    const answer = await ask((request, response) => request.pipe(response), { method: 'POST', body: large })
    expect((await answer.text()).length).toBe(large.length)
  })

  it('rejects with what a listener throws, at once or later', async () => {
    const thrown = new Error('no stock')
    await expect(
      ask(() => {
        throw thrown
      }),
    ).rejects.toThrow('no stock')
    await expect(ask(() => Promise.reject(thrown))).rejects.toThrow('no stock')
  })

  it('takes the handlers of a route by method', async () => {
    const route = { POST: async (request: Request) => Response.json(await request.json()) }
    expect(await (await ask(route)).json()).toEqual({ a: 1 })
    const refused = await ask(route, { method: 'PUT', body: '{}' })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it('waits for an app that reports when it is ready', async () => {
    let ready = false
    const app = {
      server: createServer((_, response) => response.end(String(ready))),
      ready: async () => void (ready = true),
    }
    expect(await (await ask(app)).text()).toBe('true')
  })
})
