/** What a check does and how it judges. */
import type { SentCallback } from '../callbacks.ts'
import type { Exchange } from '../certification.ts'
import type { Profile } from '../profile.ts'
import type { Scene } from '../scene.ts'
import type { Stage } from '../stage.ts'

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
  readonly make: (stage: Stage) => Promise<Finding>
}

/** A check of what is on record. */
export interface RecordCheck {
  readonly judge: (scenes: readonly Scene[], profile: Profile | undefined) => Finding
}

export type Try = ActiveCheck | RecordCheck

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

export const isTaken = ({ status }: { readonly status: number | null }) =>
  status !== null && status >= 200 && status < 300

/** Such as `answered 401`, or why nothing was answered. */
export const answerText = ({ status, exchange }: Pick<SentCallback, 'status' | 'exchange'>): string =>
  status === null ? `gave no answer (${exchange.error})` : `answered ${status}`

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
