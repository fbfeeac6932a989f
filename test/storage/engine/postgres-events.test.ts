import { Client } from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import type { Engine } from '../../../src/storage/engine/engine.ts'
import { openPostgresEngine } from '../../../src/storage/engine/postgres/engine.ts'
import type { EventsOfWorld, FirstEvents } from '../../../src/storage/engine/event-log.ts'
import { emptyDatabase, NO_DATABASE, testDatabase } from '../../support/postgres.ts'

/** Events of a world in one process after another, each of which derives them from the log. */
describe.skipIf(!testDatabase)(`events in PostgreSQL ${testDatabase ? '' : NO_DATABASE}`, () => {
  const opened: Engine[] = []
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close()
  })
  const process = async (url: string) => {
    const engine = await openPostgresEngine({ url })
    opened.push(engine)
    return engine
  }
  /** Every row of a change is an event, except counters; only the process that makes a change knows its time. */
  const first = (life: string): FirstEvents => ({
    life,
    mostBytes: Infinity,
    ofRows(written, at, publish) {
      for (const { table, row } of written)
        if (table === 'state') publish('row', at, row, (subject) => subject, 10)
    },
  })
  const eventsOn = async (engine: Engine, life: string, time = 5) => {
    const events = engine.events.open('demo', first(life))
    events.goBy(() => time++)
    return events
  }
  const write = (engine: Engine, ...values: (string | number)[]) =>
    engine.store.change('demo', (change) => {
      for (const value of values) change.put('state', { name: `row-${value}`, value })
      change.increment('n', 0)
    })
  const count = (engine: Engine) => engine.store.change('demo', (change) => change.increment('n', 0))
  const told = async (events: EventsOfWorld) => {
    await events.ready()
    const from = events.position('0')!
    return Array.from({ length: events.count - from }, (_, n) => {
      const { id, at, type, data } = events.at(from + n + 1)!
      return { id, at, type, data: data.call(events.at(from + n + 1)) }
    })
  }

  it('from before the start of a process keep their ids and times, and continue', async () => {
    const url = await emptyDatabase()
    const one = await process(url)
    await one.worlds.create('demo', {})
    const before = await eventsOn(one, 'a1', 100)
    await write(one, 1, 2)
    before.publish('note', 7, { text: 'x' }, (subject) => subject)
    await count(one)
    await write(one, 3)
    const expected = await told(before)
    expect(expected.map(({ id, at, type }) => `${id.split('-')[1]} ${at} ${type}`)).toEqual([
      '1.1 100 row',
      '1.2 100 row',
      '2.1 7 note',
      '4.1 102 row',
    ])
    const younger = await eventsOn(await process(url), 'b2')
    expect(await told(younger)).toEqual(expected)
    expect(younger.lastId).toBe(before.lastId)
    await one.close()
    const restarted = await process(url)
    const after = await eventsOn(restarted, 'c3', 200)
    await write(restarted, 4)
    const last = await told(after)
    expect(last.slice(0, -1)).toEqual(expected)
    expect(last.at(-1)).toMatchObject({ id: expected[0]!.id.replace('-1.1', '-5.1'), at: 200 })
    expect(await told(younger)).toEqual(last)
  })

  it('written by another process before it replaced the rows are published here too', async () => {
    const url = await emptyDatabase()
    const [one, other] = [await process(url), await process(url)]
    await one.worlds.create('demo', {})
    const [here, there] = [await eventsOn(one, 'a1'), await eventsOn(other, 'a1')]
    await write(one, 1)
    expect(await told(there)).toHaveLength(1)
    await write(one, 2)
    await one.store.load('demo', {})
    await write(one, 3)
    await one.store.load('demo', {})
    here.publish('reset', 9, {}, (subject) => subject)
    await count(one)
    expect((await told(there)).map(({ id }) => id.split('-')[1])).toEqual(['1.1', '2.1', '3.1', '4.1'])
    expect(await told(there)).toEqual(await told(here))
  })

  it('include the last thousand after compaction, restarts and resets', async () => {
    const url = await emptyDatabase()
    const one = await process(url)
    await one.worlds.create('demo', {})
    const events = await eventsOn(one, 'a1')
    const text = 'x'.repeat(2_000)
    for (let n = 0; n < 600; n += 1) {
      await write(one, n % 7, `${n % 5} ${text}`)
      if (n === 300) await one.store.load('demo', {})
      if (n % 10 === 0) await count(one)
    }
    const expected = await told(events)
    expect(expected).toHaveLength(1_000)
    const client = new Client(url)
    await client.connect()
    const entries = async () => Number((await client.query('select count(*) as n from log')).rows[0].n)
    expect(await entries()).toBe(660)
    await client.query("update log set at = at - interval '1 hour'")
    // Replaced rows are no longer read.
    await one.store.load('demo', {})
    await expect.poll(entries).toBe(550)
    await client.end()
    await one.close()
    expect(await told(await eventsOn(await process(url), 'b2'))).toEqual(expected)
  })

  it('published during a commit are visible to concurrent readers', async () => {
    const url = await emptyDatabase()
    const one = await process(url)
    await one.worlds.create('demo', {})
    const events = one.events.open('demo', first('a1'))
    await events.ready()
    const client = new Client(url)
    await client.connect()
    const waiting = async () =>
      (
        await client.query(
          `select count(*)::int as n from pg_locks where relation = 'log'::regclass and not granted`,
        )
      ).rows[0].n
    await client.query('begin')
    await client.query('lock table log in exclusive mode')
    const counted = count(one)
    await expect.poll(waiting).toBe(1)
    events.publish('note', 7, 'x', (subject) => subject)
    const asked = told(events)
    await client.query('commit')
    await client.end()
    expect((await asked).map(({ type }) => type)).toEqual(['note'])
    await counted
  })

  it('are published while another process writes to another world', async () => {
    const url = await emptyDatabase()
    const one = await process(url)
    const [events, blocked] = [await eventsOn(one, 'a1'), one.events.open('blocked', first('a1'))]
    for (const world of ['demo', 'blocked']) await one.worlds.create(world, {})
    await events.ready()
    let heard = 0
    events.listen(() => void (heard += 1))
    const client = new Client(url)
    await client.connect()
    await client.query(`begin; select 1 from worlds where name = 'blocked' for update`)
    const waiting = async () =>
      (await client.query(`select count(*)::int as n from pg_locks where not granted`)).rows[0].n
    blocked.publish('note', 7, 'x', (subject) => subject)
    await expect.poll(waiting).toBe(1)
    events.publish('note', 7, 'x', (subject) => subject)
    await expect.poll(() => heard).toBe(1)
    await client.query('commit')
    await client.end()
    expect((await told(blocked)).map(({ type }) => type)).toEqual(['note'])
  })

  it('of an earlier world of the same name are not included', async () => {
    const url = await emptyDatabase()
    const [one, other] = [await process(url), await process(url)]
    for (const value of ['first', 'second']) {
      await one.worlds.create('demo', {})
      await eventsOn(one, 'a1')
      await write(one, value)
      expect((await told(await eventsOn(other, 'b2'))).map(({ data }) => data)).toMatchObject([{ value }])
      if (value === 'first') await one.worlds.drop('demo')
      if (value === 'first') await other.worlds.has('demo')
    }
  })
})
