import { describe, expect, it } from 'vitest'
import { createLog } from '../../src/lib/log/log.ts'
import { collection, withdrawal } from '../support/requests.ts'
import { balances } from '../support/ledger.ts'
import { NOON, startSandbox, type TestWorld } from '../support/sandbox.ts'

const { sandbox, world: newWorld, answerOf } = await startSandbox({ SANDBOX_RETRY_JITTER: 'off' })

async function story() {
  let attempts = 0
  answerOf.next = () => (++attempts === 1 ? { status: 500, error: '' } : { status: 200, error: '' })
  const world = newWorld()
  const { reference } = (await world.post('/api/v2/payments', collection(world))).body
  await world.post('/api/global/transaction-status', { request_id: reference })
  await world.advance(60_000)
  await world.post('/api/global/transaction-status', { request_id: 'order-1' })
  return { world, reference: reference as string }
}

describe('GET /sandbox/transactions/{reference}/timeline', () => {
  it('lists everything that happened, in order', async () => {
    const { world, reference } = await story()
    const { status, body } = await world.get(`/sandbox/transactions/${reference}/timeline`)
    expect([status, body.transaction, body.status]).toEqual([200, reference, 'SUCCESS'])
    expect(
      body.events.map((each: { kind: string; summary: string }) => `${each.kind} ${each.summary}`),
    ).toEqual([
      'request createCollection: 201',
      'state QUEUED',
      'status_query getTransactionStatus: 200',
      expect.stringMatching(/^posting collection: .*team:63:wallet:KES/),
      'state SUCCESS',
      `callback callback 1 for ${world.callback_url}, flat`,
      'attempt answered 500; next attempt 2026-06-13T12:00:03.000Z',
      'attempt answered 200',
      'status_query getTransactionStatus: 200',
    ])
    const times = body.events.map((each: { at: string }) => Date.parse(each.at) - NOON)
    expect(times).toEqual([0, 0, 0, 2_000, 2_000, 2_000, 2_000, 3_000, 60_000])
    expect(body.events[0].request).toMatch(/^req_/)
    const amounts = body.events.map((each: { amount: unknown }) => each.amount)
    expect(amounts.filter((amount: unknown) => amount !== undefined)).toEqual([
      { amount: 1_000, currency: 'KES', minor: 100_000 },
    ])
    const attempts = body.events.filter(({ kind }: { kind: string }) => kind === 'attempt')
    expect(attempts).toMatchObject([
      { status: 500, duration_ms: expect.any(Number), next_attempt_at: '2026-06-13T12:00:03.000Z' },
      { status: 200, duration_ms: expect.any(Number), next_attempt_at: null },
    ])
    expect(body.events[0]).toMatchObject({ status: 201, duration_ms: expect.any(Number) })
    expect(body.events[1]).not.toHaveProperty('status')
    expect(body.planned).toEqual([])
  })

  it('lists planned jobs: the settlement, then the next attempt', async () => {
    answerOf.next = () => ({ status: 500, error: '' })
    const world = newWorld()
    const { reference } = (await world.post('/api/v2/payments', collection(world))).body
    const planned = async () => (await world.get(`/sandbox/transactions/${reference}/timeline`)).body.planned
    expect(await planned()).toMatchObject([
      {
        kind: 'settle',
        due_at: '2026-06-13T12:00:02.000Z',
        due_in_ms: 2_000,
        outcome: 'SUCCESS',
        callback: null,
      },
    ])
    await world.advance(2_500)
    expect(await planned()).toMatchObject([
      { kind: 'callback', due_at: '2026-06-13T12:00:03.000Z', due_in_ms: 500, callback: 1, attempts: 1 },
    ])
  })

  const states = async (world: TestWorld, reference: string) =>
    (await world.get(`/sandbox/transactions/${reference}/timeline`)).body.events
      .filter(({ kind }: { kind: string }) => kind === 'state')
      .map(({ at, summary }: { at: string; summary: string }) => [(Date.parse(at) - NOON) / 1_000, summary])

  it.each([
    ['success-then-reversed', 'SUCCESS', 'REVERSED'],
    ['late-success', 'FAILED: expired', 'SUCCESS'],
  ])('shows each state that %s goes through, with its time', async (prefer, first, second) => {
    const world = newWorld()
    const headers = { prefer: `scenario=${prefer}` }
    const { reference } = (await world.post('/api/v2/payments', collection(world), headers)).body
    await world.settle()
    const found = await states(world, reference)
    expect(found.map(([, summary]: [number, string]) => summary)).toEqual(['QUEUED', first, second])
    expect(found[2][0] - found[1][0]).toBe(600)
  })

  it('shows a reversal without money, and logs it', async () => {
    const lines: string[] = []
    const write = (line: string) => void lines.push(line)
    const log = createLog({ level: 'warn', write, terminal: false, now: () => NOON })
    const world = (await startSandbox({}, { log })).world()
    const headers = { prefer: 'scenario=success-then-reversed' }
    const { body } = await world.post('/api/v2/payments', collection(world, { amount: 1_000 }), headers)
    await world.advance(60_000)
    const wallet = (await balances(world))['team:63:wallet:KES']!
    expect((await world.post('/api/v2/withdraw', withdrawal(world, { amount: wallet - 200 }))).status).toBe(
      200,
    )
    await world.settle()
    const why = expect.stringMatching(/^not REVERSED: insufficient balance/)
    expect(await states(world, body.reference)).toEqual([
      [0, 'QUEUED'],
      [2, 'SUCCESS'],
      [602, why],
    ])
    expect(lines.join('')).toMatch(/planned change rejected.*could not become REVERSED: insufficient balance/)
  })

  it('returns a sequence diagram', async () => {
    const { world, reference } = await story()
    const authorization = `Basic ${Buffer.from(`${world.world().name}:demo`).toString('base64')}`
    const response = await sandbox.fetch(
      new Request(`http://sandbox.test/sandbox/transactions/${reference}/timeline`, {
        headers: { authorization, accept: 'text/vnd.mermaid' },
      }),
    )
    expect(response.headers.get('content-type')).toBe('text/vnd.mermaid; charset=utf-8')
    const lines = (await response.text()).split('\n')
    expect(lines[0]).toBe('sequenceDiagram')
    expect(lines).toContain('  Client->>Sandbox: 12:00:00.000 createCollection: 201')
    expect(lines).toContain('  Note over Sandbox: 12:00:02.000 SUCCESS')
    expect(lines).toContain('  Sandbox->>Receiver: 12:00:03.000 answered 200')
  })

  it('returns 404 for a transaction of another world', async () => {
    const { reference } = await story()
    expect((await newWorld().get(`/sandbox/transactions/${reference}/timeline`)).status).toBe(404)
  })
})
