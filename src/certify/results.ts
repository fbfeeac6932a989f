/** The results of single checks, and their summary. */
import { bySeverity, type CheckId, checkIds } from './check-ids.ts'
import {
  type CheckResult,
  type Counts,
  exitCodes,
  type Standing,
  standings,
  type Summary,
  type Verdict,
  verdicts,
} from './certification.ts'
import { checkOf, checks } from './checks.ts'
import type { Finding } from './checks/check.ts'
import type { Evidence } from './evidence.ts'
import type { CertificationPlan } from './plans.ts'
import type { Profile } from './read-profile.ts'

export const noEvidence = (): Evidence => ({ steps: [], exchanges: [], timeline: [], duration_ms: 0 })

/** @param valid - How long the certification is valid, milliseconds. */
export const timesOf = (began: number, ended: number, valid?: number) => ({
  started_at: new Date(began).toISOString(),
  ended_at: new Date(ended).toISOString(),
  expires_at: valid === undefined ? null : new Date(ended + valid).toISOString(),
  duration_ms: ended - began,
})

const MAX_EXCHANGES = 12
const MAX_EVENTS = 60

/** @param today - The day, such as `2026-12-31`, against which waivers are compared. */
export function resultOf(
  id: CheckId,
  finding: Finding,
  evidence: Evidence,
  profile?: Profile,
  today = '',
  plan?: CertificationPlan,
): CheckResult {
  const { feature: _, ...check } = checkOf(id)
  const { mandatoryWith } = checks[id]
  const waiver = profile?.waivers[id] ?? null
  const { decided = [], observed, fix = check.fix } = finding
  const exchanges = [...decided, ...evidence.exchanges.filter((each) => !decided.includes(each))]
  return {
    ...check,
    fix,
    level:
      plan?.levels.get(id) ??
      (mandatoryWith && profile && !profile[mandatoryWith] ? 'recommended' : check.level),
    observed,
    waiver,
    ...(waiver ? waived(finding, waiver, today) : { verdict: finding.verdict }),
    because: null,
    steps: evidence.steps,
    exchanges: exchanges.slice(0, MAX_EXCHANGES),
    timeline: evidence.timeline.slice(0, MAX_EVENTS),
    duration_ms: evidence.duration_ms,
  }
}

/** A waiver covers a failure up to its last day. A waived check that passes fails, so that waivers stay current. */
function waived(
  { verdict, observed }: Finding,
  { until, by, ticket, because }: NonNullable<CheckResult['waiver']>,
  today: string,
): Pick<CheckResult, 'verdict'> & Partial<Pick<CheckResult, 'observed' | 'waiver'>> {
  if (verdict === 'pass')
    return {
      verdict: 'fail',
      observed: `It passes although the profile waives it: remove the waiver. ${observed}`,
    }
  if (verdict !== 'fail') return { verdict }
  return today > until
    ? { verdict, observed: `${observed} Its waiver (${ticket}) ended on ${until}.`, waiver: null }
    : { verdict: 'waived', observed: `${observed} Waived until ${until} by ${by} (${ticket}): ${because}` }
}

/** The failed checks that also explain the failure of another: who needs no signature accepts any. */
const CAUSES: { readonly [Id in CheckId]?: readonly CheckId[] } = {
  'RCV-3': ['RCV-2'],
  'RCV-4': ['RCV-2', 'RCV-3'],
  'RCV-5': ['RCV-2', 'RCV-3'],
  'RCV-6': ['RCV-2', 'RCV-3', 'RCV-5'],
  'RCV-7': ['RCV-2', 'RCV-3'],
  'RCV-9': ['RCV-2', 'RCV-3', 'RCV-8'],
  'RCV-11': ['RCV-10'],
  'RCV-12': ['RCV-10', 'RCV-28'],
  'RCV-13': ['RCV-16'],
  'RCV-20': ['RCV-1'],
  'RCV-23': ['RCV-10'],
  'CLI-16': ['CLI-11'],
}
/** The checks that a shop fails anyway if it delivers while a payment is queued. */
const EAGER: readonly CheckId[] = ['RCV-17', 'RCV-19', 'CLI-9', 'CLI-10', 'CLI-16']

/** Returns the plainest of the checks that fail with the same fix for their observations. */
function sameFix({ fix, id }: CheckResult, results: readonly CheckResult[]): readonly CheckId[] {
  if (fix === checks[id].fix) return []
  const same = results.filter((each) => each.verdict === 'fail' && each.fix === fix).map((each) => each.id)
  const plainest = PLAIN.find((each) => same.includes(each))
  return plainest ? [plainest] : []
}
const PLAIN: readonly CheckId[] = ['CLI-10', 'PAY-7']

/** Returns the checks whose failure leaves another one undecided. */
function spoiling({ id, mode, verdict }: CheckResult): readonly CheckId[] {
  if (['CLI-7', 'CLI-13', 'CLI-15'].includes(id)) return ['CLI-6']
  if (['ONB-1', 'ONB-2', 'ONB-3'].includes(id)) return ['RCV-1', 'CLI-1']
  return mode === 'active' && verdict === 'inconclusive' ? ['RCV-1', 'CLI-1'] : []
}

/** Names the cause of results that a failed check explains. @param isEager - Whether the shop delivers too early. */
export function withCauses(results: readonly CheckResult[], isEager: boolean): readonly CheckResult[] {
  const failed = new Set(results.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id))
  const paysQueued = results.some(({ id, observed }) => id === 'CLI-11' && /order is paid/.test(observed))
  return results.map((each) => {
    const causes = [
      ...(CAUSES[each.id] ?? []),
      ...((isEager || paysQueued) && EAGER.includes(each.id) ? ['CLI-11' as const] : []),
      ...(each.verdict === 'fail' ? sameFix(each, results) : each.verdict === 'pass' ? [] : spoiling(each)),
    ]
    const isOpen = each.verdict === 'fail' || each.verdict === 'inconclusive' || each.verdict === 'not_seen'
    const because = isOpen ? causes.find((id) => failed.has(id) && id !== each.id) : undefined
    return because ? { ...each, because } : each
  })
}

const WEIGHT = { mandatory: 3, recommended: 1 }

/** @param all - The number of checks of the plan. */
export function summaryOf(results: readonly CheckResult[], all: number = checkIds.length): Summary {
  const of = (level: CheckResult['level']) => results.filter((each) => each.level === level)
  const mandatory = countsOf(of('mandatory'))
  const recommended = countsOf(of('recommended'))
  const standing = standingOf(results, mandatory, all)
  return {
    standing,
    ready: standing === 'ready',
    waived: mandatory.waived,
    text: textOf(standing, results, mandatory, recommended),
    score: scoreOf(results),
    mandatory,
    recommended,
    fix_first: worstOf(results),
  }
}

function standingOf(results: readonly CheckResult[], mandatory: Counts, all: number): Standing {
  if (mandatory.fail > 0 || results.some(isSurprise)) return 'not_ready'
  if (mandatory.inconclusive > 0 || mandatory.pass === 0) return 'undecided'
  if (mandatory.not_seen > 0 || results.length < all) return 'so_far'
  return mandatory.waived > 0 ? 'ready_with_waivers' : 'ready'
}

/** Returns the exit code of a standing, of which at least `required` is needed. */
export function exitCodeOf(standing: Standing, required: Standing): number {
  if (standing === 'not_ready') return exitCodes.failed
  return standings.indexOf(standing) <= standings.indexOf(required) ? exitCodes.ready : exitCodes.inconclusive
}

/** Whether a check passed although the profile waives it. */
export const isSurprise = ({ verdict, waiver }: CheckResult): boolean => verdict === 'fail' && waiver !== null

function countsOf(results: readonly CheckResult[]): Counts {
  const counts = Object.fromEntries(verdicts.map((verdict) => [verdict, 0])) as Record<Verdict, number>
  for (const { verdict } of results) counts[verdict]++
  return counts
}

function scoreOf(results: readonly CheckResult[]): number | null {
  const weigh = (some: readonly CheckResult[]) => some.reduce((sum, { level }) => sum + WEIGHT[level], 0)
  const possible = weigh(results.filter(({ verdict }) => !['not_seen', 'not_applicable'].includes(verdict)))
  const reached = weigh(results.filter(({ verdict }) => verdict === 'pass'))
  return possible === 0 ? null : Math.floor((100 * reached) / possible)
}

/** Returns the check to fix first: causes before their consequences, mandatory before recommended, then by severity. */
function worstOf(results: readonly CheckResult[]): CheckResult['id'] | null {
  const is = (level: CheckResult['level'], verdict: Verdict) => (each: CheckResult) =>
    each.level === level && each.verdict === verdict && each.because === null
  const kinds = [
    is('mandatory', 'fail'),
    isSurprise,
    is('mandatory', 'inconclusive'),
    is('recommended', 'fail'),
    is('recommended', 'inconclusive'),
  ]
  const sorted = results.toSorted(bySeverity)
  return kinds.flatMap((kind) => sorted.find(kind) ?? [])[0]?.id ?? null
}

const counted = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`

function textOf(
  standing: Standing,
  results: readonly CheckResult[],
  mandatory: Counts,
  recommended: Counts,
): string {
  const { pass, fail, inconclusive, not_seen, waived: accepted } = mandatory
  const explained = results.flatMap(({ because }) => because ?? [])
  const causes = [...new Set(explained)].join(', ')
  const rest =
    recommended.fail > 0
      ? `; ${counted(recommended.fail, 'recommended check fails', 'recommended checks fail')}`
      : ''
  const but = accepted > 0 ? `, ${accepted} waived` : ''
  switch (standing) {
    case 'not_ready':
      return fail > 0
        ? `Not ready: ${counted(fail, 'mandatory check fails', 'mandatory checks fail')}.${causes === '' ? '' : ` The failure of ${causes} explains ${counted(explained.length, 'other result')}.`}`
        : `Not ready: ${counted(results.filter(isSurprise).length, 'waived check passes', 'waived checks pass')}.`
    case 'undecided':
      return inconclusive > 0
        ? `Undecided: ${counted(inconclusive, 'mandatory check is', 'mandatory checks are')} inconclusive.`
        : 'Undecided: no mandatory check passed.'
    case 'so_far':
      return not_seen === 0
        ? `So far: every selected mandatory check passes${but}${rest}.`
        : `So far: no mandatory check fails${but}, ${not_seen} of ${pass + not_seen + accepted} ${not_seen === 1 ? 'was' : 'were'} not seen${rest}.`
    case 'ready_with_waivers':
      return `Ready with ${counted(accepted, 'waiver')}: every other mandatory check passes${rest}.`
    case 'ready':
      return `Ready: every applicable mandatory check passes${rest}.`
  }
}
