import { every } from '../support/rows.ts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { writeMail } from '../../src/service/domain/mails.ts'
import type { MailSender } from '../../src/scheduler/mail-jobs.ts'
import type { MailRow } from '../../src/storage/store/rows.ts'
import { setUpScheduler, START, still } from './fixtures.ts'

const HOUR = 3_600_000

// The test controls timers and time.
beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    now: START,
  })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A world with a stopped clock and a mail server; what the server receives is recorded with the time. */
async function setUp() {
  const parts = await setUpScheduler(still)
  const sent: string[] = []
  const failed: (number | null)[] = []
  const server: { response: (mail: MailRow) => Promise<void> } = { response: async () => {} }
  const mails: MailSender = {
    send(mail) {
      sent.push(`${mail.subject} at ${Date.now() - START}`)
      return server.response(mail)
    },
    onFailed: (_mail, _error, next_at) => void failed.push(next_at && next_at - START),
    async close() {},
  }
  const write = (subject: string) =>
    parts.world.change((tx) =>
      writeMail(
        { ...tx, settings: { ...tx.settings, send_mails: true } },
        { to: 'a@demo.example', subject, text: '', link: '' },
      ),
    )
  const owed = () => parts.world.read(({ rows }) => every(rows, 'mailJobs'))
  const refuse = async () => {
    throw new Error('the mail server is down')
  }
  return { ...parts, start: () => parts.start({ mails }), sent, failed, server, write, owed, refuse }
}

describe('an e-mail', () => {
  it('is sent immediately, even while the clock of its world is stopped', async () => {
    const { start, write, sent, owed } = await setUp()
    await start()
    await write('one')
    await write('two')
    expect(await owed()).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(1)
    expect(sent).toEqual(['one at 0', 'two at 0'])
    expect(await owed()).toEqual([])
  })

  it('is retried with growing delays after the server rejects it, and then given up', async () => {
    const { start, write, sent, failed, owed, server, refuse, ...parts } = await setUp()
    server.response = refuse
    await start()
    await write('one')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await owed()).toMatchObject([
      { id: 1, due_at: START + 11_000, failed: { times: 2, error: 'Error: the mail server is down' } },
    ])
    await vi.advanceTimersByTimeAsync(3 * HOUR)
    const tries = [0, 1_000, 11_000, 71_000, 671_000, 4_271_000]
    expect(sent).toEqual(tries.map((at) => `one at ${at}`))
    expect(failed).toEqual([...tries.slice(1), null])
    expect(await owed()).toEqual([])
    expect(await parts.world.read(({ rows }) => rows.get('mails', 1)!.failed)).toMatchObject({
      times: 6,
      next_at: null,
    })
  })

  it('that is pending when the process ends is sent at the next start', async () => {
    const { start, write, sent, owed, server, refuse } = await setUp()
    server.response = refuse
    const first = await start()
    await write('one')
    await vi.advanceTimersByTimeAsync(1)
    await first.close()
    await write('two')
    server.response = async () => {}
    await start()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(sent).toEqual(['one at 0', 'two at 1', 'one at 1000'])
    expect(await owed()).toEqual([])
  })

  it('is not sent after it was deleted or its world was reset', async () => {
    const { start, write, sent, owed, server, refuse, store, world } = await setUp()
    server.response = refuse
    const scheduler = await start()
    await write('one')
    await write('two')
    await vi.advanceTimersByTimeAsync(1)
    server.response = async () => {}
    await world.change(({ rows }) => rows.delete('mails', 1))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(sent.slice(2)).toEqual(['two at 1000'])
    server.response = refuse
    await write('three')
    await vi.advanceTimersByTimeAsync(1)
    await store.load('demo', {})
    await scheduler.reload('demo')
    await vi.advanceTimersByTimeAsync(HOUR)
    expect(sent.slice(3)).toEqual(['three at 1001'])
    expect(await owed()).toEqual([])
  })

  it('is sent once by two processes, and by the other one when one closes', async () => {
    const { start, write, sent, owed, server, refuse } = await setUp()
    const [a, b] = [await start(), await start()]
    await write('one')
    await vi.advanceTimersByTimeAsync(HOUR)
    expect(sent).toEqual(['one at 0'])
    server.response = refuse
    await write('two')
    await vi.advanceTimersByTimeAsync(1)
    server.response = async () => {}
    await a.close()
    await vi.advanceTimersByTimeAsync(HOUR)
    expect(sent.slice(1)).toHaveLength(2)
    expect(await owed()).toEqual([])
    await b.close()
  })
})
