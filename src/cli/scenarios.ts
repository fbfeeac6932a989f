import { Command } from '@commander-js/extra-typings'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Refusal } from './failures.ts'
import { exitCodes, type Output } from './output.ts'
import type { Process } from './process.ts'
import { openScenarioRunner } from './scenario-runner.ts'
import { type End, plainCommand } from './options.ts'
import { systemWall } from '../lib/clock/clock.ts'
import { escaped } from '../lib/text/escaped.ts'
import { ScenarioError } from '../scenarios/file.ts'
import { loadPath } from '../scenarios/read.ts'
import { libraryOf } from '../scenarios/library.ts'
import { shippedFolder, shippedScenarios } from '../scenarios/load.ts'
import { aliasTable, findOutcome, meantOutcome } from '../scenarios/outcomes.ts'
import { testNumbers } from '../service/domain/countries/countries.ts'
import type { Scenario } from '../scenarios/scenario.ts'

const about = 'files or folders (default: the shipped scenario files)'

export function scenariosCommand(io: Process, end: End) {
  const plain = plainCommand(io, end)
  const scenarios = new Command('scenarios')
  plain(
    scenarios
      .command('check')
      .description(
        'Validate scenario files and print errors with line and column. Exit code 1: a file is invalid.',
      )
      .argument('[paths...]', about),
    async ({ out }, paths) => {
      const right = (await load(paths, out))?.length
      if (right === undefined) return exitCodes.no
      const fact = { kind: 'checked', right }
      out.say(right === 1 ? '1 scenario file is valid' : `${right} scenario files are valid`, fact)
    },
  )
  plain(
    scenarios
      .command('test')
      .description(
        'Run the expectations in scenario files, within milliseconds. Exit code 1: an expectation failed.',
      )
      .argument('[paths...]', about)
      .option('--junit <file>', 'also write a JUnit report'),
    async ({ out }, paths, { junit }) => {
      const files = await load(paths, out)
      if (!files) return exitCodes.no
      const results: ScenarioResult[] = []
      const runner = await openScenarioRunner(files)
      try {
        for (const scenario of files) {
          const started = systemWall()
          const failures = scenario.expect.length === 0 ? ['expect is missing'] : await runner.run(scenario)
          const { name, title, source } = scenario
          const result = { name, title, source, failures, ms: systemWall() - started }
          results.push(result)
          out.say(lineOf(result), { kind: 'result', ...result })
        }
      } finally {
        await runner.close()
      }
      const writeError = junit === undefined ? undefined : await written(junit, junitOf(results))
      const failed = results.filter(({ failures }) => failures.length > 0).length
      const hold = results.length - failed
      out.say(`${hold} of ${results.length} scenario files passed`, { kind: 'tested', hold, failed })
      if (writeError !== undefined) printFault(out, writeError)
      return failed === 0 && writeError === undefined ? exitCodes.done : exitCodes.no
    },
  )
  plain(
    scenarios
      .command('list')
      .description('List the shipped outcomes, each with the Kenyan phone number that triggers it.'),
    async ({ out }) => {
      const all = shippedScenarios()
      const width = Math.max(...all.map(({ name }) => name.length))
      for (const { name, title, ending } of all) {
        const number = ending === null ? 'by name' : testNumbers(ending)[0]!.local
        const fact = { kind: 'scenario', name, title, number: ending === null ? null : number }
        out.say(`${name.padEnd(width)}  ${number.padEnd(10)}  ${title}`, fact)
      }
    },
  )
  plain(
    scenarios
      .command('show')
      .description('Print the file of a shipped outcome. Exit code 1: there is none of this name.')
      .argument('<scenario>', 'its name, an alias or a reason code'),
    async ({ out }, asked) => {
      const { byName } = libraryOf(shippedScenarios())
      const name = findOutcome(byName, asked)?.name
      if (name === undefined)
        throw new Refusal(
          `there is no outcome ${asked}${meantOutcome(byName, asked)}; see payments-sandbox scenarios list`,
        )
      const aliases = aliasTable(byName).get(name) ?? []
      const file = await readFile(join(shippedFolder, `${name}.yaml`), 'utf8')
      out.say(`# ${name}, also: ${aliases.join(', ') || 'no alias'}\n${file.trimEnd()}`, {
        kind: 'scenario',
        name,
        aliases,
        file,
      })
    },
  )
  return scenarios
}

/** @returns An error message, if any. */
async function written(file: string, text: string): Promise<string | undefined> {
  try {
    await writeFile(file, text)
    return undefined
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = REASONS[code ?? ''] ?? message
    return `--junit ${file}: the report cannot be written: ${why}; pass the path of a file in an existing folder`
  }
}

const REASONS: { readonly [code: string]: string } = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
}

async function load(paths: readonly string[], out: Output): Promise<readonly Scenario[] | undefined> {
  const read = await Promise.allSettled((paths.length > 0 ? paths : [shippedFolder]).map(loadPath))
  const errors = read.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []))
  for (const error of errors) {
    if (!(error instanceof ScenarioError)) throw error
    printFault(out, error.message)
  }
  if (errors.length > 0) return undefined
  const found = read.map((each) => (each.status === 'fulfilled' ? each.value : []))
  const empty = paths.filter((_, n) => found[n]!.length === 0)
  for (const path of empty)
    printFault(out, `${path}: contains no scenario file; scenario files end with .yaml, .yml or .json`)
  return empty.length > 0 ? undefined : found.flat()
}

/** Prints an error of a file to standard output, as a result of the command. */
const printFault = (out: Output, message: string) => out.say(message, { kind: 'fault', message })

const lineOf = ({ name, title, failures, ms }: ScenarioResult) =>
  failures.length === 0
    ? `ok    ${name}: ${title} (${ms} ms)`
    : [`FAIL  ${name}: ${title}`, ...failures.map((failure) => `        ${failure}`)].join('\n')

interface ScenarioResult {
  readonly name: string
  readonly title: string
  readonly source: string
  /** The failed expectations. */
  readonly failures: readonly string[]
  readonly ms: number
}

function junitOf(results: readonly ScenarioResult[]): string {
  const failed = results.filter(({ failures }) => failures.length > 0).length
  const cases = results.map(({ name, title, source, failures, ms }) => {
    const failure = failures.length > 0 ? `<failure message="${escaped(failures.join('; '))}"/>` : ''
    return `    <testcase classname="${escaped(source)}" name="${escaped(`${name}: ${title}`)}" time="${ms / 1000}">${failure}</testcase>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="scenarios" tests="${results.length}" failures="${failed}">
${cases.join('\n')}
  </testsuite>
</testsuites>
`
}
