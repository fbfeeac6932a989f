export const docs = tool({
  name: 'docs',
  description:
    'Searches the guides and operations, or returns one: a guide such as quick-start, an operation such as createCollection, or skill for how to integrate and test. Without arguments it lists them. The service does not guarantee statements marked observed or assumed.',
  input: z.strictObject({
    search: z.string().max(200).optional().describe('A few words.'),
    read: z.string().max(200).optional().describe('The name of a guide or operation.'),
  }),
  hints: LOOKS,
  async run(world, { search, read }) {
    if (read !== undefined) {
      const { text, ...found } = await readDocument(world, read)
      return { text, facts: { found: [found], text } }
    }
    if (search !== undefined) {
      const found = await searchDocuments(world, search)
      const text = found
        .map((each) => `${each.heading} (read: ${each.name})\n${each.excerpt}`)
        .join('\n\n---\n\n')
      return {
        text: text || `No document matches ${search}; call docs without arguments for the list.`,
        facts: { found, text: null },
      }
    }
    const found = await documentsOf(world)
    return {
      text: found
        .map(
          ({ name, title, about }) =>
            `${name}: ${[title, about].filter((each) => each !== name && each !== '').join('; ')}`,
        )
        .join('\n'),
      facts: { found, text: null },
    }
  },
})
import * as z from 'zod'
import type { WorldClient } from '../client/types.ts'
import { didYouMean } from '../lib/text/suggest.ts'
import { LOOKS, tool, ToolError } from './tool.ts'

export interface Document {
  /** Such as `sandbox://docs/guides/receive-callbacks.md`. */
  readonly uri: string
  /** `callbacks`, `createCollection` */
  readonly name: string
  readonly title: string
  readonly about: string
}

const SCHEME = 'sandbox:/'
/** The only paths of the sandbox that agents can read. */
const READABLE = /^\/docs\/(?:(?:guides|operations)\/([\w-]+)|(skill))\.md$/

/** Resolves to the documents that /llms.txt lists. */
export async function documentsOf(world: WorldClient): Promise<readonly Document[]> {
  const list = await textAt(world, '/llms.txt')
  return [...list.matchAll(/^- \[(.+?)\]\([^)\s]*?(\/docs\/[^)\s]+)\)(?:: (.*))?$/gm)].flatMap(
    ([, title, path, about = '']) => {
      const name = nameIn(path!)
      return name === undefined ? [] : [{ uri: SCHEME + path!, name, title: title!, about }]
    },
  )
}

const nameIn = (path: string): string | undefined => {
  const [, page, skill] = READABLE.exec(path) ?? []
  return page ?? skill
}

/** @param asked - A name or URI. @throws ToolError with the closest name if it does not exist */
export async function readDocument(
  world: WorldClient,
  asked: string,
): Promise<Document & { readonly text: string }> {
  const all = await documentsOf(world)
  const name =
    nameIn(asked.replace(/^sandbox:\/\//, '/').replace(/[?#].*$/, '')) ?? asked.replace(/\.md$/, '')
  const found = all.find((each) => each.uri === asked) ?? all.find((each) => each.name === name)
  if (!found)
    throw new ToolError(
      `there is no guide or operation ${asked}${didYouMean(
        name,
        all.map((each) => each.name),
      )}; docs with search finds one`,
    )
  return { ...found, text: await textAt(world, found.uri.slice(SCHEME.length)) }
}

/** Searches the documentation of the sandbox; the best result comes first. */
async function searchDocuments(world: WorldClient, query: string) {
  const response = await world.fetch(`/docs/search?q=${encodeURIComponent(query)}`)
  if (!response.ok) throw new ToolError(`/docs/search responded with ${response.status}`)
  type Found = { found: readonly { name: string; heading: string; path: string; excerpt: string }[] }
  const { found } = (await response.json()) as Found
  return found.map(({ name, heading, path, excerpt }) => ({ uri: SCHEME + path, name, heading, excerpt }))
}

async function textAt(world: WorldClient, path: string): Promise<string> {
  const answer = await world.fetch(path, { headers: { accept: 'text/markdown' } })
  if (!answer.ok) throw new ToolError(`${path} answered ${answer.status}`)
  return answer.text()
}
