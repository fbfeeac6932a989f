// Prints `N passed, N failed`: the tests of a vitest JSON report and the suites that ran beside them. A test file
// that broke before its first test counts as failed. Usage: count.mjs report suites-passed suites-failed
import { readFileSync } from 'node:fs'

const [file, suitesPassed, suitesFailed] = process.argv.slice(2)
const report = JSON.parse(readFileSync(file, 'utf8'))
const broken = report.testResults.filter(
  ({ status, assertionResults }) =>
    status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
).length
const passed = report.numPassedTests + Number(suitesPassed)
const failed = report.numFailedTests + broken + Number(suitesFailed)
const skipped = report.numPendingTests + report.numTodoTests

console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`)
process.exitCode = failed > 0 || report.numPassedTests === 0 ? 1 : 0
