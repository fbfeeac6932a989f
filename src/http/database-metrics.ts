import type { Registry } from 'prom-client'
import type { Measures, Vitals } from '../storage/engine/shared-state.ts'
/** Tells of a database that several processes share: leases and jobs are those of all, the rest is of this process. */
export function databaseMetrics(
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
  /** Once for all that want to know it at a time; what cannot be asked for stays as it was last told. */
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
