/** What is written of the service and the sandbox. */
export const docs = tool({
  name: 'docs',
  title: 'Search and read the documentation',
  description:
    'Finds parts of the guides and operations by words (search), or gives one whole (read: a guide such as quick-start or scenario-files, an operation such as createCollection, or skill for how to integrate and test). Without either it lists them. What is marked observed or assumed there is not promised by the service.',
  input: z.strictObject({
    search: z.string().max(200).optional().describe('A few words, such as "verify signature php".'),
    read: z.string().max(200).optional().describe('The name of a guide or of an operation.'),
  }),
  output: z.object({
    found: listOf('Parts that fit, best first, or all texts.'),
    text: z.string().nullable().describe('The text that was read.'),
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
        text: text || `Nothing has ${search}; call docs without arguments for the list.`,
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
import { listOf, LOOKS, tool, ToolError } from './tool.ts'

/** A text that can be read. */
export interface Document {
  /** Such as `sandbox://docs/guides/receive-callbacks.md`. */
  readonly uri: string
  /** `callbacks`, `createCollection` */
  readonly name: string
  readonly title: string
  readonly about: string
}

const SCHEME = 'sandbox:/'
/** No other path of the sandbox is read for anybody. */
const READABLE = /^\/docs\/(?:(?:guides|operations)\/([\w-]+)|(skill))\.md$/

/** All there are, as /llms.txt lists them. */
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

/** @param asked its name or its address @throws ToolError with the nearest name when there is none */
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

interface Hit {
  readonly uri: string
  readonly name: string
  readonly heading: string
  readonly excerpt: string
}

/** Searches the documentation of the sandbox; the best result comes first. */
async function searchDocuments(world: WorldClient, query: string): Promise<readonly Hit[]> {
  const response = await world.fetch(`/docs/search?q=${encodeURIComponent(query)}`)
  if (!response.ok) throw new ToolError(`/docs/search responded with ${response.status}`)
  const { found } = (await response.json()) as { found: readonly (Omit<Hit, 'uri'> & { path: string })[] }
  return found.map(({ name, heading, path, excerpt }) => ({ uri: SCHEME + path, name, heading, excerpt }))
}

async function textAt(world: WorldClient, path: string): Promise<string> {
  const answer = await world.fetch(path, { headers: { accept: 'text/markdown' } })
  if (!answer.ok) throw new ToolError(`${path} answered ${answer.status}`)
  return answer.text()
}
