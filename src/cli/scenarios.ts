/** What the command line does with scenario files. Each function answers an exit code: 0 when all is well, 1 when not. */
import { writeFile } from 'node:fs/promises'
import { systemWall } from '../clock.ts'
import { magicNumbers } from '../scenarios/magic.ts'
import { ScenarioError } from '../scenarios/issues.ts'
import { shippedFolder, shippedScenarios } from '../scenarios/load.ts'
import { loadPath } from '../scenarios/load-path.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import { junitOf, type ScenarioResult } from './junit.ts'
import { openScenarioRunner } from './scenario-runner.ts'

/** Takes text to print, its line feed included. */
export type Write = (text: string) => void

/** Reads the files without running anything. @param paths folders or files; none: the shipped ones */
export async function checkScenarios(paths: readonly string[], write: Write): Promise<number> {
  const scenarios = await load(paths, write)
  if (!scenarios) return 1
  write(scenarios.length === 1 ? '1 scenario is right\n' : `${scenarios.length} scenarios are right\n`)
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
): Promise<number> {
  const scenarios = await load(paths, write)
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
      write(lineOf(result))
    }
  } finally {
    await runner.close()
  }
  const unwritten = junit === undefined ? undefined : await written(junit, junitOf(results))
  const failed = results.filter(({ failures }) => failures.length > 0).length
  write(`${results.length - failed} of ${results.length} scenarios hold\n`)
  if (unwritten !== undefined) write(unwritten)
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
    return `--junit ${file}: the report cannot be written: ${why}; give the path of a file in a folder that is there\n`
  }
}

const REASONS: { readonly [code: string]: string } = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'it is a folder',
  EACCES: 'it may not be written',
}

/** Names, titles and magic numbers of the shipped scenarios. */
export async function listScenarios(write: Write): Promise<number> {
  const scenarios = shippedScenarios()
  const width = Math.max(...scenarios.map(({ name }) => name.length))
  for (const { name, title, magic } of scenarios) {
    const number = magic === null ? 'by name' : magicNumbers(magic)[0]!.local
    write(`${name.padEnd(width)}  ${number.padEnd(10)}  ${title}\n`)
  }
  return 0
}

async function load(paths: readonly string[], write: Write): Promise<readonly Scenario[] | undefined> {
  const read = await Promise.allSettled((paths.length > 0 ? paths : [shippedFolder]).map(loadPath))
  const errors = read.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []))
  for (const error of errors) {
    if (!(error instanceof ScenarioError)) throw error
    write(`${error.message}\n`)
  }
  if (errors.length > 0) return undefined
  const found = read.map((each) => (each.status === 'fulfilled' ? each.value : []))
  const empty = paths.filter((_, n) => found[n]!.length === 0)
  for (const path of empty)
    write(`${path}: there is no scenario in it; scenario files end with .yaml, .yml or .json\n`)
  return empty.length > 0 ? undefined : found.flat()
}

const lineOf = ({ name, title, failures, ms }: ScenarioResult) =>
  failures.length === 0
    ? `ok    ${name}: ${title} (${ms} ms)\n`
    : `FAIL  ${name}: ${title}\n${failures.map((failure) => `        ${failure}\n`).join('')}`
