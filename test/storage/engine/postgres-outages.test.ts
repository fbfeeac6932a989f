import { Client } from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { SETTINGS } from '../../../src/storage/engine/worlds.ts'
import type { Engine } from '../../../src/storage/engine/engine.ts'
import { openPostgresEngine, type PostgresOptions } from '../../../src/storage/engine/postgres/engine.ts'
import { StoreUnavailable } from '../../../src/storage/store/change.ts'
import { asRole, emptyDatabase, NO_DATABASE, runSql, testDatabase } from '../../support/postgres.ts'
import { startProxy } from '../../support/tcp-proxy.ts'
const CUTS = 40
/** Connections per process, as in docs/several-processes.md. */
const PLANNED = 6

describe.skipIf(!testDatabase)(`a database in trouble ${testDatabase ? '' : NO_DATABASE}`, () => {
  const opened: { close(): unknown }[] = []
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close()
  })
  async function open(url: string, options: Partial<PostgresOptions> = {}): Promise<Engine> {
    const engine = await openPostgresEngine({ url, onError: () => {}, ...options })
    opened.push(engine)
    return engine
  }
  async function proxyTo(url: string) {
    const proxy = await startProxy(url)
    opened.push(proxy)
    return proxy
  }
  async function connect(url = testDatabase!) {
    const client = new Client(url)
    await client.connect()
    opened.push({ close: () => client.end() })
    return client
  }
  const count = (engine: Engine, world = 'demo') =>
    engine.store.change(world, (change) => change.increment('n', 0))
  const worlds = (many: number) => Array.from({ length: many }, (_, n) => `world-${n}`)

  it.each([
    ['the server ends', (name: string) => runSql(ended(name))],
    ['the network cuts', undefined],
  ])(`keeps at most ${PLANNED} connections a process after ${CUTS} that %s`, async (_, end) => {
    const url = new URL(await emptyDatabase())
    const name = `cuts ${crypto.randomUUID()}`
    url.searchParams.set('application_name', name)
    const proxy = await proxyTo(url.href)
    const engines = [await open(proxy.url), await open(proxy.url)]
    for (let n = 0; n < CUTS; n += 1) {
      const work = Promise.allSettled(
        engines.flatMap((engine) =>
          worlds(4).flatMap((world) => [
            count(engine, world),
            engine.store.dump(world),
            engine.worlds.names(),
          ]),
        ),
      )
      await (end ? end(name) : proxy.cut())
      await work
    }
    for (const engine of engines) await expect.poll(() => engine.store.unavailable).toBeUndefined()
    for (const engine of engines) await Promise.all(worlds(20).map((world) => count(engine, world)))
    const connections = async () => Number((await runSql(connected(name)))[0]!['connections'])
    expect(await connections()).toBeGreaterThan(0)
    await expect.poll(connections).toBeLessThanOrEqual(PLANNED * engines.length)
  })

  it('rejects nothing while the database has no connection to spare', async () => {
    const url = await asRole(await emptyDatabase(), 'connection limit 4')
    const engines = [await open(url), await open(url)]
    for (const world of worlds(15)) await engines[0]!.worlds.create(world, {})
    const changes = Array.from({ length: 120 }, (_, n) => count(engines[n % 2]!, `world-${n % 15}`))
    expect(Math.max(...(await Promise.all(changes)))).toBe(8)
  })

  it.each(['idle', 'busy'])(
    'passes its connection on to a process that has none while it is %s',
    async (state) => {
      const url = await asRole(await emptyDatabase(), 'connection limit 3')
      const holder = await open(url)
      await holder.worlds.create('demo', {})
      const over = new AbortController()
      const work = async () => {
        while (!over.signal.aborted) await count(holder, 'busy')
      }
      const working = state === 'busy' ? [work(), work(), work()] : []
      const began = performance.now()
      const other = await open(url)
      await count(other)
      // An idle connection is kept for 5 s, and a busy one as long as there is work.
      expect(performance.now() - began).toBeLessThan(3_000)
      over.abort()
      await Promise.all(working)
    },
  )

  it('sets isolation level, timeouts and search path, whatever the defaults of the role', async () => {
    const warnings: string[] = []
    const base = await emptyDatabase()
    const url = await asRole(base, '', {
      default_transaction_isolation: 'repeatable read',
      statement_timeout: '200ms',
      lock_timeout: '1ms',
      synchronous_commit: 'off',
    })
    const engines = [await open(url, { report: (_, message) => warnings.push(message) }), await open(url)]
    await engines[0]!.worlds.create('demo', {})
    const changes = Array.from({ length: 60 }, (_, n) => count(engines[n % 2]!))
    expect(Math.max(...(await Promise.all(changes)))).toBe(60)
    expect(warnings).toEqual([expect.stringContaining('synchronous_commit off')])
  })

  it('is unavailable for a moment when the database cancels a statement', async () => {
    const url = new URL(await emptyDatabase())
    const name = `cancel ${crypto.randomUUID()}`
    url.searchParams.set('application_name', name)
    const engine = await open(url.href)
    await count(engine)
    const holder = await connect(url.href)
    await holder.query("begin; select from worlds where name = 'demo' for update")
    const outcome = Promise.resolve(count(engine)).catch((error: unknown) => error)
    const waiting = () =>
      runSql(
        `select pid from pg_stat_activity where application_name = '${name}' and wait_event_type = 'Lock'`,
      )
    await expect.poll(async () => (await waiting()).length).toBe(1)
    await runSql(
      `select pg_cancel_backend(pid) from pg_stat_activity where application_name = '${name}' and wait_event_type = 'Lock'`,
    )
    expect(await outcome).toBeInstanceOf(StoreUnavailable)
    await holder.query('rollback')
    expect(engine.store.unavailable).toBeUndefined()
    expect(await count(engine)).toBe(2)
  })

  it('is unavailable with the reason while the disk is full, and recovers when there is room', async () => {
    const url = await emptyDatabase()
    const engine = await open(url)
    await count(engine)
    await runSql(FULL, url)
    await expect(count(engine)).rejects.toThrow('The database can store nothing: could not extend file')
    expect(engine.store.unavailable?.message).toContain('could not extend file')
    await runSql('drop trigger full_disk on log; drop trigger full_disk on parts', url)
    await expect.poll(() => engine.store.unavailable).toBeUndefined()
    expect(await count(engine)).toBe(2)
  })

  it('rejects only the world whose change the database rejects', async () => {
    const engine = await open(await emptyDatabase())
    const named = (world: string, name: string) =>
      engine.store.change(world, (change) => change.put('state', { name: SETTINGS, value: { name } }))
    // The next changes go together while this one is running.
    const first = count(engine)
    const outcomes = await Promise.allSettled([
      named('one', 'a name'),
      named('bad', 'a \0 name'),
      named('two', 'a name'),
      count(engine, 'three'),
    ])
    await first
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect(String((outcomes[1] as PromiseRejectedResult).reason)).toContain('invalid byte sequence')
    expect((await engine.store.dump('one')).state).toHaveLength(1)
    expect(await engine.worlds.names()).toEqual(['demo', 'one', 'three', 'two'])
    expect(await count(engine, 'three')).toBe(2)
  })

  it('releases a world that another process had locked', async () => {
    const url = await emptyDatabase()
    const engine = await open(url)
    await count(engine, 'held')
    const holder = await connect(url)
    await holder.query("begin; select from worlds where name = 'held' for update")
    const change = count(engine, 'held')
    expect(await count(engine, 'free')).toBe(1)
    await holder.query('commit')
    expect(await change).toBe(2)
    // Each waits for the lock of the change before.
    expect(await count(engine, 'held')).toBe(3)
    await engine.store.load('held', {})
    expect(await count(engine, 'held')).toBe(1)
    await expect.poll(() => engine.worlds.forget('held')).toBe(true)
  })

  it('uses the time of the database, and warns if the machine’s clock differs', async () => {
    const warnings: string[] = []
    const report: PostgresOptions['report'] = (_, message) => warnings.push(message)
    const url = await emptyDatabase()
    const hour = 3_600_000
    const ahead = await open(url, { report, machine: () => Date.now() + hour })
    const behind = await open(url, { report, machine: () => Date.now() - hour })
    for (const engine of [ahead, behind]) {
      await count(engine)
      expect(Math.abs(engine.wall!() - Date.now())).toBeLessThan(1_000)
    }
    expect(warnings).toEqual([
      expect.stringContaining('3600 s ahead of the database'),
      expect.stringContaining('3600 s behind the database'),
    ])
  })

  it('is rejected with both releases when a newer release created its tables', async () => {
    const url = await emptyDatabase()
    await (await openPostgresEngine({ url })).close()
    await runSql("insert into migrations(name, release) values ('0999-later.sql', '9.8.7')", url)
    await expect(openPostgresEngine({ url })).rejects.toThrow(
      /tables of another release: 0999-later\.sql of 9\.8\.7\. This is release \d+\.\d+\.\d+, which has \d{4}-[\w-]+\.sql/,
    )
  })

  it('stores no credentials of requests', async () => {
    const url = await emptyDatabase()
    const engine = await open(url)
    await count(engine)
    const record = engine.journal.open('demo', { requests: 10, bytes: 100_000 })
    const headers = ['Authorization', 'Basic ZGVtbzpkZW1v', 'X-Api-Key', 'k-123', 'Accept', 'text/plain']
    const entry = { ...ENTRY, id: await record.nextId(), headers }
    record.add(entry)
    record.answered(entry, 100)
    const [kept] = await record.all()
    const hidden = ['Authorization', 'Basic [redacted]', 'X-Api-Key', '[redacted]', 'Accept', 'text/plain']
    expect(kept!.headers).toEqual(hidden)
    expect(entry.headers).toBe(headers)
  })

  it('recovers from a connection with bytes of another protocol', async () => {
    const proxy = await proxyTo(await emptyDatabase())
    const engine = await open(proxy.url)
    await count(engine)
    for (const text of ['T\0\0\0\x06\xff\xff', 'R\0\0\0\x08\0\0\0\x63']) {
      proxy.garble(Buffer.from(text, 'latin1'))
      await Promise.allSettled([count(engine), engine.worlds.names()])
    }
    await expect.poll(() => engine.store.unavailable).toBeUndefined()
    expect(await count(engine)).toBeGreaterThan(1)
  })
})

const ENTRY = {
  at: 0,
  method: 'GET',
  url: 'http://sandbox.test/',
  operation: '',
  username: 'demo',
  body: '',
  body_length: 0,
  status: 200,
  answered: true,
  sent: '',
  duration_ms: 1,
}

const ended = (name: string) =>
  `select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${name}'`
const connected = (name: string) =>
  `select count(*) as connections from pg_stat_activity where application_name = '${name}'`

/** The server's error when the disk is full, for tables that every change and every world needs. */
const FULL = `create function full_disk() returns trigger language plpgsql as $$
  begin raise exception 'could not extend file "base/1": No space left on device' using errcode = '53100'; end $$;
  create trigger full_disk before insert on log for each row execute function full_disk();
  create trigger full_disk before insert on parts for each row execute function full_disk()`
