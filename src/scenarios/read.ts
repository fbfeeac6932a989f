/** Scenario files as text: read, checked and refused with file, line and column. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, extname, join, relative } from 'node:path'
import { files } from '../lib/files.ts'
import type { FieldPath } from '../lib/text/field-path.ts'
import { type Issue, MOST_TOLD } from '../lib/text/validation-messages.ts'
import { checkedYaml, readYaml, writeYaml, type YamlLimits, type YamlText } from '../lib/text/yaml-text.ts'
import { checkIncident, type IncidentFile } from './incident.ts'
import { compileScenario, OWN_FILE, type ScenarioState } from './library.ts'
import { checkFile, type PlacedIssue, ScenarioError, type ScenarioFile } from './file.ts'
import type { Scenario } from './scenario.ts'

/** Lower-case words joined by hyphens. */
export const scenarioName = /^[a-z0-9]+(-[a-z0-9]+)*$/

/** Limits of the operator's files. */
const FILE_LIMITS: YamlLimits = { characters: 1_048_576, signs: Infinity }
export function readIncident(file: string, text: string, scenarios: readonly string[]): IncidentFile {
  const read = checkedYaml(text, FILE_LIMITS, (value) => checkIncident(value, scenarios))
  if ('file' in read) return read.file
  throw errorOf(read.issues, ({ line, column, message }) => ({ file, line, column, message }), read.more)
}

/** Limits of clients' files, which the sandbox parses while other requests wait. */
export const TEXT_LIMITS: YamlLimits = { characters: 65_536, signs: 12_000 }

export async function readScenario(name: string, file: string, text: string): Promise<Scenario> {
  return compileScenario(name, file, await readFileOf(name, file, text))
}

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

/** Reads all files to report every issue at once. @throws ScenarioError */
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

/** Reports the first issues and counts the rest. */
const errorOf = <Wrong>(issues: readonly Wrong[], told: (issue: Wrong) => PlacedIssue, more = 0) =>
  new ScenarioError(issues.slice(0, MOST_TOLD).map(told), more + Math.max(0, issues.length - MOST_TOLD))

function parse(file: string, text: string, limits: YamlLimits): YamlText {
  const read = readYaml(text, limits)
  if ('issues' in read) throw errorOf(read.issues, (issue) => ({ file, ...issue }))
  return read
}

const endings = ['.yaml', '.yml', '.json']
const isScenarioFile = (name: string) => endings.includes(extname(name)) && !name.endsWith('.schema.json')

/** Skips hidden folders and installed packages. */
const isOwn = (path: string) => !/(^|[/\\])(\.|node_modules[/\\])/.test(path)

/** Loads a file, or all scenario files in a folder and its subfolders. @throws ScenarioError */
export async function loadPath(path: string): Promise<readonly Scenario[]> {
  const first = new Map<string, string>()
  return gather(await filesAt(path), async (file) => {
    const shown = relative(process.cwd(), file) || file
    const name = basename(file, extname(file))
    const before = first.get(name)
    if (before !== undefined)
      throw unread(shown, `the name ${name} is not unique: ${before} also has it; rename one of them`)
    first.set(name, shown)
    return readScenario(name, shown, await textOf(file, shown))
  })
}

/** An issue of a whole file. */
const unread = (file: string, message: string) => new ScenarioError([{ file, line: 1, column: 1, message }])

/** @throws ScenarioError for a file that is too large */
async function textOf(file: string, shown: string): Promise<string> {
  const { size } = await stat(file)
  const most = FILE_LIMITS.characters
  if (size <= most) return readFile(file, 'utf8')
  throw unread(shown, `the file is too large: ${size} bytes, at most ${most}`)
}

/** Returns the scenario files of a folder and its subfolders sorted by path, or the file itself. @throws ScenarioError */
export async function filesAt(path: string): Promise<readonly string[]> {
  let found
  try {
    found = await stat(path)
  } catch {
    throw unread(path, 'no such file or folder; give a folder, a file, or YAML')
  }
  if (!found.isDirectory()) return [path]
  const names = (await readdir(path, { recursive: true })).filter(isScenarioFile).filter(isOwn).sort()
  return names.map((name) => join(path, name))
}

/** Returns the original text of a scenario if the sandbox has it, otherwise YAML from the parsed file. */
export async function sourceText(scenario: Scenario, { texts = {} }: ScenarioState): Promise<string> {
  const { name, shipped, source, file } = scenario
  if (source === OWN_FILE && Object.hasOwn(texts, name)) return texts[name]!
  return shipped ? readFile(new URL(`${name}.yaml`, files.scenarios), 'utf8') : writeYaml(file)
}
