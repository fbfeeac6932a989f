/** What only a real connection shows. */
import { createHook } from 'node:async_hooks'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkAnswer } from '../support/contract.ts'
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/lib/log/log.ts'
import { within } from '../support/within.ts'

let sandbox: Sandbox
let port: number
beforeAll(async () => {
  sandbox = await createSandbox({
    config: readConfig({ PORT: '0', SANDBOX_IN_CONTAINER: 'off' }),
    log: createLog({ level: 'silent', write: () => {}, terminal: false, now: () => 0 }),
  })
  port = (await sandbox.listen()).port
})
afterAll(() => sandbox.close())

const authorization = `authorization: Basic ${Buffer.from('demo:demo').toString('base64')}`
const MEGABYTES_10 = 10 << 20

/** Sends the pieces over one connection and reads until the server ends it. */
async function exchange(pieces: Iterable<string>) {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  let text = ''
  const ended = within<void>('the end of the connection', 30_000, (found) => {
    socket.on('data', (piece: string) => (text += piece))
    socket.on('close', () => found())
    // The server may close while we still send.
    socket.on('error', () => {})
  })
  for (const piece of pieces) {
    if (socket.destroyed) break
    if (!socket.write(piece, 'latin1'))
      await within<void>('room to send', 30_000, (found) => {
        socket.once('drain', found)
        socket.once('close', () => found())
      })
  }
  await ended
  const [head, ...rest] = text.split('\r\n\r\n')
  const [status, ...lines] = head!.split('\r\n')
  const headers = new Map(lines.map((line) => [line.split(':')[0]!.toLowerCase(), line.split(': ')[1]!]))
  return { status: Number(status!.split(' ')[1]), headers, text: rest.join('\r\n\r\n') }
}

const request = (line: string, ...headers: string[]) =>
  `${[`${line} HTTP/1.1`, 'host: sandbox', ...headers].join('\r\n')}\r\n\r\n`

async function expectAlive() {
  const alive = await exchange([request('GET /api/v2/account/63', authorization, 'connection: close')])
  expect(alive.status).toBe(200)
}

function expectError({ status, text }: { status: number; text: string }, expected: object) {
  const body = JSON.parse(text)
  expect(body).toEqual({ status_code: status, error_code: 'invalid_argument', ...expected })
}

describe('413 for 10 MB', () => {
  const path = 'POST /api/v2/payments'
  const json = 'content-type: application/json'
  const tooLarge = {
    status_code: 413,
    error_code: 'payload_too_large',
    error_message: 'the request body is over the limit of 1048576 bytes',
  }

  it('with content-length', async () => {
    function* pieces() {
      yield request(path, authorization, json, `content-length: ${MEGABYTES_10}`)
      for (let sent = 0; sent < MEGABYTES_10; sent += 1 << 16) yield ' '.repeat(1 << 16)
    }
    const answer = await exchange(pieces())
    expect(answer.status).toBe(413)
    expect(answer.headers.get('connection')).toBe('close')
    expectError(answer, tooLarge)
    await expectAlive()
  })

  it('in chunks', async () => {
    function* pieces() {
      yield request(path, authorization, json, 'transfer-encoding: chunked')
      for (let sent = 0; sent < MEGABYTES_10; sent += 1 << 16) yield `10000\r\n${' '.repeat(1 << 16)}\r\n`
      yield '0\r\n\r\n'
    }
    const answer = await exchange(pieces())
    expect(answer.status).toBe(413)
    expectError(answer, tooLarge)
    await expectAlive()
  })

  it('to a client that looks for the answer once it has sent all', async () => {
    const socket = connect(port, '127.0.0.1')
    const failed = await within<Error | null | undefined>('the last byte to leave', 30_000, (found) => {
      socket.on('error', found)
      socket.write(request(path, authorization, json, `content-length: ${MEGABYTES_10}`))
      socket.write(' '.repeat(MEGABYTES_10), found)
    })
    expect(failed).toBeFalsy()
    const answer = await within<string>('the answer', 30_000, (found) => {
      socket.once('data', (bytes) => found(String(bytes)))
    })
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    socket.destroy()
  })

  it('with what the description declares', async () => {
    const body = `{"amount": 1${' '.repeat(1 << 20)}}`
    const headers = { authorization: authorization.slice(15), 'content-type': 'application/json' }
    const url = `http://127.0.0.1:${port}/api/v2/payments`
    const response = await fetch(url, { method: 'POST', headers, body })
    const answer = await response.json()
    expect(answer).toEqual(tooLarge)
    checkAnswer({ method: 'POST', path: '/api/v2/payments' }, 413, response.headers, answer)
  })
})

describe('what is no request', () => {
  it.each([
    ['a long header', request('GET /api/v2/account/63', authorization, `x-long: ${'a'.repeat(40_000)}`)],
    ['a long URL', request(`GET /api/v2/account/${'6'.repeat(40_000)}`, authorization)],
    ['many headers', request('GET /', ...Array.from({ length: 4000 }, (_, n) => `x-${n}: 0123456789`))],
  ])('431 for %s', async (_, bytes) => {
    const answer = await exchange([bytes])
    expect(answer.status).toBe(431)
    expectError(answer, { error_message: 'the URL and the headers are over the limit of 16 KiB together' })
    await expectAlive()
  })

  it.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a header without a name', 'GET / HTTP/1.1\r\n: x\r\n\r\n'],
    ['two content-lengths', request('POST /', 'content-length: 1', 'content-length: 2')],
    ['a length that is none', request('POST /', 'content-length: -1')],
    ['a length and chunks', request('POST /', 'content-length: 5', 'transfer-encoding: chunked')],
  ])('400 for %s', async (_, bytes) => {
    const answer = await exchange([bytes])
    expect(answer.status).toBe(400)
    expectError(answer, { error_message: 'the request is not valid HTTP/1.1' })
    await expectAlive()
  })
})

describe('a client', () => {
  it.each([100, 100_000])('that breaks off a body of %i bytes is no fault of the sandbox', async (length) => {
    const lines: string[] = []
    const own = await createSandbox({
      config: readConfig({ PORT: '0', SANDBOX_IN_CONTAINER: 'off' }),
      log: createLog({ level: 'info', write: (line) => lines.push(line), terminal: false, now: () => 0 }),
    })
    const { port: ownPort } = await own.listen()
    const world = own.worlds.get('demo')!
    const answered = within<void>('the end of the request', 30_000, (found) => {
      world.responses.listen(() => found())
    })
    const socket = connect(ownPort, '127.0.0.1')
    const headers = [authorization, `content-length: ${length}`, 'expect: 100-continue']
    socket.write(request('POST /api/v2/payments', ...headers) + '{"amount"')
    await within<unknown>('the beginning of the request', 30_000, (found) => socket.once('data', found))
    socket.destroy()
    await answered
    await own.close()
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 'info', event: 'request', path: '/api/v2/payments', status: 400 }),
    ])
  })

  it('announces a keep-alive timeout longer than that of pools', async () => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1')
    socket.write(request('GET /api/v2/account/63', authorization))
    const head = await new Promise<string>((resolve) => socket.once('data', resolve))
    socket.destroy()
    expect(head).toMatch(/\r\nKeep-Alive: timeout=65\r\n/i)
  })
})

describe('a payment', () => {
  const body = '{"amount":2,"phone_number":"254712345678","provider":"m-pesa","network_code":"63902"}'
  const typed = ['content-type: application/json', `content-length: ${body.length}`]
  const payment = request('POST /api/v2/payments', authorization, ...typed) + body

  it('is served with few promises, because nothing has to wait', async () => {
    let promises = 0
    const hook = createHook({ init: (_id, type) => void (promises += type === 'PROMISE' ? 1 : 0) })
    const pay = (times: number) =>
      within<void>('the responses', 30_000, (found) => {
        const socket = connect(port, '127.0.0.1').setEncoding('latin1')
        let left = times
        socket.on('data', (answer: string) => {
          expect(answer).toMatch(/^HTTP\/1.1 201 /)
          if (--left > 0) return void socket.write(payment)
          socket.destroy()
          found()
        })
        socket.write(payment)
      })
    await pay(10)
    // On a slow machine settlements fall into some of the rounds.
    const rounds: number[] = []
    for (let round = 0; round < 10; round++) {
      promises = 0
      hook.enable()
      await pay(20)
      hook.disable()
      rounds.push(promises / 20)
    }
    expect(Math.min(...rounds)).toBeLessThan(8)
  })

  it.each([
    ['a byte order mark', Buffer.from(`\uFEFF${body}`)],
    ['its body in two pieces', Buffer.from(body)],
  ])('is accepted with %s', async (_, bytes) => {
    const head = request(
      'POST /api/v2/payments',
      authorization,
      'connection: close',
      'content-type: application/json',
      `content-length: ${bytes.length}`,
    )
    const [first, second] = [bytes.subarray(0, 20).toString('latin1'), bytes.subarray(20).toString('latin1')]
    expect(await exchange([head, first, second])).toMatchObject({ status: 201 })
  })
})

describe('a request of an unusual form', () => {
  it('HEAD has the headers of GET and no body', async () => {
    const answer = await exchange([request('HEAD /api/v2/account/63', authorization, 'connection: close')])
    expect(answer).toMatchObject({ status: 200, text: '' })
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  })

  it.each([
    ['OPTIONS /api/v2/accounts', 405],
    ['TRACE /api/v2/accounts', 405],
    ['OPTIONS *', 400],
    ['GET /%', 404],
    ['GET /api/v2/account/%C0%AF', 400],
    [`GET /api/v2/account/${'6'.repeat(9000)}`, 400],
    ['GET /api/v2/account/63#part', 200],
    ['GET http://elsewhere/api/v2/account/63', 200],
  ])('%s', async (line, status) => {
    const answer = await exchange([request(line, authorization, 'connection: close')])
    expect(answer.status).toBe(status)
    JSON.parse(answer.text)
    await expectAlive()
  })

  it.each(['a b', 'sandbox/path', '[::1', 'sandbox:port'])('400 for the host %j', async (host) => {
    const lines = `GET /api/v2/account/63 HTTP/1.1\r\nhost: ${host}\r\n${authorization}\r\nconnection: close`
    const answer = await exchange([`${lines}\r\n\r\n`])
    expect(answer.status).toBe(400)
    expectError(answer, {
      error_message: expect.stringMatching(/^the address of the request is not valid: /),
    })
    await expectAlive()
  })
})
