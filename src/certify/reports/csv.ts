import { csvText } from '../../lib/text/csv.ts'
import type { Certification, CheckResult } from '../certification.ts'
import { oneLine, verdictWords } from './words.ts'

const COLUMNS = ['subject', 'case', 'objective', 'expected', 'actual', 'result', 'level']

/** The sheet that operators ask for: a line a check. */
export const csvReport = ({ subject, checks }: Certification): string =>
  csvText(
    COLUMNS,
    checks.map((check) => [
      oneLine(subject),
      check.id,
      check.title,
      check.expected,
      oneLine(actualOf(check)),
      verdictWords[check.verdict],
      check.level,
    ]),
  )

const actualOf = ({ seen, expectation }: CheckResult) =>
  expectation ? `${seen} Expected, because: ${expectation.because}` : seen
