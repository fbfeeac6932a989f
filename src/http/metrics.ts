import type { Registry, Gauge as PromGauge } from 'prom-client'
import type { Wall } from '../lib/clock/clock.ts'
import type { Measures, Vitals } from '../storage/engine/shared-state.ts'
import type { AttemptRow } from '../storage/store/payment-rows.ts'
import type { RowChange } from '../storage/store/store.ts'
import { bytesOfWorld } from '../worlds/cache.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/registry.ts'

/** The values of `/metrics`, in the format of Prometheus. */
export interface Metrics {
  /** @param operation - its id, or `other` */
  request(operation: string, status: number, ms: number): void
  /** Records how many milliseconds after its due time a job began. */
  late(kind: string, ms: number): void
  written(rows: readonly RowChange[]): void
  readonly type: string
  text(): Promise<string>
}

interface MetricsOptions extends GaugeSource {
  /** For a database that several processes share. */
  readonly measures?: Measures | undefined
}

/** Loads the library only if metrics are enabled, because it slows down the start. */
export async function createMetrics(options: MetricsOptions): Promise<Metrics> {
  // The bundled CommonJS module has only a default export.
  const { default: prom } = await import('prom-client')
  const { Counter, Histogram, Registry, collectDefaultMetrics } = prom
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
  if (options.measures) databaseMetrics(prom, registry, options.measures)
  gaugesNow(prom, registry, options)
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

/** Registers gauges of a shared database: leases and jobs of all processes, and connections of this process. */
function databaseMetrics(
  { Counter, Gauge, Histogram }: typeof import('prom-client'),
  registry: Registry,
  measures: Measures,
): void {
  const registers = [registry]
  const seconds = new Histogram({
    name: 'sandbox_database_seconds',
    help: 'Statements by themselves, which are one trip to the database, and transactions of changes, which are two.',
    labelNames: ['kind'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  })
  const batch = new Histogram({
    name: 'sandbox_database_batch_changes',
    help: 'Changes that were kept together.',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200],
    registers,
  })
  measures.measure({
    trip: (kind, ms) => seconds.observe({ kind }, ms / 1000),
    batch: (changes) => batch.observe(changes),
  })
  const caughtUp = new Counter({
    name: 'sandbox_database_caught_up_total',
    help: 'Changes of other processes that were taken over.',
    registers: [],
    collect() {
      this.reset()
      this.inc(measures.caughtUp)
    },
  })
  const connections = new Gauge({
    name: 'sandbox_database_connections',
    help: 'Connections to the database.',
    registers: [],
    collect() {
      this.set(measures.connections)
    },
  })
  const unavailable = new Gauge({
    name: 'sandbox_database_unavailable',
    help: 'Whether the database cannot be reached.',
    registers: [],
    collect() {
      this.set(measures.unavailable ? 1 : 0)
    },
  })
  for (const metric of [caughtUp, connections, unavailable]) registry.registerMetric(metric)
  let asking: Promise<Vitals | undefined> | undefined
  /** Shares one query between all gauges; failed queries keep the previous values. */
  const vitals = () =>
    (asking ??= measures
      .vitals()
      .catch(() => undefined)
      .finally(() => (asking = undefined)))
  const gauge = (name: string, help: string, valueIn: (told: Vitals) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const told = await vitals()
        if (told) this.set(valueIn(told))
      },
    })
  gauge(
    'sandbox_lease_age_seconds',
    "Since the lease on a world's jobs was renewed that was renewed longest ago; beyond 10 its holder is lost.",
    ({ lease_age }) => lease_age / 1000,
  )
}

interface GaugeSource {
  readonly worlds: Worlds
  /** Running callbacks, and those waiting for their turn. */
  readonly traffic: () => { readonly running: number; readonly waiting: number }
  readonly wall: Wall
}

/** Registers gauges that are read on request: worlds, pending work and budgets. */
function gaugesNow(
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

/** Per item, not per world: there may be any number of worlds. */
function bytesByItem(worlds: readonly World[]) {
  const bytes = { rows: 0, journal: 0, snapshots: 0 }
  for (const world of worlds) {
    bytes.rows += world.bytes
    bytes.journal += world.journal.bytes + world.events.bytes
    bytes.snapshots += world.snapshots.bytes
  }
  return bytes
}
