/** The results of single checks, and their summary. */
import { type CheckId, checkIds } from './check-ids.ts'
import {
  type CheckResult,
  type Counts,
  exitCodes,
  type Summary,
  type Verdict,
  verdicts,
} from './certification.ts'
import { checkOf } from './checks.ts'
import type { Finding } from './checks/check.ts'
import { curlOf, type Evidence } from './evidence.ts'
import type { Profile } from './profile.ts'

/** The evidence of a check that did not run. */
export const noEvidence = (): Evidence => ({
  steps: [],
  exchanges: [],
  timeline: [],
  curl: null,
  duration_ms: 0,
})

/** Maximum number of exchanges and events per check. */
const MAX_EXCHANGES = 12
const MAX_EVENTS = 60

export function resultOf(
  id: CheckId,
  found: Finding | 'not_applicable',
  evidence: Evidence,
  profile: Profile | undefined,
): CheckResult {
  const { title, level, mode, probe, tried, expected, impact, fix: mend, docs, group } = checkOf(id)
  const expectation = profile?.expect[id] ?? null
  const finding = found === 'not_applicable' ? undefined : found
  const decided = finding?.decided ?? []
  const exchanges = [...decided, ...evidence.exchanges.filter((each) => !decided.includes(each))].slice(
    0,
    MAX_EXCHANGES,
  )
  const callback = decided.find(({ kind }) => kind === 'callback' || kind === 'direct')
  return {
    id,
    group,
    title,
    level,
    mode,
    probe,
    tried,
    expected,
    impact,
    fix: mend,
    docs,
    ...verdictOf(found, expectation),
    expectation,
    steps: evidence.steps,
    exchanges,
    timeline: evidence.timeline.slice(0, MAX_EVENTS),
    curl: callback ? curlOf(callback) : evidence.curl,
    duration_ms: evidence.duration_ms,
  }
}

/** A check that the profile lists as failing fails if it passes, so that the profile stays correct. */
function verdictOf(
  found: Finding | 'not_applicable',
  expectation: CheckResult['expectation'],
): Pick<CheckResult, 'verdict' | 'observed'> {
  if (found === 'not_applicable')
    return { verdict: 'not_applicable', observed: 'The profile does not list the feature.' }
  const { verdict, observed } = found
  if (!expectation) return { verdict, observed }
  if (verdict === 'fail')
    return { verdict: 'expected_fail', observed: `${observed} Expected: ${expectation.because}` }
  if (verdict !== 'pass') return { verdict, observed }
  return {
    verdict: 'fail',
    observed: `It passes although the profile expects a failure: remove it from expect. ${observed}`,
  }
}

/** The weights of the levels in the score. */
const WEIGHT = { mandatory: 3, recommended: 1 }

export function summaryOf(results: readonly CheckResult[]): Summary {
  const of = (level: CheckResult['level']) => results.filter((each) => each.level === level)
  const mandatory = countsOf(of('mandatory'))
  const recommended = countsOf(of('recommended'))
  const surprises = results.filter(isSurprise).length
  const failed = mandatory.fail > 0 || surprises > 0
  const open = mandatory.inconclusive > 0
  return {
    ready: !failed && !open && mandatory.pass > 0,
    text: textOf(mandatory, recommended, surprises, results.length < checkIds.length),
    score: scoreOf(results),
    mandatory,
    recommended,
    fix_first: worstOf(results),
    exit_code: failed ? exitCodes.failed : open ? exitCodes.inconclusive : exitCodes.ready,
  }
}

/** Whether a check passed although the profile lists it as failing. */
export const isSurprise = ({ verdict, expectation }: CheckResult): boolean =>
  verdict === 'fail' && expectation !== null

function countsOf(results: readonly CheckResult[]): Counts {
  const counts = Object.fromEntries(verdicts.map((verdict) => [verdict, 0])) as Record<Verdict, number>
  for (const { verdict } of results) counts[verdict]++
  return counts
}

function scoreOf(results: readonly CheckResult[]): number | null {
  let reached = 0
  let possible = 0
  for (const { verdict, level } of results) {
    if (verdict === 'not_seen' || verdict === 'not_applicable') continue
    possible += WEIGHT[level]
    if (verdict === 'pass') reached += WEIGHT[level]
  }
  return possible === 0 ? null : Math.round((100 * reached) / possible)
}

/** Returns the check to fix first: what prevents readiness before the rest, then by severity. */
function worstOf(results: readonly CheckResult[]): CheckResult['id'] | null {
  const is = (level: CheckResult['level'], verdict: Verdict) => (each: CheckResult) =>
    each.level === level && each.verdict === verdict
  const kinds = [
    is('mandatory', 'fail'),
    isSurprise,
    is('mandatory', 'inconclusive'),
    is('recommended', 'fail'),
    is('recommended', 'inconclusive'),
  ]
  const sorted = results.toSorted(bySeverity)
  for (const kind of kinds) {
    const found = sorted.find(kind)
    if (found) return found.id
  }
  return null
}

const checksOf = (count: number, level: string) => `${count} ${level} ${count === 1 ? 'check' : 'checks'}`

/** @param some whether the run covers only some checks */
function textOf(mandatory: Counts, recommended: Counts, surprises: number, some: boolean): string {
  if (mandatory.fail > 0)
    return `Not ready: ${checksOf(mandatory.fail, 'mandatory')} ${mandatory.fail === 1 ? 'fails' : 'fail'}.`
  if (surprises > 0)
    return `Not ready: ${surprises} expected ${surprises === 1 ? 'failure passes' : 'failures pass'}.`
  if (mandatory.inconclusive > 0)
    return `Not decided: ${checksOf(mandatory.inconclusive, 'mandatory')} ${mandatory.inconclusive === 1 ? 'is' : 'are'} inconclusive.`
  if (mandatory.pass === 0) return 'Not decided: no mandatory check was seen.'
  const { pass, not_seen, expected_fail } = mandatory
  const but =
    expected_fail > 0
      ? `, except for ${expected_fail} expected ${expected_fail === 1 ? 'failure' : 'failures'}`
      : ''
  const rest =
    recommended.fail > 0
      ? `; ${checksOf(recommended.fail, 'recommended')} ${recommended.fail === 1 ? 'fails' : 'fail'}`
      : ''
  if (not_seen === 0 && some) return `Ready so far: every selected mandatory check passes${but}${rest}.`
  if (not_seen === 0) return `Ready: every applicable mandatory check passes${but}${rest}.`
  const all = pass + not_seen + expected_fail
  return `Ready so far: no mandatory check fails${but}, ${not_seen} of ${all} ${not_seen === 1 ? 'was' : 'were'} not seen${rest}.`
}

/** The checks whose failure certainly loses goods or money; all others follow in order. */
const FIRST: readonly CheckId[] = [
  'RCV-1',
  'RCV-2',
  'RCV-3',
  'RCV-4',
  'RCV-17',
  'CLI-2',
  'CLI-3',
  'RCV-11',
  'RCV-10',
  'RCV-16',
  'RCV-13',
  'CLI-11',
  'CLI-9',
]

const severityRanks = new Map([...new Set([...FIRST, ...checkIds])].map((id, place) => [id, place]))

/** Compares checks by the severity of a failure. */
export const bySeverity = (a: { readonly id: CheckId }, b: { readonly id: CheckId }): number =>
  severityRanks.get(a.id)! - severityRanks.get(b.id)!
