import { html, raw } from 'hono/html'
import { browserFile } from '../../lib/files.ts'
import { type Group, LIST } from './catalogue.ts'
import type { Rendered } from './render.ts'
import { sheetStyle } from '../page.ts'

/** Link targets in a running sandbox or among files. */
export interface Places {
  readonly guide: (name: string) => string
  readonly markdown: (name: string) => string
  readonly home: string
  readonly reference: string
  /** Undefined among files, where no server responds. */
  readonly search?: string
}

export const GUIDES = '/docs/guides'

export const placesOf = (mount: string): Places => ({
  guide: (name) => mount + GUIDES + (name === LIST ? '' : `/${name}`),
  markdown: (name) => `${mount}${GUIDES}/${name}.md`,
  home: `${mount}/`,
  reference: `${mount}/docs`,
  search: `${mount}/docs/search`,
})

interface Sheet {
  readonly name: string
  readonly groups: readonly Group[]
  readonly rendered: Rendered
  readonly places: Places
  /** Shown above the text. */
  readonly above: unknown
  /** Shown in the search field. */
  readonly query?: string
}

/** A guide with navigation, as the parts of a page. */
export function guideSheet(sheet: Sheet) {
  const { name, groups, rendered, places, above, query = '' } = sheet
  const all = groups.flatMap(({ guides }) => guides)
  const index = all.findIndex((each) => each.name === name)
  return {
    title: `${all[index]?.title ?? 'Guides'} · payments-sandbox`,
    style: sheetStyle + guideStyle,
    before: html`<header>
      <a class="name" href="${places.home}"
        ><span class="light" aria-hidden="true"></span> payments-sandbox</a
      >
      ${
        places.search &&
        html`<form role="search" action="${places.search}">
          <input
            type="search"
            name="q"
            value="${query}"
            aria-label="Search the documentation"
            placeholder="Search"
          />
        </form>`
      }
      <nav aria-label="Sandbox">
        <a href="${places.guide(LIST)}">Guides</a>
        <a href="${places.reference}">API reference</a>
      </nav>
    </header>`,
    body: html`${above} ${raw(rendered.markup)} ${index < 0 ? '' : neighbours(sheet, index)}`,
    ...(rendered.markup.includes('<div class="tabs">') && { script: tabsScript }),
    after: name === LIST ? '' : contents(sheet),
  }
}

const contents = ({ name, places, groups, rendered: { parts } }: Sheet) =>
  html`<nav class="contents" aria-label="Guides">
    ${groups.map(
      ({ title, guides }) =>
        html`<p>${title}</p>
          <ul>
            ${guides.map(
              (each) =>
                html`<li>
                  <a href="${places.guide(each.name)}" ${each.name === name ? raw('aria-current="page"') : ''}
                    >${each.title}</a
                  >
                  ${each.name === name && parts.length > 1 ? partsOf(parts) : ''}
                </li>`,
            )}
          </ul>`,
    )}
  </nav>`

const partsOf = (parts: Rendered['parts']) =>
  html`<ul>
    ${parts.map(({ anchor, title }) => html`<li><a href="#${anchor}">${title}</a></li>`)}
  </ul>`

function neighbours({ groups, places }: Sheet, index: number) {
  const all = groups.flatMap(({ guides }) => guides)
  const link = (at: number, rel: 'prev' | 'next') => {
    const guide = all[at]
    return guide
      ? html`<a rel="${rel}" href="${places.guide(guide.name)}">${guide.title}</a>`
      : html`<span></span>`
  }
  return html`<nav class="neighbours" aria-label="Before and after">
    ${link(index - 1, 'prev')} ${link(index + 1, 'next')}
  </nav>`
}

const tabsScript = browserFile('tabs.js')

/** Navigation next to the text, or below it on narrow screens. */
const guideStyle = browserFile('guide.css')
