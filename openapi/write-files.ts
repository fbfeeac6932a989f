import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Writes the changed files of a folder; with `check`, writes nothing.
 * @returns the paths of the changed files
 */
export async function writeFiles(
  folder: string,
  files: ReadonlyMap<string, string>,
  { check = false } = {},
): Promise<readonly string[]> {
  const changed: string[] = []
  for (const [name, text] of files) {
    const path = join(folder, name)
    if ((await textOf(path)) === text) continue
    changed.push(path)
    if (check) continue
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  return changed
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
