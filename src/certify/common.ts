import type { Hands } from './act.ts'
import type { CheckId } from './checks.ts'
import type { Place } from './ground.ts'
import type { Notes } from './notes.ts'
import type { Look, Pace } from './probe.ts'
import type { Profile } from './profile.ts'

/** What all checks of a run share. */
export interface Common {
  readonly profile: Profile
  readonly hands: Hands
  /** A name that no other run has, and numbers that no other order has. */
  readonly run: string
  readonly next: () => number
  readonly pace: Pace
  /** Undefined without a probe, or when it is useless. */
  readonly look: Look | undefined
}

/** What the parts of one check share: where it is tried, and what is kept of it. */
export interface Setting extends Pick<Place, 'world' | 'secret' | 'mark'> {
  readonly check: CheckId | 'calibration'
  readonly common: Common
  readonly notes: Notes
}
