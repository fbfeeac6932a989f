/** A certification for a terminal, and where a run is meanwhile. */
import { checkIds, groups } from '../certify/check-ids.ts'
import type { Certification, CheckResult, Verdict } from '../certify/certification.ts'
import type { Progress } from '../certify/options.ts'
import { countOf, mandatoryOf, oneLine, recordText, verdictWords, worstOf } from '../certify/reports/words.ts'
import { painter } from './paint.ts'
import type { Writer } from './process.ts'

const SIGNS: {
  readonly [V in Verdict]: readonly [sign: string, style: Parameters<ReturnType<typeof painter>>[0]]
} = {
  pass: ['✓', 'green'],
  fail: ['✗', 'red'],
  inconclusive: ['?', 'yellow'],
  not_seen: ['·', 'dim'],
  not_applicable: [' ', 'dim'],
  expected_fail: ['≈', 'yellow'],
}

/** Checks of which there is more to say than their title. */
const TOLD: readonly Verdict[] = ['fail', 'inconclusive', 'expected_fail']
const LONGEST = 300
/** What is seen of a check that somebody stopped. */
const STOPPED = /^It was ended before/
/** What is seen of a shop that does not run any more. */
const UNHEARD = /nothing listens there/

/** A line a check, what was seen of those that did not pass, and what it comes to. */
export function certificationText(certification: Certification, colours: boolean): string {
  const paint = painter(colours)
  const { subject, sandbox, checks, summary, probe, mode } = certification
  const lines = [
    paint('bold', oneLine(subject)) +
      `, ${mode === 'passive' ? 'by the record of' : 'tried by'} ${sandbox.url}`,
  ]
  if (probe && !probe.usable)
    lines.push(paint('yellow', `The probe cannot be believed. ${cut(probe.because)}`))
  // Without a profile nothing is made to happen, and nobody need read so of each check.
  const isForAProfile = ({ how, verdict }: CheckResult) =>
    mode === 'passive' && how === 'made' && verdict === 'not_seen'
  for (const [group, name] of Object.entries(groups)) {
    const of = checks.filter((each) => each.group === group && !isAway(each) && !isForAProfile(each))
    const told = (each: CheckResult) => checkLines(each, paint, mode === 'active')
    if (of.length > 0) lines.push('', paint('bold', name), ...of.flatMap(told))
  }
  const profiled = checks.filter(isForAProfile).length
  if (profiled > 0)
    lines.push('', paint('dim', `${profiled} have to be made to happen: run certify with a profile.`))
  const away = checks.filter(isAway).length
  if (away > 0)
    lines.push('', paint('dim', `${away} are not applicable: the profile does not have their feature.`))
  const style = summary.ready ? 'green' : summary.exit_code === 1 ? 'red' : 'yellow'
  lines.push('', paint(['bold', style], summary.text), countsText(certification))
  const rest = checkIds.length - checks.length
  if (rest > 0) lines.push(`Only ${checks.length} of ${checkIds.length} checks were asked for.`)
  const record = recordText(certification)
  if (record !== undefined) lines.push(record)
  const unheard = checks.filter(({ verdict, seen }) => verdict === 'inconclusive' && UNHEARD.test(seen))
  if (unheard.length > 1)
    lines.push(`In ${unheard.length} checks nothing listened where the shop is: has it ended on the way?`)
  const worst = worstOf(certification)
  if (probe && !probe.usable) lines.push('Begin with the trigger and the probe of the profile.')
  else if (worst && !STOPPED.test(worst.seen))
    lines.push(`Begin with ${worst.id}: payments-sandbox certify explain ${worst.id}`)
  return `${lines.join('\n')}\n`
}

const isAway = ({ verdict }: CheckResult) => verdict === 'not_applicable'

function checkLines(
  { id, title, verdict, seen, level, mend, expectation }: CheckResult,
  paint: ReturnType<typeof painter>,
  tellsUnseen: boolean,
) {
  const [sign, style] = SIGNS[verdict]
  const optional = level === 'recommended' ? paint('dim', ' (recommended)') : ''
  const line = `  ${paint(style, sign)} ${id.padEnd(6)} ${verdict === 'not_seen' ? paint('dim', title) : title}${optional}`
  if (verdict === 'not_seen' && tellsUnseen) return [line, paint('dim', `           ${cut(seen)}`)]
  if (!TOLD.includes(verdict)) return [line]
  const said = [line, `           ${cut(seen)}`]
  return verdict === 'fail' && !expectation ? [...said, paint('dim', `           ${mend}`)] : said
}

const cut = (text: string) => {
  const one = oneLine(text)
  return one.length > LONGEST ? `${one.slice(0, LONGEST)}…` : one
}

function countsText(certification: Certification): string {
  const counts = (Object.keys(verdictWords) as Verdict[])
    .map((verdict) => [verdictWords[verdict].toLowerCase(), countOf(certification, verdict)] as const)
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${count} ${word}`)
  const { passed, of } = mandatoryOf(certification)
  const seconds = (certification.duration_ms / 1000).toFixed(1)
  return `${passed} of ${of} mandatory checks passed. Of all: ${counts.join(', ')}; ${seconds} s.`
}

/** Tells a person where a run is, in one line that is written over. */
export function progressOf(err: Writer): {
  readonly tell: (progress: Progress) => void
  readonly end: () => void
} {
  if (!err.terminal) return { tell: () => {}, end: () => {} }
  const clear = '\r\u001b[K'
  const running = new Set<string>()
  return {
    tell({ id, verdict, done, of }) {
      if (verdict === undefined) running.add(id)
      else running.delete(id)
      err.write(`${clear}${done} of ${of}  ${[...running].slice(0, 6).join(' ')}`)
    },
    end: () => err.write(clear),
  }
}
