import { readFile } from 'node:fs/promises'
import type { Context, Hono } from 'hono'
import { ServiceError } from '../../service/domain/errors.ts'
import { files } from '../../files.ts'
import type { Env } from '../../http/env.ts'
import { originOf } from '../../http/origin.ts'
import { didYouMean } from '../../lib/text/suggest.ts'
import type { Guide } from '../../worlds/guide.ts'
import { asset, unlessKnown, untilMade } from '../asset.ts'
import { byAddress } from '../by-address.ts'
import { groupsOf, LIST, readGuide } from '../guides/catalogue.ts'
import type { Here } from '../guides/here.ts'
import { withWholeLinks } from '../guides/links.ts'
import { markdownHere } from '../guides/markdown-here.ts'
import { readChapters } from '../operations/catalogue.ts'
import { operationHere } from '../operations/here.ts'
import { operationMarkdown } from '../operations/markdown.ts'
import { missing, prefersMarkdown } from '../page.ts'
import { type Contents, listOfTexts } from './list.ts'

export interface TextOptions {
  /** What a newcomer is shown of the default world. */
  readonly guide: Guide
  /** Whether the operations of the API's older generation are served. */
  readonly extensions: boolean
}

const MARKDOWN = 'text/markdown; charset=utf-8'
const TEXT = 'text/plain; charset=utf-8'

/**
 * What programs read that write programs: `/llms.txt`, all of it in `/llms-full.txt`, and each operation below
 * `/docs/operations`. Nothing is made before it is asked for; what was made is kept, by where it is read.
 */
export function textPages(app: Hono<Env>, { guide, extensions }: TextOptions): void {
  const contents = untilMade(async (): Promise<Contents> => {
    const [list, chapters] = await Promise.all([readGuide(LIST), readChapters(extensions)])
    return { groups: groupsOf(list), chapters }
  })
  const hereAt = (origin: string): Here => ({ origin, first: guide })
  const list = byAddress((origin) =>
    asset({ type: TEXT, make: async () => listOfTexts(await contents(), hereAt(origin)) }),
  )
  const full = byAddress((origin) =>
    asset({ type: TEXT, make: async () => allTexts(await contents(), hereAt(origin)) }),
  )
  const skill = byAddress((origin) =>
    asset({
      type: MARKDOWN,
      make: async () => markdownHere(await readSkill(), hereAt(origin), (prose) => prose),
    }),
  )
  const operations = byAddress(() => new Map<string, ReturnType<typeof asset>>())

  async function operation(c: Context<Env>, asked: string) {
    const origin = originOf(c)
    const kept = operations(origin)
    const name = asked.replace(/\.md$/, '')
    const known = kept.get(name)
    if (known) return known(c)
    const { chapters } = await contents()
    const found = pageOf(chapters, name)
    if (!found) return missing(c, unknownOperation(name, chapters))
    const made = asset({ type: MARKDOWN, make: async () => operationHere(found(), hereAt(origin)) })
    kept.set(name, made)
    return made(c)
  }

  app.get('/docs', (c, next) => {
    c.header('Vary', 'Accept', { append: true })
    return prefersMarkdown(c) ? list(originOf(c))(c) : next()
  })
  app.get('/llms.txt', unlessKnown, (c) => list(originOf(c))(c))
  app.get('/llms-full.txt', unlessKnown, (c) => full(originOf(c))(c))
  app.get('/docs/skill.md', unlessKnown, (c) => skill(originOf(c))(c))
  app.get('/docs/operations/:name', unlessKnown, (c) => operation(c, c.req.param('name')))
}

/** Makes the page of an operation; undefined when there is none of this name. */
function pageOf(chapters: Contents['chapters'], name: string): (() => string) | undefined {
  for (const { description, operations } of chapters) {
    const found = operations.find(({ operation }) => operation.operationId === name)
    if (found) return () => operationMarkdown(description, found)
  }
  return undefined
}

const unknownOperation = (name: string, chapters: Contents['chapters']) => {
  const known = chapters.flatMap(({ operations }) =>
    operations.map(({ operation }) => operation.operationId as string),
  )
  return new ServiceError(
    'resource_not_found',
    `operation ${name} was not found${didYouMean(name, known)}; all of them are in /llms.txt`,
  )
}

/**
 * Every guide and every operation, one after another, each with its address below its title; of the sandbox's own API without the answers of
 * its examples.
 */
async function allTexts({ groups, chapters }: Contents, here: Here): Promise<string> {
  const at = `${here.origin}/docs`
  const guides = await Promise.all(
    groups.flatMap(({ guides: list }) =>
      list.map(async ({ name }) => {
        const prose = (text: string) => withWholeLinks(text, `${at}/guides/`)
        return withSource(markdownHere(await readGuide(name), here, prose), `${at}/guides/${name}.md`)
      }),
    ),
  )
  const operations = chapters.flatMap(({ api, description, operations: list }) =>
    list.map((each) =>
      withSource(
        operationHere(operationMarkdown(description, each, api === 'control'), here),
        `${at}/operations/${each.operation.operationId}.md`,
      ),
    ),
  )
  const skill = withSource(
    markdownHere((await readSkill()).replace(FRONT, ''), here, (prose) => prose),
    `${at}/skill.md`,
  )
  return [skill, ...guides, ...operations].join('\n')
}

const readSkill = () => readFile(files.skill, 'utf8')

/** What agents that keep skills read first; it is no text for the rest. */
const FRONT = /^---\n[^]*?\n---\n+/

const withSource = (text: string, address: string) =>
  text.replace(/^# .*$/m, (title) => `${title}\n\nSource: ${address}`)
