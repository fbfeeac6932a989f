import type { Context, Hono } from 'hono'
import { html } from 'hono/html'
import type { Env } from '../../http/exchange.ts'
import { mountOf } from '../../http/caller.ts'
import { lazy } from '../../lib/lazy.ts'
import { addressedAsset, type BaseAddress, byName, types, unlessKnown } from '../asset.ts'
import { missingName, pageHeaders, type PageOptions, pageText, wantsPage } from '../page.ts'
import { LIST, readGroups, readGuide } from './catalogue.ts'
import { type Here, withWholeLinks, markdownHere } from './for-this-sandbox.ts'
import { GUIDES as PATH, guideSheet, placesOf } from './sheet.ts'

/**
 * Serves `/docs/guides` and each guide: HTML for browsers, Markdown for other clients and at `NAME.md`. Each
 * page is rendered on first use, once for all addresses.
 */
export function guidePages(app: Hono<Env>, options: PageOptions): void {
  const rendering = lazy(() => import('./render.ts'))
  const hereAt = ({ origin }: BaseAddress): Here => ({ origin, first: options.guide })

  const textOf = byName((name) =>
    addressedAsset({
      type: types.md,
      make: async (address) =>
        markdownHere(await readGuide(name), hereAt(address), (prose) =>
          withWholeLinks(prose, `${address.origin}${PATH}/`),
        ),
    }),
  )

  const pageOf = byName(async (name) => {
    const { render } = await rendering()
    const shownAt = async (address: BaseAddress) => {
      const here = hereAt(address)
      const places = placesOf(address.mount)
      const rendered = render(await readGuide(name), here, places.guide)
      const above = about(here, options.settings(), places.markdown(name))
      const sheet = guideSheet({ name, groups: await readGroups(), rendered, places, above })
      return { ...sheet, markdown: places.markdown(name) }
    }
    return addressedAsset({
      type: types.html,
      // The policy depends on style and script, which are the same for all addresses.
      headers: pageHeaders(await shownAt({ origin: '', mount: '' })),
      make: async (address) => String(await pageText(await shownAt(address))),
    })
  })

  async function answer(c: Context<Env>, asked: string) {
    const name = asked.replace(/\.md$/, '')
    const known = [LIST, ...(await readGroups()).flatMap(({ guides }) => guides.map((each) => each.name))]
    if (!known.includes(name)) return missingName(c, 'guide', asked, known, `at ${PATH}`)
    c.header('Vary', 'Accept')
    return name !== asked || !wantsPage(c) ? textOf(name)(c) : (await pageOf(name))(c)
  }

  app.get(PATH, unlessKnown, (c) => answer(c, LIST))
  app.get(`${PATH}/`, (c) => c.redirect(mountOf(c) + PATH, 301))
  app.get(`${PATH}/:name`, unlessKnown, (c) => answer(c, c.req.param('name')))
}

/** Shows the address and credentials used in the commands. */
function about({ origin, first }: Here, settings: readonly string[], markdown: string) {
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
