// Prints `N passed, N failed`: the tests of the reports of tests.mjs and the suites of beside.mjs. A test file that broke before its first
// test counts as failed. Before that, what failed. Usage: count.mjs results-of-suites report…
import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

/** Lines shown of a failed suite or report, and characters of a line. */
const [MOST_LINES, MOST_CHARACTERS] = [20, 600]

const [results, ...files] = process.argv.slice(2)
const suites = JSON.parse(readFileSync(results, 'utf8'))
const reports = files.filter((file) => existsSync(file)).map((file) => JSON.parse(readFileSync(file, 'utf8')))
const testFiles = reports.flatMap(({ testResults }) => testResults)
const count = (...statuses) =>
  testFiles
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => statuses.includes(status)).length
const broken = testFiles.filter(
  ({ status, assertionResults }) =>
    status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
)
const failedSuites = suites.filter((suite) => !suite.passed)
const tests = count('passed')
const passed = tests + suites.length - failedSuites.length
const failed = count('failed') + broken.length + failedSuites.length + (files.length - reports.length)
const skipped = count('pending', 'skipped', 'todo')

for (const { name, passed, seconds, again } of suites)
  console.log(
    `${String(seconds).padStart(5)} s  ${name}${passed ? (again ? ' passed the second time' : '') : ' FAILED'}`,
  )
for (const { testResults, first } of reports) {
  for (const each of failuresIn(first)) print(`at first: ${each}`)
  for (const each of failuresIn(testResults)) print(each)
}
for (const { outputs } of suites)
  for (const output of outputs)
    for (const line of readFileSync(output, 'utf8').split('\n').filter(isOfFailure).slice(-MOST_LINES))
      print(`${basename(output, '.log')}: ${line}`)
console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`)
process.exitCode = failed > 0 || tests === 0 ? 1 : 0

function failuresIn(files) {
  const failures = files.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === 'failed')
    if (status === 'failed' && tests.length === 0) return [`${name}: ${message}`]
    return tests.map(({ fullName, failureMessages }) => `${name}: ${fullName}: ${failureMessages.join(' ')}`)
  })
  return failures
    .slice(0, MOST_LINES)
    .map((each) => `FAIL ${each.replace(`${process.cwd()}/`, '').replace(/\s+/g, ' ')}`)
}

function isOfFailure(line) {
  return /\b(FAIL|FAILED|failed|Error)\b/.test(line) && !line.startsWith('{')
}

function print(line) {
  console.log(line.slice(0, MOST_CHARACTERS))
}
