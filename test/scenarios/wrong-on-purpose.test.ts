import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { DEMO_SIGNING_SECRET } from '../../src/callbacks/signatures/secrets.ts'
import { type Arrived, liveSandbox, receiver } from '../support/live.ts'
import { collection } from '../support/requests.ts'

const { api } = await liveSandbox({ SANDBOX_CALLBACK_TIMEOUT: '3s', SANDBOX_RETRY_PROFILE: 'none' })

/** Whether the receiver's library takes it, or why not. */
function verdict({ headers, body, cut }: Arrived): string {
  if (cut) return 'cut'
  try {
    new Webhook(DEMO_SIGNING_SECRET.slice(6)).verify(body, headers)
    return (JSON.parse(body.toString()) as { status: string }).status
  } catch (error) {
    return (error as Error).message
  }
}

const effects: [word: string, seen: string[]][] = [
  ['tampered', ['No matching signature found']],
  ['wrong-secret', ['No matching signature found']],
  ['stale', ['Message timestamp too old']],
  ['future', ['Message timestamp too new']],
  ['unsigned', ['Missing required headers']],
  ['malformed-signature', ['No matching signature found']],
  ['duplicate', ['success', 'success']],
  ['out-of-order', ['reversed', 'success']],
  ['first', ['success']],
  ['late', ['success']],
  ['drop', []],
  ['truncated-body', ['cut']],
  ['slow', ['success']],
  ['lost-response', ['success']],
  ['reformatted', ['success']],
  ['second-signature', ['success']],
  ['upper-case-headers', ['success']],
]

/** What a receiver saw of one payment that is said to go wrong, and how much before the answer. */
async function play(word: string, say: (file: object, prefer: string) => Promise<Record<string, string>>) {
  const target = await receiver()
  const reversed = word === 'out-of-order'
  const later = reversed && { settle: { status: 'success' }, later: [{ after: '0s', status: 'reversed' }] }
  const headers = await say(
    { title: word, then: { ...later, callback: word } },
    `${reversed ? 'outcome=reversed, ' : ''}callback=${word}`,
  )
  const { status } = await api.post('/api/v2/payments', collection({ callback_url: target.url }), headers)
  const before = target.arrived.length
  await api.post('/sandbox/settle')
  return { status, before, arrived: target.arrived }
}

const byHeader = async (_: object, prefer: string) => ({ prefer })
const byFile = (name: string) => async (file: object) => {
  expect((await api.put(`/sandbox/scenarios/${name}`, file)).status).toBe(200)
  return { prefer: `scenario=${name}` }
}

describe.each(['Prefer', 'a scenario file'])('deliberate faults by %s', (way) => {
  it.each(effects)('delivers %s to the receiver', async (word, seen) => {
    await api.post('/sandbox/clock/freeze')
    const start = Date.parse((await api.get('/sandbox/clock')).body.now)
    const played = await play(word, way === 'Prefer' ? byHeader : byFile(`mine-${word}`))
    expect(played.status).toBe(201)
    // A cut connection is noticed at its other end a moment later.
    await expect.poll(() => played.arrived.map(verdict)).toEqual(seen)
    expect(played.before).toBe(word === 'first' ? 1 : 0)
    const ids = new Set(played.arrived.map(({ headers }) => headers['webhook-id']))
    expect(ids.size).toBe(word === 'duplicate' ? 1 : seen.length)
    const passed = Date.parse((await api.get('/sandbox/clock')).body.now) - start
    expect(passed >= 600_000).toBe(word === 'late')
  })
})
