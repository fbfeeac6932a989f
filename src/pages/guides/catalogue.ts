import { readFile } from 'node:fs/promises'
import { files } from '../../files.ts'

/** A guide as the list has it. */
export interface Guide {
  /** Its file without `.md`, and its place in the address: `callbacks`. */
  readonly name: string
  readonly title: string
  /** What it is about, in a line. */
  readonly about: string
}

/** The guides by what they are for, in the order of the list. */
export interface Group {
  readonly title: string
  readonly guides: readonly Guide[]
}

/** The guide that lists the others; its file is the folder's. */
export const LIST = 'README'

/** The list of guides, which is a page of its own too. @param list its Markdown: headings, and below them a link a guide */
export function groupsOf(list: string): readonly Group[] {
  return list
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      title: part.slice(0, part.indexOf('\n')),
      guides: [...part.matchAll(/^- \[(.+?)\]\(([\w-]+)\.md\)(?:: (.*))?/gm)].map(
        ([, title, name, about = '']) => ({
          title: title!,
          name: name!,
          about,
        }),
      ),
    }))
}

/** A guide's Markdown as it was written. @param name of the list, or of a guide in it */
export const readGuide = (name: string): Promise<string> =>
  readFile(new URL(`${name}.md`, files.guides), 'utf8')
