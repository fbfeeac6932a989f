import type { Inboxes } from '../callbacks/inbox.ts'
import type { ReportKey } from '../callbacks/signatures/report-key.ts'
import type { FirstSecret } from '../callbacks/signatures/secrets.ts'
import type { TargetVerifier } from '../callbacks/verify-target.ts'
import type { AdminSettings, AdminSettingsChange } from '../generated/control/schemas.ts'
import type { Chaos } from '../http/chaos.ts'
import type { Wall } from '../lib/clock/clock.ts'
import type { Secrets } from '../lib/random/random.ts'
import type { Library } from '../scenarios/library.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { AuditLog } from '../storage/engine/audit.ts'
import type { Processes } from '../storage/engine/shared-state.ts'
import type { SharedSettings } from '../storage/engine/shared-state.ts'
import type { WorldRegistry } from '../storage/engine/worlds.ts'
import type { WorldRows } from '../storage/store/store.ts'
import type { GuestWorlds } from '../worlds/guest-worlds.ts'
import type { Defaults } from '../worlds/settings.ts'
import type { Worlds } from '../worlds/registry.ts'

/** What the control API steers beside the rows of the caller's world. */
export interface ControlDependencies {
  readonly worlds: Worlds
  /** Makes the worlds of people who are not known. */
  readonly guests: GuestWorlds
  /** What a world without a seed of its own starts with. */
  readonly rows: WorldRows
  readonly secrets: Secrets
  /** What `/__admin` sets, over all processes. */
  readonly processSettings: ProcessSettings
  readonly processes: Processes
  /** What administrators and owners of worlds did. */
  readonly audit: AuditLog
  /** Which worlds there are, whether they are open or not. */
  readonly registry: WorldRegistry
  /** How long a world stays after its last call, milliseconds. */
  readonly world_ttl: number
  readonly defaults: Defaults
  readonly scheduler: Scheduler
  readonly firstSecret: FirstSecret
  /** What reports are signed with; undefined where they are not. */
  readonly reportKey: ReportKey | undefined
  readonly inboxes: Inboxes
  /** Asks receivers whether they want callbacks. */
  readonly targets: TargetVerifier
  /** The scenarios of the process as they are now. */
  readonly library: () => Library
  readonly wall: Wall
  /** When it started, milliseconds on the wall. */
  readonly started_at: number
  readonly version: string
  /** The version of Node.js. */
  readonly node: string
  /** Resident memory in bytes. */
  readonly memory: () => number
  /** Ends the process as a signal would; nothing when it is not ours to end. */
  readonly stop: () => void
}

/** What `/__admin/settings` sets, for all processes of the sandbox. */
export interface ProcessSettings {
  /** As they are, once others were asked. */
  current(): Promise<AdminSettings>
  change(change: AdminSettingsChange): Promise<void>
  /** Takes back all that was set. */
  reset(): Promise<void>
  /** Follows what others set no more. */
  stop(): void
}

/** Under which it is kept. */
const NAME = 'process'

/** Has defaults of worlds and chaos follow what is set, by whichever process. */
export function processSettings(shared: SharedSettings, defaults: Defaults, chaos: Chaos): ProcessSettings {
  const follow = ({ validation, delay = null, chaos: failing = null }: AdminSettingsChange) => {
    defaults.reset()
    if (validation) defaults.change({ validation })
    chaos.change({ delay, chaos: failing })
  }
  const kept = (value: unknown) => (value ?? {}) as AdminSettingsChange
  const stop = shared.onChanged((name, value) => {
    if (name === NAME) follow(kept(value))
  })
  if (shared.get(NAME) !== undefined) follow(kept(shared.get(NAME)))
  return {
    async current() {
      await shared.look()
      return { validation: defaults.current.validation, delay: chaos.delay, chaos: chaos.chaos }
    },
    change: (change) => shared.change(NAME, (value) => ({ ...kept(value), ...change })),
    reset: () => shared.change(NAME, () => undefined),
    stop,
  }
}
