/**
 * The result of a certification, which all reports render and a sandbox signs. `schema.ts` describes it. Texts may contain foreign
 * content (headers, bodies, names) and need escaping; there are no secrets. Truncated bodies and at most twelve exchanges per check
 * limit the size to about a megabyte.
 */
export type * from '../generated/certification.ts'

/** The verdicts on a check. `waived`: the check failed, and a waiver of the profile covers it. */
export const verdicts = ['pass', 'fail', 'inconclusive', 'not_seen', 'not_applicable', 'waived'] as const

/**
 * What a certification proves. `ready`: every mandatory check that applies passed. `ready_with_waivers`: all but the waived
 * ones. `so_far`: none failed, and some did not run. `undecided`: one is inconclusive, or none passed.
 */
export const standings = ['ready', 'ready_with_waivers', 'so_far', 'undecided', 'not_ready'] as const

export type ReportName = 'html' | 'json' | 'junit' | 'ctrf' | 'sarif' | 'markdown' | 'csv' | 'badge'

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
