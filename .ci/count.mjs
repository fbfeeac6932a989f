// Prints `N passed, N failed`: the tests of vitest's JSON reports and the suites that ran beside them. A test file
// that broke before its first test counts as failed. Usage: count.mjs results-of-suites report…
import { existsSync, readFileSync } from 'node:fs'

const [results, ...files] = process.argv.slice(2)
const suites = JSON.parse(readFileSync(results, 'utf8'))
const reports = files.filter((file) => existsSync(file)).map((file) => JSON.parse(readFileSync(file, 'utf8')))
const sum = (of) => reports.reduce((total, report) => total + of(report), 0)
const broken = sum(
  ({ testResults }) =>
    testResults.filter(
      ({ status, assertionResults }) =>
        status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
    ).length,
)
const failedSuites = suites.filter((suite) => !suite.passed)
const tests = sum(({ numPassedTests }) => numPassedTests)
const passed = tests + suites.length - failedSuites.length
const failed =
  sum(({ numFailedTests }) => numFailedTests) + broken + failedSuites.length + (files.length - reports.length)
const skipped = sum(({ numPendingTests, numTodoTests }) => numPendingTests + numTodoTests)

for (const { name, passed, seconds } of suites)
  console.log(`${String(seconds).padStart(5)} s  ${passed ? name : `${name} FAILED`}`)
console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`)
process.exitCode = failed > 0 || tests === 0 ? 1 : 0
