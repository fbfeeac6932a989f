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

/** A part of a text, and how well it fits. */
interface Hit {
  readonly uri: string
  readonly name: string
  readonly heading: string
  readonly excerpt: string
}

/** How many parts a search tells. */
const HITS = 8
/** Characters of each. */
const EXCERPT = 600

/** The parts of all texts that have the words of a query, best first. */
async function searchDocuments(world: WorldClient, query: string): Promise<readonly Hit[]> {
  const words = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [])].slice(0, 12)
  if (words.length === 0) return []
  const texts = (await textAt(world, '/llms-full.txt')).split(/^(?=# .*\n\nSource: \S+$)/m)
  const scored = texts.flatMap((text) =>
    partsOf(text).map((part) => ({ ...part, score: scoreOf(part, words) })),
  )
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, HITS)
    .map(({ uri, name, heading, body }) => ({ uri, name, heading, excerpt: excerptOf(body, words) }))
}

type Part = { readonly uri: string; readonly name: string; readonly heading: string; readonly body: string }

/** A text by its headings of the second level. */
function partsOf(text: string): readonly Part[] {
  const [, title, path] = /^# (.*)\n\nSource: \S*?(\/docs\/\S+)$/m.exec(text) ?? []
  const name = path === undefined ? undefined : nameIn(path)
  if (title === undefined || name === undefined) return []
  return text.split(/^(?=## )/m).map((body) => {
    const [, below] = /^## (.*)/.exec(body) ?? []
    return { uri: SCHEME + path!, name, heading: below === undefined ? title : `${title}: ${below}`, body }
  })
}

/** Parts with more of the words come first, those whose heading has them before others. */
function scoreOf({ heading, name, body }: Part, words: readonly string[]): number {
  const head = `${name} ${heading}`.toLowerCase()
  const text = body.toLowerCase()
  const found = words.map((word) => {
    const times = Math.min(text.split(word).length - 1, 5)
    return (head.includes(word) ? 6 : 0) + times
  })
  const matched = found.filter((each) => each > 0).length
  return matched === 0 ? 0 : matched * 10 + found.reduce((sum, each) => sum + each, 0)
}

function excerptOf(body: string, words: readonly string[]): string {
  const text = body.toLowerCase()
  const first = Math.min(...words.map((word) => text.indexOf(word)).filter((at) => at >= 0), body.length)
  const from = Math.max(0, body.lastIndexOf('\n', first))
  return body.slice(from, from + EXCERPT).trim()
}

async function textAt(world: WorldClient, path: string): Promise<string> {
  const answer = await world.fetch(path, { headers: { accept: 'text/markdown' } })
  if (!answer.ok) throw new ToolError(`${path} answered ${answer.status}`)
  return answer.text()
}
