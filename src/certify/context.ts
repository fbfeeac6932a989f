import type { CheckId } from './check-ids.ts'
import type { TestWorld } from './environment.ts'
import type { Look, Pace } from './probe.ts'
import type { Profile } from './profile.ts'
import type { ShopAccess } from './shop-access.ts'
import type { EvidenceLog } from './evidence.ts'

/** What all checks of a run are tried with. */
export interface RunContext {
  readonly profile: Profile
  readonly access: ShopAccess
  /** A name that no other run has. */
  readonly run: string
  /** A number that no other order of the run has. */
  readonly next: () => number
  readonly pace: Pace
  /** Asks the shop's probe about an order; undefined without a probe, or when it cannot be believed. */
  readonly look: Look | undefined
}

/** What one check is tried with: its world, and what is kept of it for the report. */
export interface CheckContext extends Pick<TestWorld, 'world' | 'secret' | 'mark'> {
  readonly check: CheckId | 'calibration'
  /** Whether the world's clock stands still and is moved, or goes on by itself. */
  readonly time: 'frozen' | 'real'
  readonly common: RunContext
  readonly evidence: EvidenceLog
}
