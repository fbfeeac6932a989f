/**
 * The source of all report formats, which a hosted sandbox signs. Its schema is `certify/certification.schema.json`.
 *
 * Texts may contain foreign content (headers, bodies, names) and need escaping. Times are ISO 8601 in real time, except for
 * `world_at`. Truncated bodies and at most twelve exchanges per check limit the size to about a megabyte. It contains no secrets.
 */
import type { CheckId, Group } from './check-ids.ts'
import type { Exchange, Moment } from './evidence.ts'
import type { Waiver } from './profile.ts'

/** The verdicts on a check. `waived`: the check failed, and a waiver of the profile covers it. */
export const verdicts = ['pass', 'fail', 'inconclusive', 'not_seen', 'not_applicable', 'waived'] as const
export type Verdict = (typeof verdicts)[number]

/**
 * What a certification proves. `ready`: every mandatory check that applies passed. `ready_with_waivers`: all but the waived
 * ones. `so_far`: none failed, and some did not run. `undecided`: one is inconclusive, or none passed.
 */
export const standings = ['ready', 'ready_with_waivers', 'so_far', 'undecided', 'not_ready'] as const
export type Standing = (typeof standings)[number]

/** The exit codes of `payments-sandbox certify`. */
export const exitCodes = {
  /** The standing is at least the required one. */
  ready: 0,
  /** A mandatory check failed, or a waived check passed. */
  failed: 1,
  /** Invalid profile or arguments. */
  usage: 2,
  /** No mandatory check failed, and the standing is below the required one. */
  inconclusive: 3,
} as const

/** The result of certifying a shop. */
export interface Certification {
  /** The version of this format. */
  readonly certification: 1
  /** The name of the shop in the profile, or the world of a passive certification. */
  readonly subject: string
  /** `active`: certify triggered payments and callbacks; `passive`: certify judged only the request log of a world. */
  readonly mode: 'active' | 'passive'
  /** The version and address of the sandbox, and the world of a passive certification. */
  readonly sandbox: { readonly version: string; readonly url: string; readonly world: string | null }
  readonly started_at: string
  readonly ended_at: string
  readonly duration_ms: number
  /** The features that the profile lists. */
  readonly features: readonly string[]
  /** The result of the probe's calibration, or null without a probe. */
  readonly probe: ProbeStanding | null
  /** The parts of the record that a passive certification judged and excluded. */
  readonly record?: RecordStanding | undefined
  readonly summary: Summary
  readonly checks: readonly CheckResult[]
}

/**
 * The part of a record that the shop itself caused. Certify excludes imported and generated rows, requests by hand, and
 * callbacks to inboxes of the sandbox.
 */
export interface RecordStanding {
  readonly evaluated: Amounts
  readonly excluded: Amounts
  /** The number of earlier requests that are no longer in the log. */
  readonly discarded: number
  /** The highest ids of imported rows, or 0. */
  readonly initial_ids: {
    readonly transactions: number
    readonly callbacks: number
    readonly kyc: number
    readonly invites: number
  }
}

export interface Amounts {
  readonly requests: number
  readonly transactions: number
  readonly callbacks: number
}

/** The result of the probe's calibration. */
export interface ProbeStanding {
  readonly usable: boolean
  /** Whether the probe counts deliveries, which reveals duplicates. */
  readonly counts: boolean
  /** The reason, in one sentence. */
  readonly because: string
}

export interface Summary {
  readonly standing: Standing
  /** The standing is `ready`: nothing is open, and nothing is waived. */
  readonly ready: boolean
  /** The number of waived mandatory checks. */
  readonly waived: number
  /** In a sentence, such as `Not ready: 2 mandatory checks fail.` */
  readonly text: string
  /**
   * From 0 to 100: the passed share of all decided checks, with mandatory checks weighted by three. Null if no check was
   * decided.
   */
  readonly score: number | null
  readonly mandatory: Counts
  readonly recommended: Counts
  /** The check to fix first: mandatory before recommended, failed before inconclusive. */
  readonly fix_first: CheckId | null
}

/** The number of checks per verdict. */
export type Counts = { readonly [V in Verdict]: number }

/** The result of one check, with its texts and evidence. */
export interface CheckResult {
  readonly id: CheckId
  readonly group: Group
  readonly title: string
  /** Raised when the meaning of the check changes; its id never does. */
  readonly version: number
  readonly level: 'mandatory' | 'recommended'
  /** `record`: judged from the record; `made`: triggered by certify. */
  readonly mode: 'passive' | 'active'
  readonly probe: boolean
  readonly tried: string
  readonly expected: string
  readonly impact: string
  readonly fix: string
  /** A page of the guides, such as `go-live.md#verify`. */
  readonly docs: string

  readonly verdict: Verdict
  /** The observation, or the reason for its absence, in one or two sentences. */
  readonly observed: string
  /** The waiver in the profile. */
  readonly waiver: Waiver | null
  /** The failed check that also explains this failure, or null. */
  readonly because: CheckId | null
  /** The steps in order, to repeat them by hand. */
  readonly steps: readonly string[]
  /** The exchanges between shop, sandbox and certify; the decisive ones first. */
  readonly exchanges: readonly Exchange[]
  /** The events, oldest first. */
  readonly timeline: readonly Moment[]
  readonly duration_ms: number
}
