import type { Wall } from '../clock.ts'
import type { Measures } from '../engine/measures.ts'
import type { AttemptRow } from '../store/rows.ts'
import type { RowChange } from '../store/store.ts'
import { bytesOfWorld } from '../worlds/memory.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/worlds.ts'
import { databaseMetrics } from './database-metrics.ts'

/** What `/metrics` tells, in the form of Prometheus. */
export interface Metrics {
  /** @param operation its id, or `other`; milliseconds */
  request(operation: string, status: number, ms: number): void
  /** How long after its due time a job began, milliseconds. */
  late(kind: string, ms: number): void
  /** Counts what a change wrote. */
  written(rows: readonly RowChange[]): void
  readonly type: string
  text(): Promise<string>
}

/** Callbacks that are under way, and those whose turn has not come. */
interface Traffic {
  readonly running: number
  readonly waiting: number
}

/** By item; not by world, of which there may be any number. */
function sums(worlds: readonly World[]) {
  const bytes = { rows: 0, journal: 0, snapshots: 0 }
  for (const world of worlds) {
    bytes.rows += world.bytes
    bytes.journal += world.journal.bytes + world.events.bytes
    bytes.snapshots += world.snapshots.bytes
  }
  return bytes
}

/** Loads the library, which costs start-up time, only for who asks for metrics. */
export async function createMetrics(
  worlds: () => Worlds,
  traffic: () => Traffic,
  wall: Wall,
  measures?: Measures,
): Promise<Metrics> {
  // Bundled, a CommonJS module that is loaded by import() has no other names.
  const { default: prom } = await import('prom-client')
  const { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } = prom
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'sandbox_requests_total',
    help: 'Requests by operation and status.',
    labelNames: ['operation', 'status'],
    registers,
  })
  const latency = new Histogram({
    name: 'sandbox_request_seconds',
    help: 'From arrival to answer, by operation.',
    labelNames: ['operation'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  })
  const callbacks = new Counter({
    name: 'sandbox_callback_attempts_total',
    help: 'Attempts to deliver callbacks by result: the status class, or unreachable.',
    labelNames: ['result'],
    registers,
  })
  const lateness = new Histogram({
    name: 'sandbox_job_lateness_seconds',
    help: 'From the time a job was due to its start, by kind.',
    labelNames: ['kind'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5],
    registers,
  })
  if (measures) databaseMetrics(prom, registry, measures)
  const pending = new Gauge({
    name: 'sandbox_jobs_pending',
    help: 'Jobs owed in all worlds.',
    registers: [],
    async collect() {
      const { pending_jobs } = await worlds().directory.owed()
      this.set(pending_jobs)
    },
  })
  const count = new Gauge({
    name: 'sandbox_worlds',
    help: 'Worlds there are.',
    registers: [],
    async collect() {
      this.set(await worlds().directory.count())
    },
  })
  const underWay = new Gauge({
    name: 'sandbox_callbacks_under_way',
    help: 'Callbacks that are being sent.',
    registers: [],
    collect() {
      this.set(traffic().running)
    },
  })
  const queued = new Gauge({
    name: 'sandbox_callbacks_waiting',
    help: 'Callbacks that are due and wait for others of their receiver, of their world, or of all.',
    registers: [],
    collect() {
      this.set(traffic().waiting)
    },
  })
  const taken = new Gauge({
    name: 'sandbox_worlds_bytes',
    help: 'What the worlds that are open here take in memory, by what takes it.',
    labelNames: ['item'],
    registers: [],
    collect() {
      for (const [item, sum] of Object.entries(sums(worlds().all()))) this.set({ item }, sum)
    },
  })
  const largest = new Gauge({
    name: 'sandbox_world_bytes_max',
    help: 'What the largest world that is open here takes in memory.',
    registers: [],
    collect() {
      this.set(
        worlds()
          .all()
          .reduce((most, world) => Math.max(most, bytesOfWorld(world)), 0),
      )
    },
  })
  const waiting = new Gauge({
    name: 'sandbox_waiting',
    help: 'Requests that wait, and streams that are open, in all worlds.',
    labelNames: ['item'],
    registers: [],
    collect() {
      for (const item of ['waiters', 'streams'] as const)
        this.set(
          { item },
          worlds()
            .all()
            .reduce((sum, { budget }) => sum + budget.atOnce(item), 0),
        )
    },
  })
  const lag = new Gauge({
    name: 'sandbox_jobs_lag_seconds',
    help: 'How late the job is that has been due for longest, in all worlds.',
    registers: [],
    async collect() {
      this.set((await worlds().directory.lag(wall())) / 1000)
    },
  })
  for (const gauge of [lag, pending, count, underWay, queued, taken, largest, waiting])
    registry.registerMetric(gauge)
  return {
    request(operation, status, ms) {
      requests.inc({ operation, status })
      latency.observe({ operation }, ms / 1000)
    },
    late: (kind, ms) => lateness.observe({ kind }, ms / 1000),
    written(rows) {
      for (const { table, row } of rows) {
        if (table !== 'attempts' || !row) continue
        const { status } = row as AttemptRow
        callbacks.inc({ result: status === null ? 'unreachable' : `${Math.floor(status / 100)}xx` })
      }
    },
    type: registry.contentType,
    text: () => registry.metrics(),
  }
}
