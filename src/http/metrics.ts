import type { Wall } from '../lib/clock/clock.ts'
import type { Measures } from '../storage/engine/shared-state.ts'
import type { AttemptRow } from '../storage/store/payment-rows.ts'
import type { RowChange } from '../storage/store/change.ts'
import type { ForwardOutcome } from './forward.ts'
import { bytesOfWorld } from '../worlds/cache.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/registry.ts'

/** The values of `/metrics`, in the format of Prometheus. */
export type Metrics = Awaited<ReturnType<typeof createMetrics>>

/** The metrics and their help texts. openapi/monitoring.ts has a panel and alerts for each. */
export const metricHelp = {
  sandbox_requests_total: 'Requests by operation and status.',
  sandbox_request_seconds: 'From arrival to response, by operation.',
  sandbox_callback_attempts_total:
    'Attempts to deliver callbacks by result: the status class, or unreachable.',
  sandbox_forwarded_requests_total:
    'Requests forwarded to the process that answers for the world, by outcome: answered, refused, unreachable, or lost.',
  sandbox_callbacks_in_flight: 'Running callbacks.',
  sandbox_callbacks_waiting:
    'Due callbacks that wait for the limit of their receiver, their world or the process.',
  sandbox_job_lateness_seconds: 'From the time a job was due to its start, by kind.',
  sandbox_jobs_lag_seconds: 'Delay of the oldest due job of all worlds.',
  sandbox_jobs_pending: 'Pending jobs of all worlds.',
  sandbox_worlds: 'Worlds.',
  sandbox_worlds_bytes: 'Memory used by the open worlds of this process, by item.',
  sandbox_worlds_limit: 'Maximum number of worlds, SANDBOX_MAX_WORLDS.',
  sandbox_memory_limit_bytes: 'Maximum memory of all open worlds of this process, SANDBOX_MAX_MEMORY.',
  sandbox_world_bytes_max: 'Memory used by the largest open world of this process.',
  sandbox_waiters: 'Waiting requests and open streams of all worlds.',
  sandbox_database_seconds:
    'Single statements, which take one round trip to the database, and transactions of changes, which take two.',
  sandbox_database_batch_changes: 'Changes committed together.',
  sandbox_database_replicated_total: 'Changes of other processes that this process has applied.',
  sandbox_database_connections: 'Connections to the database, by shard.',
  sandbox_database_unavailable: 'Whether the database cannot be reached, by shard.',
} as const
export type MetricName = keyof typeof metricHelp

/** Loads the library only if metrics are enabled, because it slows down the start. */
export async function createMetrics(options: {
  readonly worlds: Worlds
  /** Running callbacks, and those waiting for their turn. */
  readonly traffic: () => { readonly running: number; readonly waiting: number }
  readonly wall: Wall
  /** For a database that several processes share. */
  readonly measures?: Measures | undefined
  readonly limits: { readonly worlds: number; readonly bytes: number }
}) {
  // The bundled CommonJS module has only a default export.
  const { default: prom } = await import('prom-client')
  const { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } = prom
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const { worlds, traffic, wall, measures, limits } = options
  const { directory } = worlds
  const named = (name: MetricName) => ({ name, help: metricHelp[name], registers: [registry] })

  /** Adds a gauge that is read on request; undefined keeps its previous value. */
  const gauge = (name: MetricName, valueNow: () => number | undefined | Promise<number | undefined>) =>
    new Gauge({
      ...named(name),
      async collect() {
        const value = await valueNow()
        if (value !== undefined) this.set(value)
      },
    })
  const gaugeBy = (label: string, name: MetricName, values: () => { readonly [item: string]: number }) =>
    new Gauge({
      ...named(name),
      labelNames: [label],
      collect() {
        for (const [item, value] of Object.entries(values())) this.set({ [label]: item }, value)
      },
    })
  /** Returns a function that observes milliseconds under a label. */
  const seconds = (name: MetricName, label: string, buckets: number[]) => {
    const histogram = new Histogram({ ...named(name), labelNames: [label], buckets })
    return (value: string, ms: number) => histogram.observe({ [label]: value }, ms / 1000)
  }
  /** Adds a counter that is read on request. */
  const counter = (name: MetricName, valueNow: () => number) =>
    new Counter({
      ...named(name),
      collect() {
        this.reset()
        this.inc(valueNow())
      },
    })
  const counterBy = <Label extends string>(name: MetricName, ...labelNames: Label[]) =>
    new Counter({ ...named(name), labelNames })

  const requests = counterBy('sandbox_requests_total', 'operation', 'status')
  const callbacks = counterBy('sandbox_callback_attempts_total', 'result')
  const forwarded = counterBy('sandbox_forwarded_requests_total', 'outcome')
  const latency = seconds(
    'sandbox_request_seconds',
    'operation',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  )
  const lateness = seconds(
    'sandbox_job_lateness_seconds',
    'kind',
    [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5],
  )
  if (measures) addDatabases(measures)
  gauge('sandbox_jobs_lag_seconds', async () => (await directory.lag(wall())) / 1000)
  gauge('sandbox_jobs_pending', async () => (await directory.owed()).pending_jobs)
  gauge('sandbox_worlds', () => directory.count())
  gauge('sandbox_worlds_limit', () => limits.worlds)
  gauge('sandbox_memory_limit_bytes', () => limits.bytes)
  gauge('sandbox_callbacks_in_flight', () => traffic().running)
  gauge('sandbox_callbacks_waiting', () => traffic().waiting)
  gaugeBy('item', 'sandbox_worlds_bytes', () => bytesByItem(worlds.all()))
  gauge('sandbox_world_bytes_max', () =>
    worlds.all().reduce((most, world) => Math.max(most, bytesOfWorld(world)), 0),
  )
  gaugeBy('item', 'sandbox_waiters', () => {
    const open = worlds.all()
    const sum = (item: 'waiters' | 'streams') =>
      open.reduce((all, { budget }) => all + budget.atOnce(item), 0)
    return { waiters: sum('waiters'), streams: sum('streams') }
  })
  return {
    forwarded: (outcome: ForwardOutcome) => forwarded.inc({ outcome }),
    /** @param operation - its id, or `other` */
    request(operation: string, status: number, ms: number): void {
      requests.inc({ operation, status })
      latency(operation, ms)
    },
    /** Records how many milliseconds after its due time a job began. */
    late: lateness,
    written(rows: readonly RowChange[]): void {
      for (const { table, row } of rows) {
        if (table !== 'attempts' || !row) continue
        const { status } = row as AttemptRow
        callbacks.inc({ result: status === null ? 'unreachable' : `${Math.floor(status / 100)}xx` })
      }
    },
    type: registry.contentType,
    text: () => registry.metrics(),
  }

  /** Adds metrics of shared databases. */
  function addDatabases(shared: Measures): void {
    const trips = new Histogram({
      ...named('sandbox_database_seconds'),
      labelNames: ['kind', 'shard'],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    })
    const batch = new Histogram({
      ...named('sandbox_database_batch_changes'),
      buckets: [1, 2, 5, 10, 20, 50, 100, 200],
    })
    shared.measure({
      trip: (kind, ms, shard = 1) => trips.observe({ kind, shard }, ms / 1000),
      batch: (changes) => batch.observe(changes),
    })
    counter('sandbox_database_replicated_total', () => shared.caughtUp)
    const byShard = (name: MetricName, value: 'connections' | 'unavailable') =>
      gaugeBy('shard', name, () =>
        Object.fromEntries(shared.databases.map((each) => [each.shard, Number(each[value])])),
      )
    byShard('sandbox_database_connections', 'connections')
    byShard('sandbox_database_unavailable', 'unavailable')
  }
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
