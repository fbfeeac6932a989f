import { Client } from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { leadsTo } from '../../../src/storage/engine/postgres/shards.ts'
import { openPostgresEngine } from '../../../src/storage/engine/postgres/engine.ts'
import { openShardedEngine } from '../../../src/storage/engine/postgres/sharded-engine.ts'
import { TooManyWorlds } from '../../../src/storage/engine/worlds.ts'
import { StoreUnavailable } from '../../../src/storage/store/change.ts'
import { commandLine } from '../../cli/process.ts'
import { emptyDatabase, NO_DATABASE, runSql, testDatabase } from '../../support/postgres.ts'
import { collection } from '../../support/requests.ts'
import { startSandbox, type TestWorld } from '../../support/sandbox.ts'
import { startProxy } from '../../support/tcp-proxy.ts'

it('a further shard takes over an equal part of the worlds, and the default world stays at home', () => {
  const names = Array.from({ length: 3_000 }, (_, n) => `demo+w-${n}`)
  const before = names.map((name) => leadsTo(name, ['a', 'b']))
  const after = names.map((name) => leadsTo(name, ['a', 'b', 'c']))
  const moved = names.filter((_, n) => before[n] !== after[n])
  expect(moved.every((name) => leadsTo(name, ['a', 'b', 'c']) === 'c')).toBe(true)
  expect(moved.length).toBeGreaterThan(900)
  expect(moved.length).toBeLessThan(1_100)
  expect(leadsTo('demo', ['a', 'b', 'c'])).toBe('a')
})

describe.skipIf(!testDatabase)(`shards ${testDatabase ? '' : NO_DATABASE}`, () => {
  const opened: { close(): unknown }[] = []
  afterEach(async () => {
    for (const each of opened.splice(0).toReversed()) await each.close()
  })
  const later = <Opened extends { close(): unknown }>(each: Opened): Opened => {
    opened.push(each)
    return each
  }
  const open = async (...urls: string[]) =>
    later(await openShardedEngine({ urls, time: 'given', onError: () => {} }))
  const databases = async (count = 2) => Promise.all(Array.from({ length: count }, () => emptyDatabase()))
  const namesIn = async (url: string) =>
    (await runSql('select name from worlds order by name', url)).map(({ name }) => String(name))
  const some = (count: number) => Array.from({ length: count }, (_, n) => `demo+w${n}`)

  async function refusal(...urls: string[]): Promise<string> {
    const engine = await openShardedEngine({ urls, onError: () => {} }).catch((error: Error) => error.message)
    if (typeof engine === 'string') return engine
    await engine.close()
    return 'started'
  }

  it('distribute worlds, and have them after a restart with addresses in another order', async () => {
    const [home, one, two] = await databases(3)
    const first = await open(home!, one!, two!)
    for (const name of [...some(30), 'demo']) await first.worlds.create(name, {})
    expect(await first.worlds.create('demo+w3', {})).toBe(false)
    await first.close()
    for (const url of [home!, one!, two!]) expect(await namesIn(url)).not.toEqual([])
    expect(await namesIn(home!)).toContain('demo')
    const again = await open(home!, two!, one!)
    for (const name of some(30)) expect(await again.worlds.has(name)).toBe(true)
    expect(await again.directory!.count()).toBe(31)
    await expect(again.worlds.create('demo+one-more', {}, { most: 31 })).rejects.toThrow(TooManyWorlds)
    expect(await again.worlds.create('demo+one-more', {}, { most: 32 })).toBe(true)
    const page = { owner: '', isHome: true, search: '' }
    const names: string[] = []
    for (let before: number | null = Infinity; before !== null;) {
      const owned = await again.directory!.owned({ ...page, before, limit: 7 })
      names.unshift(...owned.names)
      before = owned.next_before
    }
    expect(names.toSorted()).toEqual(await again.worlds.names())
    const { worlds, total } = await again.worlds.list({ prefix: 'demo+w1', limit: 5 })
    expect([worlds.length, total]).toEqual([5, 11])
  })

  it('refuse a start with wrong addresses', async () => {
    const [home, one, other] = await databases(3)
    await (await open(home!, one!)).close()
    const lone = await openPostgresEngine({ url: other! })
    await lone.worlds.create('demo', {})
    await lone.close()
    expect(await refusal(one!, home!)).toContain('(address 1) leads to a further database of the sandbox')
    expect(await refusal(home!)).toContain('leads to the first of 2 databases of a sandbox')
    expect(await refusal(one!)).toContain('leads to one of several databases')
    expect(await refusal(home!, other!)).toContain('lacks the address of shard 2 of 2')
    expect(await refusal(home!, one!, other!)).toContain(
      '(address 3) leads to a database with worlds of its own',
    )
    expect(await refusal(home!, one!, `${one!}&application_name=x`)).toContain(
      'leads to the same database as',
    )
    expect(await refusal(other!, one!)).toContain('(address 2) leads to a database of another sandbox')
    await runSql(`insert into migrations values ('9999-later.sql', '99.0.0')`, one!)
    expect(await refusal(home!, one!)).toMatch(
      /\(address 2\) has the tables of .* of 99\.0\.0\. This is release/,
    )
    await runSql(`delete from migrations where name = '9999-later.sql'`, one!)
    const gone = 'postgres://user:secret@127.0.0.1:1/none'
    expect(await refusal(home!, one!, gone)).toContain('a new address, and one that cannot be reached')
    expect(await refusal(gone, one!)).toMatch(
      /^SANDBOX_DATABASE_URLS \(address 1\) does not lead to a usable database: [^/]*$/,
    )
    const misspelt = new URL(one!)
    misspelt.pathname = '/misspelt'
    expect(await refusal(home!, misspelt.href)).toContain(
      '(address 2) does not lead to a usable database: database "misspelt"',
    )
  })

  it('added later leave worlds where they are, and need all processes stopped', async () => {
    const [home, one] = await databases()
    const lone = await openPostgresEngine({ url: home! })
    for (const name of some(20)) await lone.worlds.create(name, {})
    lone.processes.join(
      () => ({ name: 'p', version: '1', told: {} }),
      () => {},
    )
    await lone.processes.list()
    await expect.poll(async () => (await runSql('select id from processes', home!)).length).toBe(1)
    expect(await refusal(home!, one!)).toContain('1 processes of the sandbox run without it')
    await lone.close()
    const both = await open(home!, one!)
    expect(await namesIn(home!)).toHaveLength(20)
    for (const name of some(20)) expect(await both.worlds.has(name)).toBe(true)
    for (const name of some(40)) await both.worlds.create(name, {})
    expect((await namesIn(one!)).length).toBeGreaterThan(4)
    expect(await both.directory!.count()).toBe(40)
  })

  /** Two sandboxes over two databases, and a world in the second one. */
  async function two() {
    const [home, one] = await databases()
    const proxy = later(await startProxy(one!))
    const engines = [await open(home!, proxy.url), await open(home!, proxy.url)]
    const [here, there] = [
      await startSandbox({ SANDBOX_METRICS: 'on' }, { engine: engines[0]! }),
      await startSandbox({}, { engine: engines[1]! }),
    ]
    for (const { sandbox } of [here, there]) later(sandbox)
    const pick = async (url: string) => {
      for (;;) {
        const [w, same] = [here.world(), there.world()]
        await w.get('/sandbox/worlds/current')
        await same.get('/sandbox/worlds/current')
        if ((await namesIn(url)).includes(w.world().name)) return { w, same, name: w.world().name }
      }
    }
    return { home: home!, one: one!, proxy, engines, here, there, pick }
  }
  const pay = async (w: TestWorld, reference: string) =>
    (await w.post('/api/v2/payments', collection(w, { reference }))).status
  const statuses = async (w: TestWorld) =>
    (await w.get('/sandbox/transactions')).body.transactions.map((each: { status: string }) => each.status)

  it('a world is moved with all that it has, and other processes follow', async () => {
    const { engines, home, one, pick } = await two()
    const { w, same, name } = await pick(one)
    expect(await pay(w, 'order-1')).toBe(201)
    await same.settle()
    expect(await pay(same, 'order-2')).toBe(201)
    await w.post('/sandbox/snapshots', { name: 'before' })
    const key = (await w.post('/sandbox/api-keys', { name: 'ci' })).body
    const of = async (each: TestWorld) => {
      const { id, ...world } = (await each.get('/sandbox/worlds/current')).body
      const snapshots = (await each.get('/sandbox/snapshots')).body
      const requests = (await each.get('/sandbox/requests?limit=50')).body.requests.map(
        ({ id }: { id: string }) => id,
      )
      return {
        id,
        number: (await engines[0]!.directory!.entry(name))!.number,
        transactions: world.transactions,
        snapshots,
        requests,
      }
    }
    const before = await of(w)
    expect(await engines[0]!.shards!.move(name, 1)).toBe(true)
    expect([(await namesIn(home)).includes(name), (await namesIn(one)).includes(name)]).toEqual([true, false])
    // Not even by a process that has not noticed.
    const create = `insert into worlds(name, born, life, version, base, base_bytes, log_bytes) values ('${name}', '', '', 0, 0, 0, 0)`
    await expect(runSql(create, one)).rejects.toThrow('is in another database')
    for (const each of [same, w]) {
      const after = await of(each)
      expect(after).toMatchObject({ ...before, requests: expect.arrayContaining(before.requests) })
    }
    expect(await pay(same, 'order-3')).toBe(201)
    await w.settle()
    expect((await statuses(same)).length).toBe(3)
    expect(new Set(await statuses(w))).toEqual(new Set(['SUCCESS']))
    expect(w.callbacks().length + same.callbacks().length).toBe(3)
    // Back again, with a key that the snapshot lacks.
    const command = async (env: Record<string, string>, ...args: string[]) => {
      const { code, printed } = commandLine(['move', ...args], env)
      return [await code, printed.out + printed.err]
    }
    const env = { SANDBOX_DATABASE_URLS: [home, one].join() }
    for (const _ of ['moves it', 'is repeated'])
      expect(await command(env, name, '--to', '2')).toEqual([0, `${name} is in shard 2.\n`])
    await w.post(`/sandbox/snapshots/1/restore`)
    expect(await statuses(same)).toHaveLength(2)
    expect((await same.get('/sandbox/api-keys')).body.api_keys).not.toContainEqual(
      expect.objectContaining({ username: key.username }),
    )
    expect(await command(env, name, '--to', '3')).toEqual([3, 'There is no shard 3. Pass one of 1, 2.\n'])
    expect(await command(env, 'demo+x', '--to', '1')).toEqual([1, 'There is no world demo+x.\n'])
    expect(await command({}, name, '--to', '1')).toEqual([
      2,
      expect.stringMatching(/^SANDBOX_DATABASE_URLS does/),
    ])
    expect(await command(env, name, '--to', 'b')).toEqual([
      2,
      expect.stringContaining('must be a number such as 2'),
    ])
  })

  it.each([
    ['before it has left', 'places', 1, true],
    ['before it has arrived', 'worlds', 2, false],
  ])('a move that is interrupted %s leaves a world in one place', async (_, table, shard, isStill) => {
    const { engines, home, one, pick } = await two()
    const { w, same, name } = await pick(one)
    expect(await pay(w, 'order-1')).toBe(201)
    const url = shard === 1 ? one : home
    await runSql(
      `create function fail() returns trigger language plpgsql as $$ begin raise exception 'not today'; end $$;
       create trigger failing before insert on ${table} for each row execute function fail()`,
      url,
    )
    await expect(engines[0]!.shards!.move(name, 1)).rejects.toThrow('not today')
    expect([...(await namesIn(home)), ...(await namesIn(one))].filter((each) => each === name)).toHaveLength(
      isStill ? 1 : 0,
    )
    await runSql(`drop trigger failing on ${table}`, url)
    expect(await pay(same, 'order-2')).toBe(201)
    expect([(await namesIn(one)).includes(name), (await namesIn(home)).includes(name)]).toEqual([
      isStill,
      !isStill,
    ])
    expect(await statuses(w)).toHaveLength(2)
    expect(await engines[0]!.shards!.move(name, 1)).toBe(true)
    expect(await statuses(same)).toHaveLength(2)
    expect(await namesIn(home)).toContain(name)
  })

  it('a world is moved while another process restores it, which then follows', async () => {
    const { engines, one, pick } = await two()
    const { w, same, name } = await pick(one)
    await w.post('/sandbox/snapshots', { name: 'before' })
    expect(await pay(w, 'order-1')).toBe(201)
    // The restore stops while it writes its rows to the database that the world leaves.
    const key = Math.floor(Math.random() * 1e9)
    await runSql(
      `create function hold() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(${key}); return new; end $$;
       create trigger holding before insert on parts for each row execute function hold()`,
      one,
    )
    const holder = new Client(one)
    await holder.connect()
    await holder.query(`select pg_advisory_lock(${key})`)
    const restoring = w.post('/sandbox/snapshots/1/restore')
    const waiting = `select 1 from pg_locks where locktype = 'advisory' and objid = ${key} and not granted`
    await expect.poll(async () => (await runSql(waiting, one)).length).toBe(1)
    expect(await engines[1]!.shards!.move(name, 1)).toBe(true)
    await holder.end()
    expect((await restoring).status).toBe(503)
    expect(await statuses(w)).toHaveLength(1)
    expect(await pay(w, 'order-2')).toBe(201)
    for (const each of [w, same])
      expect((await each.get('/sandbox/requests')).body.requests).toMatchObject([
        { id: 'req_2' },
        { id: 'req_1' },
      ])
    expect((await w.post('/sandbox/snapshots/1/restore')).status).toBe(200)
    for (const each of [same, w]) expect(await statuses(each)).toHaveLength(0)
    expect(await pay(w, 'order-3')).toBe(201)
  })

  it('a process answers for a world that it took before it opened it', async () => {
    const { engines, home, one, pick } = await two()
    const { name } = await pick(one)
    const { owners, store } = await open(home, one)
    await owners!.join('http://127.0.0.1:9')
    expect(engines[0]!.owners!.isOwn(name)).toBe(false)
    expect(await owners!.answering(name)).toBeUndefined()
    expect(owners!.isOwn(name)).toBe(true)
    /** A change within a forwarded request whose world is left meanwhile. */
    const change = (isAnswered: boolean) =>
      new Promise<unknown>((resolve) => {
        const work = () => {
          owners!.retire()
          resolve(store.change(name, () => 'changed'))
        }
        const id = 'c9c0f0a6-5a8e-4e0f-9f0c-1c1f0b1f0b1f'
        owners!.asForwarded({ world: name, id, onRefused() {}, isAnswered: () => isAnswered }, work)
      })
    await expect(change(false)).rejects.toThrow('Another process answers for the world')
    // What a request has started goes on after its response.
    expect(await change(true)).toBe('changed')
  })

  it('one that is away takes its worlds out, and no others', async () => {
    const { here, home, one, proxy, pick, engines } = await two()
    const [{ w: far }, { w: near }] = [await pick(one), await pick(home)]
    const ready = async () => {
      const answer = await here.sandbox.fetch(new Request('http://sandbox.test/readyz'))
      return { code: answer.status, ...((await answer.json()) as object) }
    }
    expect(await ready()).toEqual({
      code: 200,
      status: 'ok',
      shards: [1, 2].map((shard) => ({ shard, status: 'ok' })),
    })
    // While a request waits for a database that does not answer, others go on.
    let isSilent = true
    proxy.hold(() => (isSilent ? 60_000 : 0))
    let isOver = false
    const waiting = far.get('/api/v2/account/63').finally(() => (isOver = true))
    for (const order of ['order-a', 'order-b', 'order-c']) expect(await pay(near, order)).toBe(201)
    expect(isOver).toBe(false)
    isSilent = false
    proxy.cut()
    expect([200, 503]).toContain((await waiting).status)
    proxy.refuse(true)
    await expect.poll(async () => (await far.get('/api/v2/account/63')).status).toBe(503)
    expect((await far.get('/api/v2/account/63')).body.error_message).toMatch(
      /^The database of shard 2 cannot be reached/,
    )
    expect(await pay(near, 'order-1')).toBe(201)
    await near.settle()
    expect(near.callbacks()).toHaveLength(4)
    expect(await ready()).toMatchObject({
      code: 200,
      shards: [{ status: 'ok' }, { shard: 2, status: 'unavailable' }],
    })
    const metrics = await (await here.sandbox.fetch(new Request('http://sandbox.test/metrics'))).text()
    expect(metrics).toContain('sandbox_database_unavailable{shard="1"} 0')
    expect(metrics).toContain('sandbox_database_unavailable{shard="2"} 1')
    // A process that starts meanwhile serves the others, and the worlds of the shard once it is back.
    const engine = await open(home, proxy.url)
    const late = await startSandbox({}, { engine })
    expect(await engine.worlds.has('demo')).toBe(true)
    await expect(async () => engine.worlds.has(far.world().name)).rejects.toThrow(StoreUnavailable)
    expect(engine.shards!.list()[1]!.reason).toContain('shard 2 has not been reached')
    expect(await refusal(home, proxy.url, (await databases(1))[0]!)).toContain('one that cannot be reached')
    proxy.refuse(false)
    await expect.poll(() => engine.shards!.list()[1]!.reason).toBeUndefined()
    expect(await engine.worlds.has(far.world().name)).toBe(true)
    await expect.poll(async () => (await far.get('/api/v2/account/63')).status).toBe(200)
    await late.sandbox.close()
    expect(engines).toHaveLength(2)
  })
})
