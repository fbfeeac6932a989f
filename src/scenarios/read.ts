/** Scenario files as text: read, checked and refused with file, line and column. */
import type { Document, Node } from 'yaml'
import { isMap, isPair, isScalar } from 'yaml'
import { readYaml, type YamlLimits } from '../yaml-text.ts'
import { checkFile } from './file.ts'
import type { Issue } from '../validation-messages.ts'
import { compileScenario } from './compile.ts'
import { type PlacedIssue, MOST_TOLD, ScenarioError } from './issues.ts'
import type { ScenarioFile } from './file.ts'
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
  const read = async (name: string, each: unknown, at: Path) =>
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

type Path = readonly (string | number)[]
type Place = (path: Path, onKey?: boolean) => { line: number; column: number }

async function readValue(
  name: string,
  file: string,
  value: unknown,
  at: Path,
  place: Place,
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
  if ('issues' in checked) throw errorOf(checked.issues, told)
  return checked.file
}

/** The first issues are told. */
const errorOf = <Wrong>(issues: readonly Wrong[], told: (issue: Wrong) => PlacedIssue) =>
  new ScenarioError(issues.slice(0, MOST_TOLD).map(told), Math.max(0, issues.length - MOST_TOLD))

/** @throws ScenarioError */
function parse(file: string, text: string, limits: YamlLimits): { value: unknown; place: Place } {
  const read = readYaml(text, limits)
  if ('issues' in read) throw errorOf(read.issues, (issue) => ({ file, ...issue }))
  const { document, value, place } = read
  return { value, place: (path, onKey = false) => place(offsetOf(document, path, onKey)) }
}

/** Where the node at a path begins, its key when asked; of the nearest one around it when it is not there. */
function offsetOf(document: Document.Parsed, path: Path, onKey: boolean): number {
  let node: Node | null = document.contents
  let offset = node?.range?.[0] ?? 0
  for (const [depth, step] of path.entries()) {
    if (isMap(node)) {
      const pair = node.items.find(
        (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(step),
      )
      if (!pair) break
      const key = pair.key as Node
      const value = pair.value as Node | null
      const last = depth === path.length - 1
      offset = (last && onKey ? key.range?.[0] : (value?.range?.[0] ?? key.range?.[0])) ?? offset
      node = value
    } else {
      const item = (node as { items?: readonly unknown[] } | null)?.items?.[Number(step)] as Node | undefined
      if (!item) break
      offset = item.range?.[0] ?? offset
      node = item
    }
  }
  return offset
}
