import type { Certification, CheckResult, Verdict } from '../certification.ts'
import { groups } from '../checks.ts'
import { detailsOf } from './junit.ts'
import { visible } from './words.ts'

type Status = 'passed' | 'failed' | 'skipped' | 'pending' | 'other'

const statuses = {
  pass: 'passed',
  fail: 'failed',
  inconclusive: 'other',
  not_seen: 'pending',
  not_applicable: 'skipped',
  expected_fail: 'skipped',
} as const satisfies Record<Verdict, Status>

/** Common Test Report Format, ctrf.io. */
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
          ready: summary.ready,
          score: summary.score,
          worst: summary.worst,
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
  ...(check.verdict !== 'pass' && { message: visible(check.seen), trace: visible(detailsOf(check)) }),
})
