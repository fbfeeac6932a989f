import type { Inboxes } from '../callbacks/inbox.ts'
import type { OutgoingCallback, SendResult } from '../callbacks/send.ts'
import type { ReportKey } from '../callbacks/signatures/report-key.ts'
import type { FirstSecret } from '../callbacks/signatures/secrets.ts'
import type { TargetVerifier } from '../callbacks/verify-target.ts'
import type { CertificationPlan } from '../certify/plans.ts'
import type { CreateSandbox } from '../fidelity/twin.ts'
import type { AdminSettings, AdminSettingsChange } from '../generated/control/types.ts'
import type { Chaos } from '../http/chaos.ts'
import type { Wall } from '../lib/clock/clock.ts'
import type { Secrets } from '../lib/random/random.ts'
import type { Library } from '../scenarios/library.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import type { AuditLog } from '../storage/engine/audit.ts'
import type { Processes, SharedSettings } from '../storage/engine/shared-state.ts'
import type { WorldRegistry } from '../storage/engine/worlds.ts'
import type { WorldRows } from '../storage/store/change.ts'
import type { GuestWorlds } from '../worlds/guest-worlds.ts'
import type { SignUpLinks } from '../worlds/sign-up-links.ts'
import type { Defaults } from '../worlds/settings.ts'
import type { Register } from '../worlds/certification-register.ts'
import type { Worlds } from '../worlds/registry.ts'
import type { World } from '../worlds/world.ts'

/** The parts of witnessed runs. */
export interface Certifying {
  readonly plans: () => Promise<ReadonlyMap<string, CertificationPlan>>
  /** The plans of which a run must follow one; empty if any run is possible. */
  readonly required: readonly string[]
  /** Sends a request to the sandbox within the process. */
  readonly within: (request: Request) => Response | Promise<Response>
  readonly toShop: (
    world: World,
    request: Pick<OutgoingCallback, 'url' | 'headers' | 'body' | 'tls'> & {
      readonly method: string
      readonly limit: number
    },
  ) => Promise<SendResult>
  readonly checkShop: (url: string) => void
  /** The public register, shared by all processes. */
  readonly register: Register
}

/** The parts of the sandbox that the control API uses in addition to the caller's world. */
export interface ControlDependencies {
  readonly worlds: Worlds
  readonly guests: GuestWorlds
  /** Sign-up by e-mail; undefined if it is off. */
  readonly links: SignUpLinks | undefined
  /** The initial rows of a world without a seed. */
  readonly rows: WorldRows
  readonly secrets: Secrets
  /** Settings of `/__admin`, shared by all processes. */
  readonly processSettings: ProcessSettings
  readonly processes: Processes
  readonly audit: AuditLog
  readonly registry: WorldRegistry
  /** How long a world is kept after its last call, in milliseconds. */
  readonly world_ttl: number
  readonly defaults: Defaults
  readonly scheduler: Scheduler
  readonly firstSecret: FirstSecret
  /** Signs certification reports, or undefined if no key is configured. */
  readonly reportKey: ReportKey | undefined
  readonly certifying: Certifying
  /** Creates a sandbox that replays a recording. */
  readonly createSandbox: CreateSandbox
  readonly inboxes: Inboxes
  readonly targets: TargetVerifier
  readonly library: () => Library
  readonly wall: Wall
  /** Start of the process in real time, in milliseconds. */
  readonly started_at: number
  readonly version: string
  readonly node: string
  /** Resident memory in bytes. */
  readonly memory: () => number
  /** Whether metrics are served. */
  readonly metrics: boolean
  /**
   * Shuts the process down as a signal would. Does nothing if the process belongs to the caller, as in a
   * test.
   */
  readonly stop: () => void
}

export interface ProcessSettings {
  /** Reads the current settings, including changes by other processes. */
  current(): Promise<AdminSettings>
  change(change: AdminSettingsChange): Promise<void>
  reset(): Promise<void>
  stop(): void
}

const NAME = 'process'

/** Applies the settings that any process changes to the defaults of worlds and to chaos. */
export function processSettings(shared: SharedSettings, defaults: Defaults, chaos: Chaos): ProcessSettings {
  const follow = ({ validation, delay = null, chaos: failing = null }: AdminSettingsChange) => {
    defaults.reset()
    if (validation) defaults.change({ validation })
    Object.assign(chaos, { delay, chaos: failing })
  }
  const kept = (value: unknown) => (value ?? {}) as AdminSettingsChange
  const stop = shared.onChanged((name, value) => {
    if (name === NAME) follow(kept(value))
  })
  if (shared.get(NAME) !== undefined) follow(kept(shared.get(NAME)))
  return {
    async current() {
      await shared.look()
      return { validation: defaults.current().validation, delay: chaos.delay, chaos: chaos.chaos }
    },
    change: (change) => shared.change(NAME, (value) => ({ ...kept(value), ...change })),
    reset: () => shared.change(NAME, () => undefined),
    stop,
  }
}
