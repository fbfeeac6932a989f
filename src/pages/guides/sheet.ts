import { html, raw } from 'hono/html'
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

/** Returns the link targets in a running sandbox. */
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

/** Turns the headings of each `.tabs` into tabs, and remembers the choice. Without scripts, the headings remain. */
const tabsScript = `(() => {
  const chosen = () => { try { return JSON.parse(localStorage.getItem('guide-tabs')) ?? [] } catch { return [] } }
  const remember = (label) => {
    try { localStorage.setItem('guide-tabs', JSON.stringify([label, ...chosen().filter((each) => each !== label)].slice(0, 9))) } catch {}
  }
  const groups = [...document.querySelectorAll('.tabs')].map((box) => {
    const list = document.createElement('div')
    list.setAttribute('role', 'tablist')
    const tabs = [...box.querySelectorAll('h3')].map((heading) => {
      const panel = document.createElement('div')
      while (heading.nextSibling && heading.nextSibling.nodeName !== 'H3') panel.append(heading.nextSibling)
      const label = heading.textContent
      const tab = document.createElement('button')
      tab.type = 'button'
      tab.textContent = label
      tab.id = heading.id + '-tab'
      panel.id = heading.id
      tab.setAttribute('role', 'tab')
      tab.setAttribute('aria-controls', panel.id)
      panel.setAttribute('role', 'tabpanel')
      panel.setAttribute('aria-labelledby', tab.id)
      heading.replaceWith(panel)
      list.append(tab)
      return { label, tab, panel }
    })
    box.prepend(list)
    return tabs
  })
  const select = (tabs, label) => {
    for (const each of tabs) {
      const selected = each.label === label
      each.tab.setAttribute('aria-selected', selected)
      each.tab.tabIndex = selected ? 0 : -1
      each.panel.hidden = !selected
    }
  }
  const choose = (label) => {
    remember(label)
    for (const tabs of groups) if (tabs.some((each) => each.label === label)) select(tabs, label)
  }
  for (const tabs of groups) {
    const known = chosen().find((label) => tabs.some((each) => each.label === label))
    const linked = tabs.find(({ panel }) => '#' + panel.id === location.hash)
    select(tabs, (linked ?? tabs.find(({ label }) => label === known) ?? tabs[0]).label)
    tabs.forEach(({ label, tab }, at) => {
      tab.addEventListener('click', () => choose(label))
      tab.addEventListener('keydown', (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
        const next = step && tabs.at((at + step) % tabs.length)
        if (!next) return
        choose(next.label)
        next.tab.focus()
      })
    })
  }
})()`

/** The text with the list of guides next to it, or below it on narrow screens. */
const guideStyle = `
html { scroll-padding-top: 1rem; }
body { display: grid; grid-template: "top top" auto "text text" auto "list list" auto / 1fr; place-items: start stretch; gap: 0 3rem; max-width: 72rem; margin: 0 auto; padding: 0 clamp(1rem, 4vw, 2.5rem) 4rem; }
header { grid-area: top; display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.5rem 1.5rem; padding: 1.25rem 0; }
header nav { display: flex; gap: 1.25rem; }
header form { flex: 1 1 12rem; max-width: 24rem; margin: 0; }
header input { width: 100%; padding: 0.4rem 0.75rem; border: 1px solid var(--line); border-radius: var(--round); background: var(--card); color: var(--text); font: inherit; font-size: 0.9375rem; }
.results { padding: 0; list-style: none; }
.results li { margin: 1.25rem 0; }
.results a { font-weight: 600; }
.results p { margin: 0.2rem 0 0; font-size: 0.9375rem; color: var(--soft); }
[role="tablist"] { display: flex; flex-wrap: wrap; gap: 0.25rem; margin: 1.25rem 0 0.75rem; border-bottom: 1px solid var(--line); }
[role="tab"] { padding: 0.4rem 0.75rem; border: 0; border-bottom: 2px solid transparent; background: none; color: var(--soft); font: inherit; font-size: 0.9375rem; cursor: pointer; }
[role="tab"][aria-selected="true"] { border-color: var(--link); color: var(--text); font-weight: 600; }
.name { display: flex; align-items: center; gap: 0.6rem; font-weight: 600; color: inherit; text-decoration: none; }
.light { width: 0.6rem; height: 0.6rem; border-radius: 50%; background: var(--alive); box-shadow: 0 0 0 0.25rem color-mix(in srgb, var(--alive) 20%, transparent); }
main { grid-area: text; width: auto; min-width: 0; max-width: 46rem; overflow-wrap: break-word; }
.here { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0.25rem 1.5rem; margin: 0 0 1.75rem; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: var(--round-l); font-size: 0.8125rem; color: var(--soft); overflow-wrap: anywhere; }
.here p { flex: 1 1 20rem; margin: 0; }
h1 { font-size: clamp(1.85rem, 6vw, 2.5rem); line-height: 1.15; text-wrap: balance; }
h2 { margin: 2.75rem 0 0.75rem; font-size: 1.375rem; letter-spacing: -0.01em; line-height: 1.3; }
h3 { margin: 2rem 0 0.5rem; font-size: 1.0625rem; }
h4 { margin: 1.5rem 0 0.5rem; font-size: 1rem; }
:is(h2, h3, h4) a { color: inherit; text-decoration: none; }
:is(h2, h3, h4) a:hover { text-decoration: underline; }
main li { margin: 0.3rem 0; }
main ul, main ol { padding-left: 1.35rem; }
main :not(pre) > code { padding: 0.1em 0.3em; border-radius: var(--round-s); background: var(--tint); overflow-wrap: anywhere; }
.here code { padding: 0; background: none; }
.scroll { overflow-x: auto; margin: 1rem 0; border: 1px solid var(--line); border-radius: var(--round-l); }
table { width: 100%; border-collapse: collapse; font-size: 0.875rem; overflow-wrap: normal; }
th, td { padding: 0.5rem 0.9rem; text-align: start; vertical-align: top; }
td { min-width: 6rem; }
td:nth-child(2) { min-width: 12rem; }
td:first-child code { overflow-wrap: normal; white-space: nowrap; }
th { font-weight: 600; color: var(--soft); white-space: nowrap; }
tbody tr { border-top: 1px solid var(--line); }
.contents { grid-area: list; margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: 0.9375rem; }
.contents p { margin: 1.25rem 0 0.35rem; font-size: 0.8125rem; font-weight: 600; color: var(--soft); }
.contents ul { margin: 0; padding: 0; list-style: none; }
.contents a { display: block; padding: 0.2rem 0; color: inherit; text-decoration: none; }
.contents a:hover { text-decoration: underline; }
.contents a[aria-current] { font-weight: 600; color: var(--link); }
.contents ul ul { margin: 0 0 0.4rem; padding-left: 0.85rem; border-left: 1px solid var(--line); font-size: 0.8125rem; }
.neighbours { display: flex; justify-content: space-between; gap: 1rem; margin-top: 3.5rem; }
.neighbours [rel="prev"]::before { content: "← "; }
.neighbours [rel="next"]::after { content: " →"; }
@media (min-width: 60rem) {
  body:has(.contents) { grid-template: "top top" auto "list text" 1fr / 13.5rem minmax(0, 1fr); }
  .contents { position: sticky; top: 0; align-self: start; max-height: 100vh; margin: 0; padding: 0.25rem 0 2rem; border: 0; overflow-y: auto; }
}
@media print { header nav, .contents, .neighbours { display: none; } }
`
