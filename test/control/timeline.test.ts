import { describe, expect, it } from 'vitest'
import { collection } from '../support/requests.ts'
import { NOON, startSandbox } from '../support/sandbox.ts'

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
  it('tells everything that happened, in order', async () => {
    const { world, reference } = await story()
    const { status, body } = await world.get(`/sandbox/transactions/${reference}/timeline`)
    expect([status, body.transaction, body.status]).toEqual([200, reference, 'SUCCESS'])
    expect(
      body.events.map((each: { kind: string; summary: string }) => `${each.kind} ${each.summary}`),
    ).toEqual([
      'request createCollection: 201',
      'state QUEUED',
      'poll getTransactionStatus: 200',
      expect.stringMatching(/^posting collection: .*team:63:wallet:KES/),
      'state SUCCESS',
      `callback callback 1 owed to ${world.callback_url}, flat`,
      'attempt answered 500; next attempt 2026-06-13T12:00:03.000Z',
      'attempt answered 200',
      'poll getTransactionStatus: 200',
    ])
    const times = body.events.map((each: { at: string }) => Date.parse(each.at) - NOON)
    expect(times).toEqual([0, 0, 0, 2_000, 2_000, 2_000, 2_000, 3_000, 60_000])
    expect(body.events[0].request).toMatch(/^req_/)
  })

  it('draws a sequence diagram', async () => {
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

  it('404 for a transaction of another world', async () => {
    const { reference } = await story()
    expect((await newWorld().get(`/sandbox/transactions/${reference}/timeline`)).status).toBe(404)
  })
})
