/** Answers that are wrong on purpose, over a real connection and without one. */
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/lib/log/log.ts'
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts'
import { within } from '../support/within.ts'

let sandbox: Sandbox
let port: number
beforeAll(async () => {
  sandbox = await createSandbox({
    config: readConfig({ PORT: '0', SANDBOX_IN_CONTAINER: 'off' }),
    log: createLog({ level: 'silent', write: () => {}, terminal: false, now: () => 0 }),
    clock: { real_anchor: 0, world_anchor: Date.parse('2026-06-13T12:00:00Z'), speed: 0 },
    pause: async () => {},
  })
  port = (await sandbox.listen()).port
})
afterAll(() => sandbox.close())

const authorization = `Basic ${Buffer.from('demo:demo').toString('base64')}`
const body = (external_reference: string) =>
  JSON.stringify({
    account_id: 63,
    amount: 100,
    phone_number: '0712345678',
    provider: 'm-pesa',
    network_code: '63902',
    external_reference,
  })

/** Everything that comes over the connection, and the error it ends with. */
async function pay(fault: string) {
  const text = body(fault)
  const socket = connect(port, '127.0.0.1')
  let received = Buffer.alloc(0)
  let error = ''
  await within<void>('the end of the connection', 30_000, (found) => {
    socket.on('data', (piece: Buffer) => (received = Buffer.concat([received, piece])))
    socket.on('error', (each: NodeJS.ErrnoException) => (error = each.code ?? each.message))
    socket.on('close', () => found())
    socket.write(
      `POST /api/v2/payments HTTP/1.1\r\nhost: sandbox.test\r\nauthorization: ${authorization}\r\n` +
        `content-type: application/json\r\nconnection: close\r\nprefer: fault=${fault}\r\n` +
        `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    )
  })
  return { received: received.toString('latin1'), error }
}

const accepted = async (reference: string) => {
  const row = await sandbox.worlds
    .get('demo')!
    .read(({ rows }) => rows.find('transactions', 'identifier', reference)[0])
  return row !== undefined
}

describe('over a connection', () => {
  it('connection-reset resets the connection without processing the request', async () => {
    expect(await pay('connection-reset')).toMatchObject({ received: '', error: 'ECONNRESET' })
    expect(await accepted('connection-reset')).toBe(false)
  })

  it('empty-response closes the connection without a byte and without processing', async () => {
    expect(await pay('empty-response')).toMatchObject({ received: '', error: '' })
    expect(await accepted('empty-response')).toBe(false)
  })

  it('garbage sends invalid HTTP without processing the request', async () => {
    const { received } = await pay('garbage')
    expect(received).toContain('garbage')
    expect(received).not.toMatch(/^HTTP/)
    expect(await accepted('garbage')).toBe(false)
  })

  it('lost-response resets the connection after processing', async () => {
    expect(await pay('lost-response')).toMatchObject({ received: '', error: 'ECONNRESET' })
    expect(await accepted('lost-response')).toBe(true)
  })

  it('slow-body sends the complete body in pieces', async () => {
    const { received } = await pay('slow-body')
    expect(received).toMatch(/^HTTP\/1\.1 201 /)
    expect(received.match(/\r\n[0-9a-f]+\r\n/g)!.length).toBeGreaterThan(10)
    expect(await accepted('slow-body')).toBe(true)
  })

  it('leaves the next request intact', async () => {
    await pay('connection-reset')
    const { status } = await fetch(`http://127.0.0.1:${port}/api/v2/account/63`, {
      headers: { authorization },
    })
    expect(status).toBe(200)
  })

  it('logs the request with its fault and no status', async () => {
    await pay('lost-response')
    const entry = (await sandbox.worlds.get('demo')!.journal.newest(1))[0]!
    expect(entry).toMatchObject({ fault: 'lost-response', status: 0 })
  })
})

describe('without a port', () => {
  const send = (prefer: string) =>
    sandbox.fetch(
      new Request('http://sandbox.test/api/v2/payments', {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', prefer },
        body: body(`fetch ${prefer}`),
      }),
    )

  it.each(['connection-reset', 'empty-response', 'garbage', 'lost-response'])(
    'rejects the fetch for %s',
    async (fault) => {
      await expect(send(`fault=${fault}`)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
      expect(await accepted(`fetch fault=${fault}`)).toBe(fault === 'lost-response')
    },
  )

  it('slow-body is complete', async () => {
    const response = await send('fault=slow-body')
    expect(response.status).toBe(201)
    expect(await response.json()).toMatchObject({ status: 'QUEUED' })
  })
})
