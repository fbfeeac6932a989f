/** Scenario files as text: read, checked and refused with file, line and column. */
import type { Document, Node } from 'yaml'
import { isMap, isPair, isScalar, LineCounter, parseDocument } from 'yaml'
import { checkMeaning } from './check.ts'
import { complaintsOf, type Complaint } from './complaints.ts'
import { compileScenario } from './compile.ts'
import { type Fault, ScenarioError } from './fault.ts'
import { fileSchema, type ScenarioFile } from './schema.ts'
import type { Scenario } from './terms.ts'

/** Lower-case words joined by hyphens. */
export const scenarioName = /^[a-z0-9]+(-[a-z0-9]+)*$/

/**
 * The scenario in a text of YAML or JSON.
 * @param file what faults are reported against
 * @throws ScenarioError
 */
export function readScenario(name: string, file: string, text: string): Scenario {
  return compileScenario(name, file, readFileOf(name, file, text))
}

/**
 * What a text of YAML or JSON says, checked.
 * @throws ScenarioError
 */
export function readFileOf(name: string, file: string, text: string): ScenarioFile {
  const { place, value } = parse(file, text)
  return readValue(name, file, value, [], place)
}

/**
 * The scenarios of one text: a single file when it has a `title`, else a map of name to file.
 * @throws ScenarioError
 */
export function readScenarios(file: string, text: string): readonly Scenario[] {
  const { place, value } = parse(file, text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ScenarioError([
      { file, ...place([]), message: 'must be a scenario, or a map of name to scenario' },
    ])
  const read = (name: string, each: unknown, at: Path) =>
    compileScenario(name, file, readValue(name, file, each, at, place))
  if ('title' in value) return [read('inline', value, [])]
  return gather(Object.entries(value), ([name, each]) => read(name, each, [name]))
}

/** Reads them all, so that every fault is told at once. @throws ScenarioError */
export function gather<From>(items: readonly From[], read: (item: From) => Scenario): readonly Scenario[] {
  const faults: Fault[] = []
  const scenarios = items.flatMap((item) => {
    try {
      return [read(item)]
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      faults.push(...error.faults)
      return []
    }
  })
  if (faults.length > 0) throw new ScenarioError(faults)
  return scenarios
}

type Path = readonly (string | number)[]
type Place = (path: Path, onKey?: boolean) => { line: number; column: number }

function readValue(name: string, file: string, value: unknown, at: Path, place: Place): ScenarioFile {
  const faults = (complaints: readonly Complaint[]) =>
    complaints.map(({ path, message, on_key }) => ({ file, ...place([...at, ...path], on_key), message }))
  if (!scenarioName.test(name))
    throw new ScenarioError([
      { file, ...place(at, true), message: `the name "${name}" must be lower-case words joined by hyphens` },
    ])
  const result = fileSchema.safeParse(value, { reportInput: true })
  if (!result.success)
    throw new ScenarioError(faults(result.error.issues.flatMap((issue) => complaintsOf(issue))))
  const parsed: ScenarioFile = result.data
  const complaints = checkMeaning(parsed)
  if (complaints.length > 0) throw new ScenarioError(faults(complaints))
  return parsed
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
