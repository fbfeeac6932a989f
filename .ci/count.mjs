// Prints `N passed, N failed`: the tests of vitest's JSON reports and the suites that ran beside them. A test file
// that broke before its first test counts as failed. Before that, what failed in the suites. Usage: count.mjs results-of-suites report…
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Lines shown of a failed suite, and characters of a line. */
const [MOST_LINES, MOST_CHARACTERS] = [20, 600]

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
for (const { name } of failedSuites) {
  const output = readFileSync(join(dirname(results), `${name.replace(/\W+/g, '-')}.log`), 'utf8')
  const lines = output
    .split('\n')
    .filter((line) => /\b(FAIL|FAILED|failed|Error)\b/.test(line) && !line.startsWith('{'))
  for (const line of lines.slice(-MOST_LINES)) console.log(`${name}: ${line.slice(0, MOST_CHARACTERS)}`)
}
console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`)
process.exitCode = failed > 0 || tests === 0 ? 1 : 0
