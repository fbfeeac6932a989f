import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { Config } from '../config/config.ts'
import type { Limits } from '../worlds/budget.ts'

/** What each world may take, those of strangers among them, and all of them together in bytes. */
export function limitsOf(config: Config): {
  readonly limits: Limits
  readonly guestLimits: Limits
  readonly maxMemory: number
} {
  const { maxMemory } = config
  const limits = ownLimits(config)
  return {
    limits,
    guestLimits: {
      ...limits,
      rows: Math.min(limits.rows, config.signUpRows),
      inboxes: Math.min(limits.inboxes, config.signUpRows),
      snapshots: Math.min(limits.snapshots, config.signUpRows),
      requests: Math.min(limits.requests, config.signUpRequests),
      callbacks: Math.min(limits.callbacks, config.signUpCallbacks),
      settings: {
        rows: 'SANDBOX_SIGN_UP_ROWS',
        inboxes: 'SANDBOX_SIGN_UP_ROWS',
        snapshots: 'SANDBOX_SIGN_UP_ROWS',
        requests: 'SANDBOX_SIGN_UP_REQUESTS',
        callbacks: 'SANDBOX_SIGN_UP_CALLBACKS',
      },
    },
    maxMemory: 'share' in maxMemory ? maxMemory.share * getHeapStatistics().heap_size_limit : maxMemory.bytes,
  }
}

const ownLimits = (config: Config): Limits => ({
  rows: config.worldRows,
  inboxes: config.worldInboxes,
  journal: config.worldJournal,
  snapshots: config.worldSnapshots,
  snapshot_count: config.worldSnapshotCount,
  scenarios: config.worldScenarios,
  bodies: config.worldBodies,
  waiters: config.worldWaiters,
  streams: config.worldStreams,
  requests: config.worldRequests,
  inbox_requests: config.worldInboxRequests,
  callbacks: config.worldCallbacks,
  callbacks_a_day: config.worldCallbacksADay,
  mails: config.worldMails,
})

/** Follows the heap of the process. Returns the bytes that survived the last full garbage collection beyond those in use now. */
export function followHeap(): () => number {
  const { heapUsed: before } = process.memoryUsage()
  let kept = before
  new PerformanceObserver((list) => {
    if (list.getEntries().some(isFullCollection)) kept = process.memoryUsage().heapUsed
  }).observe({ entryTypes: ['gc'] })
  return () => kept - before
}

const isFullCollection = (entry: PerformanceEntry) =>
  (entry as { readonly detail?: { readonly kind: number } }).detail?.kind ===
  constants.NODE_PERFORMANCE_GC_MAJOR
