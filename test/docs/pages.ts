import { readFileSync } from 'node:fs'
import { groupsOf } from '../../src/pages/guides/catalogue.ts'

/** The pages of each shelf, as files. */
const shelves = groupsOf(readFileSync('docs/README.md', 'utf8')).map(({ title, guides }) => ({
  title,
  pages: guides.map(({ name }) => `docs/${name}.md`),
}))

const pagesOn = (...titles: readonly string[]) =>
  shelves.filter(({ title }) => titles.includes(title)).flatMap(({ pages }) => pages)

/** Every page of the guides. */
export const allPages = shelves.flatMap(({ pages }) => pages)

/** Pages with steps to follow. */
export const stepByStep = pagesOn('Tutorials', 'How-to')

export interface Block {
  readonly page: string
  readonly language: string
  readonly code: string
  /** The suite that runs the block, from `<!-- run: … -->` before it. */
  readonly suite: string | undefined
  /** Why no suite runs the block, from `<!-- not run: … -->` before it. */
  readonly reason: string | undefined
}

/** The fenced blocks of a page. */
export const blocksOf = (page: string): readonly Block[] =>
  [
    ...readFileSync(page, 'utf8').matchAll(
      /(?:^<!-- (?:run: (.*?)|not run: (.*?)) -->\n+)?^```(\w+)\n([^]*?)^```$/gm,
    ),
  ].map(([, suite, reason, language, code]) => ({ page, suite, reason, language: language!, code: code! }))

/** Words of prose and tables; code, markup and figures do not count. */
export const wordsIn = (markdown: string): number =>
  markdown
    .replace(/^```[^]*?^```$/gm, '')
    .replace(/<!--.*?-->/g, '')
    .replace(/\]\([^)]*\)/g, ']')
    .split(/\s+/)
    .filter((word) => /\p{L}/u.test(word)).length
