import { readConfig } from '../../../src/config/config.ts'
import { createSandbox } from '../../../src/sandbox/sandbox.ts'
import { readableLog } from '../../support/log-lines.ts'
import { afterEach, describe, expect, it } from 'vitest'
import type { Engine } from '../../../src/storage/engine/engine.ts'
import type { EventsOfWorld } from '../../../src/storage/engine/event-log.ts'
import { openPostgresEngine } from '../../../src/storage/engine/postgres/engine.ts'
import { emptyDatabase, NO_DATABASE, testDatabase } from '../../support/postgres.ts'
import { type Proxy, startProxy } from '../../support/tcp-proxy.ts'

/** Two processes on one database, the first through a proxy that cuts connections. */
describe.skipIf(!testDatabase)(`a connection that is cut ${testDatabase ? '' : NO_DATABASE}`, () => {
  const opened: (Engine | Proxy)[] = []
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close()
  })
  async function start() {
    const url = await emptyDatabase()
    const proxy = await startProxy(url)
    const [one, other] = [await openPostgresEngine({ url: proxy.url }), await openPostgresEngine({ url })]
    opened.push(one, other, proxy)
    await one.worlds.create('demo', {})
    const count = (engine: Engine) => engine.store.change('demo', (change) => change.increment('n', 0))
    const value = (engine: Engine) => engine.store.read('demo', (view) => view.get('counters', 'n')?.value)
    await count(one)
    return { one, other, proxy, count, value }
  }

  it('before any statement: the change is made once', async () => {
    const { one, other, proxy, count, value } = await start()
    proxy.cut()
    expect(await count(one)).toBe(2)
    expect(await value(other)).toBe(2)
  })

  it('during the read of other processes’ changes: the change is made once', async () => {
    const { one, other, proxy, count, value } = await start()
    const cut = proxy.cutBefore('idle_in_transaction_session_timeout')
    expect(await count(one)).toBe(2)
    await cut
    expect(await value(other)).toBe(2)
  })

  it('between that and the commit: it is rejected without effect, and the next one succeeds', async () => {
    const { one, other, proxy, count, value } = await start()
    const cut = proxy.cutBefore('commit')
    await expect(count(one)).rejects.toThrow('nothing was stored')
    await cut
    expect(await value(other)).toBe(1)
    expect(await value(one)).toBe(1)
    expect([await count(other), await count(one)]).toEqual([2, 3])
  })

  it('after the commit, before its response: it is stored and resolves', async () => {
    const { one, other, proxy, count, value } = await start()
    const heard: number[] = []
    one.store.onCommit((_, __, version) => heard.push(version))
    const cut = proxy.cutAfter('commit')
    expect(await count(one)).toBe(2)
    await cut
    expect(await value(other)).toBe(2)
    expect(await count(one)).toBe(3)
    expect(heard).toEqual([2, 3])
  })

  it('before the commit of a note: it is repeated once', async () => {
    const { one, other, proxy, count } = await start()
    const first = { life: 'a1', mostBytes: Infinity, ofRows() {} }
    const [here, there] = [one, other].map((engine) => engine.events.open('demo', first)) as [
      EventsOfWorld,
      EventsOfWorld,
    ]
    await here.ready()
    const heard = new Promise((resolve) => void here.listen(({ type }) => resolve(type)))
    const cut = proxy.cutBefore('commit')
    here.publish('note', 7, 'x', (subject) => subject)
    await cut
    expect(await heard).toBe('note')
    await count(one)
    await there.ready()
    expect([there.count, there.at(1)!.data()]).toEqual([1, 'x'])
  })

  it('changes of two processes in turn are visible immediately', async () => {
    const { one, other, count, value } = await start()
    for (let n = 2; n <= 40; n += 2) {
      expect(await count(one)).toBe(n)
      expect(await value(other)).toBe(n)
      expect(await count(other)).toBe(n + 1)
      expect(await value(one)).toBe(n + 1)
    }
  })

  it('concurrent changes of two processes are made one after another', async () => {
    const { one, other, count, value } = await start()
    const counted = await Promise.all(Array.from({ length: 200 }, (_, n) => count(n % 2 ? one : other)))
    expect(counted.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n + 2))
    expect(await value(one)).toBe(201)
  })

  it('a process that is behind, or starts late, has the same rows in the same order', async () => {
    const { one, other } = await start()
    const pay = (engine: Engine, id: number) =>
      engine.store.change('demo', (change) =>
        change.put('state', { name: `row-${id % 300}`, value: { id, text: 'x'.repeat(1_000) } }),
      )
    for (let id = 0; id < 900; id += 30)
      await Promise.all(Array.from({ length: 30 }, (_, n) => pay(one, id + n)))
    await one.store.change('demo', (change) => {
      change.delete('state', 'row-7')
      change.put('state', { name: 'row-7', value: 'again' })
    })
    const late = await openPostgresEngine({ url: opened.find((each): each is Proxy => 'cut' in each)!.url })
    opened.unshift(late)
    const rows = await one.store.dump('demo')
    expect(JSON.stringify(await other.store.dump('demo'))).toBe(JSON.stringify(rows))
    expect(JSON.stringify(await late.store.dump('demo'))).toBe(JSON.stringify(rows))
  })

  it('an unreachable database: everything is rejected until it is back', async () => {
    const { one, proxy, count } = await start()
    proxy.refuse(true)
    await expect.poll(() => one.store.unavailable?.message).toMatch('cannot be reached')
    await expect(count(one)).rejects.toThrow('cannot be reached')
    proxy.refuse(false)
    await expect.poll(() => one.store.unavailable).toBeUndefined()
    expect(await count(one)).toBe(2)
  })

  it('an unreachable database: a sandbox can still be closed', async () => {
    const proxy = await startProxy(await emptyDatabase())
    const { log } = readableLog()
    const engine = await openPostgresEngine({ url: proxy.url, onError: () => {} })
    opened.push(engine, proxy)
    const sandbox = await createSandbox({ config: readConfig({}), engine, log })
    proxy.refuse(true)
    const unavailable = () => engine.store.unavailable?.message
    await expect.poll(unavailable).toMatch('cannot be reached')
    await sandbox.close()
    await engine.close()
  })

  it('texts of any kind are returned unchanged', async () => {
    const { one, other } = await start()
    const value = {
      nul: '\0',
      lone: '\ud800',
      quotes: `'"\\`,
      deep: [{}, [null, 1.5, -0.1]],
      order: { b: 1, a: 2 },
    }
    await one.store.change('demo', (change) => change.put('state', { name: 'odd', value }))
    const read = await other.store.read('demo', (view) => view.get('state', 'odd'))
    expect(JSON.stringify(read)).toBe(JSON.stringify({ name: 'odd', value }))
  })
})
