import type { Certification, CheckResult } from '../certification.ts'
import type { CheckedSignature } from '../verify.ts'
import { type Difference, kindWords } from './diff.ts'
import {
  basisTexts,
  byGroup,
  coverageText,
  guideOf,
  leftToDo,
  mandatoryOf,
  oneLine,
  signedText,
  standingLooks,
  standingText,
  verdictsOf,
  verdictWords,
  worstOf,
} from './words.ts'

/** Markdown for the summary of a pipeline (`GITHUB_STEP_SUMMARY`) and for comments. */
export function markdownReport(certification: Certification, signed?: CheckedSignature): string {
  const { subject, summary, checks } = certification
  const worst = worstOf(certification)
  const left = leftToDo(certification)
  const { passed, of } = mandatoryOf(certification)
  const parts = [
    `## ${standingLooks[summary.standing].sign} ${text(subject)}: ${standingText(summary)}, ${passed} of ${of} mandatory checks passed`,
    text(summary.text),
    ...basisTexts(certification).map(text),
    text(coverageText(certification)),
    text(signedText(certification, signed) ?? ''),
    worst &&
      `> **${verdictWords[worst.verdict]}: ${text(worst.title)}** (${worst.id})\n>\n> ${text(worst.observed)} ${text(worst.impact)}`,
    totals(certification),
    left.length > 0 && `### To do\n\n${list(certification, left)}`,
    `<details><summary>All ${checks.length} checks</summary>\n\n${everything(checks)}\n\n</details>`,
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

const sideText = (side: Pick<CheckResult, 'verdict'> | null) =>
  side === null ? '–' : verdictWords[side.verdict]

/** Returns the standings, and how they changed. */
export const standingChange = ({ standing: { before, after } }: Difference): string => {
  const words = (standing: typeof before) => standing.replaceAll('_', ' ')
  return before === after ? `${words(after)}, as before` : `${words(after)}, before: ${words(before)}`
}

/** Markdown for a comment on a pull request: what changed since another certification. */
export function commentReport(difference: Difference): string {
  const { subject, changes, same, coverage, standing } = difference
  const rows = changes.map(({ id, title, level, kind, before, after, observed, fix }) => [
    `**${id}** ${text(title)}`,
    `${kindWords[kind]}, ${level}`,
    `${sideText(before)} → ${sideText(after)}`,
    text(kind === 'better' || kind === 'removed' ? '' : observed),
    text(kind === 'worse' || after?.verdict === 'fail' ? fix : ''),
  ])
  const lost = coverage.lost.length > 0 && `No longer met: ${text(coverage.lost.join(', '))}.`
  const parts = [
    `### ${standingLooks[standing.after].sign} ${text(subject)}: ${text(standingChange(difference))}`,
    rows.length === 0
      ? `No check changed (${same} checks).`
      : `${table([['Check', '', 'Verdict', 'Seen', 'How to fix it'], ...rows])}\n\n${same} checks as before.`,
    lost,
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

function totals(certification: Certification): string {
  const { mandatory, recommended } = certification.summary
  const observed = verdictsOf(certification)
  return table([
    ['', ...observed.map((verdict) => verdictWords[verdict])],
    ['Mandatory', ...observed.map((verdict) => String(mandatory[verdict]))],
    ['Recommended', ...observed.map((verdict) => String(recommended[verdict]))],
  ])
}

const list = (certification: Certification, left: readonly CheckResult[]) =>
  table([
    ['Check', '', 'Seen', 'How to fix it'],
    ...left.map((check) => [
      `**${check.id}** ${text(check.title)}`,
      `${verdictWords[check.verdict]}, ${check.level}`,
      text(check.observed),
      mendOf(certification, check),
    ]),
  ])

function mendOf(certification: Certification, { fix: mend, docs, verdict }: CheckResult): string {
  const guide = guideOf(certification, docs)
  if (verdict === 'not_seen') return ''
  return guide ? `${text(mend)} [Guide](${guide})` : text(mend)
}

const everything = (checks: readonly CheckResult[]) =>
  byGroup(checks)
    .map(({ name, of }) => {
      const rows = of.map(({ id, title, verdict, observed }) => [
        id,
        text(title),
        verdictWords[verdict],
        text(observed),
      ])
      return `**${name}**\n\n${table([['Check', '', 'Verdict', 'Seen'], ...rows])}`
    })
    .join('\n\n')

/** Without padding, since summaries have a size limit. */
const table = ([heads = [], ...rows]: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

/** Returns foreign text on one line without markup, links and mentions. */
const text = (written: string): string =>
  oneLine(written)
    .replace(/[\\`*_{}[\]<>#!~$&|]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/@(?=\w)/g, '@<!-- -->')
    .replace(/\b(https?|www)(?=[:.])/gi, '$1<!-- -->')
