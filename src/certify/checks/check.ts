/** The definition of a check, and the findings that it returns. */
import type { CheckId } from '../check-ids.ts'
import type { Feature } from '../profile.ts'
import type { Profile } from '../read-profile.ts'
import type { ShopRequest, WorldRecord } from '../world-record.ts'
import type { CheckRun } from '../check-run.ts'
import type { Exchange } from '../certification.ts'
import { ofRequest } from '../evidence.ts'

/** A check: plain sentences without markup, and either `make` or `judge`. */
export interface CheckDefinition {
  /** The behaviour of a shop that passes. */
  readonly title: string
  /** A shop that fails a mandatory check is not ready. */
  readonly level: 'mandatory' | 'recommended'
  /** Raised when the meaning of the check changes. */
  readonly version: number
  /** The part of the profile without which the check is only recommended. */
  readonly mandatoryWith?: 'restart'
  /** `passive`: judged from the record; `active`: triggered by certify. */
  readonly mode: 'passive' | 'active'
  /** Whether the check depends on the probe. */
  readonly probe: boolean
  /** The feature that the check applies to. */
  readonly feature?: Feature | undefined
  readonly tried: string
  readonly expected: string
  /** The consequence of a failure in production, for readers who know the shop and not its code. */
  readonly impact: string
  readonly fix: string
  /** The fixes for certain observations, by the observation, such as `If the order is delivered twice`. */
  readonly mend?: Readonly<Record<string, string>>
  /** Returns the fix of a failure for what other checks recorded. */
  readonly mendBy?: (records: readonly WorldRecord[]) => string | undefined
  /** A page of the guides, with or without a heading. */
  readonly docs: string
  /** `frozen`: the world's clock stands still; `real`: it runs; `alone`: no other check runs, since it affects the whole shop. */
  readonly time: 'frozen' | 'real' | 'alone'
  /** The parts of the profile that the check requires, in addition to a receiver or a trigger. */
  readonly needs: readonly ('trigger' | 'payout' | 'probe' | 'restart' | 'reconcile' | 'counts')[]
  /** Triggers payments and callbacks. */
  readonly make?: (run: CheckRun) => Promise<Finding>
  readonly judge?: (records: readonly WorldRecord[], profile: Profile | undefined) => Finding
}

type Texts = Pick<CheckDefinition, 'title' | 'tried' | 'expected' | 'impact' | 'fix' | 'docs'>

/** Returns checks that share fields. By default they are mandatory, and run on a frozen clock without needs. */
export const sharing =
  <Common extends Partial<CheckDefinition>>(common: Common) =>
  <Id extends CheckId>(checks: {
    readonly [I in Id]: Omit<Texts, keyof Common> & Partial<CheckDefinition>
  }) =>
    Object.fromEntries(
      Object.entries<Partial<CheckDefinition>>(checks).map(([id, own]) => {
        const check = { level: 'mandatory', version: 1, time: 'frozen', needs: [], ...common, ...own }
        const needed = check.needs as CheckDefinition['needs']
        return [id, { mode: check.make ? 'active' : 'passive', probe: needed.includes('probe'), ...check }]
      }),
    ) as unknown as { readonly [I in Id]: CheckDefinition }

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

/** A pass names the exchanges that decide it. Without any, nothing has happened, and the check is not seen. */
export const pass = (observed: string, ...decided: readonly Exchange[]): Finding =>
  decided.length > 0
    ? { verdict: 'pass', observed, decided }
    : notSeen(`${observed} But no request or callback in the record decides it.`)
const finding =
  (verdict: Finding['verdict']) =>
  (observed: string, ...decided: readonly Exchange[]): Finding => ({ verdict, observed, decided })
export const fail = finding('fail')
export const unsure = finding('inconclusive')
export const notSeen = (observed: string): Finding => ({ verdict: 'not_seen', observed })

/** Returns a pass or a failure with the same observation. */
export const passIf = (passes: boolean, ...found: Parameters<typeof pass>): Finding =>
  (passes ? pass : fail)(...found)

/** Adds the fix for this very observation to a failure. */
export const mended = (finding: Finding, fix: string | undefined | false): Finding =>
  fix && finding.verdict === 'fail' ? { ...finding, fix } : finding

/** The fixes that several checks share. Checks that fail with the same one have one cause. */
export const DELIVERED_UNPAID = {
  'If an order is delivered that is not paid':
    'Deliver only when the order becomes paid. The shop delivers when it becomes failed, flagged or reversed, too.',
} as const
export const REDIRECTED = {
  'If the response is a redirect':
    'Respond with 200 or 204 instead of a redirect. Without a Location, the handler itself sets the status; with one, look for a login page, a trailing slash or a redirect to https.',
} as const
export const RAW_BYTES = {
  'If a correctly signed callback is rejected with 401 or 403':
    'Verify the signature of the raw bytes of the body, before any JSON parser changes them. The receiver verifies a text that it writes itself from the parsed JSON.',
} as const
export const theOnly = <T extends string>(advice: Readonly<Record<string, T>>): T => Object.values(advice)[0]!

/** Returns what happened in each case, with equal ones together: `for A and B the order is …`. */
export function casesText(cases: readonly (readonly [what: string, standing: string])[]): string {
  const standings = [...new Set(cases.map(([, standing]) => standing))]
  const namesOf = (standing: string) => cases.filter((each) => each[1] === standing).map(([what]) => what)
  return standings.map((each) => `for ${listed(namesOf(each))} the order is ${each}`).join('; ')
}

const listed = (names: readonly string[]) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

/** Returns `once`, `twice` or `3 times`. */
export const times = (count: number): string =>
  count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`

const ORDER = ['fail', 'inconclusive', 'not_seen', 'not_applicable', 'pass'] as const

/** Returns the worst finding with the observations of all. */
export function worstOf(findings: readonly Finding[]): Finding {
  const worst = findings.toSorted((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict))[0]!
  return { ...worst, observed: findings.map(({ observed }) => observed).join(' ') }
}

export const isTaken = ({ status }: { readonly status: number | null }) =>
  status !== null && status >= 200 && status < 300

export const isStatusQuery = ({ operation }: ShopRequest) => operation === 'getTransactionStatus'

/** Returns the requests of the shop, except during some checks. */
export const requestsOf = (
  records: readonly WorldRecord[],
  without: readonly WorldRecord['check'][] = [],
): readonly ShopRequest[] =>
  records.filter(({ check }) => !without.includes(check)).flatMap(({ requests }) => requests)

/** Returns requests as numbered exchanges. */
export const numbered = (requests: readonly ShopRequest[], label: string, most = 6): readonly Exchange[] =>
  requests.slice(0, most).map((each, n) => ofRequest(each, `${label} ${n + 1}`))

interface Judgement<T> {
  readonly all: readonly T[]
  /** The observation without any. */
  readonly none: string
  readonly faultOf: (each: T) => string | undefined
  readonly shown: (each: T, fault?: string) => Exchange
  /** The number of exchanges of a pass. */
  readonly most?: number
  readonly passes: string
  readonly fixOf?: (fault: string) => string | undefined
  /** @param kinds - The faults, each kind once. */
  readonly fails: (count: number, kinds: string, first: T) => string
}

/** Judges each entry of a record. */
export function judgeEach<T>({ all, none, faultOf, shown, ...texts }: Judgement<T>): Finding {
  if (all.length === 0) return notSeen(none)
  const { most = 2, passes, fails, fixOf } = texts
  const wrong = all.flatMap((each) => {
    const fault = faultOf(each)
    return fault === undefined ? [] : [{ each, fault }]
  })
  if (wrong.length === 0) return pass(passes, ...all.slice(0, most).map((each) => shown(each)))
  const kinds = [...new Set(wrong.map(({ fault }) => fault))].slice(0, 4).join(', ')
  const found = fail(
    fails(wrong.length, kinds, wrong[0]!.each),
    ...wrong.slice(0, 4).map(({ each, fault }) => shown(each, fault)),
  )
  return mended(found, fixOf?.(wrong[0]!.fault))
}
