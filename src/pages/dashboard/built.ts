import { readFile } from 'node:fs/promises'
import { files } from '../../files.ts'

/** What the build wrote of the dashboard: names of files that lie in `files.dashboard`, each with the hash of its content in it. */
export interface Built {
  readonly script: string
  /** What the script imports before it runs. */
  readonly beside: readonly string[]
  readonly style: string
  /** All files, those that are loaded only at need as well. */
  readonly all: readonly string[]
}

/** @returns undefined when nothing was built, as in a clone of which only the sources are run */
export async function readBuilt(): Promise<Built | undefined> {
  try {
    return JSON.parse(await readFile(new URL('built.json', files.dashboard), 'utf8')) as Built
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
