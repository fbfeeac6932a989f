import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, extname, join, relative } from 'node:path'
import { ScenarioError } from './issues.ts'
import { FILE_LIMITS, gather, readScenario } from './read.ts'
import type { Scenario } from './scenario.ts'

const endings = ['.yaml', '.yml', '.json']
const isScenarioFile = (name: string) => endings.includes(extname(name)) && !name.endsWith('.schema.json')

/** Below a folder of hidden things, or of packages, nothing is the user's. */
const isOwn = (path: string) => !/(^|[/\\])(\.|node_modules[/\\])/.test(path)

/** The scenarios of a file, or of every scenario file in a folder and those below it. @throws ScenarioError */
export async function loadPath(path: string): Promise<readonly Scenario[]> {
  const first = new Map<string, string>()
  return gather(await filesAt(path), async (file) => {
    const shown = relative(process.cwd(), file) || file
    const name = basename(file, extname(file))
    const before = first.get(name)
    if (before !== undefined) throw twice(shown, name, before)
    first.set(name, shown)
    return readScenario(name, shown, await textOf(file, shown))
  })
}

const twice = (file: string, name: string, before: string) =>
  new ScenarioError([
    {
      file,
      line: 1,
      column: 1,
      message: `the name ${name} is there twice: ${before} has it, too; rename one`,
    },
  ])

/** @throws ScenarioError for one that is too large to be read */
async function textOf(file: string, shown: string): Promise<string> {
  const { size } = await stat(file)
  const most = FILE_LIMITS.characters
  if (size <= most) return readFile(file, 'utf8')
  const message = `the file is too large: it has ${size} bytes, and ${most} are the most`
  throw new ScenarioError([{ file: shown, line: 1, column: 1, message }])
}

/** The scenario files of a folder and those below it in the order of their paths, or the file itself. @throws ScenarioError */
export async function filesAt(path: string): Promise<readonly string[]> {
  let found
  try {
    found = await stat(path)
  } catch {
    const message = 'no such file or folder; give a folder, a file, or YAML'
    throw new ScenarioError([{ file: path, line: 1, column: 1, message }])
  }
  if (!found.isDirectory()) return [path]
  const names = (await readdir(path, { recursive: true })).filter(isScenarioFile).filter(isOwn).sort()
  return names.map((name) => join(path, name))
}
