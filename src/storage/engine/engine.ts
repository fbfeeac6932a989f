import type { Wall } from '../../lib/clock/clock.ts'
import type { Store } from '../store/change.ts'
import type { AuditLog } from './audit.ts'
import type {
  Counters,
  Locks,
  Measures,
  Processes,
  SharedSettings,
  Shards,
  WorldOwners,
} from './shared-state.ts'
import type { WorldDirectory, WorldRegistry } from './worlds.ts'
import type { EventLog } from './event-log.ts'
import type { JobQueue } from './job-queue.ts'
import type { JournalStore } from './journal.ts'
import type { SnapshotStore } from './snapshots.ts'
/** Database statistics since the engine was opened. */
interface EngineStats {
  /** Round trips to the database; statements that are sent together count once. */
  readonly trips: number
  readonly statements: number
  /** Transactions that wrote changes, and the changes in them. */
  readonly batches: number
  readonly changes: number
}

/** Everything that a sandbox stores, behind ports. A process keeps only caches of it, so that several can share an engine. */
export interface Engine {
  readonly worlds: WorldRegistry
  /** Queries over all worlds; absent if every process has all worlds open. */
  readonly directory?: WorldDirectory
  readonly store: Store
  /** Decides which process answers for a world; absent if there is only one process. */
  readonly owners?: WorldOwners
  /** Decides which process runs the jobs of a world. */
  readonly jobs: JobQueue
  readonly events: EventLog
  readonly journal: JournalStore
  readonly snapshots: SnapshotStore
  readonly audit: AuditLog
  readonly counters: Counters
  readonly settings: SharedSettings
  readonly processes: Processes
  /** For calendar work that one process does for all. */
  readonly lock: Locks
  readonly measures?: Measures
  /** Absent if one database contains all worlds. */
  readonly shards?: Shards
  /** Whether other processes may write to it, so that caches must be validated. */
  readonly isRemote?: boolean
  /** The time shared by all processes, milliseconds since the epoch; this machine's if absent. */
  readonly wall?: Wall
  readonly stats?: EngineStats
  /** Rejects new work, waits for running work and writes what is pending. */
  close(): Promise<void>
}
