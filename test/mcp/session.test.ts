import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { hosted, startSandbox } from '../support/sandbox.ts'
import { callerOf, connectAgent } from './session.ts'

/** Another secret than that of the world. */
const OTHERS = `whsec_${Buffer.from('the secret that a receiver has').toString('base64')}`

/** A sandbox whose receiver verifies with a secret of its own. */
async function withReceiver() {
  const kept: string[] = []
  const started = await startSandbox({ SANDBOX_RETRY_PROFILE: 'none' })
  started.answerOf.next = ({ headers, body }) => {
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = headers
    const key = Buffer.from(OTHERS.slice('whsec_'.length), 'base64')
    const expected = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')
    if (!signatures!.split(' ').includes(`v1,${expected}`))
      return { status: 401, error: '', body: 'bad signature' }
    kept.push(body)
    return { status: 200, error: '' }
  }
  return { ...started, kept }
}

describe('an agent whose receiver rejects callbacks', () => {
  it('makes a payment, finds the cause, fixes the secret, and sees the callback arrive', async () => {
    const { sandbox, kept } = await withReceiver()
    const call = callerOf(await connectAgent(sandbox, 'demo+session:demo'))

    const paid = await call('pay', {
      outcome: 'payer-cancels',
      callback_url: 'http://receiver.test/hook',
      reference: 'order-7',
      settle: true,
    })
    expect(paid.text).toMatch(/is FAILED: Request Cancelled by user/)
    expect(kept).toEqual([])

    const why = await call('explain', { reference: 'order-7' })
    expect(why.facts).toMatchObject({
      transaction: { status: 'FAILED', reason: 'cancelled' },
      decided: { scenario: 'payer-cancels' },
      callbacks: [{ state: 'failed', last_status: 401 }],
    })
    expect(why.text).toContain('the receiver answered 401')
    expect(why.facts.advice.join()).toContain('check_signature')

    const [{ id }] = why.facts.callbacks
    const doctor = await call('check_signature', { callback: id, secret: OTHERS })
    expect(doctor.facts.valid).toBe(false)
    expect(doctor.text).toMatch(/The signature is invalid\.\n.*secret/)

    await call('mend_callbacks', { action: 'set_secret', secret: OTHERS, overlap: '0' })
    expect((await call('mend_callbacks', { action: 'resend', id })).text).toContain('call settle')
    await call('settle')
    expect(JSON.parse(kept[0]!)).toMatchObject({ status: 'failed', external_reference: 'order-7' })
    expect((await call('callbacks', { reference: 'order-7' })).facts.callbacks[0].state).toBe('delivered')
    expect((await call('check_signature', { callback: id, secret: OTHERS })).facts.valid).toBe(true)
  })

  it('scripts an inbox, resends failed callbacks, and reads the messages', async () => {
    const { sandbox } = await startSandbox({ SANDBOX_RETRY_PROFILE: 'none' })
    const call = callerOf(await connectAgent(sandbox, 'demo+inbox:demo'))
    await call('mend_callbacks', { action: 'set_inbox_answers', responses: [500, 200] })
    const { text } = await call('pay', { settle: true })
    expect(text).toContain('is SUCCESS')
  })
})

it('an agent with the protocol revision without sessions gets the same tools and texts', async () => {
  const { sandbox } = await startSandbox()
  const client = await connectAgent(sandbox, 'demo+new:demo', { revision: '2026-07-28' })
  expect((await client.listTools()).tools).toHaveLength(19)
  expect((await callerOf(client)('pay', { settle: true })).facts.transaction.status).toBe('SUCCESS')
  expect((await callerOf(client)('explain', {})).text).toBe('explain needs the reference of a payment')
  const { contents } = await client.readResource({ uri: 'sandbox://docs/skill.md' })
  expect((contents[0] as { text: string }).text).toContain('name: payments-sandbox')
})

describe('the credentials determine the world', () => {
  it('payments of another world are not visible', async () => {
    const { sandbox } = await startSandbox()
    const mine = callerOf(await connectAgent(sandbox, 'demo+mine:demo'))
    const others = callerOf(await connectAgent(sandbox, 'demo+others:demo'))
    const { facts } = await mine('pay', { fields: { external_reference: 'of-mine' }, settle: true })
    for (const [name, input] of [
      ['explain', { reference: facts.reference }],
      ['explain', { reference: facts.transaction.reference }],
      ['callbacks', { id: 1 }],
      ['requests', { id: 'req_1' }],
      ['settle', { reference: 'of-mine', outcome: 'reversed' }],
    ] as const)
      expect(await others(name, input), name).toMatchObject({
        isError: true,
        text: expect.stringMatching(/not found/),
      })
    await others('rewind', { action: 'reset' })
    const { world } = (await mine('world')).facts
    // What agents do beside tools is on no record.
    expect([world.transactions, world.requests]).toEqual([1, 1])
  })

  it('a viewer may read, and changes are rejected', async () => {
    const { sandbox } = await startSandbox()
    await callerOf(await connectAgent(sandbox, 'demo:demo'))('pay', { settle: true })
    const call = callerOf(await connectAgent(sandbox, 'viewer:viewer'))
    expect((await call('list_transactions')).facts.transactions).toHaveLength(1)
    for (const [name, input] of [
      ['rewind', { action: 'reset' }],
      ['clock', { action: 'advance', by: '1h' }],
      ['mend_callbacks', { action: 'show_secret' }],
      ['mend_callbacks', { action: 'set_secret' }],
      ['use_scenario', { turn: 'on', name: 'wrong-pin' }],
      ['fund', { account_id: 63, amount: 1 }],
      ['world', { settings: { payer: 'manual' } }],
    ] as const)
      expect(await call(name, input), name).toMatchObject({
        isError: true,
        text: expect.stringMatching(/may only read|viewer|only the owner/),
      })
  })
})

describe('/mcp rejects', () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const demo = { authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}` }

  async function post(body: unknown, headers: Record<string, string> = {}, env: Record<string, string> = {}) {
    const { sandbox } = await startSandbox(env)
    const answer = await sandbox.fetch(
      new Request('http://sandbox.test/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          host: 'sandbox.test',
          ...headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    )
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  it('401 without credentials, with an explanation', async () => {
    const { status, headers, text } = await post(message)
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Basic realm="payments-sandbox"'])
    expect(text).toMatch(/send Authorization: Basic .*\/docs\/guides\/coding-agents/)
  })

  it('403 for a page of another origin', async () => {
    for (const origin of ['https://evil.example', 'null'])
      expect((await post(message, { ...demo, origin })).status, origin).toBe(403)
    expect((await post(message, { ...demo, origin: 'http://sandbox.test' })).status).toBe(200)
    const named = await post(
      message,
      { ...demo, origin: 'https://app.example' },
      { SANDBOX_CORS_ORIGINS: 'https://app.example' },
    )
    expect([named.status, named.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'https://app.example',
    ])
  })

  it.each([
    [413, 'a body over the limit', JSON.stringify({ ...message, params: { x: 'x'.repeat(1_100_000) } })],
    [400, 'what is no JSON', '{"jsonrpc":'],
    [400, 'what is nested deeper than anything', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
    [400, 'what is no message', { hello: 'world' }],
    [400, 'nothing', 'null'],
  ])('%s to %s', async (status, _, body) => {
    expect((await post(body, demo)).status).toBe(status)
  })

  it('405 for other methods, and 404 if it is off', async () => {
    const { sandbox } = await startSandbox()
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await sandbox.fetch(new Request('http://sandbox.test/mcp', { method, headers: demo }))
      expect([answer.status, answer.headers.get('allow')], method).toEqual([405, 'POST'])
    }
    const off = await post(message, demo, { SANDBOX_MCP: 'off' })
    expect([off.status, off.text]).toEqual([404, expect.stringContaining('SANDBOX_MCP=on')])
  })

  it('429 beyond the rate limit of a key, including tools', async () => {
    const { sandbox } = await startSandbox({ SANDBOX_RATE_LIMIT: '6' })
    const call = callerOf(await connectAgent(sandbox, 'demo+limit:demo'))
    await expect(
      (async () => {
        for (let n = 0; n < 4; n++) await call('pay')
      })(),
    ).rejects.toThrow(/more than 6 requests a minute/)
  })

  it('guessed credentials in hosted mode', async () => {
    const { sandbox } = await startSandbox({ ...hosted, SANDBOX_FAILURE_LIMIT: '2' })
    const { port } = await sandbox.listen(0)
    const guess = () =>
      fetch(`http://127.0.0.1:${port}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Basic ZGVtbzpkZW1v' },
        body: JSON.stringify(message),
      })
    const statuses = [(await guess()).status, (await guess()).status, (await guess()).status]
    expect(statuses).toEqual([401, 401, 429])
  })

  it('a flood in one body: the rate limit counts each of its calls', async () => {
    const flood = Array.from({ length: 101 }, (_, id) => ({ ...message, id }))
    expect((await post(flood, demo)).status).toBe(400)
  })
})

it('no tool can be made to call another address', async () => {
  const { sandbox } = await startSandbox()
  const call = callerOf(await connectAgent(sandbox, 'demo+paths:demo'))
  for (const name of ['..', '../../__admin/shutdown', '%2e%2e', 'http://evil.example/'])
    for (const [tool, input] of [
      ['explain', { reference: name }],
      ['scenarios', { name }],
      ['requests', { id: name }],
      ['callbacks', { inbox: name }],
      ['phone', { number: name, action: 'show' }],
    ] as const)
      expect(await call(tool, input), `${tool} ${name}`).toMatchObject({ isError: true })
})

describe('a payment that the service rejects', () => {
  it('is explained by its request', async () => {
    const { sandbox } = await startSandbox()
    const call = callerOf(await connectAgent(sandbox, 'demo+rejected:demo'))
    await call('pay', { amount: 99_999_999, reference: 'order-big' })
    expect(await call('explain', { reference: 'order-big' })).toMatchObject({
      isError: false,
      text: expect.stringMatching(
        /^order-big made no payment: createCollection answered 400: amount must be from /,
      ),
    })
    expect((await call('explain', { reference: 'order-none' })).isError).toBe(true)
  })
})

describe('an agent over a connection', () => {
  it('uses tools, whose requests have bodies and headers of their own', async () => {
    const { sandbox } = await startSandbox()
    const { port } = await sandbox.listen()
    const overPort = {
      fetch: async (request: Request) =>
        fetch(`http://127.0.0.1:${port}/mcp`, {
          method: request.method,
          headers: request.headers,
          ...(request.method === 'POST' && { body: await request.text() }),
        }),
    }
    const call = callerOf(
      await connectAgent(overPort, 'demo+port:demo', { headers: { prefer: 'outcome=success' } }),
    )
    const paid = await call('pay', { outcome: 'payer-cancels', reference: 'order-1', settle: true })
    expect(paid).toMatchObject({
      isError: false,
      text: expect.stringMatching(/is FAILED: Request Cancelled by user/),
    })
    for (const name of ['balances', 'explain', 'settle']) {
      const { text, isError } = await call(name, name === 'explain' ? { reference: 'order-1' } : {})
      expect([name, isError, text.includes('jsonrpc')]).toEqual([name, false, false])
    }
  })
})
