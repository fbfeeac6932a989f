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
export class Watcher {
  readonly #stopped = new AbortController()
  #watching: Promise<void> | undefined
  #gaps = 0
  readonly #all = durations()
  readonly #minutes = new Map<number, { histogram: RecordableHistogram; attempts: number; errors: number }>()
  #errors = 0
  #timeouts = 0
  #requests = { all: 0, paying: 0, querying: 0, rejected: 0 }

  static open(world: TrafficWorld): Watcher {
    const watcher = new Watcher()
    watcher.#watching = watcher.#watch(world)
    return watcher
  }

  /** Reads the events. A stream that ends, since the events of a storm overran it, is opened again. */
  async #watch(world: TrafficWorld): Promise<void> {
    const { signal } = this.#stopped
    while (!signal.aborted)
      try {
        for await (const event of world.events({ signal })) this.#note(event)
      } catch {
        await pause(50, signal)
      } finally {
        if (!signal.aborted) this.#gaps++
      }
  }

  #note({ type, at, data }: WorldEvent): void {
    if (type === 'attempt') this.#attempt(Date.parse(at), data)
    if (type !== 'request' || !String(data['path'] ?? '').startsWith('/api/')) return
    const operation = String(data['operation'] ?? '')
    this.#requests.all++
    if (PAYING.has(operation)) this.#requests.paying++
    if (QUERYING.has(operation)) this.#requests.querying++
    if ([429, 503].includes(Number(data['status']))) this.#requests.rejected++
  }

  #attempt(at: number, { duration_ms, status, error }: WorldEvent['data']): void {
    // The deletion of an old attempt has none.
    if (typeof duration_ms !== 'number') return
    const failed = typeof status !== 'number' || status >= 300
    const minute = Math.floor(at / 60_000)
    const known = this.#minutes.get(minute) ?? { histogram: durations(), attempts: 0, errors: 0 }
    if (this.#minutes.size < MOST_MINUTES) this.#minutes.set(minute, known)
    const duration = Math.max(1, Math.round(duration_ms))
    this.#all.record(duration)
    known.histogram.record(duration)
    known.attempts++
    if (!failed) return
    known.errors++
    this.#errors++
    if (/time|no response within/i.test(String(error))) this.#timeouts++
  }

  /** @param start - on the world's clock */
  receiver(start: number): ReceiverReport {
    const over_time = [...this.#minutes].map(([minute, { histogram, attempts, errors }]) => ({
      minute: minute - Math.floor(start / 60_000),
      attempts,
      errors,
      p99: percentiles(histogram).p99,
    }))
    return {
      ...percentiles(this.#all),
      errors: this.#errors,
      timeouts: this.#timeouts,
      gaps: this.#gaps,
      over_time: over_time.sort((a, b) => a.minute - b.minute),
    }
  }

  api(orders: number): ApiReport {
    const { all, paying, querying, rejected } = this.#requests
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

  async close(): Promise<void> {
    this.#stopped.abort()
    await this.#watching
  }
}
