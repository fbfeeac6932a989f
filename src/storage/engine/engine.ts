import type { Wall } from '../../lib/clock/clock.ts'
import type { Store } from '../store/store.ts'
import type { AuditLog } from './audit.ts'
import type { Counters, Locks, Measures, Processes, SharedSettings } from './shared-state.ts'
import type { WorldDirectory, WorldRegistry } from './worlds.ts'
import type { EventLog } from './event-log.ts'
import type { JobQueue } from './job-queue.ts'
import type { JournalStore } from './journal.ts'
import type { SnapshotStore } from './snapshots.ts'
/** What a process asked of the database of its engine, counted since it was opened. */
export interface EngineStats {
  /** How often somebody waited for the database, be it for one statement or for several that left together. */
  readonly trips: number
  /** Transactions that wrote changes, and how many changes were in them. */
  readonly batches: number
  readonly changes: number
}

/**
 * Everything that a sandbox keeps, behind ports. A sandbox has no state of its own that another over the same engine
 * would miss: what it remembers besides is a cache, and caches follow what is kept.
 */
export interface Engine {
  readonly worlds: WorldRegistry
  /** Asks of all worlds at once; left out where each process has all of them open, and so knows by itself. */
  readonly directory?: WorldDirectory
  /** The rows of each world. */
  readonly store: Store
  /** Who runs the jobs of a world now. */
  readonly jobs: JobQueue
  /** What happened in each world, as it is streamed. */
  readonly events: EventLog
  /** The last requests of each world. */
  readonly journal: JournalStore
  readonly snapshots: SnapshotStore
  /** What administrators and owners of worlds did. */
  readonly audit: AuditLog
  /** How often something was done in a minute or so, over all who share the engine. */
  readonly counters: Counters
  /** What is set for all who share the engine. */
  readonly settings: SharedSettings
  readonly processes: Processes
  /** For work of the calendar, which one sandbox does for all. */
  readonly lock: Locks
  /** How it goes, where it is reached over a network. */
  readonly measures?: Measures
  /**
   * Others may have written to it of whom this process has not heard yet: what it remembers of a world counts only once it was
   * looked at.
   */
  readonly isRemote?: boolean
  /** The time that all who share the engine go by, milliseconds since the epoch; this machine's when absent. */
  readonly wall?: Wall
  /** Absent where there is no database to ask. */
  readonly stats?: EngineStats
  /** Refuses new work, waits for what is running and writes what is owed. Whoever made the engine closes it. */
  close(): Promise<void>
}
