import type { Measures } from '../storage/engine/shared-state.ts'
import type { AttemptRow } from '../storage/store/payment-rows.ts'
import type { RowChange } from '../storage/store/store.ts'
import { databaseMetrics } from './database-metrics.ts'
import { gaugesNow, type GaugeSource } from './gauges-now.ts'
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

export interface MetricsOptions extends GaugeSource {
  /** Of a database that several processes share; left out where there is none. */
  readonly measures?: Measures | undefined
}

/** Loads the library, which costs start-up time, only for who asks for metrics. */
export async function createMetrics(options: MetricsOptions): Promise<Metrics> {
  // Bundled, a CommonJS module that is loaded by import() has no other names.
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
