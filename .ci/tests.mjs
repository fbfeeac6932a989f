// Runs an npm script of vitest. Files with failures run once more, alone, and the second result counts: a busy machine fails no test, a
// defect does. Writes vitest's JSON report, with `first`, the files that failed at first. Usage: tests.mjs REPORT REPORTER SCRIPT [OPTION…]
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** More files than this fail for another reason than a busy machine. */
const MOST_FILES = 10

const [report, reporter, script, ...options] = process.argv.slice(2)
mkdirSync(dirname(report), { recursive: true })

function run(files) {
  rmSync(report, { force: true })
  const reporters = [`--reporter=${reporter}`, '--reporter=json', `--outputFile.json=${report}`]
  const { status } = spawnSync('npm', ['run', script, '--', ...options, ...files, ...reporters], {
    stdio: 'inherit',
  })
  const { testResults = [] } = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {}
  return { status, testResults }
}

const first = run([])
const failed = first.testResults.filter(({ status }) => status === 'failed')
let { status, testResults } = first
if (failed.length > 0 && failed.length <= MOST_FILES) {
  console.log(`\nAgain, alone: ${failed.map(({ name }) => name).join(', ')}`)
  const second = run(failed.map(({ name }) => name))
  status = second.status
  testResults = [...testResults.filter((each) => !failed.includes(each)), ...second.testResults]
}
writeFileSync(report, JSON.stringify({ testResults, first: failed }))
process.exitCode = status === 0 ? 0 : 1
