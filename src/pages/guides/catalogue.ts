import { readFile } from 'node:fs/promises'
import { files } from '../../lib/files.ts'
import { untilMade } from '../asset.ts'

/** Guides under one heading of the list. */
export type Group = ReturnType<typeof groupsOf>[number]

/** The page that lists the guides. */
export const LIST = 'README'

/** Parses the list of guides. @param list - Markdown with headings and one link per guide */
export function groupsOf(list: string) {
  return list
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      title: part.slice(0, part.indexOf('\n')),
      guides: [...part.matchAll(/^- \[(.+?)\]\(([\w-]+)\.md\)(?:: (.*))?/gm)].map(
        ([, title, name, about = '']) => ({
          title: title!,
          /** Its file name without `.md`, which is also its path: `callbacks`. */
          name: name!,
          /** A one-line summary. */
          about,
        }),
      ),
    }))
}

/** Reads the list of guides. */
export const readGroups = untilMade(async () => groupsOf(await readGuide(LIST)))

export const readGuide = (name: string): Promise<string> =>
  readFile(new URL(`${name}.md`, files.guides), 'utf8')
