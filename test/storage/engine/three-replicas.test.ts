import { afterAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../../src/storage/engine/engine.ts'
import type { FirstEvents } from '../../../src/storage/engine/event-log.ts'
import { openPostgresEngine } from '../../../src/storage/engine/postgres/engine.ts'
import { createRandom } from '../../../src/lib/random/random.ts'
import { StoreUnavailable } from '../../../src/storage/store/change.ts'
import { emptyDatabase, NO_DATABASE, testDatabase } from '../../support/postgres.ts'
import { startProxy } from '../../support/tcp-proxy.ts'

/** Run with another seed: `TEST_SEED=… npx vitest run test/storage/engine/three-replicas.test.ts`. */
const SEED = process.env['TEST_SEED'] ?? '1'
const STEPS = 60
/** `steady` only has changes, so that its final state is known. */
const WORLDS = ['steady', 'a', 'b']
/** Maximum delay of the network each way, milliseconds. */
const HELD = 12

const clock = { real_anchor: 0, world_anchor: 0, speed: 0 }

const first: FirstEvents = {
  life: 'unused',
  mostBytes: Infinity,
  ofRows(written, at, publish) {
    for (const { table, key, row } of written)
      if (table !== 'counters') publish(table, at, row ?? { key }, (subject) => subject, 10)
  },
}

describe.skipIf(!testDatabase)(`three replicas of worlds ${testDatabase ? '' : NO_DATABASE}`, () => {
  const random = createRandom(SEED)
  const closing: (() => unknown)[] = []
  afterAll(async () => {
    for (const close of closing) await close()
  })

  async function replica(url: string, n: number) {
    const proxy = await startProxy(url)
    let sent = 0
    proxy.hold(() => random.fraction(`held by ${n}`, sent++) * HELD)
    const engine = await openPostgresEngine({ url: proxy.url })
    closing.unshift(
      () => engine.close(),
      () => proxy.close(),
    )
    return { engine, proxy }
  }

  /** A sandbox checks that a world exists before it uses it. */
  async function eventsOf(engine: Engine, world: string) {
    await engine.worlds.has(world)
    const events = engine.events.open(world, first)
    let time = 0
    events.goBy(() => ++time)
    return events
  }

  it('agree on the time of a change in a world whose events are not open', async () => {
    const url = await emptyDatabase()
    const [one, other] = [await replica(url, 0), await replica(url, 1)]
    await one.engine.worlds.create('quiet', {})
    await one.engine.store.change('quiet', (change) => change.put('state', { name: 'row', value: 'first' }))
    const told = []
    for (const [n, { engine }] of [one, other].entries()) {
      const events = await eventsOf(engine, 'quiet')
      // Clocks that would differ if they were used.
      events.goBy(() => n)
      told.push(await allEvents(events))
    }
    expect(told[0]).toHaveLength(1)
    expect(told[1]).toEqual(told[0])
  })

  it(`converge to the same rows and events (seed ${SEED})`, async () => {
    const url = await emptyDatabase()
    const replicas = [await replica(url, 0), await replica(url, 1), await replica(url, 2)]
    const [one] = replicas
    for (const world of WORLDS) await one!.engine.worlds.create(world, {})
    /** The values of the counter of `steady` after each successful change. */
    const counted: number[] = []
    const refused: string[] = []

    const act = async ({ engine, proxy }: (typeof replicas)[0], n: number, step: number) => {
      const draw = (what: string, below: number) =>
        Math.floor(random.fraction(`${what} by ${n}`, step) * below)
      const world = WORLDS[draw('world', WORLDS.length)]!
      const events = await eventsOf(engine, world)
      const name = `row-${draw('row', 20)}`
      const rows = { state: [{ name, value: `loaded by ${n} in step ${step}` }] }
      const kind = draw('kind', world === 'steady' ? 70 : 100)
      if (kind === 0) proxy.cut()
      if (kind < 45) {
        const count = await engine.store.change(world, (change) => {
          change.put('state', { name, value: `${n} in step ${step}` })
          if (draw('also', 2) === 0) change.delete('state', `row-${draw('gone', 20)}`)
          return change.increment('n', 0)
        })
        if (world === 'steady') counted.push(count)
      } else if (kind < 60) events.publish('note', step, { by: n, step }, (subject) => subject, 10)
      // Early listeners follow the log; late ones derive everything from it.
      else if (kind < 70) await events.ready()
      else if (kind < 80) await engine.store.load(world, rows)
      else if (kind < 86) await engine.snapshots.take(world, { name, at: step, clock })
      else if (kind < 88) {
        const rows_version = engine.store.version(world)
        const rows = await engine.store.dump(world)
        await engine.snapshots.add(world, { name, at: step, clock, rows, rows_version, bytes: 1 })
      } else if (kind < 94) {
        const [taken] = await engine.snapshots.list(world)
        const found = taken && (await engine.snapshots.get(world, taken.id))
        if (found) await engine.store.load(world, found.rows, found.rows_version, found.stored)
        if (found && draw('delete', 2) === 0) await engine.snapshots.delete(world, found.id)
      } else if (kind < 97) await engine.worlds.drop(world)
      else await engine.worlds.create(world, rows)
    }
    const run = async (each: (typeof replicas)[0], n: number) => {
      for (let step = 0; step < STEPS; step += 1)
        await act(each, n, step).catch((error: unknown) => {
          if (!(error instanceof StoreUnavailable)) throw error
          refused.push(error.message)
        })
    }
    // Two loops for each, so that changes of the same sandbox also compete.
    await Promise.all(replicas.flatMap((each, n) => [run(each, 2 * n), run(each, 2 * n + 1)]))

    // Earlier notes precede a change that is made now.
    for (const { engine } of replicas)
      for (const world of WORLDS) await engine.store.change(world, () => undefined)

    expect(new Set(counted).size).toBe(counted.length)
    const unknown = refused.filter((message) => message.includes('not known')).length
    const late = await replica(url, 3)
    for (const world of WORLDS) {
      const dumps = []
      const told = []
      for (const { engine } of [...replicas, late]) {
        dumps.push(await engine.store.dump(world))
        told.push(await allEvents(await eventsOf(engine, world)))
      }
      // Rows are ordered within a table; tables have no order.
      for (const other of dumps) expect(other, `rows of ${world}`).toEqual(dumps[0])
      for (const other of told) expect(other, `events of ${world}`).toEqual(told[0])
      const ids = told[0]!.map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      if (world !== 'steady') continue
      const count = dumps[0]!.counters![0]!.value
      expect(count).toBeGreaterThanOrEqual(counted.length)
      expect(count).toBeLessThanOrEqual(counted.length + unknown)
    }
  }, 120_000)
})

async function allEvents(events: Awaited<ReturnType<Engine['events']['open']>>) {
  await events.ready()
  const from = events.position('0')!
  return Array.from({ length: events.count - from }, (_, n) => {
    const event = events.at(from + n + 1)!
    return { id: event.id, at: event.at, type: event.type, data: event.data() }
  })
}
