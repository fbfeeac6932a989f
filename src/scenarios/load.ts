/** Where scenario files come from: the shipped folder, a folder or file of the user's, or text in the environment. */
import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { libraryOf, type Library } from './library.ts'
import { type Fault, gather, readScenario, readScenarios, ScenarioError } from './read.ts'
import type { Scenario } from './terms.ts'

/** The files that come with the sandbox. */
export const shippedFolder = fileURLToPath(new URL('../../scenarios/', import.meta.url))

const endings = ['.yaml', '.yml', '.json']
const isScenarioFile = (name: string) => endings.includes(extname(name)) && !name.endsWith('.schema.json')

/** A path, or, when there is a line feed or a `title:` in it, the text itself. */
export const isInline = (given: string) => !existsSync(given) && /\n|[:{]\s/.test(given)

/**
 * Every scenario of the process, the user's in front of the shipped ones of the same name.
 * @param given a folder, a file or inline YAML; null for none
 * @throws ScenarioError with every fault of every file
 */
export async function loadLibrary(given: string | null): Promise<Library> {
  const faults: Fault[] = []
  const scenarios: Scenario[] = []
  for (const load of [() => loadPath(shippedFolder), ...(given === null ? [] : [() => loadGiven(given)])]) {
    try {
      scenarios.push(...(await load()))
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      faults.push(...error.faults)
    }
  }
  if (faults.length > 0) throw new ScenarioError(faults)
  return libraryOf(scenarios)
}

async function loadGiven(given: string): Promise<readonly Scenario[]> {
  if (isInline(given)) return readScenarios('SANDBOX_SCENARIOS', given)
  return loadPath(given)
}

/** The scenarios of a file, or of every scenario file in a folder. @throws ScenarioError */
export async function loadPath(path: string): Promise<readonly Scenario[]> {
  const files = await filesAt(path)
  const texts = await Promise.all(files.map(async (file) => ({ file, text: await readFile(file, 'utf8') })))
  return gather(texts, ({ file, text }) =>
    readScenario(basename(file, extname(file)), relative(process.cwd(), file) || file, text),
  )
}

async function filesAt(path: string): Promise<readonly string[]> {
  let found
  try {
    found = await stat(path)
  } catch {
    const message = 'no such file or folder; give a folder, a file, or YAML'
    throw new ScenarioError([{ file: path, line: 1, column: 1, message }])
  }
  if (!found.isDirectory()) return [path]
  const names = (await readdir(path)).filter(isScenarioFile).sort()
  return names.map((name) => join(path, name))
}
