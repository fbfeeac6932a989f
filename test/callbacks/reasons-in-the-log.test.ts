import { describe, expect, it } from 'vitest'
import { readableLog } from '../support/log-lines.ts'
import { collection } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'
import type { LogLevel } from '../../src/lib/log/log.ts'

const refused = {
  status: null,
  error: 'connection refused: nothing listens at shop.test',
  advice: 'start the receiver',
}

async function started(level: LogLevel = 'info', env: Record<string, string> = {}) {
  const { log, lines, of } = readableLog(level)
  const given = await startSandbox({ SANDBOX_RETRY_JITTER: 'off', ...env }, { log })
  return { ...given, lines, of }
}

describe('a failed attempt', () => {
  it('is logged with the reason, the remedy, its payment and the time of the next attempt', async () => {
    const { world: newWorld, answerOf, of } = await started()
    answerOf.next = () => refused
    const world = newWorld()
    const { reference } = (
      await world.post('/api/v2/payments', collection(world, { external_reference: 'order-1' }))
    ).body
    await world.advance(2_000)
    expect(of('callback attempt')).toEqual([
      {
        time: '2026-06-13T12:00:00.000Z',
        level: 'info',
        event: 'callback attempt',
        world: world.world().name,
        reference,
        external_reference: 'order-1',
        callback: 1,
        attempt: 1,
        of: 6,
        url: world.callback_url,
        status: null,
        ms: 0,
        error: refused.error,
        advice: refused.advice,
        next_attempt_at: '2026-06-13T12:00:03.000Z',
      },
    ])
  })

  it('is logged without the key of an inbox, at each level', async () => {
    const { world: newWorld, answerOf, lines } = await started('debug')
    const world = newWorld()
    const inbox = (await world.get('/sandbox/inbox/shop')).body.address as string
    expect(inbox).toMatch(/\?key=/)
    for (const status of [500, 200]) {
      answerOf.next = () => ({ status, error: '' })
      await world.post('/api/v2/payments', collection(world, { callback_url: inbox }))
      await world.advance(2_000)
    }
    const key = new URL(inbox).searchParams.get('key')!
    const text = JSON.stringify(lines)
    expect(text).toContain('/sandbox/inbox/shop?key=redacted')
    expect(text).not.toContain(key)
  })

  it.each([
    [404, '/callbacks', 'no POST route'],
    [401, '/callbacks', 'rejects the sender'],
    [401, '/sandbox/inbox/shop', 'the address of an inbox contains a key'],
  ])('is logged with the status and its meaning: %i at %s', async (status, path, advice) => {
    const { world: newWorld, answerOf, of } = await started()
    answerOf.next = () => ({ status, error: '' })
    const world = newWorld()
    const callback_url = new URL(path, world.callback_url).href
    await world.post('/api/v2/payments', collection(world, { callback_url }))
    await world.advance(2_000)
    expect(of('callback attempt')).toMatchObject([
      { status, error: `answered ${status}`, advice: expect.stringContaining(advice) },
    ])
  })

  it('is a warning if it was the last one', async () => {
    const { world: newWorld, answerOf, lines } = await started('warn')
    answerOf.next = () => refused
    const world = newWorld()
    await world.post('/api/v2/payments', collection(world))
    await world.settle()
    expect(lines).toMatchObject([
      {
        level: 'warn',
        event: 'callback given up',
        attempt: 6,
        of: 6,
        error: refused.error,
        advice: refused.advice,
        next_attempt_at: null,
      },
    ])
  })

  it('is logged without secrets of its address', async () => {
    const { world: newWorld, answerOf, of } = await started()
    answerOf.next = () => refused
    const world = newWorld()
    const callback_url = 'http://me:hush@shop.test/hook?token=hush-hush&order=1'
    await world.post('/api/v2/payments', collection(world, { callback_url }))
    await world.advance(2_000)
    expect(of('callback attempt')[0]!['url']).toBe(
      'http://[redacted]@shop.test/hook?token=[redacted]&order=1',
    )
  })
})

describe('a successful attempt', () => {
  it.each([
    ['debug', 1],
    ['info', 0],
  ] as const)('at the level %s has %i lines', async (level, lines) => {
    const { world: newWorld, of } = await started(level)
    const world = newWorld()
    await world.post('/api/v2/payments', collection(world))
    await world.settle()
    expect(of('callback attempt')).toHaveLength(lines)
  })
})

describe('a rejected request', () => {
  it('is logged with its error', async () => {
    const { world: newWorld, of } = await started()
    const world = newWorld()
    const { body } = await world.post('/api/v2/payments', { amount: 'x' })
    await world.get('/api/v2/account/999')
    expect(of('request')).toMatchObject([
      { status: 400, error: body.error_message },
      { status: 404, error: expect.stringContaining('999') },
    ])
  })

  it('is logged if a scenario rejected it', async () => {
    const { world: newWorld, of } = await started()
    const world = newWorld()
    const { body } = await world.post('/api/v2/payments', collection(world), {
      prefer: 'scenario=provider-down',
    })
    expect(of('request')).toMatchObject([{ status: 502, error: body.error_message }])
  })

  it('is logged and answered without wrong secrets', async () => {
    const { world: newWorld, of } = await started()
    const world = newWorld()
    const { body } = await world.post('/sandbox/api-keys', { user_id: 1, username: 'me', password: 4711 })
    expect(JSON.stringify([body, of('request')])).not.toContain('4711')
  })

  it('is logged in a short line, however long the response is', async () => {
    const { world: newWorld, of } = await started()
    const world = newWorld()
    const wrong = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${n}${'x'.repeat(90)}`, n]))
    await world.post('/sandbox/worlds', wrong)
    expect(of('request')).toHaveLength(1)
    expect(String(of('request')[0]!['error']).length).toBeLessThanOrEqual(1_001)
  })

  it('leaves no error in the log line of a success', async () => {
    const { world: newWorld, of } = await started()
    const world = newWorld()
    await world.get('/api/v2/account/63')
    expect(of('request')[0]).not.toHaveProperty('error')
  })
})
