import type { CheckId } from './check-ids.ts'
import type { TestWorld } from './environment.ts'
import type { Look, Pace } from './probe.ts'
import type { OrderKind, Profile } from './profile.ts'
import type { ShopAccess } from './shop-access.ts'
import type { EvidenceLog } from './evidence.ts'

/** The context that all checks of a run share. */
export interface RunContext {
  readonly profile: Profile
  readonly access: ShopAccess
  /** A unique name of the run. */
  readonly run: string
  /** Returns a unique number per order. */
  readonly next: () => number
  readonly pace: Pace
  /** Whether the shop considers orders paid whose payment is still pending. */
  readonly isEager: boolean
  /** Calls the shop's probe for an order; undefined without a usable probe. */
  readonly look: Look | undefined
}

/** The world of one check, and its evidence. */
export interface CheckContext extends Pick<TestWorld, 'world' | 'secret' | 'mark'> {
  readonly check: CheckId | 'calibration'
  /** Whether the world's clock is frozen or runs. */
  readonly time: 'frozen' | 'real'
  readonly common: RunContext
  readonly evidence: EvidenceLog
  readonly kind: OrderKind
}
