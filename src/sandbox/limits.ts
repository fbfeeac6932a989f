import { getHeapStatistics } from 'node:v8'
import type { Config } from '../config.ts'
import type { Limits } from '../worlds/budget.ts'

/** What each world may take, and all of them together in bytes. */
export function limitsOf(config: Config): { readonly limits: Limits; readonly maxMemory: number } {
  const { maxMemory } = config
  return {
    limits: {
      rows: config.worldRows,
      journal: config.worldJournal,
      snapshots: config.worldSnapshots,
      snapshot_count: config.worldSnapshotCount,
      scenarios: config.worldScenarios,
      bodies: config.worldBodies,
      waiters: config.worldWaiters,
      streams: config.worldStreams,
      requests: config.worldRequests,
      callbacks: config.worldCallbacks,
      mails: config.worldMails,
    },
    maxMemory: 'share' in maxMemory ? maxMemory.share * getHeapStatistics().heap_size_limit : maxMemory.bytes,
  }
}
