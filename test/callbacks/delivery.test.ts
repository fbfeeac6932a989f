import { every } from '../support/rows.ts'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { DEMO_SIGNING_SECRET, firstSecrets } from '../../src/callbacks/signatures/secrets.ts'
import { RETRY_PROFILES } from '../../src/callbacks/retry.ts'
import type { CallbackFault } from '../../src/service/vocabulary/terms.ts'
import { collection } from '../support/requests.ts'
import { startSandbox, type TestWorld } from '../support/sandbox.ts'

const { world: newWorld, answerOf } = await startSandbox({ SANDBOX_RETRY_JITTER: 'off' })

const pay = async (world: TestWorld, changes: object = {}) =>
  (await world.post('/api/v2/payments', collection(world, changes))).body.reference as string

const answering = (...answers: { status: number | null; headers?: Record<string, string> }[]) => {
  let at = 0
  answerOf.next = () => ({ error: '', ...answers[Math.min(at++, answers.length - 1)]! })
}

const rows = (world: TestWorld) =>
  world.world().read((look) => ({
    callbacks: every(look.rows, 'callbacks'),
    attempts: every(look.rows, 'attempts'),
    jobs: every(look.rows, 'jobs'),
  }))

describe('a callback', () => {
  it('is signed with the secret of its world', async () => {
    answering({ status: 200 })
    const world = newWorld()
    await pay(world)
    await world.settle()
    const [callback] = world.callbacks()
    const secret = firstSecrets('demo', null, 'demo')(world.world().name)
    // The wall of these tests stands still years away from the verifier's, so its time is put aside.
    const timeless = new Webhook(secret.slice(6))
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = callback!.headers
    expect(timeless.sign(id!, new Date(Number(at) * 1000), callback!.text)).toBe(signature)
    expect(secret).not.toBe(DEMO_SIGNING_SECRET)
  })

  it.each([204, 299])('is delivered if the receiver responds with %i', async (status) => {
    answering({ status })
    const world = newWorld()
    await pay(world)
    await world.settle()
    const { callbacks, attempts, jobs } = await rows(world)
    expect([callbacks[0]?.state, attempts.length, jobs.length]).toEqual(['delivered', 1, 0])
  })

  it('is retried after the delays of its profile, with the same id and a new timestamp', async () => {
    answering({ status: 500 })
    const world = newWorld()
    await pay(world)
    await world.settle()
    const { callbacks, attempts } = await rows(world)
    const gaps = attempts.slice(1).map((each, at) => each.at - attempts[at]!.at)
    expect(gaps).toEqual(RETRY_PROFILES.sandbox)
    expect(callbacks[0]?.state).toBe('failed')
    expect(new Set(world.callbacks().map((each) => each.headers['webhook-id'])).size).toBe(1)
    expect(new Set(world.callbacks().map((each) => each.text)).size).toBe(1)
  })

  it('is delivered if a later attempt succeeds', async () => {
    answering({ status: 500 }, { status: null }, { status: 200 })
    const world = newWorld()
    await pay(world)
    await world.settle()
    const { callbacks, attempts } = await rows(world)
    expect([callbacks[0]?.state, attempts.map((each) => each.status)]).toEqual([
      'delivered',
      [500, null, 200],
    ])
  })

  it('stays delivered if a further copy is rejected', async () => {
    answering({ status: 200 }, { status: 410 })
    const world = newWorld()
    await pay(world, { phone_number: '0700000044' })
    await world.settle()
    const { callbacks, attempts } = await rows(world)
    expect([callbacks.map(({ state }) => state), attempts.map(({ status }) => status)]).toEqual([
      ['delivered'],
      [200, 410],
    ])
  })

  it('is given up after 410', async () => {
    answering({ status: 410 })
    const world = newWorld()
    await pay(world)
    await world.settle()
    const { callbacks, attempts } = await rows(world)
    expect([callbacks[0]?.state, attempts.length]).toEqual(['failed', 1])
    expect(attempts[0]?.advice).toMatch(/responded that it is gone/)
  })

  it('waits for the time in Retry-After', async () => {
    answering({ status: 503, headers: { 'retry-after': '120' } }, { status: 200 })
    const world = newWorld()
    await pay(world)
    await world.settle()
    const { attempts } = await rows(world)
    expect(attempts[1]!.at - attempts[0]!.at).toBe(120_000)
  })

  it('stores requests and responses', async () => {
    answering({ status: 301, headers: { location: 'https://shop.test/new' } }, { status: 200 })
    const world = newWorld()
    await pay(world)
    await world.settle()
    const [first] = (await rows(world)).attempts
    expect(first).toMatchObject({
      url: world.callback_url,
      status: 301,
      request_headers: { 'content-type': 'application/json', 'webhook-id': expect.stringMatching(/^msg_/) },
      answer_headers: { location: 'https://shop.test/new' },
      advice: 'redirects are not followed: set callback_url to https://shop.test/new',
    })
  })

  it('is neither sent nor retried if its address is not an HTTP URL', async () => {
    answering({ status: 200 })
    const world = newWorld()
    await pay(world)
    await world.world().change((tx) => {
      const [transaction] = every(tx.rows, 'transactions')
      tx.rows.put('transactions', { ...transaction!, callback_url: 'ftp://shop.test/' })
    })
    await world.settle()
    const { callbacks, attempts } = await rows(world)
    expect([callbacks[0]?.state, attempts.length, attempts[0]?.error]).toEqual([
      'failed',
      1,
      'callback address "ftp://shop.test/" has the scheme ftp: use http: or https:',
    ])
  })
})

describe('callbacks of one transaction', () => {
  /** Owes callbacks with these marks in their addresses, in this order. */
  const owe = (world: TestWorld, ...marks: string[]) =>
    world.world().change((tx) => {
      const [transaction] = every(tx.rows, 'transactions')
      for (const [at, mark] of marks.entries()) {
        const id = 1_000 + at
        const row = {
          id,
          transaction_id: transaction!.id,
          url: `${world.callback_url}/${mark}`,
          shape: 'flat',
        } as const
        const body = JSON.stringify(world.callbacks()[0]!.body)
        tx.rows.insert('callbacks', { ...row, body, fault: null, state: 'pending', created_at: tx.now })
        tx.rows.insert('jobs', { id, due_at: tx.now, task: { kind: 'callback', callback_id: id } })
      }
    })
  const marks = (world: TestWorld) => world.callbacks().map((each) => each.url.split('/').at(-1))

  it('are sent in order, even if the first one fails at first', async () => {
    answering({ status: 200 })
    const world = newWorld()
    await pay(world)
    await world.settle()
    answering({ status: 500 }, { status: 500 }, { status: 200 })
    await owe(world, 'first', 'second', 'third')
    await world.settle()
    expect(marks(world).slice(1)).toEqual(['first', 'first', 'first', 'second', 'third'])
  })

  it('do not wait for a callback that was given up', async () => {
    answering({ status: 200 })
    const world = newWorld()
    await pay(world)
    await world.settle()
    answering({ status: 410 }, { status: 200 })
    await owe(world, 'first', 'second')
    await world.settle()
    expect(marks(world).slice(1)).toEqual(['first', 'second'])
  })
})

describe('a callback with a deliberate fault', () => {
  const send = async (fault: CallbackFault, status = 200) => {
    answering({ status: 200 }, { status })
    const world = newWorld()
    await pay(world)
    await world.settle()
    await world.world().change((tx) => {
      const [callback] = every(tx.rows, 'callbacks')
      tx.rows.put('callbacks', { ...callback!, fault })
      tx.rows.insert('jobs', {
        id: 99,
        due_at: tx.now,
        task: { kind: 'callback', callback_id: callback!.id },
      })
    })
    await world.settle()
    const [good, wrong] = world.callbacks()
    return { good: good!, wrong: wrong!, attempt: (await rows(world)).attempts[1]! }
  }

  it.each([
    [
      'tampered',
      401,
      'nothing: the callback is tampered on purpose, and the receiver rejects it as it should',
    ],
    ['unsigned', 500, 'reject this callback with 401: it is unsigned on purpose, and the receiver fails'],
    ['reformatted', 401, 'the receiver rejects the sender'],
  ] as const)('gets advice of its own: %s, %i', async (fault, status, advice) => {
    const { attempt } = await send(fault, status)
    expect(attempt.advice).toContain(advice)
  })

  it('has a body that differs from the signed one when tampered, and stores it', async () => {
    const { good, wrong, attempt } = await send('tampered')
    expect(wrong.text).not.toBe(good.text)
    expect(wrong.headers['webhook-signature']).toBe(good.headers['webhook-signature'])
    expect(attempt.request_body).toBe(wrong.text)
  })

  it.each(['wrong-secret', 'malformed-signature'] as const)('has another signature: %s', async (fault) => {
    const { good, wrong, attempt } = await send(fault)
    expect(wrong.headers['webhook-signature']).not.toBe(good.headers['webhook-signature'])
    expect([wrong.text, attempt.request_body]).toEqual([good.text, null])
  })

  it.each([
    ['stale', -301],
    ['future', 600],
  ] as const)('is dated %s', async (fault, seconds) => {
    const { good, wrong } = await send(fault)
    const at = (headers: Record<string, string>) => Number(headers['webhook-timestamp'])
    expect(at(wrong.headers) - at(good.headers)).toBe(seconds)
  })

  it('has no signature when it is unsigned', async () => {
    const { wrong } = await send('unsigned')
    expect(Object.keys(wrong.headers).filter((name) => name.startsWith('webhook-'))).toEqual([])
  })
})
