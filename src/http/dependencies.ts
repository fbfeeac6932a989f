import type { Wall } from '../lib/clock/clock.ts'
import type { AuditLog } from '../storage/engine/audit.ts'
import type { Log } from '../lib/log/log.ts'
import type { Library } from '../scenarios/library.ts'
import type { World } from '../worlds/world.ts'
import type { GuestWorlds } from '../worlds/guest-worlds.ts'
import type { Worlds } from '../worlds/registry.ts'
import type { AdminGuard } from './admin-guard.ts'
import type { CallerLimits } from './caller.ts'
import type { ClientAddress } from './client-address.ts'
import type { Chaos } from './chaos.ts'
import type { CorsOrigins } from './cross-origin.ts'
import type { Metrics } from './metrics.ts'

/** The parts of the process that serve requests. */
export interface Dependencies {
  readonly worlds: Worlds
  readonly callers: CallerLimits
  readonly guests: GuestWorlds
  /** The address that limits count. */
  readonly countedAs: ClientAddress
  /** The address for the log. */
  readonly client: ClientAddress | undefined
  readonly admin: AdminGuard
  readonly audit: AuditLog
  /** The address for the audit. */
  readonly auditedAs: ClientAddress
  readonly corsOrigins: CorsOrigins
  readonly chaos: Chaos
  /** Returns the current scenarios of the process. */
  readonly library: () => Library
  readonly runNow: (world: World, job_id: number) => Promise<void>
  readonly log: Log
  readonly wall: Wall
  readonly metrics?: Metrics | undefined
  /** Whether responses include the `Sandbox-` headers. */
  readonly headers: boolean
  /** Waits in real time. */
  readonly pause: (ms: number) => Promise<void>
}
