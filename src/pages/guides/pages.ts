import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import { ServiceError } from '../../service/domain/errors.ts'
import type { Env } from '../../http/env.ts'
import { mountOf, originOf } from '../../http/origin.ts'
import { lazy } from '../../lib/lazy.ts'
import { didYouMean } from '../../lib/text/suggest.ts'
import type { Guide as First } from '../../worlds/guide.ts'
import { type Asset, asset, unlessKnown } from '../asset.ts'
import { missing, pageHeaders, pageText, wantsPage } from '../page.ts'
import { groupsOf, LIST, readGuide } from './catalogue.ts'
import type { Here } from './here.ts'
import { withWholeLinks } from './links.ts'
import { markdownHere } from './markdown-here.ts'
import { guideSheet, type Places } from './sheet.ts'

export interface GuideOptions {
  /** What a newcomer is shown of the default world. */
  readonly guide: First
  /** Settings that make this sandbox another than the one that the guides tell of: `SANDBOX_SETTLE_AFTER=0`. */
  readonly settings: () => readonly string[]
}

const PATH = '/docs/guides'

/**
 * `/docs/guides` and each of them: a page for a browser, Markdown for whoever else asks and below `NAME.md`. Nothing is
 * read before it is asked for; what was read is kept.
 */
export function guidePages(app: Hono<Env>, options: GuideOptions): void {
  const groups = lazy(async () => groupsOf(await readGuide(LIST)))
  const rendering = lazy(() => import('./render.ts'))
  const kept = new Map<string, Promise<string>>()
  const markdownOf = (name: string) => {
    const read = kept.get(name) ?? readGuide(name)
    kept.set(name, read)
    return read
  }

  async function answer(c: Context<Env>, asked: string) {
    const name = asked.replace(/\.md$/, '')
    const known = [LIST, ...(await groups()).flatMap(({ guides }) => guides.map((each) => each.name))]
    if (!known.includes(name)) return missing(c, unknownGuide(asked, known))
    const here: Here = { origin: originOf(c), first: options.guide }
    const markdown = await markdownOf(name)
    c.header('Vary', 'Accept')
    if (name !== asked || !wantsPage(c)) return asMarkdown(c, markdown, here)
    const { render } = await rendering()
    const places = placesOf(mountOf(c))
    const rendered = render(markdown, here, places.guide)
    const above = about({ here, settings: options.settings(), markdown: places.markdown(name) })
    const sheet = guideSheet({ name, groups: await groups(), rendered, places, above })
    const shown = { ...sheet, markdown: places.markdown(name) }
    return send(c, 'text/html; charset=utf-8', String(await pageText(shown)), pageHeaders(shown))
  }

  app.get(PATH, unlessKnown, (c) => answer(c, LIST))
  app.get(`${PATH}/`, (c) => c.redirect(mountOf(c) + PATH, 301))
  app.get(`${PATH}/:name`, unlessKnown, (c) => answer(c, c.req.param('name')))
}

const placesOf = (mount: string): Places => ({
  guide: (name) => mount + PATH + (name === LIST ? '' : `/${name}`),
  markdown: (name) => `${mount}${PATH}/${name}.md`,
  home: `${mount}/`,
  reference: `${mount}/docs`,
})

const unknownGuide = (name: string, known: readonly string[]) =>
  new ServiceError(
    'resource_not_found',
    `guide ${name} was not found${didYouMean(name, known)}; all of them are at ${PATH}`,
  )

const asMarkdown = (c: Context, markdown: string, here: Here) =>
  send(
    c,
    'text/markdown; charset=utf-8',
    markdownHere(markdown, here, (prose) => withWholeLinks(prose, `${here.origin}${PATH}/`)),
  )

/** Compressed and told by its tag as what is the same for everybody is, but not kept: it differs by address. */
const send = (c: Context, type: string, text: string, headers?: Asset['headers']) =>
  asset({ type, make: async () => text, ...(headers && { headers }) })(c)

/** Whose address and credentials the lines have. */
function about({ here: { origin, first }, settings, markdown }: About) {
  const { username, password, passwordFrom } = first
  return html`<aside class="here" aria-label="This sandbox">
    <p>
      <bdi><code>${origin}</code></bdi> as
      <bdi><code>${password === undefined ? username : `${username}:${password}`}</code></bdi
      >${password === undefined ? `, with the password of ${passwordFrom}` : ''}. Teams:
      ${first.teams}.${settings.length > 0 ? ' Set here: ' : ''}${settings.map(
        (each, n) => html`${n > 0 ? ', ' : ''}<code>${each}</code>`,
      )}
    </p>
    <a href="${markdown}">As Markdown</a>
  </aside>`
}

interface About {
  readonly here: Here
  readonly settings: readonly string[]
  /** Where the same is as Markdown. */
  readonly markdown: string
}
