import { createHistogram, type Histogram, type RecordableHistogram } from 'node:perf_hooks'
import type { WorldEvent } from '../client/events.ts'
import { pause } from '../lib/clock/clock.ts'
import type { ApiReport, Percentiles, ReceiverReport, TrafficWorld } from './world.ts'

/** A histogram of milliseconds, of which the least is 1. */
export const durations = () => createHistogram({ highest: 86_400_000, figures: 2 })

export const percentiles = (of: Histogram): Percentiles => {
  const at = (percentile: number) => (of.count === 0 ? 0 : of.percentile(percentile))
  return { count: of.count, p50: at(50), p90: at(90), p99: at(99), max: of.count === 0 ? 0 : of.max }
}

/** Minutes with figures of their own, so that the report stays small. */
const MOST_MINUTES = 2_000
const PAYING = new Set(['createCollection', 'createGlobalPayment'])
const QUERYING = new Set(['getTransactionStatus', 'getTransactionStatusByReference'])

/** Counts the attempts of callbacks and the requests of the shop. */
export function watchShop(world: TrafficWorld) {
  const stopped = new AbortController()
  let gaps = 0
  const all = durations()
  const minutes = new Map<number, { histogram: RecordableHistogram; attempts: number; errors: number }>()
  let errors = 0
  let timeouts = 0
  const requests = { all: 0, paying: 0, querying: 0, rejected: 0 }

  /** Reads the events. A stream that ends, since the events of a storm overran it, is opened again. */
  async function watch(): Promise<void> {
    const { signal } = stopped
    while (!signal.aborted)
      try {
        for await (const event of world.events({ signal })) note(event)
      } catch {
        await pause(50, signal)
      } finally {
        if (!signal.aborted) gaps++
      }
  }

  function note({ type, at, data }: WorldEvent): void {
    if (type === 'attempt') attempt(Date.parse(at), data)
    if (type !== 'request' || !String(data['path'] ?? '').startsWith('/api/')) return
    const operation = String(data['operation'] ?? '')
    requests.all++
    if (PAYING.has(operation)) requests.paying++
    if (QUERYING.has(operation)) requests.querying++
    if ([429, 503].includes(Number(data['status']))) requests.rejected++
  }

  function attempt(at: number, { duration_ms, status, error }: WorldEvent['data']): void {
    // The deletion of an old attempt has none.
    if (typeof duration_ms !== 'number') return
    const failed = typeof status !== 'number' || status >= 300
    const minute = Math.floor(at / 60_000)
    const known = minutes.get(minute) ?? { histogram: durations(), attempts: 0, errors: 0 }
    if (minutes.size < MOST_MINUTES) minutes.set(minute, known)
    const duration = Math.max(1, Math.round(duration_ms))
    all.record(duration)
    known.histogram.record(duration)
    known.attempts++
    if (!failed) return
    known.errors++
    errors++
    if (/time|no response within/i.test(String(error))) timeouts++
  }

  /** @param start - on the world's clock */
  function receiver(start: number): ReceiverReport {
    const over_time = [...minutes].map(([minute, { histogram, attempts, errors }]) => ({
      minute: minute - Math.floor(start / 60_000),
      attempts,
      errors,
      p99: percentiles(histogram).p99,
    }))
    return {
      ...percentiles(all),
      errors,
      timeouts,
      gaps,
      over_time: over_time.sort((a, b) => a.minute - b.minute),
    }
  }

  function api(orders: number): ApiReport {
    const { all, paying, querying, rejected } = requests
    const per = (count: number) => Math.round((count / Math.max(1, orders)) * 100) / 100
    return {
      requests: all,
      payment_requests: paying,
      status_queries: querying,
      requests_per_order: per(paying),
      status_queries_per_order: per(querying),
      rejected,
    }
  }

  const watching = watch()
  return {
    receiver,
    api,
    async close(): Promise<void> {
      stopped.abort()
      await watching
    },
  }
}
