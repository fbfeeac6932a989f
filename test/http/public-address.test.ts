/** Where people and receivers find a sandbox that stands behind a proxy. */
import type { Context } from 'hono'
import { describe, expect, it } from 'vitest'
import { clientAddress, proxiesAmong } from '../../src/http/client-address.ts'
import { originOf, type PublicAddress, reachedAt } from '../../src/http/caller.ts'
import { readableLog } from '../support/log-lines.ts'
import { globalPayment } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

const PUBLIC = 'https://pay.example.com/sandbox'
const payin = globalPayment({ callback_url: 'http://receiver.test/' })
const invitation = { organization_id: 1, account_id: 63, email: 'new@demo.example', role_id: 3 }
const basic = { authorization: `Basic ${btoa('demo:demo')}` }

async function listening(env: Record<string, string>) {
  const { log, of } = readableLog()
  const { sandbox } = await startSandbox({ SANDBOX_PORT: '0', ...env }, { log })
  const { port } = await sandbox.listen()
  const ask = async (path: string, headers: Record<string, string> = {}, body?: object) => {
    const sent = { ...basic, ...headers, ...(body && { 'content-type': 'application/json' }) }
    const init = body && { method: 'POST', body: JSON.stringify(body) }
    return fetch(`http://127.0.0.1:${port}${path}`, { headers: sent, redirect: 'manual', ...init })
  }
  return { ask, of, own: `http://127.0.0.1:${port}` }
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read what the client sees
type Parsed = any
type Ask = Awaited<ReturnType<typeof listening>>['ask']

/** Every address that is handed out, by what it is for. */
async function handedOut(ask: Ask, headers: Record<string, string> = {}) {
  const json = async (path: string, body?: object) =>
    (await ask(path, headers, body)).json() as Promise<Parsed>
  const payment = await json('/api/global/payments', payin)
  await ask('/api/v2/account_invites', headers, invitation)
  const { mails } = await json('/sandbox/outbox')
  const { servers } = await json('/openapi.json')
  const yaml = await (await ask('/openapi.yaml', headers)).text()
  return {
    checkout: payment.provider_response.checkout_url as string,
    mail: mails[0].link as string,
    'text of the mail': /https?:\S+/.exec(mails[0].text)![0],
    inbox: (await json('/sandbox/inbox/shop')).address as string,
    world: (await json('/sandbox/worlds', {})).base_url as string,
    description: new URL(servers[0].url, 'http://self.test').href,
    'description as YAML': /^servers:\n {2}- url: "?(.*?)"?$/m.exec(yaml)![1]!,
    'first page': /(\S+)\/docs$/m.exec(await (await ask('/', headers)).text())![1]!,
  }
}

describe('SANDBOX_PUBLIC_URL', async () => {
  const { ask, own } = await listening({ SANDBOX_PUBLIC_URL: PUBLIC })

  it('is the beginning of every returned address', async () => {
    for (const [what, address] of Object.entries(await handedOut(ask)))
      expect(`${address}/`, what).toMatch(`${PUBLIC}/`)
  })

  it('takes precedence over forwarded headers', async () => {
    const said = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.example',
    }
    for (const [what, address] of Object.entries(await handedOut(ask, said)))
      expect(`${address}/`, what).toMatch(`${PUBLIC}/`)
  })

  it.each([
    '/',
    '/sandbox/provenance',
    '/nowhere',
    '/docs',
    '/docs/guides',
    '/docs/embed?operation=createCollection',
  ])('is the beginning of the links on the page %s', async (path) => {
    const page = await (await ask(path, { accept: 'text/html' })).text()
    const links = [...page.matchAll(/(?:href|src|action)="(\/[^"]*)"/g)].map(([, link]) => link)
    expect(links.filter((link) => !link!.startsWith('/sandbox/'))).toEqual([])
  })

  it('is the target of requests from the documentation', async () => {
    const page = await ask('/docs/embed?operation=createCollection', { accept: 'text/html' })
    const html = await page.text()
    // There where the viewer is installed alone.
    if (page.status !== 200) return
    expect(html).toContain(`server&quot;:&quot;${PUBLIC}&quot;`)
    expect(html).toContain('url&quot;:&quot;/sandbox/docs/service.json?operation=createCollection&quot;')
    expect(page.headers.get('content-security-policy')).toContain(
      'connect-src pay.example.com/sandbox/api/ pay.example.com/sandbox/docs/service.json;',
    )
  })

  it('is the target of redirects after forms', async () => {
    const { mail } = await handedOut(ask)
    const answer = await fetch(own + new URL(mail).pathname.replace('/sandbox', ''), {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://pay.example.com' },
      body: 'action=accept',
    })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe(new URL(mail).pathname)
  })

  it('is an accepted host name whose pages may change worlds', async () => {
    const change = (origin: string) => ask('/sandbox/clock/freeze', { origin }, {})
    expect((await change('https://pay.example.com')).status).toBe(200)
    expect((await change('https://evil.example')).status).toBe(403)
  })

  it('recognizes its own inbox addresses', async () => {
    const { inbox } = await handedOut(ask)
    await ask(
      '/api/v2/payments',
      {},
      {
        account_id: 63,
        amount: 100,
        phone_number: '0712345678',
        provider: 'm-pesa',
        network_code: '63902',
        external_reference: 'order-1',
        callback_url: inbox,
      },
    )
    await ask('/sandbox/settle', {}, {})
    const messages = (await (await ask('/sandbox/inbox/shop')).json()) as Parsed
    expect(messages.messages).toHaveLength(1)
  })
})

describe('the headers of a proxy', () => {
  const said = {
    'x-forwarded-for': '198.51.100.7',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'pay.example.com',
    'x-forwarded-prefix': '/sandbox',
  }

  it('determine every address if the proxy is trusted', async () => {
    const { ask } = await listening({ SANDBOX_TRUSTED_PROXIES: 'loopback' })
    for (const [what, address] of Object.entries(await handedOut(ask, said)))
      expect(`${address}/`, what).toMatch(`${PUBLIC}/`)
  })

  it('are ignored from an untrusted peer', async () => {
    for (const env of [{}, { SANDBOX_TRUSTED_PROXIES: 'private, 192.0.2.1' }] as Record<string, string>[]) {
      const { ask, own } = await listening(env)
      const { description, ...others } = await handedOut(ask, said)
      const { 'description as YAML': yaml, ...addresses } = others
      expect([description, yaml]).toEqual(['http://self.test/', '/'])
      for (const [what, address] of Object.entries(addresses)) expect(`${address}/`, what).toMatch(`${own}/`)
      const page = await (await ask('/', { ...said, accept: 'text/html' })).text()
      expect(page).not.toContain('/sandbox/docs')
    }
  })

  it('determine the client in the log of a hosted sandbox', async () => {
    const trusting = await listening({ SANDBOX_TRUSTED_PROXIES: 'loopback' })
    await trusting.ask('/api/v2/account/63', said)
    expect(trusting.of('request')).toMatchObject([{ client: '198.51.100.7' }])
    const own = await listening({})
    await own.ask('/api/v2/account/63', said)
    expect(own.of('request')[0]).not.toHaveProperty('client')
  })

  it('deny /__admin to requests forwarded by a proxy on this machine', async () => {
    const { ask } = await listening({ SANDBOX_ADMIN_TOKEN: 'a token' })
    expect((await ask('/__admin/health')).status).toBe(200)
    expect((await ask('/__admin/health', { 'x-forwarded-for': '127.0.0.1' })).status).toBe(401)
    expect((await ask('/__admin/health', { forwarded: 'for=127.0.0.1' })).status).toBe(401)
  })
})

/** What is believed of headers that came from `remoteAddress`. */
function believed(headers: Record<string, string>, remoteAddress = '10.0.0.1') {
  const isProxy = proxiesAmong(['private', 'loopback'])
  const reached = reachedAt(null, isProxy) as (c: Context) => PublicAddress | undefined
  const incoming = { socket: { remoteAddress }, rawHeaders: Object.entries(headers).flat() }
  const c = { req: { url: 'http://inner:8080/x' }, env: { incoming, reached } } as unknown as Context
  return `${clientAddress(isProxy)(c)} ${originOf(c)}`
}

describe('forwarded headers', () => {
  const peer = '10.0.0.1 http://inner:8080'
  it.each<[string, Record<string, string>, string]>([
    ['none', {}, peer],
    ['a scheme', { 'X-Forwarded-Proto': 'https' }, '10.0.0.1 https://inner:8080'],
    ['a host with a port', { 'X-Forwarded-Host': 'Pay.Example:8443' }, '10.0.0.1 http://pay.example:8443'],
    [
      'a port by itself',
      { 'X-Forwarded-Host': 'pay.example', 'X-Forwarded-Port': '8443', 'X-Forwarded-Proto': 'https' },
      '10.0.0.1 https://pay.example:8443',
    ],
    [
      'the port that the scheme has anyway',
      { 'X-Forwarded-Host': 'pay.example', 'X-Forwarded-Port': '443', 'X-Forwarded-Proto': 'https' },
      '10.0.0.1 https://pay.example',
    ],
    ['a prefix with a slash behind it', { 'X-Forwarded-Prefix': '/a/b/' }, `${peer}/a/b`],
    ['a client with a port', { 'X-Forwarded-For': '192.0.2.1:4711' }, '192.0.2.1 http://inner:8080'],
    [
      'a client in IPv6 with a port',
      { 'X-Forwarded-For': '[2001:db8::1]:4711' },
      '2001:db8::1 http://inner:8080',
    ],
    [
      'two proxies, one behind the other',
      {
        'X-Forwarded-For': '203.0.113.9, 192.0.2.1, 10.0.0.2',
        'X-Forwarded-Proto': 'http, https, http',
        'X-Forwarded-Host': 'evil.example, pay.example, inner',
      },
      '192.0.2.1 https://pay.example',
    ],
    [
      'one value of two proxies',
      {
        'X-Forwarded-For': '192.0.2.1, 10.0.0.2',
        'X-Forwarded-Proto': 'https',
      },
      '192.0.2.1 https://inner:8080',
    ],
    [
      'the standard',
      {
        Forwarded:
          'for=203.0.113.9;host=evil.example, for="[2001:db8::1]:4711";Proto=https;host="pay.example:8443", for=10.0.0.2',
      },
      '2001:db8::1 https://pay.example:8443',
    ],
    ['somebody unknown', { Forwarded: 'for=unknown;proto=https' }, '10.0.0.1 https://inner:8080'],
    [
      'two kinds that agree',
      {
        Forwarded: 'for=192.0.2.1;host=pay.example;proto=https',
        'X-Forwarded-For': '192.0.2.1',
        'X-Forwarded-Host': 'pay.example',
      },
      '192.0.2.1 https://pay.example',
    ],
    [
      'two kinds that differ, one of them made up',
      {
        Forwarded: 'for=203.0.113.9;host=evil.example;proto=http',
        'X-Forwarded-For': '192.0.2.1',
        'X-Forwarded-Host': 'pay.example',
        'X-Forwarded-Proto': 'https',
      },
      peer,
    ],
  ])('with %s', (_, headers, expected) => {
    expect(believed(headers)).toBe(expected)
  })

  it.each<[string, string]>([
    ['X-Forwarded-Host', 'evil.example/path'],
    ['X-Forwarded-Host', 'a@evil.example'],
    ['X-Forwarded-Host', '"><script>'],
    ['X-Forwarded-Host', 'pay.example:99999'],
    ['X-Forwarded-Proto', 'javascript'],
    ['X-Forwarded-Port', '0x50'],
    ['X-Forwarded-Prefix', '//evil.example'],
    ['X-Forwarded-Prefix', '/a/../b'],
    ['X-Forwarded-Prefix', '/"onload='],
    ['X-Forwarded-For', 'nobody'],
    ['Forwarded', 'host="evil.example/x";proto=ftp;for=nobody'],
    ['Forwarded', '"'.repeat(99)],
    ['Forwarded', '\\'.repeat(99)],
  ])('are ignored if invalid: %s: %s', (name, value) => {
    expect(believed({ [name]: value })).toBe(peer)
  })

  it('of an untrusted peer are ignored', () => {
    const headers = { 'X-Forwarded-For': '10.0.0.1', 'X-Forwarded-Host': 'evil.example' }
    expect(believed(headers, '192.0.2.1')).toBe('192.0.2.1 http://inner:8080')
  })
})
