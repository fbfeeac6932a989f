import type { Wall } from '../lib/clock/clock.ts'
import type { AuditLog } from '../storage/engine/audit.ts'
import type { Log } from '../lib/log/log.ts'
import type { Library } from '../scenarios/library.ts'
import type { World } from '../worlds/world.ts'
import type { GuestWorlds } from '../worlds/guest-worlds.ts'
import type { Worlds } from '../worlds/registry.ts'
import type { AdminGuard } from './admin-guard.ts'
import type { CallerLimits } from './caller-limits.ts'
import type { ClientAddress } from './client-address.ts'
import type { Chaos } from './faults.ts'
import type { CorsOrigins } from './cross-origin.ts'
import type { Metrics } from './metrics.ts'

/** What serving requests needs of the process. */
export interface Dependencies {
  readonly worlds: Worlds
  readonly callers: CallerLimits
  /** Worlds of people who are not known. */
  readonly guests: GuestWorlds
  /** Whom limits by address count a request as. */
  readonly countedAs: ClientAddress
  /** Where a request came from, for the log. */
  readonly client: ClientAddress | undefined
  readonly admin: AdminGuard
  /** What administrators and owners of worlds did. */
  readonly audit: AuditLog
  /** Where a request came from, as it is put into the audit. */
  readonly auditedAs: ClientAddress
  /** The origins whose pages may use the sandbox. */
  readonly corsOrigins: CorsOrigins
  readonly chaos: Chaos
  /** The scenarios of the process as they are now. */
  readonly library: () => Library
  /** Does a job of a world now. */
  readonly runNow: (world: World, job_id: number) => Promise<void>
  readonly log: Log
  readonly wall: Wall
  readonly metrics?: Metrics | undefined
  /** Whether answers have the headers that begin with `Sandbox-`. */
  readonly headers: boolean
  /** Waits on the wall. */
  readonly pause: (ms: number) => Promise<void>
}
