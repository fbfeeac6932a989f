import { describe, expect, it } from 'vitest'
import type { Engine } from '../../../src/storage/engine/engine.ts'
import { openPostgresEngine } from '../../../src/storage/engine/postgres/engine.ts'
import type { WorldRows } from '../../../src/storage/store/change.ts'
import { closedLater } from '../../support/open-engines.ts'
import { emptyDatabase, NO_DATABASE, runSql, testDatabase } from '../../support/postgres.ts'

const about = { name: 'a', at: 5, clock: { real_anchor: 1, world_anchor: 2, speed: 0 } }
/** Large enough that the log is compacted, and that a world is read in batches. */
const LONG = 'x'.repeat(400_000)

describe.skipIf(!testDatabase)(`snapshots ${testDatabase ? 'in PostgreSQL' : NO_DATABASE}`, () => {
  async function start() {
    const url = await emptyDatabase()
    const open = async () => closedLater(await openPostgresEngine({ url, time: 'given' }))
    return { open, engine: await open(), sql: (text: string) => runSql(text, url) }
  }
  const put = (engine: Engine, name: string, value: number) =>
    engine.store.change('demo', (change) => change.put('state', { name, value: `${value} ${LONG}` }))
  const restore = async ({ store, snapshots }: Engine, id: number) => {
    const { rows, rows_version, stored } = (await snapshots.get('demo', id))!
    await store.load('demo', rows, rows_version, stored)
  }
  const values = ({ state = [] }: WorldRows) => state.map(({ value }) => parseInt(String(value), 10))
  const age = (sql: (text: string) => Promise<unknown>) =>
    sql(`update parts set at = at - interval '1 hour'; update log set at = at - interval '1 hour'`)

  it('keep their rows, and so do worlds that began with them, when all others are deleted', async () => {
    const { open, engine, sql } = await start()
    const { worlds, store, snapshots } = engine
    await worlds.create('demo', {})
    for (let n = 0; n < 10; n += 1) await put(engine, `row ${n % 3}`, n)
    await snapshots.take('demo', about)
    for (let n = 10; n < 20; n += 1) await put(engine, `row ${n % 3}`, n)
    await restore(engine, 1)
    await put(engine, 'row 0', 20)
    await snapshots.take('demo', about)
    await age(sql)
    // Deleting a snapshot deletes what nothing uses any more.
    await snapshots.take('demo', about)
    await snapshots.delete('demo', 3)
    expect(values((await snapshots.get('demo', 1))!.rows)).toEqual([9, 7, 8])
    expect(values((await snapshots.get('demo', 2))!.rows)).toEqual([20, 7, 8])
    expect(values(await (await open()).store.dump('demo'))).toEqual([20, 7, 8])
    for (const id of [1, 2]) await snapshots.delete('demo', id)
    expect(values(await (await open()).store.dump('demo'))).toEqual([20, 7, 8])
    await store.load('demo', {})
    await age(sql)
    await snapshots.take('demo', about)
    await snapshots.delete('demo', 4)
    const [left] = await sql(
      'select (select count(*) from layers) as layers, (select count(*) from parts) as parts',
    )
    expect([Number(left!['layers']), Number(left!['parts'])]).toEqual([0, 1])
  })

  it('do not write rows again, and a world is compacted before they are of too many lives', async () => {
    const { engine, sql } = await start()
    const { worlds, snapshots } = engine
    await worlds.create('demo', { state: [{ name: 'a', value: LONG }] })
    const counts = async () => {
      const [row] = await sql(
        'select (select sum(length(rows)) from parts) as parts, (select max(n) from layers) as layers',
      )
      return [Number(row!['parts']), Number(row!['layers'])] as const
    }
    const [before] = await counts()
    for (let n = 1; n <= 8; n += 1) {
      await snapshots.take('demo', about)
      await restore(engine, n)
      await snapshots.delete('demo', n)
    }
    const [after, layers] = await counts()
    expect([after - before < 100, layers]).toEqual([true, 7])
    for (let n = 9; n <= 10; n += 1) {
      await snapshots.take('demo', about)
      await restore(engine, n)
    }
    const [compacted, most] = await counts()
    expect([compacted < 5 * before, most]).toEqual([true, 1])
    expect((await engine.store.dump('demo')).state).toEqual([{ name: 'a', value: LONG }])
  })

  it('are deleted with their world', async () => {
    const { engine, sql } = await start()
    const { worlds, snapshots } = engine
    await worlds.create('demo', { state: [{ name: 'a', value: LONG }] })
    await snapshots.take('demo', about)
    await engine.store.load('demo', {})
    await snapshots.take('demo', about)
    await worlds.drop('demo')
    const tables = ['worlds', 'parts', 'log', 'layers', 'snapshots']
    for (const table of tables)
      expect([table, (await sql(`select 1 from ${table}`)).length]).toEqual([table, 0])
  })

  it('of the next world of a name stay when another process has just dropped the one before', async () => {
    const { open, engine, sql } = await start()
    const other = await open()
    for (let n = 0; n < 20; n += 1) {
      await engine.worlds.create('demo', { state: [{ name: 'a', value: n }] })
      await engine.snapshots.take('demo', about)
      const dropped = engine.worlds.drop('demo')
      while (!(await other.worlds.create('demo', { state: [{ name: 'b', value: n }] })));
      const { id } = await other.snapshots.take('demo', about)
      await dropped
      expect(values((await other.snapshots.get('demo', id))!.rows)).toEqual([n])
      expect(await other.snapshots.list('demo')).toHaveLength(1)
      await other.worlds.drop('demo')
    }
    for (const table of ['worlds', 'layers', 'snapshots', 'snapshot_ids'])
      expect([table, (await sql(`select 1 from ${table}`)).length]).toEqual([table, 0])
  })
})
