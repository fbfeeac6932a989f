import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, extname, join, relative } from 'node:path'
import { ScenarioError } from './issues.ts'
import { FILE_LIMITS, gather, readScenario } from './read.ts'
import type { Scenario } from './scenario.ts'

const endings = ['.yaml', '.yml', '.json']
const isScenarioFile = (name: string) => endings.includes(extname(name)) && !name.endsWith('.schema.json')

/** The scenarios of a file, or of every scenario file in a folder. @throws ScenarioError */
export async function loadPath(path: string): Promise<readonly Scenario[]> {
  return gather(await filesAt(path), async (file) => {
    const shown = relative(process.cwd(), file) || file
    return readScenario(basename(file, extname(file)), shown, await textOf(file, shown))
  })
}

/** @throws ScenarioError for one that is too large to be read */
async function textOf(file: string, shown: string): Promise<string> {
  const { size } = await stat(file)
  const most = FILE_LIMITS.characters
  if (size <= most) return readFile(file, 'utf8')
  const message = `the file is too large: it has ${size} bytes, and ${most} are the most`
  throw new ScenarioError([{ file: shown, line: 1, column: 1, message }])
}

/** The scenario files of a folder in the order of their names, or the file itself. @throws ScenarioError */
export async function filesAt(path: string): Promise<readonly string[]> {
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
