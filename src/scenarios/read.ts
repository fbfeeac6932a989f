/** Scenario files as text: read, checked and refused with file, line and column. */
import type { Document, Node } from 'yaml'
import { isMap, isPair, isScalar, LineCounter, parseDocument } from 'yaml'
import { checkFile } from './check-file.ts'
import type { Complaint } from './complaints.ts'
import { compileScenario } from './compile.ts'
import { type Fault, ScenarioError } from './fault.ts'
import type { ScenarioFile } from './schema.ts'
import type { Scenario } from './terms.ts'

/** Lower-case words joined by hyphens. */
export const scenarioName = /^[a-z0-9]+(-[a-z0-9]+)*$/

/**
 * The scenario in a text of YAML or JSON.
 * @param file what faults are reported against
 * @throws ScenarioError
 */
export async function readScenario(name: string, file: string, text: string): Promise<Scenario> {
  return compileScenario(name, file, await readFileOf(name, file, text))
}

/**
 * What a text of YAML or JSON says, checked.
 * @throws ScenarioError
 */
export async function readFileOf(name: string, file: string, text: string): Promise<ScenarioFile> {
  const { place, value } = parse(file, text)
  return readValue(name, file, value, [], place)
}

/**
 * The scenarios of one text: a single file when it has a `title`, else a map of name to file.
 * @throws ScenarioError
 */
export async function readScenarios(file: string, text: string): Promise<readonly Scenario[]> {
  const { place, value } = parse(file, text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ScenarioError([
      { file, ...place([]), message: 'must be a scenario, or a map of name to scenario' },
    ])
  const read = async (name: string, each: unknown, at: Path) =>
    compileScenario(name, file, await readValue(name, file, each, at, place))
  if ('title' in value) return [await read('inline', value, [])]
  return gather(Object.entries(value), ([name, each]) => read(name, each, [name]))
}

/** Reads them all, so that every fault is told at once. @throws ScenarioError */
export async function gather<From>(
  items: readonly From[],
  read: (item: From) => Promise<Scenario>,
): Promise<readonly Scenario[]> {
  const faults: Fault[] = []
  const scenarios: Scenario[] = []
  for (const item of items) {
    try {
      scenarios.push(await read(item))
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      faults.push(...error.faults)
    }
  }
  if (faults.length > 0) throw new ScenarioError(faults)
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
  const faults = (complaints: readonly Complaint[]) =>
    complaints.map(({ path, message, on_key }) => ({ file, ...place([...at, ...path], on_key), message }))
  if (!scenarioName.test(name))
    throw new ScenarioError([
      { file, ...place(at, true), message: `the name "${name}" must be lower-case words joined by hyphens` },
    ])
  const checked = await checkFile(value)
  if ('complaints' in checked) throw new ScenarioError(faults(checked.complaints))
  return checked.file
}

function parse(file: string, text: string): { value: unknown; place: Place } {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  if (document.errors.length > 0)
    throw new ScenarioError(
      document.errors.map((error) => ({ file, ...at(error.pos[0]), message: error.message.split('\n')[0]! })),
    )
  const place: Place = (path, onKey = false) => at(offsetOf(document, path, onKey))
  try {
    return { value: document.toJS(), place }
  } catch (error) {
    throw new ScenarioError([{ file, line: 1, column: 1, message: (error as Error).message }])
  }
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
