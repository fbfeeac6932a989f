import { readFile } from 'node:fs/promises'
import { files } from '../../files.ts'

/** What the build wrote of the element, in `files.embed`. */
export interface BuiltElement {
  /** What a page loads first: the element's name, and room for what it will show. */
  readonly shell: string
  /** The file that shows an operation, loaded when one is seen; its name changes with its content. */
  readonly renderer: string
}

/** @returns undefined when nothing was built, as in a clone of which only the sources are run */
export async function readBuiltElement(): Promise<BuiltElement | undefined> {
  try {
    return JSON.parse(await readFile(new URL('built.json', files.embed), 'utf8')) as BuiltElement
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
