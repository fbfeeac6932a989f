import { groups } from '../check-ids.ts'
import { csvText } from '../../lib/text/csv.ts'
import { palette } from '../../lib/palette.ts'
import type { Certification, CheckResult, Verdict } from '../certification.ts'
import {
  byGroup,
  escaped,
  guideOf,
  mandatoryOf,
  oneLine,
  standingLooks,
  standingText,
  verdictWords,
  visible,
} from './words.ts'

const COLUMNS = ['subject', 'case', 'objective', 'expected', 'actual', 'result', 'level']

/** A spreadsheet with one line per check, as operators request it. */
export const csvReport = ({ subject, checks }: Certification): string =>
  csvText(
    COLUMNS,
    checks.map((check) => [
      oneLine(subject),
      check.id,
      check.title,
      check.expected,
      oneLine(check.observed),
      verdictWords[check.verdict],
      check.level,
    ]),
  )

/** The average width of a character of 11 px Verdana. */
const WIDTH = 6.6
const widthOf = (text: string) => Math.round([...text].length * WIDTH) + 14

/** Renders a badge with two parts. `soft` is grey. */
export function badgeSvg(left: string, right: string, tone: 'good' | 'wait' | 'bad' | 'soft'): string {
  const [a, b] = [widthOf(left), widthOf(right)]
  const label = escaped(`${left}: ${right}`)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${a + b}" height="20" role="img" aria-label="${label}">
  <title>${label}</title>
  <clipPath id="r"><rect width="${a + b}" height="20" rx="4"/></clipPath>
  <g clip-path="url(#r)">
    <rect width="${a}" height="20" fill="${palette.text[0]}"/>
    <rect x="${a}" width="${b}" height="20" fill="${palette[tone][0]}"/>
  </g>
  <g fill="#fff" text-anchor="middle" font-family="Verdana, Geneva, DejaVu Sans, sans-serif" font-size="11">
    <text x="${a / 2}" y="14" textLength="${a - 14}" lengthAdjust="spacingAndGlyphs">${escaped(left)}</text>
    <text x="${a + b / 2}" y="14" textLength="${b - 14}" lengthAdjust="spacingAndGlyphs">${escaped(right)}</text>
  </g>
</svg>
`
}

/** A badge for a README. */
export function badgeReport(certification: Certification): string {
  const { passed, of } = mandatoryOf(certification)
  const { summary } = certification
  const right = `${standingText(summary)} · ${passed} of ${of}`
  return badgeSvg('payments certified', right, standingLooks[summary.standing].tone)
}

const seconds = (ms: number) => (ms / 1000).toFixed(3)
const count = (checks: readonly CheckResult[], kind: string) =>
  checks.filter((check) => outcomeOf(check)[0] === kind).length

/** JUnit XML with one suite per group. Mandatory checks that are inconclusive or not seen are errors, so that nothing is green before. */
export function junitReport({ subject, checks, summary, started_at, duration_ms }: Certification): string {
  const totals = (of: readonly CheckResult[]) =>
    `tests="${of.length}" failures="${count(of, 'failure')}" errors="${count(of, 'error')}" skipped="${count(of, 'skipped')}"`
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${escaped(`Certification of ${subject}`)}" ${totals(checks)} time="${seconds(duration_ms)}">
  <properties><property name="standing" value="${summary.standing}"/></properties>
${byGroup(checks)
  .map(
    ({
      name,
      of,
    }) => `  <testsuite name="${name}" ${totals(of)} time="${seconds(of.reduce((sum, each) => sum + each.duration_ms, 0))}" timestamp="${escaped(started_at)}">
${of.map(caseOf).join('\n')}
  </testsuite>
`,
  )
  .join('')}</testsuites>
`
}

function caseOf(check: CheckResult): string {
  const { id, group, title, level, duration_ms } = check
  const [kind, text] = outcomeOf(check)
  const outcome =
    kind === 'skipped'
      ? `<skipped message="${escaped(oneLine(text))}"/>`
      : `<${kind} type="${level}" message="${escaped(oneLine(text))}">${escaped(detailsOf(check))}</${kind}>`
  const open = `    <testcase classname="certify.${group}" name="${escaped(`${id} ${title}`)}" time="${seconds(duration_ms)}"`
  return kind === 'passed' ? `${open}/>` : `${open}>${outcome}</testcase>`
}

function outcomeOf({
  verdict,
  level,
  observed,
}: CheckResult): readonly ['passed' | 'failure' | 'error' | 'skipped', string] {
  if (verdict === 'pass') return ['passed', '']
  if (verdict === 'fail') return ['failure', observed]
  const isOpen = verdict === 'inconclusive' || verdict === 'not_seen'
  return [isOpen && level === 'mandatory' ? 'error' : 'skipped', `${verdictWords[verdict]}: ${observed}`]
}

export const repeatOf = (id: string): string => `payments-sandbox certify --only ${id}`

/** Returns the texts that help to fix a check. */
export const detailsOf = ({ id, tried, expected, observed, impact, fix: mend, docs }: CheckResult): string =>
  [
    `Tried: ${tried}`,
    `Expected: ${expected}`,
    `Seen: ${observed}`,
    `Why: ${impact}`,
    `Fix: ${mend}`,
    `Guide: ${docs}`,
    `Repeat: ${repeatOf(id)}`,
  ].join('\n')

type Status = 'passed' | 'failed' | 'skipped' | 'pending' | 'other'

const statuses = {
  pass: 'passed',
  fail: 'failed',
  inconclusive: 'other',
  not_seen: 'pending',
  not_applicable: 'skipped',
  waived: 'skipped',
} as const satisfies Record<Verdict, Status>

export function ctrfReport(certification: Certification): string {
  const { subject, checks, sandbox, started_at, ended_at, duration_ms, summary } = certification
  const count = (status: Status) => checks.filter((each) => statuses[each.verdict] === status).length
  const report = {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    timestamp: ended_at,
    generatedBy: 'payments-sandbox certify',
    results: {
      tool: { name: 'payments-sandbox', version: visible(sandbox.version) },
      summary: {
        tests: checks.length,
        passed: count('passed'),
        failed: count('failed'),
        skipped: count('skipped'),
        pending: count('pending'),
        other: count('other'),
        suites: new Set(checks.map(({ group }) => group)).size,
        start: Date.parse(started_at),
        stop: Date.parse(ended_at),
        duration: Math.round(duration_ms),
        extra: {
          subject: visible(subject),
          standing: summary.standing,
          ready: summary.ready,
          score: summary.score,
          fix_first: summary.fix_first,
        },
      },
      tests: checks.map(testOf),
    },
  }
  return `${JSON.stringify(report, null, 2)}\n`
}

const testOf = (check: CheckResult) => ({
  name: `${check.id} ${check.title}`,
  status: statuses[check.verdict],
  duration: Math.round(check.duration_ms),
  suite: [groups[check.group]],
  rawStatus: check.verdict,
  tags: [check.level, check.group],
  ...(check.verdict !== 'pass' && { message: visible(check.observed), trace: visible(detailsOf(check)) }),
})

/** The file that results point to: code scanning shows only results with a place. */
const PLACE = 'certify.yaml'

const kinds = {
  pass: 'pass',
  fail: 'fail',
  waived: 'fail',
  inconclusive: 'review',
  not_seen: 'open',
  not_applicable: 'notApplicable',
} as const

/** SARIF 2.1.0, for code scanning. Waived failures are suppressed. */
export function sarifReport(certification: Certification): string {
  const { sandbox, checks, subject, started_at, ended_at, summary } = certification
  const run = {
    tool: {
      driver: {
        name: 'payments-sandbox certify',
        version: visible(sandbox.version),
        rules: checks.map((check) => sarifRule(certification, check)),
      },
    },
    invocations: [{ executionSuccessful: true, startTimeUtc: started_at, endTimeUtc: ended_at }],
    automationDetails: { id: `certify/${visible(subject)}/` },
    properties: { standing: summary.standing, score: summary.score },
    results: checks.map(sarifResult),
  }
  return `${JSON.stringify({ $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] }, null, 2)}\n`
}

function sarifRule(
  certification: Certification,
  { id, title, expected, impact, fix, docs, level, version }: CheckResult,
) {
  const helpUri = guideOf(certification, docs)
  return {
    id,
    name: title,
    shortDescription: { text: title },
    fullDescription: { text: `${expected} ${impact}` },
    help: { text: fix },
    ...(helpUri !== null && { helpUri }),
    defaultConfiguration: { level: level === 'mandatory' ? 'error' : 'warning' },
    properties: { tags: ['certification', level], version },
  }
}

function sarifResult(check: CheckResult, ruleIndex: number) {
  const { id, level, verdict, observed, waiver } = check
  const kind = kinds[verdict]
  return {
    ruleId: id,
    ruleIndex,
    kind,
    // Only failures have a level.
    level: kind !== 'fail' ? 'none' : level === 'mandatory' ? 'error' : 'warning',
    message: { text: visible(verdict === 'pass' ? observed : `${observed}\n\n${detailsOf(check)}`) },
    locations: [{ physicalLocation: { artifactLocation: { uri: PLACE }, region: { startLine: 1 } } }],
    partialFingerprints: { check: id },
    ...(verdict === 'waived' &&
      waiver && {
        suppressions: [
          {
            kind: 'external',
            justification: visible(
              `${waiver.ticket}, ${waiver.by}, until ${waiver.until}: ${waiver.because}`,
            ),
          },
        ],
      }),
  }
}
