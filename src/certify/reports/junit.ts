import type { Certification, CheckResult } from '../certification.ts'
import { groups, type Group } from '../checks.ts'
import { oneLine } from './words.ts'
import { escaped } from './xml.ts'

const seconds = (ms: number) => (ms / 1000).toFixed(3)
const count = (checks: readonly CheckResult[], kind: string) =>
  checks.filter((check) => outcomeOf(check)[0] === kind).length

/** JUnit XML, a suite a group. Inconclusive mandatory checks are errors; what was not tried is skipped. */
export function junitReport({ subject, checks, started_at, duration_ms }: Certification): string {
  const suites = (Object.keys(groups) as Group[]).map(
    (group) => [group, checks.filter((each) => each.group === group)] as const,
  )
  const totals = (of: readonly CheckResult[]) =>
    `tests="${of.length}" failures="${count(of, 'failure')}" errors="${count(of, 'error')}" skipped="${count(of, 'skipped')}"`
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${escaped(`Certification of ${subject}`)}" ${totals(checks)} time="${seconds(duration_ms)}">
${suites
  .filter(([, of]) => of.length > 0)
  .map(
    ([
      group,
      of,
    ]) => `  <testsuite name="${groups[group]}" ${totals(of)} time="${seconds(of.reduce((sum, each) => sum + each.duration_ms, 0))}" timestamp="${escaped(started_at)}">
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

type Outcome = readonly ['passed' | 'failure' | 'error' | 'skipped', string]

function outcomeOf({ verdict, level, seen, expectation }: CheckResult): Outcome {
  switch (verdict) {
    case 'pass':
      return ['passed', '']
    case 'fail':
      return ['failure', seen]
    case 'inconclusive':
      return [level === 'mandatory' ? 'error' : 'skipped', `Inconclusive: ${seen}`]
    case 'expected_fail':
      return ['skipped', `Fails, as expected: ${expectation?.because ?? seen}`]
    case 'not_seen':
      return ['skipped', `Not seen: ${seen}`]
    case 'not_applicable':
      return ['skipped', `Not applicable: ${seen}`]
  }
}

/** What helps to mend it, as text. */
export const detailsOf = ({ tried, expected, seen, why, mend, docs, curl }: CheckResult): string =>
  [
    `Tried: ${tried}`,
    `Expected: ${expected}`,
    `Seen: ${seen}`,
    `Why: ${why}`,
    `Mend: ${mend}`,
    `Guide: ${docs}`,
    ...(curl ? [`Again: ${curl}`] : []),
  ].join('\n')
