import { describe, expect, it } from 'vitest'
import { MOST_LISTENERS } from '../../src/worlds/events.ts'
import { collection } from '../support/requests.ts'
import { refused, startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()

interface Event {
  readonly id: number
  readonly type: string
  readonly data: { readonly [name: string]: unknown }
}

/** Opens a world's stream and reads from it until it has seen so many events. */
async function stream(name: string, headers: Record<string, string> = {}) {
  const authorization = `Basic ${Buffer.from(`${name}:demo`).toString('base64')}`
  const request = new Request('http://sandbox.test/sandbox/events', {
    headers: { authorization, ...headers },
  })
  const response = await sandbox.fetch(request)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    response,
    async read(count: number): Promise<Event[]> {
      const events = () => [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json!) as Event)
      while (events().length < count) {
        const { value, done } = await reader.read()
        if (done) break
        text += value
      }
      return events()
    },
    stop: () => reader.cancel(),
  }
}

describe('streamEvents', () => {
  it('200 with what happens in the world, in order, and nothing of others', async () => {
    const [w, other] = [world(), world()]
    await w.get('/sandbox/ledger')
    await other.get('/sandbox/ledger')
    const { response, read, stop } = await stream(w.world().name)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    await other.post('/api/v2/payments', collection(other))
    const paid = await w.post('/api/v2/payments', collection(w))
    await w.settle()
    const events = await read(7)
    await stop()
    expect(events.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['transaction', 'request', 'posting', 'callback', 'attempt']),
    )
    const [first] = events
    expect(first).toMatchObject({
      type: 'transaction',
      data: { reference: paid.body.reference, status: 'QUEUED', amount: 1000 },
    })
    expect(w.world().events.listeners).toBe(0)
  })

  it('goes on after Last-Event-ID, over a reset too', async () => {
    const w = world()
    await w.post('/api/v2/payments', collection(w))
    await w.post('/sandbox/reset')
    await w.get('/api/v2/account/63')
    const { read, stop } = await stream(w.world().name, { 'last-event-id': '1' })
    const events = await read(3)
    await stop()
    expect(events.map(({ id, type }) => [id, type])).toEqual([
      [2, 'request'],
      [3, 'reset'],
      [4, 'request'],
    ])
  })

  it('starts anew for an id of an earlier process', async () => {
    const w = world()
    await w.get('/api/v2/account/63')
    const { read, stop } = await stream(w.world().name, { 'last-event-id': '99' })
    expect(await read(1)).toMatchObject([{ id: 1, type: 'request' }])
    await stop()
  })

  it('ends when the world is deleted', async () => {
    const parent = world()
    const made = await parent.post('/sandbox/worlds', { seed: undefined })
    const { credentials } = made.body
    const authorization = `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`
    const open = await sandbox.fetch(
      new Request('http://sandbox.test/sandbox/events', { headers: { authorization } }),
    )
    await parent.delete(`/sandbox/worlds/${made.body.world.id}`)
    expect(await open.text()).toBe(': listening\n\n')
  })

  it('429 when too many listen already', async () => {
    const w = world()
    await w.get('/sandbox/ledger')
    const stops = Array.from({ length: MOST_LISTENERS }, () =>
      w.world().events.listen(
        () => {},
        () => {},
      ),
    )
    expect(await w.get('/sandbox/events')).toMatchObject(
      refused(429, 'resource_exhausted', /^100 listen to this world already/),
    )
    stops.forEach((stop) => stop())
  })

  it('400 for an id that is no number', async () => {
    expect((await world().get('/sandbox/events', undefined, { 'last-event-id': 'x' })).status).toBe(400)
  })
})
