import { html, raw } from 'hono/html'
import { sheetStyle } from '../sheet-style.ts'
import { type Group, LIST } from './catalogue.ts'
import { guideStyle } from './guide-style.ts'
import type { Rendered } from './render.ts'

/** Where the links of a guide lead: in a running sandbox, or among files. */
export interface Places {
  readonly guide: (name: string) => string
  readonly markdown: (name: string) => string
  readonly home: string
  readonly reference: string
}

export interface Sheet {
  readonly name: string
  readonly groups: readonly Group[]
  readonly rendered: Rendered
  readonly places: Places
  /** What stands above the text. */
  readonly above: unknown
}

/** A guide with the way to the others, in the parts of a page. */
export function guideSheet(sheet: Sheet) {
  const { name, groups, rendered, places, above } = sheet
  const all = groups.flatMap(({ guides }) => guides)
  const index = all.findIndex((each) => each.name === name)
  return {
    title: `${all[index]?.title ?? 'Guides'} · payments-sandbox`,
    style: sheetStyle + guideStyle,
    before: html`<header>
      <a class="name" href="${places.home}"
        ><span class="light" aria-hidden="true"></span> payments-sandbox</a
      >
      <nav aria-label="Sandbox">
        <a href="${places.guide(LIST)}">Guides</a>
        <a href="${places.reference}">API reference</a>
      </nav>
    </header>`,
    body: html`${above} ${raw(rendered.markup)} ${name === LIST ? '' : neighbours(sheet, index)}`,
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
