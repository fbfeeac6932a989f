/** Callbacks to receivers of every kind, over real connections and in real time. */
import http from 'node:http'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import tls from 'node:tls'
import { describe, expect, it } from 'vitest'
import { SIGNATURE_FAULTS } from '../../src/callbacks/attempt.ts'
import { liveSandbox, openSandbox, receiver, socketReceiver, type Client } from '../support/live.ts'
import { verdicts } from './signatures/documentation.ts'
import { accepted, VERIFIERS } from './signatures/verifiers.ts'

const pay = async (api: Client, callback_url: string, reference: string) => {
  const body = {
    amount: 100,
    phone_number: '0712345678',
    provider: 'm-pesa',
    network_code: '63902',
    account_id: 63,
    external_reference: reference,
    callback_url,
  }
  return (await api.post('/api/v2/payments', body)).body.reference as string
}
const waitFor = async (api: Client, reference: string, state: string, count = 1) => {
  const { status, body } = await api.get(
    `/sandbox/callbacks/wait?reference=${reference}&state=${state}&count=${count}&timeout=60s`,
  )
  if (status !== 200) throw new Error(body.error_message)
  return body.callbacks as [Waited, ...Waited[]]
}
interface Waited {
  readonly callback: { readonly id: number; readonly state: string; readonly created_at: string }
  readonly attempts: readonly Attempt[]
}
interface Attempt {
  readonly at: string
  readonly duration_ms: number
  readonly response: { status: number; body: string; headers: Record<string, string> } | null
  readonly error: string
  readonly advice: string
}

describe('receivers with the libraries integrators use', async () => {
  const ours = VERIFIERS.filter(({ name }) => name !== 'node:crypto, DER')
  const signatures = [...new Set(ours.map(({ settings }) => settings))].map((settings) =>
    settings.profile === 'custom'
      ? settings
      : settings.profile === 'hmac-sha512'
        ? `hmac-sha512:${settings.header}`
        : settings.profile,
  )
  const { api } = await liveSandbox({
    SANDBOX_SIGNATURES: JSON.stringify(signatures),
    SANDBOX_RETRY_PROFILE: 'none',
  })
  const { url, arrived } = await receiver()
  const transaction = await pay(api, `${url}/callback?shop=1`, 'verified')
  const [{ callback: good }] = await waitFor(api, 'verified', 'delivered')
  const { secret } = (await api.get('/sandbox/signing-secret')).body
  const table = await verdicts()

  const said = async () => {
    const { method, path, headers, body, at } = arrived.at(-1)!
    const got = { method, url: url + path, headers, body }
    const answers = ours.map(async (each) => [
      each.name,
      await accepted(each, got, secret, Math.ceil(at / 1000)),
    ])
    return Object.fromEntries(await Promise.all(answers))
  }
  const expected = (kind: string) =>
    Object.fromEntries(ours.map(({ name }) => [name, table.get(name)!.get(kind)]))

  it('all accept a valid callback that is signed for all of them', async () => {
    expect(good.id).toBe(1)
    expect(await said()).toEqual(Object.fromEntries(ours.map(({ name }) => [name, true])))
  })

  it.each(Object.keys(SIGNATURE_FAULTS).filter((name) => name !== 'truncated-body'))(
    'say to a %s one what the table says',
    async (fault) => {
      const { body } = await api.post('/sandbox/callbacks/fire', { reference: transaction, fault })
      await waitFor(api, 'verified', 'delivered', body.callback.id)
      expect(await said()).toEqual(expected(fault))
    },
  )

  it('see a truncated callback break off', async () => {
    await api.post('/sandbox/callbacks/fire', { reference: transaction, fault: 'truncated-body' })
    const [{ attempts }] = await waitFor(api, 'verified', 'failed')
    expect(attempts[0]!.error).toBe('the body was deliberately cut off half way')
    await expect.poll(() => arrived.at(-1)!.cut).toBe(true)
    const { headers, body } = arrived.at(-1)!
    expect(body.length).toBeLessThan(Number(headers['content-length']))
  })
})

describe('a slow callback', () => {
  it('trickles and arrives completely', async () => {
    const { api } = await liveSandbox({ SANDBOX_CALLBACK_TIMEOUT: '2s' })
    const { url, arrived } = await receiver()
    const reference = await pay(api, url, 'slow')
    await waitFor(api, 'slow', 'delivered')
    await api.post('/sandbox/callbacks/fire', { reference, fault: 'slow' })
    const [, slow] = await waitFor(api, 'slow', 'delivered', 2)
    expect(slow!.attempts[0]!.duration_ms).toBeGreaterThan(300)
    expect(arrived[1]!.body).toEqual(arrived[0]!.body)
  })
})

/** Bad receivers of all kinds beside good ones. */
describe('failing receivers', async () => {
  // Long enough for a machine that does much else: only who hangs is to reach it.
  const LIMIT = 1_500
  const { api } = await liveSandbox({
    SANDBOX_CALLBACK_TIMEOUT: `${LIMIT}ms`,
    SANDBOX_RETRY_PROFILE: 'adyen',
    SANDBOX_RETRY_SPEED: '100000',
  })
  const redirected = await receiver()
  let refusals = 0
  let written = 0
  const bad = {
    hangs: await socketReceiver(() => {}),
    resets: await socketReceiver((socket) => socket.on('data', () => socket.resetAndDestroy())),
    'answers 500 ten times': await receiver((response) => {
      response.statusCode = ++refusals > 10 ? 200 : 500
      response.end(`attempt ${refusals}`)
    }),
    redirects: await receiver((response) => {
      response.writeHead(302, { location: `${redirected.url}/new` }).end()
    }),
    'says 410': await receiver((response) => {
      response.writeHead(410).end()
    }),
    'answers 2 GB': await receiver((response) => {
      response.writeHead(200, { 'content-length': String(2 ** 31) })
      const piece = Buffer.alloc(65_536, 'x')
      const more = () => {
        while (!response.destroyed && written < 2 ** 31) {
          written += piece.length
          if (!response.write(piece)) return void response.once('drain', more)
        }
      }
      more()
    }),
    'answers 200 and never ends': await receiver((response) => {
      response.writeHead(200).flushHeaders()
    }),
    'answers something else than HTTP': await socketReceiver((socket) =>
      socket.on('data', () => socket.end('220 mail.example ready\r\n')),
    ),
    'answers after the limit': await receiver((response) => {
      setTimeout(() => response.end('late'), LIMIT * 2)
    }),
    'has a name that does not resolve': { url: 'http://no-such-host.invalid' },
    'breaks TLS': await brokenTls(),
    'speaks no TLS': { url: (await receiver()).url.replace('http:', 'https:') },
    'is not there': { url: 'http://127.0.0.1:1' },
  }
  const good = [await receiver(), await receiver(), await receiver()]

  it('do not delay others, and their failures are explained', { timeout: 180_000 }, async () => {
    for (const [n, { url }] of Object.values(bad).entries())
      for (let copy = 0; copy < (n === 0 ? 100 : 1); copy++) await pay(api, `${url}/callback`, `bad-${n}`)
    const bads = { over: false }
    const waiting = Promise.all(
      Object.keys(bad).map(async (name, n) => [name, (await waitFor(api, `bad-${n}`, 'final'))[0]] as const),
    ).finally(() => (bads.over = true))

    // Good ones all along, while the bad ones fail and are tried again.
    const late: number[] = []
    for (let n = 0; n < 10_000 && !(bads.over && n > 100); n++) {
      const to = good[n % good.length]!
      await pay(api, to.url, `good-${n}`)
      const [{ callback }] = await waitFor(api, `good-${n}`, 'delivered')
      late.push(to.arrived.at(-1)!.at - Date.parse(callback.created_at))
      await pause(20)
    }
    const rows: string[] = []
    const ends: Record<string, string> = {}
    let hung = 0
    for (const [name, { callback, attempts }] of await waiting) {
      const last = attempts.at(-1)!
      if (name === 'hangs') hung = Date.parse(last.at) + last.duration_ms - Date.parse(callback.created_at)
      const what = last.response ? `answered ${last.response.status}` : last.error
      ends[name] =
        `${callback.state} after ${attempts.length}: ${what.replace(/127\.0\.0\.1:\d+/g, 'receiver')}`
      rows.push(`| ${name} | ${callback.state} | ${attempts.length} | ${what} | ${last.advice} |`)
    }
    late.sort((a, b) => a - b)
    const p99 = late[Math.floor(late.length * 0.99)]!
    console.info(
      ['| receiver | state | attempts | last | advice |', '| --- | --- | --- | --- | --- |', ...rows].join(
        '\n',
      ),
    )
    console.info(
      `good receivers meanwhile: ${late.length} callbacks, p50 ${late[late.length >> 1]} ms, p99 ${p99} ms late`,
    )

    expect(late.length).toBeGreaterThan(100)
    // Who waited for the hanging one would wait for all its attempts, however slow the machine.
    expect(p99).toBeLessThan(hung / 2)
    expect(ends).toEqual({
      hangs: 'failed after 13: receiver did not respond within the time limit',
      resets: 'failed after 13: receiver closed the connection without a response',
      'answers 500 ten times': 'delivered after 11: answered 200',
      redirects: 'failed after 13: answered 302',
      'says 410': 'failed after 1: answered 410',
      'answers 2 GB': 'delivered after 1: answered 200',
      'answers 200 and never ends': 'delivered after 1: answered 200',
      'answers something else than HTTP': expect.stringMatching(
        /^failed after 13: receiver did not respond with HTTP\/1.1/,
      ),
      'answers after the limit': 'failed after 13: receiver did not respond within the time limit',
      'has a name that does not resolve':
        'failed after 13: the name in no-such-host.invalid does not resolve',
      'breaks TLS': expect.stringMatching(/^failed after 13: TLS with receiver failed/),
      'speaks no TLS': expect.stringMatching(/^failed after 13: receiver does not speak TLS/),
      'is not there': 'failed after 13: connection refused: nothing listens at receiver',
    })
    expect(redirected.arrived).toEqual([])
    expect(written).toBeLessThan(2 ** 26)
  })
})

/** A server that has no certificate to show. */
async function brokenTls() {
  const secure = tls.createServer({}, () => {})
  secure.on('tlsClientError', () => {})
  const plain = await socketReceiver((socket) => void secure.emit('connection', socket))
  return { url: plain.url.replace('http:', 'https:') }
}

describe('a restart', () => {
  it('sends callbacks that were interrupted by closing the sandbox', async () => {
    const db = join(mkdtempSync(join(tmpdir(), 'sandbox-')), 'rows.json')
    let open = false
    const { url, arrived, server } = await receiver((response) => {
      if (open) response.end()
    })
    const first = await openSandbox({ SANDBOX_DB: db })
    await pay(first.api, url, 'restarted')
    await expect.poll(() => arrived.length, { timeout: 30_000 }).toBe(1)
    await first.close()
    open = true

    const second = await openSandbox({ SANDBOX_DB: db })
    const [{ attempts }] = await waitFor(second.api, 'restarted', 'delivered')
    await second.close()
    expect(attempts).toHaveLength(1)
    expect(arrived.map((each) => each.headers['webhook-id'])).toEqual([
      arrived[0]!.headers['webhook-id'],
      arrived[0]!.headers['webhook-id'],
    ])
    expect(server.listening).toBe(true)
  })

  it('keeps the time of a frozen clock', async () => {
    const db = join(mkdtempSync(join(tmpdir(), 'sandbox-')), 'rows.json')
    const first = await openSandbox({ SANDBOX_DB: db })
    await first.api.post('/sandbox/clock/freeze')
    const { now } = (await first.api.post('/sandbox/clock/advance', { by: '3d' })).body.clock
    await first.close()
    const second = await openSandbox({ SANDBOX_DB: db })
    const { body } = await second.api.get('/sandbox/clock')
    await second.close()
    expect([body.now, body.frozen]).toEqual([now, true])
  })
})

describe('a connection', () => {
  it('is reused for the next callback', async () => {
    const { api } = await liveSandbox()
    const { url, arrived, server } = await receiver()
    let connections = 0
    server.on('connection', () => connections++)
    for (let n = 0; n < 5; n++) {
      await pay(api, url, `kept-${n}`)
      await waitFor(api, `kept-${n}`, 'delivered')
    }
    expect([arrived.length, connections]).toEqual([5, 1])
  })

  it('that the receiver closed is replaced without a failed attempt', async () => {
    const { api } = await liveSandbox({ SANDBOX_RETRY_PROFILE: 'none' })
    const { url, server } = await receiver()
    await pay(api, url, 'closed-1')
    await waitFor(api, 'closed-1', 'delivered')
    const held = server as http.Server
    held.closeIdleConnections()
    await pay(api, url, 'closed-2')
    const [{ attempts }] = await waitFor(api, 'closed-2', 'final')
    expect(attempts.map(({ response: answer }) => answer?.status)).toEqual([200])
  })

  it('is closed after a second without callbacks', async () => {
    const { api } = await liveSandbox()
    const { url, server } = await receiver()
    const held = server as http.Server
    held.keepAliveTimeout = 0
    const closed = new Promise<void>((resolve) =>
      held.on('connection', (socket) => void socket.on('close', () => resolve())),
    )
    await pay(api, url, 'idle-1')
    await waitFor(api, 'idle-1', 'delivered')
    expect(await closed).toBeUndefined()
  })

  it('that the receiver resets after reading a callback results in one failed attempt', async () => {
    const { api } = await liveSandbox({ SANDBOX_RETRY_PROFILE: 'none' })
    const { url, arrived } = await receiver((response, { body }) => {
      if (JSON.parse(body.toString()).external_reference === 'reset-1') response.end()
      else response.socket!.resetAndDestroy()
    })
    await pay(api, url, 'reset-1')
    await waitFor(api, 'reset-1', 'delivered')
    await pay(api, url, 'reset-2')
    const [{ callback, attempts }] = await waitFor(api, 'reset-2', 'final')
    expect([callback.state, attempts.length, arrived.length]).toEqual(['failed', 1, 2])
  })

  it('that the receiver closes after every response loses no callback', async () => {
    const { api } = await liveSandbox({ SANDBOX_RETRY_PROFILE: 'none' })
    const { url, arrived } = await receiver((response) => {
      const { socket } = response
      response.end('ok', () => socket!.destroy())
    })
    const count = 30
    for (let n = 0; n < count; n++) await pay(api, url, `hasty-${n}`)
    for (let n = 0; n < count; n++) {
      const [{ attempts }] = await waitFor(api, `hasty-${n}`, 'final')
      expect(attempts.map(({ response: answer }) => answer?.status)).toEqual([200])
    }
    expect(arrived).toHaveLength(count)
  })
})
