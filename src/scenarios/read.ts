/** Scenario files as text: read, checked and refused with file, line and column. */
import type { FieldPath } from '../lib/text/field-path.ts'
import { readYaml, type YamlLimits, type YamlText } from '../lib/text/yaml-text.ts'
import { checkFile, type ScenarioFile } from './file.ts'
import { type Issue, MOST_TOLD } from '../lib/text/validation-messages.ts'
import { compileScenario } from './compile.ts'
import { type PlacedIssue, ScenarioError } from './issues.ts'
import type { Scenario } from './scenario.ts'

/** Lower-case words joined by hyphens. */
export const scenarioName = /^[a-z0-9]+(-[a-z0-9]+)*$/

/** What a file of the operator's may be. */
export const FILE_LIMITS: YamlLimits = { characters: 1_048_576, signs: Infinity }
/** What a client may put: it is read while others wait. */
export const TEXT_LIMITS: YamlLimits = { characters: 65_536, signs: 12_000 }

/**
 * The scenario in a text of YAML or JSON.
 * @param file what issues are reported against
 * @throws ScenarioError
 */
export async function readScenario(name: string, file: string, text: string): Promise<Scenario> {
  return compileScenario(name, file, await readFileOf(name, file, text))
}

/**
 * What a text of YAML or JSON says, checked.
 * @throws ScenarioError
 */
export async function readFileOf(
  name: string,
  file: string,
  text: string,
  limits = FILE_LIMITS,
): Promise<ScenarioFile> {
  const { place, value } = parse(file, text, limits)
  return readValue(name, file, value, [], place)
}

/**
 * The scenarios of one text: a single file when it has a `title`, else a map of name to file.
 * @throws ScenarioError
 */
export async function readScenarios(file: string, text: string): Promise<readonly Scenario[]> {
  const { place, value } = parse(file, text, FILE_LIMITS)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ScenarioError([
      { file, ...place([]), message: 'must be a scenario, or a map of name to scenario' },
    ])
  const read = async (name: string, each: unknown, at: FieldPath) =>
    compileScenario(name, file, await readValue(name, file, each, at, place))
  if ('title' in value) return [await read('inline', value, [])]
  return gather(Object.entries(value), ([name, each]) => read(name, each, [name]))
}

/** Reads them all, so that every issue is told at once. @throws ScenarioError */
export async function gather<From>(
  items: readonly From[],
  read: (item: From) => Promise<Scenario>,
): Promise<readonly Scenario[]> {
  const issues: PlacedIssue[] = []
  let more = 0
  const scenarios: Scenario[] = []
  for (const item of items) {
    try {
      scenarios.push(await read(item))
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      issues.push(...error.issues)
      more += error.more
    }
  }
  if (issues.length > 0) throw new ScenarioError(issues, more)
  return scenarios
}

async function readValue(
  name: string,
  file: string,
  value: unknown,
  at: FieldPath,
  place: YamlText['place'],
): Promise<ScenarioFile> {
  const told = ({ path, message, on_key }: Issue): PlacedIssue => ({
    file,
    ...place([...at, ...path], on_key),
    message,
  })
  if (!scenarioName.test(name))
    throw new ScenarioError([
      { file, ...place(at, true), message: `the name "${name}" must be lower-case words joined by hyphens` },
    ])
  const checked = await checkFile(value)
  if ('issues' in checked) throw errorOf(checked.issues, told, checked.more)
  return checked.file
}

/** The first issues are told. */
const errorOf = <Wrong>(issues: readonly Wrong[], told: (issue: Wrong) => PlacedIssue, more = 0) =>
  new ScenarioError(issues.slice(0, MOST_TOLD).map(told), more + Math.max(0, issues.length - MOST_TOLD))

/** @throws ScenarioError */
function parse(file: string, text: string, limits: YamlLimits): YamlText {
  const read = readYaml(text, limits)
  if ('issues' in read) throw errorOf(read.issues, (issue) => ({ file, ...issue }))
  return read
}
