/** The definition of a check, and the findings that it returns. */
import type { CheckId } from '../check-ids.ts'
import type { Feature } from '../profile.ts'
import type { Profile } from '../read-profile.ts'
import type { WorldRecord } from '../world-record.ts'
import type { CheckRun } from '../check-run.ts'
import type { Exchange } from '../certification.ts'

/** The texts of a check: plain sentences without markup. */
export interface CheckText {
  /** The behaviour of a shop that passes. */
  readonly title: string
  /** A shop that fails a mandatory check is not ready. */
  readonly level: 'mandatory' | 'recommended'
  /** Raised when the meaning of the check changes; 1 by default. */
  readonly version?: number
  /** The part of the profile without which the check is only recommended. */
  readonly mandatoryWith?: 'restart'
  /** `record`: judged from the record; `made`: triggered by certify. */
  readonly mode: 'passive' | 'active'
  /** Whether the check needs the probe to count effects in the shop. */
  readonly probe: boolean
  /** The feature that the check applies to. */
  readonly feature?: Feature
  /** How certify tries the check. */
  readonly tried: string
  /** The behaviour that passes. */
  readonly expected: string
  /** The consequence of a failure in production. */
  readonly impact: string
  readonly fix: string
  /** A page of the guides, with or without a heading. */
  readonly docs: string
  /** The consequence of a failure of a mandatory check in one sentence for readers who know the shop and not its code. */
  readonly fault?: string
}

/** The finding of one check. */
export interface Finding {
  readonly verdict: 'pass' | 'fail' | 'inconclusive' | 'not_seen' | 'not_applicable'
  /** The observation, in whole sentences. */
  readonly observed: string
  /** The exchanges that decided. */
  readonly decided?: readonly Exchange[]
  /** The fix for this very observation, if it differs from that of the check. */
  readonly fix?: string
}

/** A check that triggers payments and callbacks. */
export interface ActiveCheck {
  /**
   * `frozen`: the world's clock stands still; `real`: it runs; `alone`: the check affects the whole shop, so that no other
   * runs next to it.
   */
  readonly time: 'frozen' | 'real' | 'alone'
  /** The parts of the profile that the check requires, in addition to a receiver or a trigger. */
  readonly needs?: readonly ('trigger' | 'payout' | 'probe' | 'restart' | 'reconcile' | 'counts')[]
  readonly make: (run: CheckRun) => Promise<Finding>
}

/** A check of the record. */
export interface RecordCheck {
  readonly judge: (records: readonly WorldRecord[], profile: Profile | undefined) => Finding
}

export type CheckDefinition = CheckText & (ActiveCheck | RecordCheck)

export type Checks = { readonly [Id in CheckId]?: CheckDefinition }

/** A pass names the exchanges that decide it. Without any, nothing has happened, and the check is not seen. */
export const pass = (observed: string, ...decided: readonly Exchange[]): Finding =>
  decided.length > 0
    ? { verdict: 'pass', observed, decided }
    : notSeen(`${observed} But no request or callback in the record decides it.`)
export const fail = (observed: string, ...decided: readonly Exchange[]): Finding => ({
  verdict: 'fail',
  observed,
  decided,
})
export const unsure = (observed: string, ...decided: readonly Exchange[]): Finding => ({
  verdict: 'inconclusive',
  observed,
  decided,
})
export const notSeen = (observed: string): Finding => ({ verdict: 'not_seen', observed })

/** Returns `once`, `twice` or `3 times`. */
export const times = (count: number): string =>
  count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`

const ORDER = ['fail', 'inconclusive', 'not_seen', 'not_applicable', 'pass'] as const

/** Returns the worst finding with the observations of all. */
export function worstOf(findings: readonly Finding[]): Finding {
  const worst = findings.toSorted((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict))[0]!
  return { ...worst, observed: findings.map(({ observed }) => observed).join(' ') }
}
