/** A certification as the terminal shows it. */
import type { Certification, CheckResult, Verdict } from '../certify/certification.ts'
import { checkIds } from '../certify/check-ids.ts'
import {
  basisTexts,
  byGroup,
  countOf,
  coverageText,
  oneLine,
  standingLooks,
  verdictsOf,
  verdictWords,
  worstOf,
} from '../certify/reports/words.ts'
import { repeatOf } from '../certify/reports/formats.ts'
import { painter } from './output.ts'

const SIGNS: {
  readonly [V in Verdict]: readonly [sign: string, style: Parameters<ReturnType<typeof painter>>[0]]
} = {
  pass: ['✓', 'green'],
  fail: ['✗', 'red'],
  inconclusive: ['?', 'yellow'],
  not_seen: ['·', 'dim'],
  not_applicable: [' ', 'dim'],
  waived: ['≈', 'yellow'],
}

const STYLES = { good: 'green', wait: 'yellow', bad: 'red' } as const

/** Verdicts that are printed with the observation. */
const DETAILED: readonly Verdict[] = ['fail', 'inconclusive', 'waived']
const MAX_LENGTH = 300
/** The observation of a check that was stopped. */
const ENDED = /^The run was stopped/
/** The observation of a shop that is not running. */
const UNREACHABLE = /nothing listens there/

/** Returns one line per check, the observations of failed checks, and the summary. */
export function certificationText(certification: Certification, colours: boolean): string {
  const paint = painter(colours)
  const { subject, sandbox, checks, summary, probe, mode } = certification
  const lines = [
    paint('bold', oneLine(subject)) +
      `, ${mode === 'passive' ? 'by the request log of' : 'checked by'} ${sandbox.url}`,
  ]
  const worst = worstOf(certification)
  const isProfile = probe?.usable === false && worst?.verdict !== 'fail'
  if (isProfile) lines.push(paint('yellow', `The probe is unreliable. ${cut(probe.because)}`))
  // Without a profile these checks cannot run; one line for all of them is enough.
  const needsProfile = ({ mode: how, verdict }: CheckResult) =>
    mode === 'passive' && how === 'active' && verdict === 'not_seen'
  for (const { name, of } of byGroup(checks.filter((each) => !isNotApplicable(each) && !needsProfile(each))))
    lines.push(
      '',
      paint('bold', name),
      ...of
        .filter(({ because }) => because === null)
        .flatMap((each) => checkLines(each, paint, mode === 'active')),
      ...explainedLines(of, paint),
    )
  const profiled = checks.filter(needsProfile).length
  if (profiled > 0) lines.push('', paint('dim', `${profiled} checks need a profile.`))
  const notApplicable = checks.filter(isNotApplicable).length
  if (notApplicable > 0)
    lines.push(
      '',
      paint('dim', `${notApplicable} checks do not apply: the profile does not list their feature.`),
    )
  const style = STYLES[standingLooks[summary.standing].tone]
  lines.push('', paint(['bold', style], summary.text), countsText(certification))
  const all = certification.plan?.checks ?? checkIds.length
  if (checks.length < all) lines.push(`Only ${checks.length} of ${all} checks were selected.`)
  lines.push(...basisTexts(certification), coverageText(certification))
  const unreachable = checks.filter(
    ({ verdict, observed }) => verdict === 'inconclusive' && UNREACHABLE.test(observed),
  )
  if (unreachable.length > 1)
    lines.push(
      `In ${unreachable.length} checks, nothing listened at the address of the shop: did it stop during the run?`,
    )
  if (isProfile) lines.push('Start with the trigger and the probe of the profile.')
  else if (worst && !ENDED.test(worst.observed))
    lines.push(`Start with ${worst.id}: payments-sandbox certify explain ${worst.id}`)
  return `${lines.join('\n')}\n`
}

const isNotApplicable = ({ verdict }: CheckResult) => verdict === 'not_applicable'

/** Returns one line for the checks with the same verdict that one failure explains. */
function explainedLines(of: readonly CheckResult[], paint: ReturnType<typeof painter>) {
  const lines = new Map<string, CheckResult[]>()
  for (const each of of.filter(({ because }) => because !== null)) {
    const key = `${each.because} ${each.verdict}`
    lines.set(key, [...(lines.get(key) ?? []), each])
  }
  return [...lines.values()].map((all) => {
    const [sign, style] = SIGNS[all[0]!.verdict]
    const ids = all.map(({ id }) => id).join(', ')
    const text = `${verdictWords[all[0]!.verdict].toLowerCase()}, because ${all[0]!.because} failed`
    return `  ${paint(style, sign)} ${ids}${paint('dim', `: ${text}`)}`
  })
}

function checkLines(
  { id, title, verdict, observed, level, fix, waiver }: CheckResult,
  paint: ReturnType<typeof painter>,
  showsUnseen: boolean,
) {
  const [sign, style] = SIGNS[verdict]
  const optional = level === 'recommended' ? paint('dim', ' (recommended)') : ''
  const line = `  ${paint(style, sign)} ${id.padEnd(6)} ${verdict === 'not_seen' ? paint('dim', title) : title}${optional}`
  if (verdict === 'not_seen' && showsUnseen) return [line, paint('dim', `           ${cut(observed)}`)]
  if (!DETAILED.includes(verdict)) return [line]
  const lines = [line, `           ${cut(observed)}`]
  if (verdict === 'inconclusive') return [...lines, paint('dim', `           Run it again: ${repeatOf(id)}`)]
  return verdict === 'fail' && !waiver ? [...lines, paint('dim', `           ${fix}`)] : lines
}

const cut = (text: string) => {
  const one = oneLine(text)
  return one.length > MAX_LENGTH ? `${one.slice(0, MAX_LENGTH)}…` : one
}

function countsText(certification: Certification): string {
  const counts = verdictsOf(certification).map(
    (verdict) => `${countOf(certification, verdict)} ${verdictWords[verdict].toLowerCase()}`,
  )
  const { mandatory } = certification.summary
  const decisive = (['pass', 'fail', 'inconclusive', 'not_seen', 'waived'] as const)
    .filter((verdict) => mandatory[verdict] > 0)
    .map((verdict) => `${mandatory[verdict]} ${verdictWords[verdict].toLowerCase()}`)
  const seconds = (certification.duration_ms / 1000).toFixed(1)
  return `Mandatory checks: ${decisive.join(', ')}. All checks: ${counts.join(', ')}; ${seconds} s.`
}
