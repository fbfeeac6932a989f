import { Command } from 'commander'
import { writeFile } from 'node:fs/promises'
import { type Output, outputTo } from './output.ts'
import type { Process } from './process.ts'
import { openScenarioRunner } from './scenario-runner.ts'
import { type End, jsonOption } from './options.ts'
import { systemWall } from '../lib/clock/clock.ts'
import { escaped } from '../lib/text/escaped.ts'
import { ScenarioError } from '../scenarios/file.ts'
import { loadPath } from '../scenarios/read.ts'
import { shippedFolder, shippedScenarios } from '../scenarios/load.ts'
import { magicNumbers } from '../scenarios/magic.ts'
import type { Scenario } from '../scenarios/scenario.ts'

const about = 'files or folders of your own (default: the scenarios that come with the sandbox)'

interface Printed {
  readonly json?: boolean
}

/** `scenarios check|test|list`: what can be done with scenario files without a running sandbox. */
export function scenariosCommand(io: Process, end: End): Command {
  const scenarios = new Command('scenarios')
  scenarios
    .command('check')
    .description(
      'Read scenario files and say, with line and column, what is wrong: exit code 1 when something is.',
    )
    .argument('[paths...]', about)
    .addOption(jsonOption())
    .action(async (paths: readonly string[], { json = false }: Printed) => {
      end(await checkScenarios(paths, io.out.write, json))
    })
  scenarios
    .command('test')
    .description(
      'Play what scenario files promise under expect, in milliseconds: exit code 1 when one does not hold.',
    )
    .argument('[paths...]', about)
    .option('--junit <file>', 'write a JUnit report too')
    .addOption(jsonOption())
    .action(async (paths: readonly string[], { json = false, ...options }: Printed & { junit?: string }) => {
      end(await testScenarios(paths, options, io.out.write, json))
    })
  scenarios
    .command('list')
    .description('List the scenarios that come with the sandbox, with the Kenyan number that plays each.')
    .addOption(jsonOption())
    .action(async ({ json = false }: Printed) => {
      end(await listScenarios(io.out.write, json))
    })
  return scenarios
}

/** Takes text to print, its line feed included. */
export type Write = (text: string) => void

const tellerBy = (write: Write, json: boolean) => outputTo({ write, terminal: false, colours: false }, json)

/** Reads the files without running anything. @param paths folders or files; none: the shipped ones */
export async function checkScenarios(paths: readonly string[], write: Write, json = false): Promise<number> {
  const out = tellerBy(write, json)
  const scenarios = await load(paths, out)
  if (!scenarios) return 1
  const right = scenarios.length
  out.say(right === 1 ? '1 scenario is right' : `${right} scenarios are right`, { kind: 'checked', right })
  return 0
}

/**
 * Holds each file to its `expect`; prints a line each.
 * @param options.junit where to write a JUnit report
 */
export async function testScenarios(
  paths: readonly string[],
  { junit }: { readonly junit?: string | undefined },
  write: Write,
  json = false,
): Promise<number> {
  const out = tellerBy(write, json)
  const scenarios = await load(paths, out)
  if (!scenarios) return 1
  const results: ScenarioResult[] = []
  const runner = await openScenarioRunner(scenarios)
  try {
    for (const scenario of scenarios) {
      const started = systemWall()
      const failures = scenario.expect.length === 0 ? ['it has no expect'] : await runner.run(scenario)
      const { name, title, source } = scenario
      const result = { name, title, source, failures, ms: systemWall() - started }
      results.push(result)
      out.say(lineOf(result), { kind: 'result', ...result })
    }
  } finally {
    await runner.close()
  }
  const unwritten = junit === undefined ? undefined : await written(junit, junitOf(results))
  const failed = results.filter(({ failures }) => failures.length > 0).length
  const hold = results.length - failed
  out.say(`${hold} of ${results.length} scenarios hold`, { kind: 'tested', hold, failed })
  if (unwritten !== undefined) wrong(out, unwritten)
  return failed === 0 && unwritten === undefined ? 0 : 1
}

/** @returns why the report could not be written; undefined when it is */
async function written(file: string, text: string): Promise<string | undefined> {
  try {
    await writeFile(file, text)
    return undefined
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = REASONS[code ?? ''] ?? message
    return `--junit ${file}: the report cannot be written: ${why}; give the path of a file in a folder that is there`
  }
}

const REASONS: { readonly [code: string]: string } = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'it is a folder',
  EACCES: 'it may not be written',
}

/** Names, titles and magic numbers of the shipped scenarios. */
export async function listScenarios(write: Write, json = false): Promise<number> {
  const out = tellerBy(write, json)
  const scenarios = shippedScenarios()
  const width = Math.max(...scenarios.map(({ name }) => name.length))
  for (const { name, title, magic } of scenarios) {
    const number = magic === null ? 'by name' : magicNumbers(magic)[0]!.local
    const fact = { kind: 'scenario', name, title, number: magic === null ? null : number }
    out.say(`${name.padEnd(width)}  ${number.padEnd(10)}  ${title}`, fact)
  }
  return 0
}

async function load(paths: readonly string[], out: Output): Promise<readonly Scenario[] | undefined> {
  const read = await Promise.allSettled((paths.length > 0 ? paths : [shippedFolder]).map(loadPath))
  const errors = read.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []))
  for (const error of errors) {
    if (!(error instanceof ScenarioError)) throw error
    wrong(out, error.message)
  }
  if (errors.length > 0) return undefined
  const found = read.map((each) => (each.status === 'fulfilled' ? each.value : []))
  const empty = paths.filter((_, n) => found[n]!.length === 0)
  for (const path of empty)
    wrong(out, `${path}: there is no scenario in it; scenario files end with .yaml, .yml or .json`)
  return empty.length > 0 ? undefined : found.flat()
}

/** A fault of a file is a result of the command, so it goes to standard output. */
const wrong = (out: Output, message: string) => out.say(message, { kind: 'fault', message })

const lineOf = ({ name, title, failures, ms }: ScenarioResult) =>
  failures.length === 0
    ? `ok    ${name}: ${title} (${ms} ms)`
    : [`FAIL  ${name}: ${title}`, ...failures.map((failure) => `        ${failure}`)].join('\n')

/** One file's outcome, for tools that read JUnit. */
interface ScenarioResult {
  readonly name: string
  readonly title: string
  readonly source: string
  /** The faults; empty if the scenario holds. */
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
