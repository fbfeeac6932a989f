import type { SharedSettings } from '../storage/engine/shared-state.ts'
import type { AdminSettings, AdminSettingsChange } from '../generated/control/schemas.ts'
import type { Chaos } from '../http/chaos.ts'
import type { Defaults } from '../worlds/settings.ts'
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
