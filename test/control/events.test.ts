import { connect } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { collection } from '../support/requests.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { eventStream } from '../support/event-stream.ts'
import { isRemote, skippedFor } from '../support/engine.ts'
import { NOON, refused, startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
afterEach(() => {
  vi.useRealTimers()
})
/** What ids of worlds that began at the tests' noon begin with. */
const LIFE = NOON.toString(36)

const IDS = 'ids are of the log there, which test/storage/engine/two-sandboxes-events.test.ts reads'
const LATER = 'what is told beside rows arrives by way of the log there, not at once'

const stream = (name: string, headers: Record<string, string> = {}, from = sandbox) =>
  eventStream(from, name, headers)

describe('streamEvents', () => {
  it.skipIf(isRemote)(`returns 200 with the world's events in order${skippedFor(IDS)}`, async () => {
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
    expect(events.map(({ id }) => id)).toEqual(
      ['1.1', '1.2', '2.1', '2.2', '2.3', '3.1', '3.2'].map((place) => `${LIFE}-${place}`),
    )
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['transaction', 'request', 'posting', 'callback', 'attempt']),
    )
    const [first] = events
    expect(first).toMatchObject({
      type: 'transaction',
      data: { reference: paid.body.reference, status: 'QUEUED', amount: 1000 },
    })
    expect(w.world().eventListeners.size).toBe(0)
  })

  it('serialises an event once for all streams, and writes once per turn to each', async () => {
    const w = world()
    await w.get('/sandbox/ledger')
    const authorization = `Basic ${Buffer.from(`${w.world().name}:demo`).toString('base64')}`
    const request = new Request('http://sandbox.test/sandbox/events', { headers: { authorization } })
    const open = async () => (await sandbox.fetch(request)).body!.getReader()
    const streams = await Promise.all(Array.from({ length: 5 }, open))
    for (const each of streams) await each.read()
    let made = 0
    const count = () => void made++
    for (let n = 0; n < 3; n++) w.world().events.publish('lease', NOON, undefined, () => (count(), { n }))
    const chunks = await Promise.all(streams.map((each) => each.read()))
    for (const { value } of chunks)
      expect(
        Buffer.from(value!)
          .toString()
          .match(/^data: /gm),
      ).toHaveLength(3)
    expect(made).toBe(3)
    await Promise.all(streams.map((each) => each.cancel()))
  })

  it.skipIf(isRemote)(`continues after Last-Event-ID, over a reset too${skippedFor(IDS)}`, async () => {
    const w = world()
    await w.post('/api/v2/payments', collection(w))
    await w.post('/sandbox/reset')
    await w.get('/api/v2/account/63')
    const { read, stop } = await stream(w.world().name, { 'last-event-id': `${LIFE}-1.1` })
    const events = await read(3)
    await stop()
    expect(events.map(({ id, type }) => [id, type])).toEqual([
      [`${LIFE}-1.2`, 'request'],
      [`${LIFE}-1.3`, 'reset'],
      [`${LIFE}-1.4`, 'request'],
    ])
  })

  it.skipIf(isRemote)(
    `restarts for an id of an earlier process, even if the position exists${skippedFor(IDS)}`,
    async () => {
      const before = `${(NOON - 1_000).toString(36)}-0.2`
      const w = world()
      for (let n = 0; n < 4; n++) await w.get('/api/v2/account/63')
      const { read, stop } = await stream(w.world().name, { 'last-event-id': before })
      expect((await read(4)).map(({ id }) => id)).toEqual([1, 2, 3, 4].map((n) => `${LIFE}-0.${n}`))
      await stop()
    },
  )

  it.skipIf(isRemote)(
    `restarts for an id of a previous world of the same name${skippedFor(IDS)}`,
    async () => {
      const time = { now: NOON }
      const { world: newWorld, sandbox: own } = await startSandbox({}, { wall: () => time.now })
      const w = newWorld()
      for (let n = 0; n < 3; n++) await w.get('/api/v2/account/63')
      const { name } = w.world()
      await own.worlds.drop(name)
      time.now += 1
      for (let n = 0; n < 4; n++) await w.get('/api/v2/account/63')
      const { read, stop } = await stream(name, { 'last-event-id': `${LIFE}-0.3` }, own)
      const life = (NOON + 1).toString(36)
      expect((await read(4)).map(({ id }) => id)).toEqual([1, 2, 3, 4].map((n) => `${life}-0.${n}`))
      await stop()
    },
  )

  it.skipIf(isRemote).each([
    ['0', [1, 2, 3]],
    [`${LIFE}-0`, [1, 2, 3]],
    [`${LIFE}-0.0`, [1, 2, 3]],
    [`${LIFE}-0.2`, [3]],
    ['99', [1, 2, 3]],
    [`${LIFE}-99.1`, [1, 2, 3]],
    [`${LIFE}-0.99`, [1, 2, 3]],
  ])(`continues after %s, an id of this life or 0 for all${skippedFor(IDS)}`, async (after, numbers) => {
    const w = world()
    for (let n = 0; n < 3; n++) await w.get('/api/v2/account/63')
    const { read, stop } = await stream(w.world().name, { 'last-event-id': after })
    expect((await read(numbers.length)).map(({ id }) => id)).toEqual(numbers.map((n) => `${LIFE}-0.${n}`))
    await stop()
  })

  it.skipIf(isRemote)(`ends when the world is deleted${skippedFor(IDS)}`, async () => {
    const parent = world()
    const made = await parent.post('/sandbox/worlds', { seed: undefined })
    const { credentials } = made.body
    const authorization = `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`
    const open = await sandbox.fetch(
      new Request('http://sandbox.test/sandbox/events', { headers: { authorization } }),
    )
    await parent.delete(`/sandbox/worlds/${made.body.world.id}`)
    expect(await open.text()).toBe(`: listening\nid: ${LIFE}-0.0\n\n`)
  })

  const opened = async (from: Sandbox, username: string, password: string, path = '/sandbox/events') => {
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    return from.fetch(new Request(`http://sandbox.test${path}`, { headers: { authorization } }))
  }
  const withKey = async (body: object = { role_id: 4 }) => {
    const w = world()
    const key = (await w.post('/sandbox/api-keys', body)).body
    return { w, key, open: (path?: string) => opened(sandbox, key.username, key.password, path) }
  }

  it('ends when its key is revoked, without later events', async () => {
    const { w, key, open } = await withKey()
    const response = await open()
    await w.delete(`/sandbox/api-keys/${key.username}`)
    const text = await response.text()
    await w.get('/api/v2/account/63')
    expect(text).toMatch(/^: listening\nid: \S+\n\n$/)
    expect(w.world().eventListeners.size).toBe(0)
    expect((await open()).status).toBe(401)
  })

  it('ends when its key expires', async () => {
    let wall = NOON
    const { world: newWorld, sandbox: timed } = await startSandbox({}, { wall: () => wall })
    const w = newWorld()
    const key = (await w.post('/sandbox/api-keys', { expires_in: '1h' })).body
    const response = await opened(timed, key.username, key.password)
    wall = NOON + 3_600_000
    // Whether keys are still good is looked at every so often, and whenever one of them changes.
    await w.post('/sandbox/api-keys')
    await w.delete(`/sandbox/api-keys/${(await w.post('/sandbox/api-keys')).body.username}`)
    await response.text()
    expect(w.world().eventListeners.size).toBe(0)
  })

  it('ends when its user loses the last role, and not before', async () => {
    const { w, key, open } = await withKey()
    const response = await open()
    const remove = (account_id: number) =>
      w.world().change(({ rows }) => rows.delete('roles', `${account_id}:${key.user_id}`))
    await w
      .world()
      .change(({ rows }) =>
        rows.put('roles', { id: `64:${key.user_id}`, account_id: 64, user_id: key.user_id, role_id: 4 }),
      )
    await remove(63)
    await w.get('/sandbox/ledger')
    expect(w.world().eventListeners.size).toBe(1)
    await remove(64)
    await response.text()
    expect(w.world().eventListeners.size).toBe(0)
  })

  it('ends when a reset removes its key, and continues for a key that survives', async () => {
    const { w, open } = await withKey()
    const response = await open()
    const { read, stop } = await stream(w.world().name)
    await w.post('/sandbox/reset')
    await response.text()
    expect(await read(1)).toMatchObject([{ type: 'reset' }])
    expect(w.world().eventListeners.size).toBe(1)
    await stop()
  })

  it.each(['/sandbox/callbacks/wait', '/sandbox/requests/wait'])(
    'returns 401 for %s once its key is revoked',
    async (path) => {
      const { w, key, open } = await withKey()
      const waiting = open(`${path}?count=99&timeout=60s`)
      await w.get('/sandbox/ledger')
      await w.delete(`/sandbox/api-keys/${key.username}`)
      const answer = await waiting
      expect(answer.status).toBe(401)
      expect(((await answer.json()) as { error_message: string }).error_message).toBe(
        `the key ${key.username} was revoked while this request ran`,
      )
    },
  )

  it('returns 429 for too many streams', async () => {
    const w = world()
    await w.get('/sandbox/ledger')
    const stops = Array.from({ length: 100 }, () => w.world().budget.begin('streams'))
    const message =
      'streams of this world: 100 of 100 at once are used (SANDBOX_WORLD_STREAMS); close another stream'
    expect(await w.get('/sandbox/events')).toMatchObject(refused(429, 'resource_exhausted', message))
    stops.forEach((stop) => stop())
  })

  it.each(['x', 'x-', '-1', 'A-1', '1.5', 'a-1.', 'a-1.1.1', 'a b-1'])(
    'returns 400 for the invalid id %s',
    async (id) => {
      const message = `"${id}" is not an event id: send one from the stream, or 0 for all stored events`
      const answer = await world().get('/sandbox/events', undefined, { 'last-event-id': id })
      expect(answer).toMatchObject(refused(400, 'invalid_argument', message))
      const query = `/sandbox/events?after=${encodeURIComponent(id)}`
      expect(await world().get(query)).toMatchObject(refused(400, 'invalid_argument', message))
    },
  )
})

describe('a client that does not read', () => {
  it.skipIf(isRemote)(
    `has at most 64 KiB and one event buffered, and continues where it stopped${skippedFor(LATER)}`,
    async () => {
      const w = world()
      await w.get('/api/v2/account/63')
      const made = vi.fn<() => void>()
      const { read, stop } = await stream(w.world().name)
      const { events } = w.world()
      for (let n = 0; n < 200; n++)
        events.publish('test', NOON, n, (number) => {
          made()
          return { number, text: 'x'.repeat(1_000) }
        })
      await new Promise((resolve) => setImmediate(resolve))
      expect(made.mock.calls.length).toBeLessThan(130)
      const all = await read(200)
      expect(all.map(({ data }) => data['number'])).toEqual(Array.from({ length: 200 }, (_, n) => n))
      await stop()
    },
  )

  it('is disconnected when an unread event is dropped', async () => {
    const w = world()
    await w.get('/api/v2/account/63')
    const { read } = await stream(w.world().name)
    const { events } = w.world()
    for (let n = 0; n < 2_000; n++) events.publish('test', NOON, n, () => ({ text: 'x'.repeat(1_000) }))
    await expect(read(2_000)).rejects.toThrow('the client read the events too slowly')
    expect(w.world().eventListeners.size).toBe(0)
  })

  it.skipIf(isRemote)(
    `is disconnected when it reads nothing between two heartbeats${skippedFor(LATER)}`,
    async () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
      const w = world()
      await w.get('/api/v2/account/63')
      const { read } = await stream(w.world().name)
      const { events } = w.world()
      for (let n = 0; n < 100; n++) events.publish('test', NOON, n, () => ({ text: 'x'.repeat(1_000) }))
      await new Promise((resolve) => setImmediate(resolve))
      vi.advanceTimersByTime(15_000)
      expect(w.world().eventListeners.size).toBe(1)
      vi.advanceTimersByTime(15_000)
      expect(w.world().eventListeners.size).toBe(0)
      await expect(read(100)).rejects.toThrow('the client read the events too slowly')
    },
  )

  it.skipIf(isRemote)(`has its connection closed${skippedFor(LATER)}`, async () => {
    const { sandbox: own, world: newWorld } = await startSandbox({ PORT: '0' })
    const { port } = await own.listen()
    const w = newWorld()
    await w.get('/api/v2/account/63')
    const authorization = `Basic ${Buffer.from(`${w.world().name}:demo`).toString('base64')}`
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET /sandbox/events HTTP/1.1\r\nhost: sandbox\r\nauthorization: ${authorization}\r\n\r\n`)
    await new Promise((resolve) => socket.once('data', resolve))
    socket.pause()
    const { events } = w.world()
    const text = 'x'.repeat(100_000)
    while (w.world().eventListeners.size > 0) {
      for (let n = 0; n < 100; n++) events.publish('test', NOON, n, () => ({ text }))
      await new Promise((resolve) => setImmediate(resolve))
    }
    const gone = new Promise((resolve) => socket.on('close', resolve))
    socket.on('error', () => {}).resume()
    await gone
    expect(socket.bytesRead).toBeGreaterThan(0)
  })
})
