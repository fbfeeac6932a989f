import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { inProcess } from '../../src/client/in-process.ts'
import { connect, createSandbox, type Sandbox, type WorldClient } from '../../src/index.ts'

let sandbox: Sandbox
let world: WorldClient
beforeAll(async () => {
  sandbox = await createSandbox({ clock: 'frozen' })
  world = await sandbox.world()
})
afterAll(() => sandbox.close())

const payment = {
  amount: 1000,
  phone_number: '0712345678',
  provider: 'm-pesa',
  network_code: '63902',
  account_id: 63,
  external_reference: 'order-1',
}
const json = { 'content-type': 'application/json' }
const address = 'http://call-sandbox-listen-first.invalid/api/v2/payments'
const post = (body: RequestInit['body'], more: RequestInit = {}): RequestInit => ({
  method: 'POST',
  headers: { ...json, authorization: world.authorization },
  ...(body !== undefined && { body }),
  ...more,
})

describe('sandbox.fetch', () => {
  it('is assignable to the type of fetch', async () => {
    const taken: typeof fetch = sandbox.fetch
    expect((await taken(`${sandbox.url}/livez`)).status).toBe(200)
    expect((await taken(new URL('/livez', sandbox.url))).status).toBe(200)
    expect((await taken(new Request(`${sandbox.url}/livez`))).status).toBe(200)
    expect((await taken('/livez')).status).toBe(200)
  })

  it.each([
    ['text', () => post(JSON.stringify(payment))],
    ['bytes', () => post(new TextEncoder().encode(JSON.stringify(payment)))],
    ['a blob', () => post(new Blob([JSON.stringify(payment)]))],
    ['a stream', () => post(new Blob([JSON.stringify(payment)]).stream(), { duplex: 'half' })],
  ] as const)('takes a body that is %s', async (_, init) => {
    const answer = await sandbox.fetch(address, init())
    expect([answer.status, answer.url, answer.redirected, answer.ok]).toEqual([201, address, false, true])
  })

  it('accepts a Request together with options', async () => {
    const request = new Request(address, post(JSON.stringify(payment)))
    const headers = { ...json, authorization: 'Basic eA==' }
    expect((await sandbox.fetch(request.clone(), { headers })).status).toBe(401)
    expect((await sandbox.fetch(request)).status).toBe(201)
    expect(request.bodyUsed).toBe(true)
  })

  it('rejects an invalid URL and a GET with a body, like fetch', async () => {
    await expect(sandbox.fetch('http://')).rejects.toThrow(TypeError)
    await expect(sandbox.fetch('/livez', { body: 'x' })).rejects.toThrow(TypeError)
  })

  it('rejects when its signal is aborted: before the request, during it, and during an event stream', async () => {
    const gone = new Error('gone')
    await expect(sandbox.fetch('/livez', { signal: AbortSignal.abort(gone) })).rejects.toBe(gone)
    const headers = { authorization: world.authorization }

    const waiting = new AbortController()
    const wait = sandbox.fetch('/sandbox/requests/wait?reference=none&timeout=60s', {
      headers,
      signal: waiting.signal,
    })
    waiting.abort(gone)
    await expect(wait).rejects.toBe(gone)

    const streaming = new AbortController()
    const stream = await sandbox.fetch('/sandbox/events', { headers, signal: streaming.signal })
    const text = stream.text()
    streaming.abort(gone)
    await expect(text).rejects.toBe(gone)
  })

  it('works as the fetch of a client generated from the description', async () => {
    // As openapi-fetch takes it: a function of a request.
    const createClient = (options: { fetch?: (input: Request) => Promise<Response> }) => options.fetch!
    const answer = await createClient({ fetch: sandbox.fetch })(
      new Request(address, post(JSON.stringify(payment))),
    )
    expect(answer.status).toBe(201)
  })
})

describe('redirects', () => {
  /** A sandbox that answers `/from` with a redirect, and everything else with what it was sent. */
  function redirecting(status: number, location: string) {
    const elsewhere: Request[] = []
    const { fetch: taken } = inProcess({
      async response(request) {
        const { pathname } = new URL(request.url)
        if (pathname === '/from') return new Response(null, { status, headers: { location } })
        return Response.json({ method: request.method, type: request.headers.get('content-type') })
      },
      url: () => 'http://call-sandbox-listen-first.invalid',
      async elsewhere(request) {
        elsewhere.push(request)
        return new Response('the shop')
      },
    })
    return { taken, elsewhere }
  }

  it('follows a redirected POST with a GET', async () => {
    const { taken } = redirecting(303, '/to')
    const answer = await taken('/from', { method: 'POST', body: new URLSearchParams({ action: 'pay' }) })
    expect([answer.url, answer.redirected]).toEqual(['http://call-sandbox-listen-first.invalid/to', true])
    expect(await answer.json()).toEqual({ method: 'GET', type: null })
  })

  it('follows redirects out of the sandbox over the network, without credentials', async () => {
    const { taken, elsewhere } = redirecting(302, 'https://shop.example/thanks')
    const answer = await taken('/from', { headers: { authorization: 'Basic eA==' } })
    expect(await answer.text()).toBe('the shop')
    expect(elsewhere.map(({ url, headers }) => [url, headers.get('authorization')])).toEqual([
      ['https://shop.example/thanks', null],
    ])
  })

  it('returns or rejects redirects as `redirect` requires', async () => {
    const { taken } = redirecting(303, '/to')
    const given = await taken('/from', { redirect: 'manual' })
    expect([given.status, given.headers.get('location')]).toEqual([303, '/to'])
    await expect(taken('/from', { redirect: 'error' })).rejects.toThrow(TypeError)
  })

  it('rejects redirect loops and redirects that must resend a body', async () => {
    await expect(redirecting(302, '/from').taken('/from')).rejects.toThrow('too many redirects')
    const again = redirecting(307, '/to').taken('/from', { method: 'POST', body: 'x' })
    await expect(again).rejects.toThrow('the body was read already')
  })
})

describe('world.fetch', () => {
  it('sends the credentials of its world for every kind of argument', async () => {
    const path = '/api/v2/account/63'
    const inputs = [path, `${world.url}${path}`, new URL(path, world.url), new Request(`${world.url}${path}`)]
    for (const input of inputs) expect((await world.fetch(input)).status).toBe(200)
  })

  it('listens on a free port if the variable of the port is empty', async () => {
    await using own = await createSandbox({ env: { PORT: '', SANDBOX_PORT: '' } })
    expect(new URL(await own.listen()).port).not.toBe('8080')
  })

  it('sends credentials over the network to the sandbox only', async () => {
    await using own = await createSandbox()
    const url = await own.listen()
    const seen: unknown[] = []
    const other = createServer(({ headers }, answer) => {
      seen.push(headers.authorization)
      answer.end()
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void other.close())
    const { port } = other.address() as AddressInfo
    const remote = connect(url)
    expect((await remote.fetch(new URL('/api/v2/account/63', url))).status).toBe(200)
    await remote.fetch(`http://127.0.0.1:${port}/`)
    expect(seen).toEqual([undefined])
  })
})

describe('close', () => {
  it('closes once and rejects pending and later requests', async () => {
    const own = await createSandbox({ clock: 'frozen' })
    const made = await own.world()
    const wait = made.requests.waitFor({ timeout: '60s' })
    const events = (async () => {
      for await (const each of made.events()) void each
    })()
    const told = wait.catch((error: Error) => error.message)
    await made.show()
    const closing = own.close()
    expect(own.close()).toBe(closing)
    const late = own.fetch('/livez')
    await expect(late).rejects.toThrow('the sandbox is closed: after close() it answers nothing')
    await closing
    await events
    expect(await told).toMatch(/the sandbox is closed$/)
    await expect(own.fetch('/livez')).rejects.toThrow(TypeError)
    await expect(made.show()).rejects.toThrow('the sandbox is closed')
    await expect(own.world()).rejects.toThrow('the sandbox is closed')
    await expect(own.listen()).rejects.toThrow('the sandbox is closed')
    await own[Symbol.asyncDispose]()
  })

  it('rejects a request that an outcome never responds to', async () => {
    const own = await createSandbox({ clock: 'frozen' })
    const { pathname, search } = new URL(await own.home.inbox.url())
    await own.home.fetch(`${pathname.replace(/\?.*/, '')}`, {
      method: 'PUT',
      headers: json,
      body: JSON.stringify({ responses: ['timeout'] }),
    })
    const held = own.fetch(pathname + search, { method: 'POST', body: '{}' })
    const told = held.then(
      () => 'answered',
      (error: Error) => error.message,
    )
    await own.home.show()
    await own.close()
    expect(await told).toMatch(/^the sandbox is closed/)
  })

  it('rejects a second listen, because the first port would stay open', async () => {
    await using own = await createSandbox()
    const url = await own.listen()
    await expect(own.listen()).rejects.toThrow(`the sandbox already listens at ${url}`)
  })
})
