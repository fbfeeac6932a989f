/**
 * What came of certifying a shop: the one JSON that every report is made of, and that a hosted sandbox signs. Its published schema is
 * `certify/certification.schema.json`, made of `schema.ts` here.
 *
 * For whoever writes a report: `checks` has every check that there is, in the order of reports, those too that were not tried. A report
 * needs nothing else, neither the table of checks nor the profile. All texts may hold what others wrote (headers, bodies, names of
 * the shop): show them as text. Times are ISO 8601 on the wall; times of a world's clock are called `world_at`. Bodies are cut at 4 KiB
 * each, and at most twelve exchanges are kept a check, so that the whole stays below a megabyte or so. No secret is in it.
 */
import type { CheckId, Group } from './check-ids.ts'
import type { Exchange, Moment } from './evidence.ts'

/** What is said of a check. `expected_fail`: it failed, as the profile says it would. */
export const verdicts = [
  'pass',
  'fail',
  'inconclusive',
  'not_seen',
  'not_applicable',
  'expected_fail',
] as const
export type Verdict = (typeof verdicts)[number]

/** What the end of `payments-sandbox certify` says. */
export const exitCodes = {
  /** No mandatory check failed or was inconclusive. */
  ready: 0,
  /** A mandatory check failed, or one that was said to fail passes. */
  failed: 1,
  /** The profile or the command line is not understood. */
  usage: 2,
  /** None failed, and a mandatory check was inconclusive. */
  inconclusive: 3,
} as const

/** A certification: whose, when, how, and what was found. */
export interface Certification {
  /** The version of this form. */
  readonly certification: 1
  /** The shop, as the profile calls it; of a passive one the world. */
  readonly subject: string
  /** `active`: things were made to happen; `passive`: a world's record alone was judged. */
  readonly mode: 'active' | 'passive'
  /** Which version of the sandbox found it, where that was, and the world's id of a passive one. */
  readonly sandbox: { readonly version: string; readonly url: string; readonly world: string | null }
  readonly started_at: string
  readonly ended_at: string
  readonly duration_ms: number
  /** What the shop said it does. */
  readonly features: readonly string[]
  /** Whether the probe could be believed; null without one. */
  readonly probe: ProbeStanding | null
  /** Of a passive one: what of the record was judged, and what was left out. */
  readonly record?: RecordStanding | undefined
  readonly summary: Summary
  readonly checks: readonly CheckResult[]
}

/** What of a world's record is the shop's own doing: the rest was imported or made up, sent by hand, or taken by the sandbox itself. */
export interface RecordStanding {
  readonly judged: Amounts
  readonly left_out: Amounts
  /** Requests that came before and are on record no more. */
  readonly forgotten: number
  /** The highest ids that the world was given, not made in it; 0 where there is none. */
  readonly given: {
    readonly transactions: number
    readonly callbacks: number
    readonly kyc: number
    readonly invites: number
  }
}

/** How many of each. */
export interface Amounts {
  readonly requests: number
  readonly transactions: number
  readonly callbacks: number
}

/** What the calibration of the probe showed. */
export interface ProbeStanding {
  readonly usable: boolean
  /** Whether it counts deliveries, so that one too many is seen. */
  readonly counts: boolean
  /** In a sentence. */
  readonly because: string
}

/** The whole in a few numbers. */
export interface Summary {
  /** No mandatory check failed or was inconclusive, and at least one passed. */
  readonly ready: boolean
  /** In a sentence, such as `Not ready: 2 mandatory checks fail.` */
  readonly text: string
  /** From 0 to 100: what passed of what was decided, mandatory checks counting three times; null when nothing was decided. */
  readonly score: number | null
  readonly mandatory: Counts
  readonly recommended: Counts
  /** What should be mended first: mandatory before recommended, failures before what is inconclusive. */
  readonly worst: CheckId | null
  /** What the command line ends with. */
  readonly exit_code: number
}

/** How many checks had each verdict. */
export type Counts = { readonly [V in Verdict]: number }

/** One check: what it is, what was done, what was seen. */
export interface CheckResult {
  readonly id: CheckId
  readonly group: Group
  readonly title: string
  readonly level: 'mandatory' | 'recommended'
  /** `record`: judged from what happened anyway; `made`: made to happen. */
  readonly how: 'record' | 'made'
  /** Whether it needs the probe. */
  readonly probe: boolean
  readonly tried: string
  readonly expected: string
  readonly why: string
  readonly mend: string
  /** A page of the guides, such as `callbacks.md#verify`. */
  readonly docs: string

  readonly verdict: Verdict
  /** What was seen, or why nothing was, in a sentence or two. */
  readonly seen: string
  /** What the profile says of it. */
  readonly expectation: { readonly result: 'fail'; readonly because: string } | null
  /** What was done, one step after another, for whoever wants to do it by hand. */
  readonly steps: readonly string[]
  /** What went between shop, sandbox and whoever certified; those that decided first. */
  readonly exchanges: readonly Exchange[]
  /** What happened when, oldest first. */
  readonly timeline: readonly Moment[]
  /** A command that does it again; null where one command is not enough. */
  readonly curl: string | null
  readonly duration_ms: number
}
