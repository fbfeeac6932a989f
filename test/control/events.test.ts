import { describe, expect, it } from 'vitest'
import { collection } from '../support/requests.ts'
import { NOON, refused, startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
/** What ids of worlds that began at the tests' noon begin with. */
const LIFE = NOON.toString(36)

interface Event {
  readonly id: string
  readonly type: string
  readonly data: { readonly [name: string]: unknown }
}

/** Opens a world's stream and reads from it until it has seen so many events. */
async function stream(name: string, headers: Record<string, string> = {}, from = sandbox) {
  const authorization = `Basic ${Buffer.from(`${name}:demo`).toString('base64')}`
  const request = new Request('http://sandbox.test/sandbox/events', {
    headers: { authorization, ...headers },
  })
  const response = await from.fetch(request)
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
    expect(events.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7].map((n) => `${LIFE}-${n}`))
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
    const { read, stop } = await stream(w.world().name, { 'last-event-id': `${LIFE}-1` })
    const events = await read(3)
    await stop()
    expect(events.map(({ id, type }) => [id, type])).toEqual([
      [`${LIFE}-2`, 'request'],
      [`${LIFE}-3`, 'reset'],
      [`${LIFE}-4`, 'request'],
    ])
  })

  it('starts anew for an id of an earlier process, though this one has passed its number', async () => {
    const before = `${(NOON - 1_000).toString(36)}-2`
    const w = world()
    for (let n = 0; n < 4; n++) await w.get('/api/v2/account/63')
    const { read, stop } = await stream(w.world().name, { 'last-event-id': before })
    expect((await read(4)).map(({ id }) => id)).toEqual([1, 2, 3, 4].map((n) => `${LIFE}-${n}`))
    await stop()
  })

  it('starts anew for an id of the world that had its name before', async () => {
    const time = { now: NOON }
    const { world: newWorld, sandbox: own } = await startSandbox({}, { wall: () => time.now })
    const w = newWorld()
    for (let n = 0; n < 3; n++) await w.get('/api/v2/account/63')
    const { name } = w.world()
    await own.worlds.drop(name)
    time.now += 1
    for (let n = 0; n < 4; n++) await w.get('/api/v2/account/63')
    const { read, stop } = await stream(name, { 'last-event-id': `${LIFE}-3` }, own)
    const life = (NOON + 1).toString(36)
    expect((await read(4)).map(({ id }) => id)).toEqual([1, 2, 3, 4].map((n) => `${life}-${n}`))
    await stop()
  })

  it.each([
    ['0', [1, 2, 3]],
    ['2', [3]],
    ['99', [1, 2, 3]],
    [`${LIFE}-99`, [1, 2, 3]],
  ])('goes on after %s, a number of this life or 0 for all', async (after, numbers) => {
    const w = world()
    for (let n = 0; n < 3; n++) await w.get('/api/v2/account/63')
    const { read, stop } = await stream(w.world().name, { 'last-event-id': after })
    expect((await read(numbers.length)).map(({ id }) => id)).toEqual(numbers.map((n) => `${LIFE}-${n}`))
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
    expect(await open.text()).toBe(`: listening\nid: ${LIFE}-0\n\n`)
  })

  it('429 when too many listen already', async () => {
    const w = world()
    await w.get('/sandbox/ledger')
    const stops = Array.from({ length: 100 }, () => w.world().budget.begin('streams'))
    const message =
      'streams of this world: 100 of 100 at once are used (SANDBOX_WORLD_STREAMS); a stream that is closed gives it back'
    expect(await w.get('/sandbox/events')).toMatchObject(refused(429, 'resource_exhausted', message))
    stops.forEach((stop) => stop())
  })

  it.each(['x', 'x-', '-1', 'A-1', '1.5', 'a b-1'])('400 for %s, which is no id', async (id) => {
    const message = `"${id}" is no id of an event: send one that the stream gave, or 0 for all that are remembered`
    const answer = await world().get('/sandbox/events', undefined, { 'last-event-id': id })
    expect(answer).toMatchObject(refused(400, 'invalid_argument', message))
    const query = `/sandbox/events?after=${encodeURIComponent(id)}`
    expect(await world().get(query)).toMatchObject(refused(400, 'invalid_argument', message))
  })
})
