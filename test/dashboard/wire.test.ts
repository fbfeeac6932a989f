import { byteLength, gistOf, hexOf, isBinary, sizeOf } from '../../dashboard/core/bodies.ts'
import { sendAgain, whyNotAgain, withKey } from '../../dashboard/core/curl.ts'
import { axisOf, lanesOf } from '../../dashboard/core/lanes.ts'
import { scenarioOf } from '../../dashboard/core/scenario-files.ts'
import { readHeaders, sampleLanguages, sampleOf } from '../../dashboard/core/verify-samples.ts'
import type { RecordedRequest } from '../../src/client/types.ts'
import type { Job } from '../../src/generated/control/types.ts'
import { collection } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'
import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

const { world: newWorld } = await startSandbox({ SANDBOX_RETRY_JITTER: 'off' })

describe('pasted headers', () => {
  const wanted = { 'webhook-id': 'msg_1', 'content-type': 'application/json' }
  it.each([
    ['lines', 'Webhook-Id: msg_1\r\ncontent-type:application/json\n'],
    ['a request', 'POST /hook HTTP/1.1\nwebhook-id: msg_1\ncontent-type: application/json\n\n'],
    ['options of curl', `-H 'webhook-id: msg_1' \\\n  --header "content-type: application/json" \\`],
    ['JSON', '{"Webhook-Id":"msg_1","Content-Type":"application/json"}'],
  ])('are parsed from %s', (_what, text) => {
    expect(readHeaders(text)).toEqual({ headers: wanted, unread: [] })
  })

  it('are reported if they cannot be parsed', () => {
    expect(readHeaders('webhook-id: msg_1\nno header').unread).toEqual(['no header'])
    expect(readHeaders('[1]').unread).toEqual(['[1]'])
  })

  it('may contain anything', () => {
    expect(readHeaders('x-y: <b>a: b</b>').headers).toEqual({ 'x-y': '<b>a: b</b>' })
    expect(readHeaders('__proto__: 1').unread).toEqual([])
  })
})

describe('a body', () => {
  it.each([
    ['{"a":1}', false],
    ['línea\r\n\ttab', false],
    ['\u0089PNG\r\n\u001A\u0000', true],
    ['\uFFFDPNG', true],
  ])('classifies %j as binary: %s', (text, binary) => {
    expect(isBinary(text)).toBe(binary)
  })

  it('counts each lost byte once', () => {
    expect([byteLength('é'), byteLength('\uFFFD\uFFFDa'), byteLength('')]).toEqual([2, 3, 0])
    expect([sizeOf(1), sizeOf(850), sizeOf(1_536), sizeOf(65_536)]).toEqual([
      '1 byte',
      '850 bytes',
      '1.5 KB',
      '64 KB',
    ])
  })

  it('has a hex dump', () => {
    expect(hexOf('\uFFFDPNG\n')).toMatch(/^0000 {2}\?\? 50 4e 47 0a +\?PNG\.$/)
    expect(hexOf('x'.repeat(100_000)).split('\n')).toHaveLength(32)
  })

  it.each([
    ['{"status":"success","external_reference":"order-1","reference":"U1"}', 'order-1, success'],
    ['{"status":true,"response":{"Status":"Failed","ExternalReference":"order-2"}}', 'order-2, failed'],
    ['{"hello":"inbox"}', '{"hello":"inbox"}'],
    ['null', 'null'],
    ['a\n  b', 'a b'],
    ['y'.repeat(500), `${'y'.repeat(120)}…`],
  ])('summarises %.40s as %s', (body, gist) => {
    expect(gistOf(body)).toBe(gist)
  })
})

describe('the axis of due jobs', () => {
  it('fits seconds and days, and merges close marks', () => {
    const { ticks, dues } = axisOf([-5_000, 2_000, 86_400_000, 86_401_000], (left) => left)
    expect(ticks.map(({ words }) => words)).toEqual([
      'now',
      '10 s',
      '1 min',
      '10 min',
      '1 h',
      '6 h',
      '1 d',
      '7 d',
    ])
    expect(dues.map(({ items }) => items.length)).toEqual([1, 1, 2])
    expect(dues[0]!.at).toBe(0)
    expect(ticks.at(-1)!.at).toBeCloseTo(100)
  })

  it('is ten seconds long without jobs', () => {
    expect(axisOf([], () => 0).ticks.map(({ words }) => words)).toEqual(['now', '10 s'])
  })
})

describe('lanes of planned jobs', () => {
  const job = (seconds: number, change: Partial<Job>): Job => ({
    id: seconds,
    kind: 'settle',
    due_at: new Date(seconds * 1_000).toISOString(),
    due_in_ms: 0,
    transaction: 'U1',
    callback: null,
    kyc: null,
    channel: null,
    outcome: 'SUCCESS',
    attempts: 0,
    error: '',
    abandoned: false,
    blocked_by: null,
    ...change,
  })
  const event = (seconds: number, kind: string, summary: string, callback: number | null = null) => ({
    at: new Date(seconds * 1_000).toISOString(),
    kind: kind as 'state',
    summary,
    callback,
    request: null,
  })

  it('show the settlement and the wait for it', () => {
    const { moments, ahead, lanes } = lanesOf([event(0, 'state', 'QUEUED')], [job(8, {})])
    expect([moments, ahead]).toEqual([[0, 8_000], 1])
    const marks = lanes.find(({ name }) => name === 'Service')!.marks
    expect(marks.map(({ text, from, to, planned }) => [text, from, to, planned])).toEqual([
      ['QUEUED', 0, 0, false],
      ['SUCCESS', 1, 1, true],
    ])
  })

  it('show the next attempt and the wait between attempts', () => {
    const told = [
      event(0, 'state', 'QUEUED'),
      event(2, 'state', 'SUCCESS'),
      event(2, 'attempt', 'answered 500', 1),
      event(3, 'attempt', 'answered 500', 1),
    ]
    const { lanes } = lanesOf(told, [job(8, { kind: 'callback', callback: 1, outcome: '' })])
    const marks = lanes.find(({ name }) => name === 'Callback 1')!.marks
    expect(marks.map(({ text }) => text)).toEqual([
      'attempt 1',
      'waits 1 s',
      'attempt 2',
      'waits 5 s',
      'attempt 3',
    ])
  })
})

describe('a logged request', () => {
  const request: RecordedRequest = {
    id: 'req_4',
    at: '2026-06-30T00:44:53Z',
    operation: 'createCollection',
    username: 'demo',
    method: 'POST',
    path: '/api/v2/payments',
    headers: [
      { name: 'authorization', value: 'Basic [redacted]' },
      { name: 'content-type', value: 'application/json' },
    ],
    body: { phone_number: '0712345678', amount: 250 },
    status: 201,
    response: { success: true },
    scenario: null,
    duration_ms: 3,
  }

  it('cannot be repeated if a part of it was not stored', () => {
    expect(whyNotAgain(request)).toBeUndefined()
    expect(whyNotAgain({ ...request, body: { password: '[redacted]' } })).toMatch(/secrets/)
    expect(whyNotAgain({ ...request, path: '/x?token=[redacted]' })).toMatch(/secrets/)
    expect(whyNotAgain({ ...request, body: 'x'.repeat(65_536) })).toMatch(/too long/)
  })

  it('is repeated unchanged, with the window’s key', async () => {
    const sent: (readonly [path: string, init: RequestInit])[] = []
    const transport = {
      async fetch(path: string, init: RequestInit) {
        sent.push([path, init])
        return new Response('{}', { status: 201, headers: { 'sandbox-request-id': 'req_9' } })
      },
    }
    expect(await sendAgain({ transport } as never, request)).toEqual({ id: 'req_9', status: 201 })
    expect(sent).toEqual([
      [
        '/api/v2/payments',
        {
          method: 'POST',
          headers: [['content-type', 'application/json']],
          body: '{"phone_number":"0712345678","amount":250}',
        },
      ],
    ])
  })

  it('is copied with a public key', () => {
    const curl = `curl 'http://x/' -u "$API_USERNAME:$API_PASSWORD"`
    expect(withKey(curl, 'demo:demo')).toBe(`curl 'http://x/' -u demo:demo`)
    expect(withKey(curl, "it's:$&")).toBe(`curl 'http://x/' -u 'it'\\''s:$&'`)
  })

  it.each([
    ['a payment', {}],
    ['a refusal', { status: 403, response: { error_code: 'permission_denied', error_message: 'no: "x"' } }],
    [
      'a look-up',
      { operation: 'getAccount', body: null, method: 'GET', path: '/api/v2/account/63', status: 200 },
    ],
    ['hostile names', { body: { phone_number: '"]\n# x: {', amount: 1 }, path: '/api/v2/payments?a=‮\n' }],
  ])('becomes a scenario that the sandbox accepts: %s', async (_what, change) => {
    const yaml = scenarioOf({ ...request, ...change } as RecordedRequest)
    const { status, body } = await newWorld().post('/sandbox/scenarios/check', yaml, {
      'content-type': 'application/yaml',
    })
    expect([yaml, status, body.issues]).toEqual([yaml, 200, []])
  })
})

describe('receiver code', () => {
  const profiles = ['standard', 'stripe', 'github', 'hmac-sha512'] as const

  it.each(profiles)('exists in every language for %s', (profile) => {
    for (const language of sampleLanguages) {
      const code = sampleOf(profile, language)!
      expect(code).toMatch(/verify/i)
      expect(code).not.toMatch(/undefined|\[object|^false$/m)
    }
    expect(sampleOf('rfc9421', 'Go')).toBeUndefined()
  })

  it.each(profiles)('accepts callbacks signed with %s and no others', async (profile) => {
    const world = newWorld()
    await world.patch('/sandbox/worlds/current', { signatures: profile })
    const { address } = (await world.get('/sandbox/inbox/shop')).body
    await world.post('/api/v2/payments', collection(world, { callback_url: address }))
    await world.settle()
    const { headers: sent, body } = (await world.get('/sandbox/inbox/shop')).body.messages[0]
    const headers = Object.fromEntries(
      Object.entries(sent as Record<string, string>).map(([name, value]) => [name.toLowerCase(), value]),
    )
    const { secret } = (await world.get('/sandbox/signing-secret')).body
    // Signed by the time of tests, which the code holds against the real one.
    const at = Number(
      headers['webhook-timestamp'] ?? /t=(\d+)/.exec(headers['stripe-signature'] ?? '')?.[1] ?? 0,
    )
    const code = `Date.now = () => ${at} * 1000\n${sampleOf(profile, 'Node.js')!}`
    const run = (text: string) =>
      execFileSync(
        process.execPath,
        [
          '--input-type=module',
          '-e',
          `${code}
        console.log(verify(${JSON.stringify(secret)}, ${JSON.stringify(headers)}, Buffer.from(${JSON.stringify(text)})))`,
        ],
        {
          encoding: 'utf8',
        },
      ).trim()
    expect([run(body), run(`${body} `)]).toEqual(['true', 'false'])
  })
})
