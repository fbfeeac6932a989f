import type { Context, Hono } from 'hono'
import { readFile } from 'node:fs/promises'
import { files } from '../lib/files.ts'
import type { Env } from '../http/exchange.ts'
import { addressedAsset, type BaseAddress, byName, types, unlessKnown, untilMade } from './asset.ts'
import { type Group, readGroups, readGuide } from './guides/catalogue.ts'
import { type Here, markdownHere, withWholeLinks } from './guides/for-this-sandbox.ts'
import { type Chapter, operationHere, readChapters } from './operations/catalogue.ts'
import { operationMarkdown } from './operations/markdown.ts'
import { missingName, type PageOptions, prefersMarkdown } from './page.ts'
import { operationIdsOf } from './viewer/description.ts'

/**
 * Serves documentation for programs: `/llms.txt`, `/llms-full.txt` and each operation below
 * `/docs/operations`. Each is rendered on first use, once for all addresses.
 */
export function textPages(app: Hono<Env>, options: PageOptions): void {
  const contents = untilMade(async (): Promise<Contents> => {
    const [groups, chapters] = await Promise.all([readGroups(), readChapters(options)])
    return { groups, chapters }
  })
  const text = (type: string, render: (here: Here) => string | Promise<string>) =>
    addressedAsset({
      type,
      make: async ({ origin }: BaseAddress) => render({ origin, first: options.guide }),
    })
  const list = text(types.txt, async (here) => listOfTexts(await contents(), here))
  const skill = text(types.md, async (here) => markdownHere(await readSkill(), here, (prose) => prose))
  const operations = byName((name) =>
    text(types.md, async (here) => operationHere(pageOf((await contents()).chapters, name), here)),
  )

  async function operation(c: Context<Env>, asked: string) {
    const name = asked.replace(/\.md$/, '')
    const known = (await contents()).chapters.flatMap(({ description }) => operationIdsOf(description))
    return known.includes(name)
      ? operations(name)(c)
      : missingName(c, 'operation', name, known, 'in /llms.txt')
  }

  app.get('/docs', (c, next) => {
    c.header('Vary', 'Accept', { append: true })
    return prefersMarkdown(c) ? list(c) : next()
  })
  app.get('/llms.txt', unlessKnown, list)
  for (let n = 1; n <= MOST_PARTS; n++) {
    const part = text(
      types.txt,
      async (here) => partsOf(await allTexts(await contents(), here), here)[n - 1] ?? '',
    )
    app.get(addressOfPart(n), unlessKnown, part)
  }
  app.get('/docs/skill.md', unlessKnown, skill)
  app.get('/docs/operations/:name', unlessKnown, (c) => operation(c, c.req.param('name')))
}

function pageOf(chapters: Contents['chapters'], name: string): string {
  const { description, operations } = chapters.find((each) =>
    operationIdsOf(each.description).includes(name),
  )!
  return operationMarkdown(
    description,
    operations.find(({ operation }) => operation.operationId === name)!,
  )
}

/**
 * Returns all guides and operations in one text, each with its address. Operations of the sandbox's own API
 * omit example responses.
 */
async function allTexts({ groups, chapters }: Contents, here: Here): Promise<readonly string[]> {
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
  return [skill, ...guides, ...operations]
}

/** Maximum number of parts; about twelve are in use. */
const MOST_PARTS = 20

const addressOfPart = (n: number) => `/llms-full${n === 1 ? '' : `-${n}`}.txt`

/** Maximum size of a part in bytes, without its first lines. */
const PART = 95_000

/** Joins texts into parts, each of which names the others. A longer text is divided at its headings. */
function partsOf(texts: readonly string[], { origin }: Pick<Here, 'origin'>): readonly string[] {
  const parts: string[] = []
  for (const piece of texts.flatMap((each) => (each.length > PART / 2 ? each.split(/(?=^## )/m) : each))) {
    const last = parts.at(-1)
    if (last !== undefined && Buffer.byteLength(last) + Buffer.byteLength(piece) < PART)
      parts[parts.length - 1] = `${last}\n${piece}`
    else parts.push(piece)
  }
  const addresses = parts.map((_, n) => origin + addressOfPart(n + 1))
  return parts.map((part, n) => `Part ${n + 1} of ${parts.length}: ${addresses.join(' ')}\n\n${part}`)
}

const readSkill = () => readFile(files.skill, 'utf8')

/** The front matter of the skill, which other readers do not need. */
const FRONT = /^---\n[^]*?\n---\n+/

const withSource = (text: string, address: string) =>
  text.replace(/^# .*$/m, (title) => `${title}\n\nSource: ${address}`)

interface Contents {
  readonly groups: readonly Group[]
  readonly chapters: readonly Chapter[]
}

/** Returns the list in the form of llmstxt.org: a summary, then links by heading, optional ones last. */
function listOfTexts({ groups, chapters }: Contents, { origin, first }: Here): string {
  const { username, password, passwordFrom } = first
  const skill = {
    title: 'Get started',
    lines: [
      link(
        'How to integrate and test',
        `${origin}/docs/skill.md`,
        'a skill for agents: rules, outcomes to handle, troubleshooting',
      ),
    ],
  }
  const guides = groups.map(({ title, guides: list }) => ({
    title: `Guides: ${title.toLowerCase()}`,
    lines: list.map((each) => link(each.title, `${origin}/docs/guides/${each.name}.md`, each.about)),
  }))
  const operations = chapters.map(({ title, operations: list }) => ({
    title,
    lines: list.map(({ method, path, operation: { operationId, summary } }) =>
      link(
        operationId,
        `${origin}/docs/operations/${operationId}.md`,
        `\`${method.toUpperCase()} ${path}\`, ${summary}`,
      ),
    ),
  }))
  const optional = {
    title: 'Optional',
    lines: [
      link('Everything in one text', `${origin}/llms-full.txt`, 'all guides and operations'),
      link('The service as OpenAPI', `${origin}/openapi.json`, 'also as /openapi.yaml'),
      link("The sandbox's own API as OpenAPI", `${origin}/sandbox/openapi.json`, 'also as YAML'),
      link('Scenario files as JSON Schema', `${origin}/sandbox/scenario.schema.json`, ''),
      link('Overlays as JSON Schema', `${origin}/sandbox/overlay.schema.json`, 'from payments-sandbox learn'),
      link('Comparisons as JSON Schema', `${origin}/sandbox/report.schema.json`, 'of compare --json'),
    ],
  }
  const sections = [skill, ...guides, ...operations, optional]
  return `# payments-sandbox

> A sandbox of the Unified Payments and Team Management Service, running at ${origin}: it keeps real state, applies real rules and posts the
> result of each payment to its \`callback_url\`. No money moves.

HTTP Basic with ${password === undefined ? `\`${username}\` and the password of ${passwordFrom}` : `\`${username}:${password}\``}; each API key has its own world, and \`${username}+anything\` with the same password is
a fresh one. Teams: ${first.teams}. What the service's own specification leaves open is marked as observed or assumed on each page. Below
\`/sandbox\` is the control API: it sets outcomes, moves the clock and explains what happened.

${sections.map(({ title, lines }) => `## ${title}\n\n${lines.join('\n')}\n`).join('\n')}`
}

const link = (title: string, address: string, about: string) =>
  `- [${title}](${address})${about === '' ? '' : `: ${about}`}`
