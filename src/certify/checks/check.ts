/** The definition of a check, and the findings that it returns. */
import type { CheckId } from '../check-ids.ts'
import type { Feature, Profile } from '../profile.ts'
import type { WorldRecord } from '../world-record.ts'
import type { CheckRun } from '../check-run.ts'
import type { Exchange } from '../evidence.ts'

/** What a check is about, whatever came of it. Texts are plain sentences without markup. */
export interface CheckText {
  /** What a shop does that passes, in a few words. */
  readonly title: string
  /** `mandatory`: without it the shop is not ready. */
  readonly level: 'mandatory' | 'recommended'
  /** `record`: judged from what happened anyway; `made`: made to happen. */
  readonly how: 'record' | 'made'
  /** Whether it counts effects in the shop, for which it needs the probe. */
  readonly probe: boolean
  /** What the shop has to be able to do; without that feature in the profile it is not applicable. */
  readonly feature?: Feature
  /** How it is tried. */
  readonly tried: string
  /** What has to be seen. */
  readonly expected: string
  /** What goes wrong in production without it. */
  readonly why: string
  readonly mend: string
  /** A page of the guides, with a heading where there is one. */
  readonly docs: string
  /** The consequence of a failure of a mandatory check in one sentence for readers who know the shop and not its code. */
  readonly fault?: string
}

/** What came of trying a check. */
export interface Finding {
  readonly verdict: 'pass' | 'fail' | 'inconclusive' | 'not_seen'
  /** What was seen, in whole sentences. */
  readonly seen: string
  /** The exchanges that decided. */
  readonly decided?: readonly Exchange[]
}

/** A check that is made to happen. */
export interface ActiveCheck {
  /** `frozen`: on a clock that is moved; `real`: by the shop's own clock; `alone`: it touches the whole shop, so that nothing else is tried then. */
  readonly time: 'frozen' | 'real' | 'alone'
  /** What of the profile it cannot do without, beside a receiver or a trigger. */
  readonly needs?: readonly ('trigger' | 'probe' | 'restart' | 'reconcile' | 'counts')[]
  readonly make: (run: CheckRun) => Promise<Finding>
}

/** A check of what is on record. */
export interface RecordCheck {
  readonly judge: (records: readonly WorldRecord[], profile: Profile | undefined) => Finding
}

/** A check: its texts, and how it is tried or judged. */
export type CheckDefinition = CheckText & (ActiveCheck | RecordCheck)

export type Checks = { readonly [Id in CheckId]?: CheckDefinition }

export const pass = (seen: string, ...decided: readonly Exchange[]): Finding => ({
  verdict: 'pass',
  seen,
  decided,
})
export const fail = (seen: string, ...decided: readonly Exchange[]): Finding => ({
  verdict: 'fail',
  seen,
  decided,
})
export const unsure = (seen: string, ...decided: readonly Exchange[]): Finding => ({
  verdict: 'inconclusive',
  seen,
  decided,
})
export const notSeen = (seen: string): Finding => ({ verdict: 'not_seen', seen })

/** How often, in words. */
export const times = (count: number): string =>
  count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`

const ORDER = ['fail', 'inconclusive', 'not_seen', 'pass'] as const

/** The worst of several, with what was seen of all. */
export function worstOf(findings: readonly Finding[]): Finding {
  const worst = findings.toSorted((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict))[0]!
  return {
    verdict: worst.verdict,
    seen: findings.map(({ seen }) => seen).join(' '),
    decided: worst.decided ?? [],
  }
}
