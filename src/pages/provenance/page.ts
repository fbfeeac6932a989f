import type { Context } from 'hono'
import { html } from 'hono/html'
import { browserFile, descriptionJson } from '../../lib/files.ts'
import type { Observed } from '../../service/vocabulary/observed.ts'
import { asset, untilMade } from '../asset.ts'
import { type Page, pageHeaders, pageText, sheetStyle, wantsPage } from '../page.ts'
import {
  provenanceOf,
  words,
  type Group,
  groupsOf,
  type Placed,
  valuesOf,
  observationsOf,
} from './entries.ts'

const provenanceStyle = browserFile('provenance.css')

const filterScript = browserFile('provenance.js')

/** Serves the provenance of each part of the service's description: JSON, or a page for browsers. */
export function provenancePage(observed: Observed | undefined): (c: Context) => Promise<Response> {
  const read = untilMade(() => readEntries(observed))
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

async function readEntries(observed: Observed | undefined) {
  const description = JSON.parse(await descriptionJson('service'))
  const entries = [...provenanceOf(description), ...valuesOf(), ...observationsOf(observed)]
  const summary = words.map((word) => [word, entries.filter((each) => each.provenance === word).length])
  return { summary: Object.fromEntries(summary), entries }
}

const shown: Page = {
  title: 'Provenance',
  style: sheetStyle + provenanceStyle,
  script: filterScript,
  body: '',
}

const meanings = {
  documented: 'Part of the specification. Rely on it.',
  observed: 'Found in public documentation or client code. Likely but not guaranteed: verify it.',
  assumed: 'Not specified anywhere. The sandbox chose a behaviour; expect the service to differ.',
}

function bodyOf({ entries, summary }: Awaited<ReturnType<typeof readEntries>>) {
  const groups = groupsOf(entries)
  const sections = [
    { title: 'Operations', groups: groups.filter(({ head }) => head.kind === 'operation') },
    {
      title: 'Schemas, their fields, and values',
      groups: groups.filter(({ head }) => head.kind === 'schema'),
    },
  ]
  return html`<nav><a href="../">Sandbox</a> <a href="../docs">API reference</a></nav>
    <h1>Provenance</h1>
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
    <p class="quiet">Programs receive this page as JSON.</p>`
}

/** Hidden until the script runs. */
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

/** The name of a field without its schema. */
const nameIn = (row: Placed, head: Placed) => row.name.replace(`${head.name}.`, '')

const searched = ({ operation, name, note }: Placed) => `${operation} ${name} ${note}`.trim().toLowerCase()
