// Prints `N passed, N failed` of a vitest JSON report; a file that broke before its tests counts as failed.
import { readFileSync } from 'node:fs'

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const broken = report.testResults.filter(
  ({ status, assertionResults }) =>
    status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
).length
const passed = report.numPassedTests
const failed = report.numFailedTests + broken
const skipped = report.numPendingTests + report.numTodoTests

console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0
