import { readFile } from 'node:fs/promises'
import { files } from '../../lib/files.ts'

/** A guide in the list. */
export interface Guide {
  /** Its file name without `.md`, which is also its path: `callbacks`. */
  readonly name: string
  readonly title: string
  /** A one-line summary. */
  readonly about: string
}

/** Guides under one heading of the list. */
export interface Group {
  readonly title: string
  readonly guides: readonly Guide[]
}

/** The page that lists the guides. */
export const LIST = 'README'

/** Parses the list of guides. @param list - Markdown with headings and one link per guide */
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

export const readGuide = (name: string): Promise<string> =>
  readFile(new URL(`${name}.md`, files.guides), 'utf8')
