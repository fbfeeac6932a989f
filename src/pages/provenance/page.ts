import type { Context } from 'hono'
import { html } from 'hono/html'
import { descriptionJson } from '../../files.ts'
import { asset, untilMade } from '../asset.ts'
import { type Page, pageHeaders, pageText, wantsPage } from '../page.ts'
import {
  type ProvenanceEntry,
  provenanceOf,
  words,
  type Group,
  groupsOf,
  type Placed,
  valuesOf,
} from './entries.ts'
import { sheetStyle } from '../tokens.ts'

/** The looks of the page, beside those of all that are read. */
const provenanceStyle = `
html { scroll-padding-top: 1rem; }
body { display: block; padding: clamp(1.5rem, 6vw, 3rem) 0 5rem; }
main { width: min(56rem, 92vw); margin: 0 auto; }
nav { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; margin-bottom: 1.5rem; font-size: 0.875rem; }
h1 { font-size: clamp(1.75rem, 7vw, 2.25rem); }
h2 { margin: 2.5rem 0 0.75rem; font-size: 1.25rem; letter-spacing: -0.01em; }
.legend { display: grid; grid-template-columns: auto 1fr; gap: 0.5rem 1.25rem; margin: 1.5rem 0 0; }
.legend dt { font-variant-numeric: tabular-nums; }
.legend dd { margin: 0; }
form { display: grid; gap: 0.75rem; margin: 2rem 0 0; }
form[hidden] { display: none; }
input[type='search'] { width: 100%; box-sizing: border-box; padding: 0.6rem 0.9rem; border: 1px solid var(--field); border-radius: var(--round); background: var(--back); color: inherit; font: inherit; }
fieldset { display: flex; flex-wrap: wrap; gap: 0.35rem 1.25rem; margin: 0; padding: 0; border: 0; }
fieldset label { display: flex; align-items: center; gap: 0.4rem; min-height: 1.75rem; cursor: pointer; }
legend, .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
input { accent-color: var(--link); }
output { min-height: 1.5em; font-size: 0.875rem; color: var(--soft); }
details.group { border-bottom: 1px solid var(--line); }
summary { display: flex; flex-wrap: wrap; align-items: center; gap: 0.25rem 0.75rem; padding: 0.65rem 0; cursor: pointer; }
summary::-webkit-details-marker { display: none; }
summary::before { content: ''; flex: none; width: 0.4rem; height: 0.4rem; margin: 0 0.25rem 0 0.1rem; border: solid var(--soft); border-width: 0 2px 2px 0; transform: rotate(-45deg); }
details[open] > summary::before { transform: rotate(45deg); }
summary code { flex: 1 1 12rem; font-weight: 600; overflow-wrap: anywhere; }
.counts { display: flex; gap: 0.35rem; font-variant-numeric: tabular-nums; }
details p { margin: 0 0 0.75rem 1.1rem; color: var(--soft); font-size: 0.875rem; }
ul { margin: 0 0 1.25rem; padding: 0; list-style: none; font-size: 0.875rem; }
li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.1rem 1rem; padding: 0.4rem 0 0.4rem 1.1rem; border-top: 1px solid var(--line); }
li[hidden] { display: none; }
li:target { background: var(--tint); }
li a { color: inherit; text-decoration: none; overflow-wrap: anywhere; }
li a:hover { text-decoration: underline; }
li .why { grid-column: 1 / -1; color: var(--soft); }
.kind { color: var(--soft); }
.mark { display: inline-block; padding: 0 0.5rem; border-radius: var(--pill); font-size: 0.75rem; line-height: 1.25rem; font-weight: 600; white-space: nowrap; align-self: start; }
.mark.documented { color: var(--soft); box-shadow: inset 0 0 0 1px var(--line); }
.mark.observed { color: var(--info); background: var(--info-back); }
.mark.assumed { color: var(--wait); background: var(--wait-back); }
`

/** Runs in the page: shows what is searched for, and opens what a link leads to. */
const filterScript = `(() => {
  'use strict'
  const form = document.querySelector('form')
  const { search, origin } = form.elements
  const count = form.querySelector('output')
  const groups = [...document.querySelectorAll('details.group')].map((group) => ({
    group,
    rows: [...group.querySelectorAll('[data-text]')],
  }))
  const sections = [...document.querySelectorAll('section')]

  function filter() {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean)
    const all = words.length === 0 && origin.value === ''
    let found = 0
    for (const { group, rows } of groups) {
      let inGroup = 0
      const heading = group.dataset.name
      for (const row of rows) {
        const fits = (origin.value === '' || row.dataset.origin === origin.value) &&
          words.every((word) => row.dataset.text.includes(word) || heading.includes(word))
        row.hidden = !fits
        if (fits) inGroup += 1
      }
      group.hidden = inGroup === 0
      group.open = !all && words.length > 0
      found += inGroup
    }
    for (const section of sections) section.hidden = !section.querySelector('details.group:not([hidden])')
    count.textContent = all ? '' : found === 1 ? '1 found' : found + ' found'
  }

  // What a link leads to may be closed, or filtered out.
  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
    const group = target?.closest('details.group')
    if (!group) return
    if (target.hidden || group.hidden) {
      form.reset()
      filter()
    }
    group.open = true
    target.scrollIntoView()
  }

  form.hidden = false
  form.addEventListener('input', filter)
  form.addEventListener('submit', (event) => event.preventDefault())
  addEventListener('hashchange', reveal)
  // A browser fills in again what was there before the page was left.
  filter()
  reveal()
})()
`

/** How sure each part of the service's description is: JSON, or a page for a browser. */
export function provenancePage(): (c: Context) => Promise<Response> {
  const read = untilMade(readEntries)
  const json = asset({ type: 'application/json', make: async () => JSON.stringify(await read()) })
  const sheet = asset({
    type: 'text/html; charset=utf-8',
    headers: pageHeaders(shown),
    make: async () => String(await pageText({ ...shown, body: bodyOf(await read()) })),
  })
  return (c) => {
    c.header('Vary', 'Accept', { append: true })
    return wantsPage(c) ? sheet(c) : json(c)
  }
}

interface Listed {
  readonly summary: Readonly<Record<string, number>>
  readonly entries: readonly ProvenanceEntry[]
}

async function readEntries(): Promise<Listed> {
  const description = JSON.parse(await descriptionJson('service'))
  const entries = [...provenanceOf(description), ...valuesOf()]
  const summary = words.map((word) => [word, entries.filter((each) => each.provenance === word).length])
  return { summary: Object.fromEntries(summary), entries }
}

const shown: Page = {
  title: 'How sure is it?',
  style: sheetStyle + provenanceStyle,
  script: filterScript,
  body: '',
}

const meanings = {
  documented: 'The specification says so. Build on it.',
  observed: 'Seen in public documentation or client code. Likely, not promised: check it.',
  assumed: 'Nobody says. The sandbox chose; expect the service to differ.',
}

function bodyOf({ entries, summary }: Listed) {
  const groups = groupsOf(entries)
  const sections = [
    { title: 'Operations', groups: groups.filter(({ head }) => head.kind === 'operation') },
    {
      title: 'Schemas, their fields, and values',
      groups: groups.filter(({ head }) => head.kind === 'schema'),
    },
  ]
  return html`<nav><a href="../">Sandbox</a> <a href="../docs">API reference</a></nav>
    <h1>How sure is it?</h1>
    <dl class="legend">
      ${words.map(
        (word) =>
          html`<dt><span class="mark ${word}">${word}</span> ${summary[word]}</dt>
            <dd>${meanings[word]}</dd>`,
      )}
    </dl>
    ${filterForm()}
    ${sections.map(
      (section) =>
        html`<section aria-label="${section.title}">
          <h2>${section.title}</h2>
          ${section.groups.map(groupView)}
        </section>`,
    )}
    <p class="quiet">A program that asks for this address gets the same as JSON.</p>`
}

/** Shown by the script, without which it would do nothing. */
const filterForm = () =>
  html`<form hidden role="search">
    <label class="unseen" for="search">Search operations, fields and reasons</label>
    <input
      id="search"
      name="search"
      type="search"
      placeholder="Search operations, fields and reasons"
      autocomplete="off"
    />
    <fieldset>
      <legend>Origin</legend>
      <label><input type="radio" name="origin" value="" checked /> all</label>
      ${words.map((word) => html`<label><input type="radio" name="origin" value="${word}" /> ${word}</label>`)}
    </fieldset>
    <output></output>
  </form>`

function groupView({ head, rows, counts }: Group) {
  return html`<details class="group" id="${head.id}" data-name="${searched(head)}">
    <summary>
      <code>${head.name}</code>
      <span class="counts">
        ${words.map((word) =>
          counts[word]
            ? html`<span class="mark ${word}">${counts[word]}<span class="unseen"> ${word}</span></span>`
            : '',
        )}
      </span>
    </summary>
    ${head.note === '' ? '' : html`<p>${head.note}</p>`}
    <ul>
      ${entryView({ ...head, id: `${head.id}.itself`, note: '' }, html`<span class="kind">as a whole</span>`)}
      ${rows.map((row) =>
        entryView(row, html`<span class="kind">${row.kind}</span> <code>${nameIn(row, head)}</code>`),
      )}
    </ul>
  </details>`
}

const entryView = (entry: Placed, name: unknown) =>
  html`<li id="${entry.id}" data-origin="${entry.provenance}" data-text="${searched(entry)}">
    <a href="#${entry.id}">${name}</a>
    <span class="mark ${entry.provenance}">${entry.provenance}</span>
    ${entry.note === '' ? '' : html`<span class="why">${entry.note}</span>`}
  </li>`

/** A field without the schema that it stands below. */
const nameIn = (row: Placed, head: Placed) => row.name.replace(`${head.name}.`, '')

const searched = ({ operation, name, note }: Placed) => `${operation} ${name} ${note}`.trim().toLowerCase()
