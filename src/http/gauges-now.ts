import type { Gauge as PromGauge, Registry } from 'prom-client'
import type { Wall } from '../lib/clock/clock.ts'
import { bytesOfWorld } from '../worlds/memory.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/worlds.ts'

/** Where metrics are read that stand at some value. */
export interface GaugeSource {
  readonly worlds: Worlds
  /** Callbacks that are under way, and those whose turn has not come. */
  readonly traffic: () => { readonly running: number; readonly waiting: number }
  readonly wall: Wall
}

/** Tells how things stand when they are asked for: worlds, what they owe, and what they take. */
export function gaugesNow(
  { Gauge }: typeof import('prom-client'),
  registry: Registry,
  { worlds, traffic, wall }: GaugeSource,
): void {
  const registers = [registry]
  const gauge = (name: string, help: string, value: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await value())
      },
    })
  const gaugeByItem = (name: string, help: string, values: () => { readonly [item: string]: number }) =>
    new Gauge({
      name,
      help,
      labelNames: ['item'],
      registers,
      collect(this: PromGauge<'item'>) {
        for (const [item, value] of Object.entries(values())) this.set({ item }, value)
      },
    })
  const { directory } = worlds
  gauge(
    'sandbox_jobs_lag_seconds',
    'How late the job is that has been due for longest, in all worlds.',
    async () => (await directory.lag(wall())) / 1000,
  )
  gauge('sandbox_jobs_pending', 'Jobs owed in all worlds.', async () => (await directory.owed()).pending_jobs)
  gauge('sandbox_worlds', 'Worlds there are.', () => directory.count())
  gauge('sandbox_callbacks_under_way', 'Callbacks that are being sent.', () => traffic().running)
  gauge(
    'sandbox_callbacks_waiting',
    'Callbacks that are due and wait for others of their receiver, of their world, or of all.',
    () => traffic().waiting,
  )
  gaugeByItem(
    'sandbox_worlds_bytes',
    'What the worlds that are open here take in memory, by what takes it.',
    () => bytesByItem(worlds.all()),
  )
  gauge('sandbox_world_bytes_max', 'What the largest world that is open here takes in memory.', () =>
    worlds.all().reduce((most, world) => Math.max(most, bytesOfWorld(world)), 0),
  )
  gaugeByItem('sandbox_waiting', 'Requests that wait, and streams that are open, in all worlds.', () => {
    const open = worlds.all()
    const sum = (item: 'waiters' | 'streams') =>
      open.reduce((all, { budget }) => all + budget.atOnce(item), 0)
    return { waiters: sum('waiters'), streams: sum('streams') }
  })
}

/** By item; not by world, of which there may be any number. */
function bytesByItem(worlds: readonly World[]) {
  const bytes = { rows: 0, journal: 0, snapshots: 0 }
  for (const world of worlds) {
    bytes.rows += world.bytes
    bytes.journal += world.journal.bytes + world.events.bytes
    bytes.snapshots += world.snapshots.bytes
  }
  return bytes
}
