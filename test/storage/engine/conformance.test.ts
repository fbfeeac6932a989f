import { afterEach, describe, expect, it } from 'vitest'
import type { Engine } from '../../../src/storage/engine/engine.ts'
import type { EventsOfWorld } from '../../../src/storage/engine/event-log.ts'
import type { JournalEntry, JournalRecord } from '../../../src/storage/engine/journal.ts'
import { OWNERSHIP, type Runner } from '../../../src/storage/engine/job-queue.ts'
import type { RowChange, View, WorldEvent, WorldRows } from '../../../src/storage/store/change.ts'
import { channel, idsOf, job, transaction } from '../store/rows.ts'
import { every } from '../../support/rows.ts'
import { NO_DATABASE, testDatabase } from '../../support/postgres.ts'
import { engines } from './engines.ts'

/** The behaviour that every engine must have. */
describe.each(engines)('an engine %s', (name, create) => {
  const opened: Engine[] = []
  const open = async () => {
    const engine = await create()
    opened.push(engine)
    return engine
  }
  afterEach(async () => {
    for (const engine of opened.splice(0)) await engine.close()
  })
  const counter = (value: number) => ({ name: 'n', value })
  const valueIn = (view: View) => view.get('counters', 'n')?.value

  describe('worlds', () => {
    it('create returns whether the world is new', async () => {
      const { worlds, store } = await open()
      expect(await worlds.has('demo')).toBe(false)
      expect(await worlds.create('demo', { counters: [counter(1)] })).toBe(true)
      expect(await worlds.create('demo', { counters: [counter(2)] })).toBe(false)
      expect(await store.read('demo', valueIn)).toBe(1)
      expect(await worlds.has('demo')).toBe(true)
      expect(await worlds.names()).toEqual(['demo'])
    })

    it('only one of several concurrent creations succeeds', async () => {
      const { worlds, store } = await open()
      const made = await Promise.all(
        [1, 2, 3, 4].map((value) => worlds.create('demo', { counters: [counter(value)] })),
      )
      expect(made.filter(Boolean)).toHaveLength(1)
      expect(await store.read('demo', valueIn)).toBe(made.indexOf(true) + 1)
    })

    it('a dropped world loses its rows and can be created again', async () => {
      const { worlds, store } = await open()
      await worlds.create('demo', { counters: [counter(1)] })
      await worlds.drop('demo')
      expect(await worlds.names()).toEqual([])
      expect(await store.dump('demo')).toEqual({})
      expect(await worlds.create('demo', {})).toBe(true)
      expect(await store.read('demo', valueIn)).toBeUndefined()
    })

    it('listeners are called once per change of the list, and never for failed ones', async () => {
      const { worlds, store } = await open()
      const heard: [string, WorldEvent][] = []
      const stop = worlds.onChanged((name, event) => heard.push([name, event]))
      await worlds.create('demo', {})
      await worlds.create('demo', {})
      await store.load('demo', { counters: [counter(1)] })
      await store.change('demo', (change) => change.put('counters', counter(2)))
      const broken = { transactions: [transaction(1), transaction(1)] }
      await expect(store.load('demo', broken)).rejects.toThrow('is there twice')
      await worlds.drop('demo')
      stop()
      await worlds.create('demo', {})
      expect(heard).toEqual([
        ['demo', 'created'],
        ['demo', 'replaced'],
        ['demo', 'dropped'],
      ])
    })

    it('remembers when a world was last called, until it is dropped', async () => {
      const { worlds } = await open()
      await worlds.create('demo', {})
      expect(await worlds.lastUsed('demo')).toBeUndefined()
      worlds.used('demo', 20)
      worlds.used('demo', 10)
      expect(await worlds.lastUsed('demo')).toBe(20)
      await worlds.drop('demo')
      expect(await worlds.lastUsed('demo')).toBeUndefined()
    })
  })

  describe('rows', () => {
    it('a change sees its own writes, is stored as a whole and visible to the next one', async () => {
      const { store } = await open()
      const seen = await store.change('demo', (change) => {
        change.put('counters', counter(1))
        change.insert('transactions', transaction(1))
        return valueIn(change)
      })
      expect(seen).toBe(1)
      expect(await store.dump('demo')).toEqual({ counters: [counter(1)], transactions: [transaction(1)] })
    })

    it('a change that throws has no effect and rejects with its error', async () => {
      const { store } = await open()
      await store.load('demo', { counters: [counter(1)], jobs: [job(1, 5)] })
      const failing = store.change('demo', (change) => {
        change.put('counters', counter(2))
        change.delete('jobs', 1)
        change.insert('jobs', job(2, 1))
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      expect(await store.dump('demo')).toEqual({ counters: [counter(1)], jobs: [job(1, 5)] })
      const due = (view: View) => view.walk('jobs', 'due', 0, { offset: 0, limit: 9 })
      expect(idsOf(await store.read('demo', due))).toEqual([1])
    })

    it('changes of one world run one after another, in the order of calls', async () => {
      const { store } = await open()
      const counted = await Promise.all(
        Array.from({ length: 50 }, () => store.change('demo', (change) => change.increment('n', 0))),
      )
      expect(counted).toEqual(Array.from({ length: 50 }, (_, n) => n + 1))
    })

    it('changes wait for a read in slices, but not in other worlds', async () => {
      const { store } = await open()
      let goOn = () => {}
      const waiting = new Promise<void>((resolve) => (goOn = resolve))
      const seen = store.readInSlices('demo', async (view) => {
        await waiting
        return valueIn(view)
      })
      const changing = store.change('demo', (change) => change.put('counters', counter(1)))
      await store.change('other', (change) => change.put('counters', counter(2)))
      goOn()
      expect(await seen).toBeUndefined()
      await changing
      expect(await store.read('demo', valueIn)).toBe(1)
    })

    it('rows are values: later changes of the objects have no effect', async () => {
      const { store } = await open()
      const first = await store.change('demo', (change) => {
        change.put('teams', { id: 1, uuid: 'a', name: 'A' } as never)
        return change.get('teams', 1)
      })
      await store.change('demo', (change) => change.put('teams', { ...first!, name: 'B' }))
      expect(first).toMatchObject({ name: 'A' })
      expect(await store.read('demo', (view) => view.get('teams', 1))).toMatchObject({ name: 'B' })
    })

    it('rows are found by lookup, walked in order, counted and read by page', async () => {
      const { store } = await open()
      await store.load('demo', {
        transactions: [1, 2, 3, 4].map((id) => transaction(id, { external_reference: id % 2 ? 'odd' : '' })),
        channels: [channel(1, 30), channel(2, 10), channel(3, 20), channel(4, 5, 64)],
      })
      await store.change('demo', (change) => change.put('channels', channel(2, 40)))
      const seen = await store.read('demo', (view) => ({
        found: idsOf(view.find('transactions', 'identifier', 'odd')),
        newest: idsOf(view.newest('transactions', 'identifier', 'odd', { offset: 0, limit: 1 })),
        walked: idsOf(view.walk('channels', 'activity', 63, { offset: 1, limit: 2 })),
        back: idsOf(view.walk('channels', 'activity', 63, { offset: 0, limit: 2, newestFirst: true })),
        count: view.count('channels', 'activity', 63),
        below: idsOf(view.below('transactions', { before: 4, limit: 2 })),
        teams: view.all('teams'),
      }))
      expect(seen).toEqual({
        found: [1, 3],
        newest: [3],
        walked: [1, 2],
        back: [2, 1],
        count: 3,
        below: [3, 2],
        teams: [],
      })
    })

    it('since returns the rows added after a mark, or all rows', async () => {
      const { store } = await open()
      await store.load('demo', { transactions: [transaction(1)] })
      const first = await store.read('demo', (view) => view.since('transactions'))
      expect([first.anew, idsOf(first.rows)]).toEqual([true, [1]])
      await store.change('demo', (change) => change.insert('transactions', transaction(2)))
      const more = await store.read('demo', (view) => view.since('transactions', first.mark))
      expect([more.anew, idsOf(more.rows)]).toEqual([false, [2]])
      await store.change('demo', (change) => change.put('transactions', transaction(1, { amount: 1 })))
      const anew = await store.read('demo', (view) => view.since('transactions', more.mark))
      expect([anew.anew, idsOf(anew.rows)]).toEqual([true, [1, 2]])
    })

    it('the generation changes only when all rows are replaced', async () => {
      const { store } = await open()
      const generation = () => store.read('demo', (view) => view.generation)
      await store.load('demo', { counters: [counter(1)] })
      const first = await generation()
      await store.change('demo', (change) => change.put('counters', counter(2)))
      expect(await generation()).toBe(first)
      await store.load('demo', { counters: [counter(1)] })
      expect(await generation()).not.toBe(first)
    })

    it('the revision of a table changes only with its own writes', async () => {
      const { store } = await open()
      const revision = () => store.read('demo', (view) => view.revision('state'))
      const seen = [await revision()]
      const note = async (work: Parameters<typeof store.change<void>>[1]) => {
        await store.change('demo', work)
        seen.push(await revision())
      }
      await note((change) => change.insert('state', { name: 'a', value: 1 }))
      await note((change) => change.put('state', { name: 'a', value: 2 }))
      await note((change) => change.delete('state', 'a'))
      await note((change) => change.put('state', { name: 'a', value: 3 }))
      expect(new Set(seen)).toHaveProperty('size', 5)
      await note((change) => change.put('counters', counter(1)))
      expect(seen.at(-1)).toBe(seen.at(-2))
    })

    it('listeners are called for each change that wrote, in order, before it resolves', async () => {
      const { store } = await open()
      const heard: (readonly RowChange[])[] = []
      const stop = store.onCommit((_world, written) => heard.push(written))
      await store.change('demo', (change) => {
        change.insert('jobs', job(1, 5))
        change.insert('jobs', job(2, 6))
        change.delete('jobs', 2)
      })
      expect(heard).toEqual([[{ table: 'jobs', key: 1, row: job(1, 5) }]])
      await store.change('demo', (change) => change.get('jobs', 1))
      await store.change('demo', (change) => change.delete('jobs', 1))
      stop()
      await store.change('demo', (change) => change.insert('jobs', job(3, 5)))
      expect(heard.slice(1)).toEqual([[{ table: 'jobs', key: 1, row: undefined }]])
    })

    it('worlds are independent', async () => {
      const { store } = await open()
      await store.change('demo', (change) => change.put('counters', counter(1)))
      expect(await store.read('other', (view) => every(view, 'counters'))).toEqual([])
    })

    it('access to an unknown table throws', async () => {
      const { store } = await open()
      await expect(store.read('demo', (view) => view.all('no' as never))).rejects.toThrow(
        'There is no table "no"',
      )
    })
  })

  describe('changes', () => {
    it('are numbered per world, across loads', async () => {
      const { store } = await open()
      const heard: string[] = []
      store.onCommit((world, _written, version) => heard.push(`${world} ${version}`))
      const write = (world: string, value: number) =>
        store.change(world, (change) => change.put('counters', counter(value)))
      await write('demo', 1)
      await write('other', 1)
      await store.change('demo', valueIn)
      const broken = store.change('demo', (change) => {
        change.put('counters', counter(2))
        throw new Error('no')
      })
      await expect(broken).rejects.toThrow('no')
      await write('demo', 3)
      await store.load('demo', {})
      await write('demo', 4)
      expect(heard).toEqual(['demo 1', 'other 1', 'demo 2', 'demo 3'])
    })
  })

  describe('events', () => {
    const first = { life: 'a1', mostBytes: Infinity, ofRows: () => {} }
    const note = (events: EventsOfWorld, ...texts: string[]) => {
      for (const text of texts) events.publish('note', 5, text, (subject) => subject)
    }
    const after = (events: EventsOfWorld, id: string) => {
      const position = events.position(id)!
      return Array.from({ length: events.count - position }, (_, n) => events.at(position + n + 1)!.id)
    }

    it('are shared by everyone who opens a world, with the life of the first', async () => {
      const { events } = await open()
      const [one, other] = [events.open('demo', first), events.open('demo', { ...first, life: 'b2' })]
      const heard: string[] = []
      const stop = other.listen((event) => heard.push(`${event.id} ${String(event.data())}`))
      note(one, 'x')
      note(other, 'y')
      stop()
      note(one, 'z')
      expect(heard).toEqual(['a1-0.1 x', 'a1-0.2 y'])
      expect([one.count, other.count, other.lastId]).toEqual([3, 3, 'a1-0.3'])
      expect(events.open('other', first).count).toBe(0)
    })

    it('have ids of the change and their index; each change is processed once', async () => {
      const { events } = await open()
      const log = events.open('demo', first)
      note(log, 'before')
      expect(log.follow(3)).toBe(true)
      note(log, 'x', 'y')
      expect(log.follow(3)).toBe(false)
      expect(log.follow(2)).toBe(false)
      note(log, 'z')
      expect(log.follow(4)).toBe(true)
      expect(log.lastId).toBe('a1-4.0')
      note(log, 'w')
      expect(after(log, '0')).toEqual(['a1-0.1', 'a1-3.1', 'a1-3.2', 'a1-3.3', 'a1-4.1'])
    })

    it('continue after any id of their life; other ids start at the first event', async () => {
      const { events } = await open()
      const log = events.open('demo', first)
      for (const version of [1, 3]) {
        log.follow(version)
        note(log, 'x', 'y')
      }
      const all = ['a1-1.1', 'a1-1.2', 'a1-3.1', 'a1-3.2']
      expect(after(log, 'a1-1.1')).toEqual(all.slice(1))
      for (const id of ['a1-1.2', 'a1-1.9', 'a1-2.1', 'a1-3.0', 'a1-3', '3'])
        expect(after(log, id)).toEqual(all.slice(2))
      expect(after(log, 'a1-3.2')).toEqual([])
      for (const id of ['a1-3.3', 'a1-4.0', 'b2-1.1', '0', 'a1-0.0']) expect(after(log, id)).toEqual(all)
      for (const id of ['', 'x', '1.5', 'a1-1.', 'a1-1.1.1', '-1']) expect(log.position(id)).toBeUndefined()
    })

    it('are limited to the last thousand, or fewer if they are large', async () => {
      const { events } = await open()
      const log = events.open('demo', { ...first, mostBytes: 2_000 })
      for (let version = 1; version <= 1_100; version += 1) {
        log.follow(version)
        note(log, 'x')
      }
      expect(after(log, 'a1-7.1')).toHaveLength(1_000)
      expect(after(log, 'a1-7.1')[0]).toBe('a1-101.1')
      expect(after(log, 'a1-600.1')).toHaveLength(500)
      log.publish('note', 5, 'x', (subject) => subject, 1_500)
      log.publish('note', 5, 'y', (subject) => subject, 1_500)
      expect(after(log, '0')).toEqual(['a1-1100.3'])
      expect(log.bytes).toBe(1_500)
    })

    it('are deleted with their world, and kept when its rows are replaced', async () => {
      const { worlds, store, events } = await open()
      await worlds.create('demo', {})
      note(events.open('demo', first), 'x')
      await store.load('demo', {})
      await events.open('demo', first).ready()
      expect(events.open('demo', first).count).toBe(1)
      await worlds.drop('demo')
      expect(events.open('demo', { ...first, life: 'b2' }).lastId).toBe('b2-0.0')
    })
  })

  describe('snapshots', () => {
    const snapshot = (name: string) => ({
      name,
      at: 5,
      clock: { real_anchor: 1, world_anchor: 2, speed: 0 },
      rows: {
        apiKeys: [{ username: 'a', password_hash: '', user_id: 1, default_account_id: 63, revoked_at: null }],
      },
      rows_version: 0,
      bytes: 100,
    })

    it('are listed oldest first and numbered per world; deleted numbers are not reused', async () => {
      const { snapshots } = await open()
      await snapshots.add('demo', snapshot('first'))
      await snapshots.add('demo', snapshot('second'))
      await snapshots.add('other', snapshot('another'))
      expect(snapshots.spent('demo')).toEqual({ count: 2, bytes: 200 })
      expect(await snapshots.delete('demo', 2)).toBe(true)
      expect(await snapshots.delete('demo', 2)).toBe(false)
      await snapshots.add('demo', snapshot('third'))
      const listed = await snapshots.list('demo')
      expect(listed.map(({ id, name }) => `${id} ${name}`)).toEqual(['1 first', '3 third'])
      expect(await snapshots.get('demo', 2)).toBeUndefined()
      expect(await snapshots.get('other', 1)).toMatchObject({ id: 1, count: 1, ...snapshot('another') })
    })

    it('contain the rows of their moment, and worlds begin with them, whatever is changed and deleted', async () => {
      const { worlds, store, snapshots } = await open()
      const about = { name: 'a', at: 5, clock: { real_anchor: 1, world_anchor: 2, speed: 0 } }
      const put = (value: number) =>
        store.change('demo', (change) => {
          change.put('counters', { name: `n${value % 2}`, value })
        })
      const values = (rows: WorldRows) => rows.counters?.map(({ value }) => value).toSorted()
      const restore = async (id: number, changed: WorldRows = {}) => {
        const { rows, rows_version, stored } = (await snapshots.get('demo', id))!
        await store.load('demo', { ...rows, ...changed }, rows_version, stored)
      }
      await worlds.create('demo', { counters: [{ name: 'first', value: 100 }] })
      await put(1)
      const first = await snapshots.take('demo', about)
      expect(first).toMatchObject({ id: 1, ...about, count: 2, bytes: store.bytes('demo') })
      await put(2)
      await put(3)
      expect(values((await snapshots.get('demo', 1))!.rows)).toEqual([1, 100])
      await store.load('demo', {})
      await restore(1, { state: [{ name: 'added', value: 1 }] })
      expect(values(await store.dump('demo'))).toEqual([1, 100])
      await put(4)
      await snapshots.take('demo', about)
      await put(6)
      await snapshots.delete('demo', 1)
      await restore(2, { state: [] })
      const restored = await store.dump('demo')
      expect([values(restored), restored.state ?? []]).toEqual([[1, 100, 4].toSorted(), []])
      await snapshots.delete('demo', 2)
      await put(8)
      expect(values(await store.dump('demo'))).toEqual([1, 100, 8].toSorted())
      expect(await snapshots.list('demo')).toEqual([])
    })

    it('revoke keys that were revoked after the version of their rows', async () => {
      const { store, snapshots } = await open()
      const { rows } = snapshot('')
      await store.load('demo', rows)
      await store.change('demo', (change) => change.put('apiKeys', { ...rows.apiKeys[0]!, revoked_at: 7 }))
      const rows_version = store.version('demo')
      await snapshots.add('demo', { ...snapshot('before'), rows_version: rows_version - 1 })
      await snapshots.add('demo', { ...snapshot('after'), rows_version })
      const revokedIn = async (id: number) => (await snapshots.get('demo', id))?.rows.apiKeys?.[0]?.revoked_at
      expect([await revokedIn(1), await revokedIn(2)]).toEqual([7, null])
    })

    it('keep a key revoked that is revoked during a restore', async () => {
      const { store } = await open()
      const { rows } = snapshot('')
      const [key] = rows.apiKeys
      const keyNow = () => store.read('demo', (view) => view.get('apiKeys', 'a'))
      await store.load('demo', rows)
      const version = store.version('demo')
      const revoking = store.change('demo', (change) => change.put('apiKeys', { ...key!, revoked_at: 7 }))
      await Promise.all([revoking, store.load('demo', rows, version)])
      expect(await keyNow()).toEqual({ ...key, revoked_at: 7 })
      await store.load('demo', rows, store.version('demo'))
      expect(await keyNow()).toEqual(key)
      await store.load('demo', rows, version)
      expect((await keyNow())?.revoked_at).toBe(7)
      expect(store.version('demo')).toBeGreaterThan(version)
    })

    it('are deleted with their world, and kept when its rows are replaced', async () => {
      const { worlds, store, snapshots } = await open()
      await worlds.create('demo', {})
      await snapshots.add('demo', snapshot('first'))
      await store.load('demo', {})
      expect(snapshots.spent('demo').count).toBe(1)
      await worlds.drop('demo')
      expect(await snapshots.list('demo')).toEqual([])
      expect(snapshots.spent('demo')).toEqual({ count: 0, bytes: 0 })
    })
  })

  describe('the request log', () => {
    const limits = { requests: 3, bytes: 1_000 }
    const entry = (id: string, body = ''): JournalEntry => ({
      id,
      at: 5,
      method: 'POST',
      url: 'http://sandbox.test/api/v2/payments?a=b',
      operation: 'createCollection',
      username: 'demo',
      headers: ['Prefer', 'scenario=x'],
      body,
      body_length: body.length,
      status: 0,
      answered: false,
      sent: '',
      duration_ms: 0,
    })
    /** Logs a request with its response. */
    const exchange = async (record: JournalRecord, bytes = 10) => {
      const asked = entry(await record.nextId())
      record.add(asked)
      const answered = { ...asked, answered: true, status: 201, sent: '{"reference":"r"}', duration_ms: 2 }
      record.answered(answered, bytes)
      return answered
    }
    const idsOn = async (record: JournalRecord) => (await record.all()).map(({ id }) => id)

    it('contains a request as it came, and completely once it has a response', async () => {
      const { journal } = await open()
      const [record, same] = [journal.open('demo', limits), journal.open('demo', limits)]
      const asked = entry(await record.nextId(), '{}')
      record.add(asked)
      expect(await same.get('req_1')).toEqual(asked)
      const answered = { ...asked, answered: true, status: 400, fault: 'slow', sent: '[1]', duration_ms: 3 }
      record.answered(answered, 70)
      expect(await same.get('req_1')).toEqual(answered)
      expect(await same.get('req_01')).toBeUndefined()
      expect(await same.get('req_2')).toBeUndefined()
      expect([same.size, same.bytes]).toEqual([1, 70])
      expect([await same.nextId(), await journal.open('other', limits).nextId()]).toEqual(['req_2', 'req_1'])
    })

    it.runIf(name === 'in PostgreSQL')('contains a request once that another process serves', async () => {
      const { worlds, journal } = await open()
      await worlds.create('demo', {})
      const record = journal.open('demo', limits)
      const refused = entry(await record.nextId(), '{}')
      record.add(refused)
      const taken = await record.handOver!(refused)
      expect(await record.all()).toEqual([refused])
      expect(record.nextId(taken)).toBe('req_1')
      expect(await record.nextId(`another-life req_1`)).toBe('req_2')
      const served = { ...refused, answered: true, status: 201 }
      record.answered(served, 70)
      expect(await record.get('req_1')).toEqual(served)
      expect(record.bytes).toBe(70)
    })

    it('drops the oldest beyond the limits of number and size, but never the last', async () => {
      const record = (await open()).journal.open('demo', limits)
      for (let n = 0; n < 5; n++) await exchange(record)
      expect(await idsOn(record)).toEqual(['req_3', 'req_4', 'req_5'])
      expect((await record.newest(2)).map(({ id }) => id)).toEqual(['req_5', 'req_4'])
      expect((await record.newest(Infinity)).map(({ id }) => id)).toEqual(['req_5', 'req_4', 'req_3'])
      expect(await record.get('req_2')).toBeUndefined()
      expect(await record.remembered(['req_2', 'req_4', 'req_9'])).toEqual(new Set(['req_4']))
      expect(record.bytes).toBe(30)
      await exchange(record, 985)
      expect(await idsOn(record)).toEqual(['req_5', 'req_6'])
      await exchange(record, 5_000)
      expect(await idsOn(record)).toEqual(['req_7'])
      expect([record.size, record.bytes]).toEqual([1, 5_000])
    })

    it('is cleared immediately and continues its numbers; later responses are ignored', async () => {
      const record = (await open()).journal.open('demo', limits)
      await exchange(record)
      const late = entry(await record.nextId())
      record.add(late)
      expect(await record.clear()).toBe(2)
      record.answered({ ...late, answered: true }, 10)
      expect(await record.all()).toEqual([])
      expect([record.size, record.bytes]).toEqual([0, 0])
      expect((await exchange(record)).id).toBe('req_3')
      expect(await idsOn(record)).toEqual(['req_3'])
    })

    it('calls listeners for each response in order, in any process, until they are removed', async () => {
      const { journal } = await open()
      const record = journal.open('demo', limits)
      const heard: JournalEntry[] = []
      const stop = journal.open('demo', limits).onAnswered((each) => void heard.push(each))
      await exchange(journal.open('other', limits))
      const answered = [await exchange(record), await exchange(record)]
      await record.all()
      stop()
      await exchange(record)
      await record.all()
      expect(heard).toEqual(answered)
    })

    it('starts anew with the rows of its world; the old one remains with its user', async () => {
      const { worlds, store, journal } = await open()
      await worlds.create('demo', {})
      const first = journal.open('demo', limits)
      await exchange(first)
      await store.load('demo', {})
      const second = journal.open('demo', limits)
      expect((await exchange(first)).id).toBe('req_2')
      expect(await second.all()).toEqual([])
      expect((await exchange(second)).id).toBe('req_1')
      await worlds.drop('demo')
      expect(await journal.open('demo', limits).all()).toEqual([])
      expect(await idsOn(second)).toEqual(['req_1'])
    })
  })

  describe('locks', () => {
    it('work due at a time runs once', async () => {
      const { lock } = await open()
      const done: number[] = []
      const run = (due_at: number) => lock.runOnce('nightly', due_at, async () => void done.push(due_at))
      expect(await Promise.all([run(10), run(10)])).toEqual([true, false])
      expect(await run(5)).toBe(false)
      expect(await run(20)).toBe(true)
      expect(await lock.runOnce('other', 10, async () => {})).toBe(true)
      expect(done).toEqual([10, 20])
    })
  })

  describe('jobs', () => {
    it('one runner owns a world until it releases it or its ownership ends; refused ones are woken', async () => {
      const { jobs } = await open()
      const woken: string[] = []
      const listener = (name: string) => ({
        onWake: (world: string) => void woken.push(`${name} ${world}`),
        onRequested: () => {},
      })
      const [one, other] = [jobs.join(listener('one')), jobs.join(listener('other'))]
      expect(await one.claim('demo', 0)).toMatchObject({ granted: true })
      expect(await other.claim('demo', 1)).toMatchObject({ granted: false })
      expect(await other.claim('else', 1)).toMatchObject({ granted: true })
      await one.release('demo')
      await Promise.resolve()
      expect(woken).toContain('other demo')
      expect(await other.claim('demo', 2)).toMatchObject({ granted: true })
      expect(await one.claim('demo', 2 + OWNERSHIP)).toMatchObject({ granted: true })
      await one.leave()
      await other.leave()
    })

    it('one runner claims a world with due jobs, if not all runners have all worlds open', async () => {
      const { jobs, store, worlds } = await open()
      const listener = { onWake: () => {}, onRequested: () => {} }
      const [one, other] = [jobs.join(listener), jobs.join(listener)]
      const clock = (speed: number) => ({
        name: 'clock',
        value: { real_anchor: 0, world_anchor: 1_000, speed },
      })
      await store.load('due', { jobs: [job(1, 3_000)] })
      await store.load('fast', { jobs: [job(1, 7_000)], state: [clock(2)] })
      await worlds.create('frozen', { jobs: [job(1, 500)], state: [clock(0)] })
      await worlds.create('written', { jobs: [job(1, 900_000)] })
      await store.change('written', (change) => change.put('jobs', job(1, 3_100)))
      await worlds.create('done', { jobs: [job(1, 3_000)] })
      await store.change('done', (change) => change.delete('jobs', 1))
      const abandoned = { times: 6, at: 1, error: 'no', abandoned: true }
      await store.load('given up', { jobs: [{ ...job(1, 3_000), failed: abandoned }] })
      const claimedBy = async (runner: Runner, now: number) =>
        (await runner.claimDue(now)).claimed.map(({ world }) => world).toSorted()
      const { claimed, next } = await one.claimDue(4_000)
      const seen = [claimed.map(({ world }) => world).toSorted(), await claimedBy(other, 4_001)]
      await one.release('due')
      seen.push(await claimedBy(other, 4_002))
      // Nothing can be done for it now.
      await store.read('due', () => {})
      await other.release('due', { now: 4_003, next: 8_000 })
      seen.push(await claimedBy(one, 4_004), await claimedBy(one, 9_000))
      const isOpenEverywhere = next === Infinity
      expect(seen).toEqual(
        isOpenEverywhere ? [[], [], [], [], []] : [['due', 'fast', 'written'], [], ['due'], [], ['due']],
      )
      await one.leave()
      await other.leave()
    })
  })
})

describe.skipIf(!testDatabase)(`an engine ${testDatabase ? 'in PostgreSQL' : NO_DATABASE}`, () => {
  it('passes the same tests', () => {
    expect(engines.map(([name]) => name)).toContain('in PostgreSQL')
  })
})
