import type { Certification, CheckResult } from '../certification.ts'
import { detailsOf } from './formats.ts'
import { guideOf, visible } from './words.ts'

/** The file that results point to: code scanning shows only results with a place. */
const PLACE = 'certify.yaml'

const KINDS = {
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
        rules: checks.map((check) => ruleOf(certification, check)),
      },
    },
    invocations: [{ executionSuccessful: true, startTimeUtc: started_at, endTimeUtc: ended_at }],
    automationDetails: { id: `certify/${visible(subject)}/` },
    properties: { standing: summary.standing, score: summary.score },
    results: checks.map(resultOf),
  }
  return `${JSON.stringify({ $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] }, null, 2)}\n`
}

function ruleOf(
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

function resultOf(check: CheckResult, ruleIndex: number) {
  const { id, level, verdict, observed, waiver } = check
  const kind = KINDS[verdict]
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
