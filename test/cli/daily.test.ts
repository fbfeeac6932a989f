import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { commandLine, ended, listening, started } from './process.ts'

/** A receiver that answers as it is told. */
async function receiver() {
  const took: { path: string; body: string }[] = []
  const answers = { status: 200 }
  const { port } = await listening(
    createServer((request, answer) => {
      let body = ''
      request.on('data', (part) => (body += part))
      request.on('end', () => {
        took.push({ path: request.url!, body })
        answer.writeHead(answers.status).end()
      })
    }),
  )
  return { url: `http://127.0.0.1:${port}`, took, answers }
}

const sandbox = () => started(['--port', '0', '--settle-after', '0'])

describe('pay', () => {
  it('shows the request, the response, the states and the callback', async () => {
    const { base } = await sandbox()
    const { url, took } = await receiver()
    const args = ['pay', '--amount', '99.50', '--reference', 'order-1', '--callback-url', `${url}/hooks`]
    const { code, out, err } = await ended([...args, '--url', base])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const lines = out.split('\n').map((line) => line.replace(/^ +\d\d:\d\d:[\d.]+ +/, ''))
    expect(lines[0]).toMatch(/^POST \/api\/v2\/payments \{.*"amount":99\.5,.*"external_reference":"order-1"/)
    expect(lines[1]).toMatch(/^ +201 \{/)
    expect(lines).toContain('state     SUCCESS')
    expect(lines).toContain('attempt   answered 200')
    expect(took.map(({ body }) => JSON.parse(body).external_reference)).toEqual(['order-1'])
  })

  it('pays out of the wallet of the key, with the outcome of a scenario file', async () => {
    const { base } = await sandbox()
    const { code, out } = await ended(['pay', '--payout', '--outcome', 'recipient-not-found', '--url', base])
    expect(code).toBe(0)
    expect(out).toContain('"account_id":63')
    expect(out).toMatch(/state +FAILED/)
  })

  it('exits with 1 and the error if the service rejects the payment', async () => {
    const { base } = await sandbox()
    const { code, out } = await ended(['pay', '--set', 'amount=-3', '--url', base])
    expect(code).toBe(1)
    expect(out).toContain('amount must be more than 0, got -3')
  })

  it('exits with 1 and the usual message for a wrong password', async () => {
    const { base } = await sandbox()
    const { code, err } = await ended(['pay', '--url', base, '--user', 'demo:no'])
    expect({ code, err }).toEqual({
      code: 1,
      err: `${base} rejects the user "demo" with this password.\n`,
    })
  })

  it.each([
    [404, 'text/html', 'responds with 404 and text/html: is it a sandbox?'],
    [200, 'text/html; charset=utf-8', 'responds with 200 and text/html: is it a sandbox?'],
    [500, 'text/plain', 'responds with 500 and text/plain: is it a sandbox?'],
    [404, 'application/json', 'POST /sandbox/payments/prepare: answered 404: is it a sandbox?'],
  ])('exits with 4 if another server responds %d %s', async (status, type, message) => {
    const { port } = await listening(
      createServer((_, answer) => answer.writeHead(status, { 'content-type': type }).end('{}')),
    )
    const { code, out, err } = await ended(['pay', '--url', `http://127.0.0.1:${port}`])
    expect({ code, out }).toEqual({ code: 4, out: '' })
    expect(err).toContain(message)
  })

  it.each([
    ['pay'],
    ['trigger', 'payer-cancels', '--callback-url', 'http://127.0.0.1:9/'],
    ['clock', 'show'],
    ['settle'],
    ['explain', 'order-1'],
    ['worlds', 'list'],
    ['healthcheck'],
    ['doctor'],
  ])('%s pays nothing to another server that responds with JSON', async (...args) => {
    const paths: unknown[] = []
    const { port } = await listening(
      createServer((request, answer) => {
        paths.push(request.url)
        answer.writeHead(200, { 'content-type': 'application/json' }).end('{"state":"paid","receipts":1}')
      }),
    )
    const url = `http://127.0.0.1:${port}`
    const { code, out, err } = await ended([...args, '--url', url])
    expect(out + err).toContain(`${url} responds like another program: is it a sandbox?`)
    expect(code).toBe(args[0] === 'healthcheck' ? 1 : 4)
    expect(paths.filter((path) => String(path).startsWith('/api'))).toEqual([])
  })

  it('exits with 4 if the sandbox does not support TLS', async () => {
    const { base } = await sandbox()
    const url = base.replace('http', 'https')
    expect(await ended(['pay', '--url', url])).toEqual({
      code: 4,
      out: '',
      err: `${url} does not support TLS; use http://\n`,
    })
  })

  it('escapes control characters of foreign responses', async () => {
    const { base } = await sandbox()
    const hostile = `order-${String.fromCodePoint(27)}]0;x${String.fromCodePoint(7)}`
    const { out, code } = await ended(['pay', '--reference', hostile, '--for', '0', '--url', base])
    expect(code).toBe(0)
    expect(out).not.toContain(String.fromCodePoint(27))
    expect(out).not.toContain(String.fromCodePoint(7))
  })
})

describe('explain', () => {
  it('gives the error of a payment that the service rejected', async () => {
    const { base } = await sandbox()
    await ended(['pay', '--amount', '99999999', '--reference', 'order-big', '--url', base])
    const { code, out } = await ended(['explain', 'order-big', '--url', base])
    expect(code).toBe(0)
    expect(out).toMatch(/^req_\d+ {2}createCollection 400 /)
    expect(out).toMatch(/\n {2}amount must be from .*, got 99999999/)
    expect(out).not.toContain('without a match')
  })

  it('names a running incident, whether it changed the payment or not', async () => {
    const { base } = await sandbox()
    const told = async (reference: string) => (await ended(['explain', reference, '--url', base])).out
    await ended(['pay', '--reference', 'before', '--url', base])
    await ended(['clock', 'advance', '2s', '--url', base])
    await ended(['incidents', 'start', 'm-pesa-stalls', '--url', base])
    expect(await told('before')).not.toContain('incident')
    await ended(['pay', '--reference', 'early', '--url', base])
    await ended(['incidents', 'step', 'm-pesa-stalls', '--url', base])
    await ended(['pay', '--reference', 'stalled', '--for', '0', '--url', base])
    expect(await told('early')).toMatch(
      /\n {2}the incident m-pesa-stalls runs in this world and had no effect on it; its next step is at \S+Z\n/,
    )
    expect(await told('stalled')).toContain('\n  changed by the incident m-pesa-stalls')
    expect(await told('stalled')).not.toContain('no effect')
  })

  it('lists what is planned, and that the clock is frozen', async () => {
    const { base } = await sandbox()
    await ended(['clock', 'freeze', '--url', base])
    await ended(['pay', '--outcome', 'payer-cancels', '--reference', 'order-9', '--for', '0', '--url', base])
    const { code, out } = await ended(['explain', 'order-9', '--url', base])
    expect(code).toBe(0)
    expect(out).toMatch(/\n +[\d:.]+ {2}planned {3}settle .*FAILED/)
    expect(out).toContain(
      `\n  the clock is frozen: payments-sandbox settle --url ${base} runs what is planned\n`,
    )
  })
})

it('clock states the difference to real time', async () => {
  const { base } = await sandbox()
  expect((await ended(['clock', '--url', base])).out).toMatch(/^\S+Z {2}real time; nothing pending\n$/)
  expect((await ended(['clock', 'advance', '72h', '--url', base])).out).toMatch(
    / {2}running, 3d ahead of real time; nothing pending\n$/,
  )
  expect((await ended(['clock', 'freeze', '--url', base])).out).toMatch(
    / {2}frozen, 3d ahead of real time; nothing pending\n$/,
  )
})

describe('resend', () => {
  it('distinguishes a payment without a callback from an unknown one', async () => {
    const { base } = await sandbox()
    await ended(['clock', 'freeze', '--url', base])
    await ended(['pay', '--reference', 'order-3', '--for', '0', '--url', base])
    const resent = async (id: string) => (await ended(['resend', id, '--url', base])).err
    expect(await resent('order-3')).toMatch(/^\S+ \(order-3\) has no callback yet\n$/)
    expect(await resent('order-4')).toContain('order-4 was not found')
  })

  it('resends the callbacks of a payment and reports a failing receiver', async () => {
    const { base } = await sandbox()
    const { url, took, answers } = await receiver()
    await ended(['pay', '--reference', 'order-2', '--callback-url', `${url}/hooks`, '--url', base])
    const again = await ended(['resend', 'order-2', '--url', base])
    expect(again.code).toBe(0)
    expect(again.out).toMatch(/^callback 1 of order-2 {2}responded with 200\n/)
    answers.status = 500
    const failed = await ended(['resend', '1', '--url', base])
    expect(failed.code).toBe(1)
    expect(failed.out).toContain('responded with 500')
    expect(took).toHaveLength(3)
  })

  it('exits with 1 for an unknown payment and one without a callback', async () => {
    const { base } = await sandbox()
    const { code, err } = await ended(['resend', 'nobody', '--url', base])
    expect(code).toBe(1)
    expect(err).toContain('nobody')
  })
})

describe('logs tail', () => {
  const tailing = async (url: string, ...args: string[]) => {
    const running = commandLine(['logs', 'tail', '--url', url, ...args])
    onTestFinished(running.stop)
    return running
  }

  it('shows requests and callbacks as they happen, and stops cleanly', async () => {
    const { base } = await sandbox()
    const { url } = await receiver()
    const { shown, stop, code, printed } = await tailing(base, '--all')
    await ended(['pay', '--reference', 'order-3', '--callback-url', `${url}/hooks`, '--url', base])
    await shown('← 200  callback 1')
    expect(printed.out).toMatch(/→ 201 {2}POST \/api\/v2\/payments {2}\d+ ms {2}order-3\n/)
    stop()
    expect(await code).toBe(0)
  })

  it('filters by operation, status and reference', async () => {
    const { base } = await sandbox()
    const { shown, printed } = await tailing(
      base,
      '--all',
      '--json',
      '--operation',
      'createCollection',
      '--status',
      '4xx',
    )
    await ended(['pay', '--reference', 'good', '--url', base])
    await ended(['pay', '--reference', 'bad', '--set', 'amount=0', '--url', base])
    await shown('"bad"')
    const seen = printed.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(seen).toMatchObject([
      { kind: 'request', operation: 'createCollection', status: 400, references: ['bad'] },
    ])
  })

  it('stops when its output is closed', async () => {
    const { base } = await sandbox()
    const gone = new AbortController()
    const { run } = await import('../../src/cli/run.ts')
    const ended = run(['logs', 'tail', '--url', base], {
      env: {},
      out: { write: () => {}, terminal: false, colours: false, gone: gone.signal },
      err: { write: () => gone.abort(), terminal: false, colours: false },
      stopped: () => new Promise(() => {}),
    })
    expect(await ended).toBe(0)
  })
})

describe('listen', () => {
  it('routes callbacks to servers by path or operation, and prints the secret', async () => {
    const { base } = await sandbox()
    const [shop, payouts] = [await receiver(), await receiver()]
    const routes = [`createWithdrawal=${payouts.url}/out`, `/shop/*=${shop.url}`].flatMap((each) => [
      '--route',
      each,
    ])
    const running = commandLine(['listen', '--url', base, '--print-secret', ...routes])
    onTestFinished(running.stop)
    await running.shown('listening to')
    expect(running.printed.out).toMatch(/^the signing secret of callbacks is whsec_/)
    const pay = (path: string, ...args: string[]) =>
      ended(['pay', ...args, '--callback-url', `http://127.0.0.1:9${path}`, '--for', '0', '--url', base])
    await pay('/shop/1')
    await pay('/elsewhere', '--payout')
    await pay('/elsewhere')
    await running.shown('/elsewhere has no route')
    await running.shown('POST /out')
    await running.shown('POST /shop/1')
    expect(shop.took.map(({ path }) => path)).toEqual(['/shop/1'])
    expect(payouts.took.map(({ path }) => path)).toEqual(['/out'])
  })
})
