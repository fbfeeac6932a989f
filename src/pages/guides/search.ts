import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import type { Env } from '../../http/exchange.ts'
import { mountOf, originOf } from '../../http/caller.ts'
import { lazy } from '../../lib/lazy.ts'
import { type Chapter, readChapters } from '../operations/catalogue.ts'
import { operationMarkdown } from '../operations/markdown.ts'
import { page, type PageOptions, wantsPage } from '../page.ts'
import { readGroups, readGuide } from './catalogue.ts'
import { asHere } from './for-this-sandbox.ts'
import { slugOf } from './slug.ts'
import { guideSheet, placesOf } from './sheet.ts'

/** A section of a guide, a row of a reference table, or an operation. */
interface Entry {
  readonly name: string
  readonly heading: string
  /** The address for programs, as Markdown. */
  readonly path: string
  /** The address for browsers. */
  readonly page: string
  readonly body: string
  /** Name, heading and body in lower case. */
  readonly head: string
  readonly text: string
}

const HITS = 10
const EXCERPT = 600
/** Reference pages in which each row of a table is an entry of its own. */
const BY_ROW = new Set(['outcomes', 'settings', 'errors', 'glossary', 'limits'])

/** Serves `/docs/search?q=…` over guides, outcomes, settings, errors and operations: HTML for browsers, JSON for others. */
export function searchPage(app: Hono<Env>, options: PageOptions): void {
  const index = lazy(async () => {
    const guides = (await readGroups()).flatMap((group) => group.guides)
    const sections = await Promise.all(
      guides.map(async ({ name, title }) => sectionsOf(name, title, await readGuide(name))),
    )
    return [...sections.flat(), ...(await readChapters(options)).flatMap(operationsIn)]
  })

  app.get('/docs/search', async (c) => {
    const query = (c.req.query('q') ?? '').slice(0, 200)
    const words = wordsOf(query)
    const here = { origin: originOf(c), first: options.guide }
    const found = search(await index(), words).map(({ name, heading, path, page: at, body }) => ({
      name,
      heading,
      path,
      page: at,
      excerpt: asHere(excerptOf(body, words), here),
    }))
    c.header('Vary', 'Accept')
    return wantsPage(c) ? resultPage(c, query, found, await readGroups()) : c.json({ found })
  })
}

const entryOf = (entry: Omit<Entry, 'head' | 'text'>): Entry => ({
  ...entry,
  head: `${entry.name} ${entry.heading}`.toLowerCase(),
  text: entry.body.toLowerCase(),
})

function sectionsOf(name: string, title: string, markdown: string): readonly Entry[] {
  const path = `/docs/guides/${name}`
  return markdown
    .replace(/<!--.*?-->\n*/g, '')
    .split(/^(?=## )/m)
    .flatMap((body) => {
      const [, below] = /^## (.*)/.exec(body) ?? []
      const anchor = below === undefined ? '' : `#${slugOf(below)}`
      const at = { name, path: `${path}.md`, page: path + anchor }
      const rows = BY_ROW.has(name) ? [...body.matchAll(/^\| `?([^|`]+?)`? +\|.*$/gm)] : []
      return [
        entryOf({ ...at, heading: below === undefined ? title : `${title}: ${below}`, body }),
        ...rows
          .filter(([, word]) => !/^-+$/.test(word!))
          .map(([row, word]) => entryOf({ ...at, heading: `${title}: ${word}`, body: row })),
      ]
    })
}

const operationsIn = ({ api, description, operations }: Chapter): readonly Entry[] =>
  operations.map((each) => {
    const { operationId, summary, tags = [] } = each.operation
    return entryOf({
      name: operationId,
      heading: `${operationId}: ${summary}`,
      path: `/docs/operations/${operationId}.md`,
      page: `/docs#${api}/tag/${slugOf(tags[0] ?? '')}/${each.method.toUpperCase()}${each.path}`,
      body: operationMarkdown(description, each, true),
    })
  })

const wordsOf = (query: string): readonly string[] =>
  [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [])].slice(0, 12)

const search = (entries: readonly Entry[], words: readonly string[]): readonly Entry[] =>
  entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, HITS)
    .map(({ entry }) => entry)

/** Ranks entries by the number of matching words, then by matches in headings, then by frequency. */
function scoreOf({ head, text }: Entry, words: readonly string[]): number {
  const found = words.map((word) => {
    const times = text.includes(word) ? Math.min(text.split(word, 6).length - 1, 5) : 0
    return (head.includes(word) ? 6 : 0) + times
  })
  const matched = found.filter((each) => each > 0).length
  return matched * 10 + found.reduce((sum, each) => sum + each, 0)
}

/** Returns the text around the first match, in prose if a match is there. */
function excerptOf(body: string, words: readonly string[]): string {
  const at = (text: string) =>
    Math.min(...words.map((word) => text.indexOf(word)).filter((n) => n >= 0), body.length)
  const text = body.toLowerCase()
  const prose = at(
    text
      .replace(/^```[^]*?^```$/gm, (code) => ' '.repeat(code.length))
      .replace(/^#.*$/gm, (line) => ' '.repeat(line.length)),
  )
  const first = prose < body.length ? prose : at(text)
  const from = Math.max(0, body.lastIndexOf('\n', first))
  return body.slice(from, from + EXCERPT).trim()
}

/** Reduces Markdown to a line of prose for a list of results. */
function plain(markdown: string): string {
  const text = markdown
    .replace(/^```[^]*?(?:^```$|$(?![^]))|^#+ .*$|^[|\s-]+$/gm, ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replace(/^\s*\|\s*|\s*\|\s*$/gm, ' ')
    .replace(/\s*\|\s*/g, ' · ')
    .replace(/\s+/g, ' ')
    .trim()
  return text.length <= 180 ? text : `${text.slice(0, 180).replace(/ \S*$/, '')} …`
}

function resultPage(
  c: Context,
  query: string,
  found: readonly { readonly heading: string; readonly page: string; readonly excerpt: string }[],
  groups: Parameters<typeof guideSheet>[0]['groups'],
) {
  const mount = mountOf(c)
  const results =
    found.length === 0
      ? html`<p role="status">
          ${query === '' ? 'Enter a word to search for.' : html`No results for <b>${query}</b>.`}
        </p>`
      : html`<p role="status">Results for <b>${query}</b></p>
          <ol class="results">
            ${found.map(
              ({ heading, page: at, excerpt }) =>
                html`<li>
                  <a href="${mount + at}">${heading.replaceAll('`', '')}</a>
                  <p>${plain(excerpt)}</p>
                </li>`,
            )}
          </ol>`
  const sheet = guideSheet({
    name: '',
    groups,
    rendered: { markup: '', parts: [] },
    places: placesOf(mount),
    above: html`<h1>Search</h1>
      ${results}`,
    query,
  })
  return page(c, sheet)
}
