/** What all verdicts come to. */
import {
  type CheckResult,
  type Counts,
  exitCodes,
  type Summary,
  type Verdict,
  verdicts,
} from './certification.ts'
import { checkIds } from './checks.ts'
import { byGravity } from './gravity.ts'

/** What a mandatory check counts against a recommended one. */
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
    worst: worstOf(results),
    exit_code: failed ? exitCodes.failed : open ? exitCodes.inconclusive : exitCodes.ready,
  }
}

/** One that was said to fail, and does not. */
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

/** Whatever keeps it from being ready comes before the rest, and of a kind what costs most. */
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
  const grave = results.toSorted(byGravity)
  for (const kind of kinds) {
    const found = grave.find(kind)
    if (found) return found.id
  }
  return null
}

const checksOf = (count: number, level: string) => `${count} ${level} ${count === 1 ? 'check' : 'checks'}`

/** @param some whether others were not asked for */
function textOf(mandatory: Counts, recommended: Counts, surprises: number, some: boolean): string {
  if (mandatory.fail > 0)
    return `Not ready: ${checksOf(mandatory.fail, 'mandatory')} ${mandatory.fail === 1 ? 'fails' : 'fail'}.`
  if (surprises > 0)
    return `Not ready: ${surprises} of what the profile says to fail ${surprises === 1 ? 'passes' : 'pass'}.`
  if (mandatory.inconclusive > 0)
    return `Not decided: ${checksOf(mandatory.inconclusive, 'mandatory')} ${mandatory.inconclusive === 1 ? 'is' : 'are'} inconclusive.`
  if (mandatory.pass === 0) return 'Not decided: no mandatory check was seen.'
  const { pass, not_seen, expected_fail } = mandatory
  const but = expected_fail > 0 ? `, but for ${expected_fail} that the profile says to fail` : ''
  const rest =
    recommended.fail > 0
      ? `; ${checksOf(recommended.fail, 'recommended')} ${recommended.fail === 1 ? 'fails' : 'fail'}`
      : ''
  if (not_seen === 0 && some)
    return `Ready so far: every mandatory check that was asked for passes${but}${rest}.`
  if (not_seen === 0) return `Ready: every mandatory check that applies passes${but}${rest}.`
  const all = pass + not_seen + expected_fail
  return `Ready so far: no mandatory check fails${but}, ${not_seen} of ${all} ${not_seen === 1 ? 'was' : 'were'} not seen${rest}.`
}
