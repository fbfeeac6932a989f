// Prints `N passed, N failed`: the tests of a vitest JSON report and the suites that ran beside them. A test file
// that broke before its first test counts as failed. Usage: count.mjs report results-of-suites
import { readFileSync } from 'node:fs'

const [report, suites] = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')))
const broken = report.testResults.filter(
  ({ status, assertionResults }) =>
    status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
).length
const failedSuites = suites.filter((suite) => !suite.passed)
const passed = report.numPassedTests + suites.length - failedSuites.length
const failed = report.numFailedTests + broken + failedSuites.length
const skipped = report.numPendingTests + report.numTodoTests

for (const { name, passed, seconds } of suites)
  console.log(`${String(seconds).padStart(5)} s  ${passed ? name : `${name} FAILED`}`)
console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`)
process.exitCode = failed > 0 || report.numPassedTests === 0 ? 1 : 0
