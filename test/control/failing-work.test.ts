import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createLog } from '../../src/lib/log/log.ts'
import { temporaryFolder } from '../support/folder.ts'
import { collection } from '../support/requests.ts'
import { client, NOON, startSandbox } from '../support/sandbox.ts'

const lines: string[] = []
const log = createLog({
  level: 'error',
  write: (line) => void lines.push(line),
  terminal: false,
  now: () => NOON,
})
const { world, sandbox, answerOf } = await startSandbox({ SANDBOX_RETRY_JITTER: 'off' }, { log })

/** Sending breaks so many times, as no receiver could make it, and works from then on. */
function breaking(times: number) {
  let left = times
  answerOf.next = () => {
    if (left-- > 0) throw new Error('no more sockets')
    return { status: 200, error: '' }
  }
}

describe('a job that fails by an error of the sandbox', () => {
  it('is listed with its last error and next attempt, logged, and finally succeeds', async () => {
    const w = world()
    breaking(2)
    const paid = await w.post('/api/v2/payments', collection(w))
    await w.advance(2_000)
    const clock = (await w.get('/sandbox/clock')).body
    expect(clock).toMatchObject({
      scheduled: 1,
      next: { kind: 'callback', due_at: '2026-06-13T12:00:03.000Z' },
      failing: [
        {
          kind: 'callback',
          transaction: paid.body.reference,
          callback: 1,
          failures: 1,
          failed_at: '2026-06-13T12:00:02.000Z',
          error: 'Error: no more sockets',
          next_attempt_at: '2026-06-13T12:00:03.000Z',
        },
      ],
    })
    expect((await w.get('/sandbox/worlds/current')).body).toMatchObject({ pending_jobs: 1, failing_jobs: 1 })
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({
      event: 'job failed',
      message: 'Error: no more sockets',
      next_attempt_at: '2026-06-13T12:00:03.000Z',
    })

    await w.settle()
    expect(w.callbacks()).toHaveLength(3)
    expect((await w.get('/sandbox/clock')).body).toMatchObject({ scheduled: 0, next: null, failing: [] })
    expect((await w.get('/sandbox/callbacks/1')).body.callback.state).toBe('delivered')
  })

  it('fails for good after five more attempts, and stays listed', async () => {
    const w = world()
    breaking(Infinity)
    await w.post('/api/v2/payments', collection(w))
    const { jobs } = (await w.post('/sandbox/settle')).body
    expect(jobs.at(-1).result).toBe('failed: Error: no more sockets; given up')
    expect(w.callbacks()).toHaveLength(6)
    expect((await w.get('/sandbox/clock')).body).toMatchObject({
      scheduled: 0,
      next: null,
      failing: [{ failures: 6, next_attempt_at: null }],
    })
    expect((await w.get('/sandbox/worlds/current')).body).toMatchObject({ pending_jobs: 1, failing_jobs: 1 })
    const health = await client(sandbox, '', '').get('/__admin/health')
    expect(health.body.failing_jobs).toBe(1)
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ event: 'job given up' })

    breaking(0)
    await w.post('/sandbox/callbacks/1/resend')
    await w.settle()
    expect((await w.get('/sandbox/callbacks/1')).body.callback.state).toBe('delivered')
    expect((await w.get('/sandbox/worlds/current')).body).toMatchObject({ pending_jobs: 0, failing_jobs: 0 })
  })

  it('blocks later callbacks of its transaction only while it is retried', async () => {
    const w = world()
    const prefer = { prefer: 'outcome=reversed' }
    breaking(1)
    await w.post('/api/v2/payments', collection(w), prefer)
    await w.settle()
    expect(w.callbacks().map(({ body }) => body.status)).toEqual(['success', 'success', 'reversed'])

    const [stuck, after] = [world(), 6]
    let calls = 0
    answerOf.next = () => {
      if (++calls <= after) throw new Error('no more sockets')
      return { status: 200, error: '' }
    }
    await stuck.post('/api/v2/payments', collection(stuck), prefer)
    await stuck.settle()
    expect(stuck.callbacks().map(({ body }) => body.status)).toEqual([
      ...Array(6).fill('success'),
      'reversed',
    ])
  })

  it('is retried once after a restart', async () => {
    const SANDBOX_DB = join(temporaryFolder(), 'rows.json')
    const first = await startSandbox({ SANDBOX_DB })
    first.answerOf.next = () => {
      throw new Error('no more sockets')
    }
    const w = first.world()
    await w.post('/api/v2/payments', collection(w))
    await w.settle()
    const { name } = w.world()
    await first.sandbox.close()

    const second = await startSandbox({ SANDBOX_DB })
    const again = client(second.sandbox, name, 'demo')
    expect((await again.get('/sandbox/clock')).body).toMatchObject({
      scheduled: 0,
      failing: [{ failures: 6 }],
    })
    await again.post('/sandbox/settle')
    expect(second.received).toHaveLength(1)
    expect((await again.get('/sandbox/clock')).body.failing).toEqual([])
  })
})
