import { readFile } from 'node:fs/promises'
import type { Context } from 'hono'
import { html } from 'hono/html'
import { files } from '../../files.ts'
import { wantsPage } from '../page.ts'
import { page } from '../page.ts'
import { sheetStyle } from '../sheet-style.ts'
import { provenanceOf, words, type ProvenanceEntry } from './entries.ts'

/** How sure each part of the service's description is: JSON, or a page for a browser. */
export function provenancePage() {
  let kept: Promise<readonly ProvenanceEntry[]> | undefined
  return async (c: Context) => {
    const entries = await (kept ??= readEntries())
    c.header('Vary', 'Accept', { append: true })
    const summary = Object.fromEntries(
      words.map((word) => [word, entries.filter((each) => each.provenance === word).length]),
    )
    return wantsPage(c) ? show(c, entries, summary) : c.json({ summary, entries })
  }
}

async function readEntries(): Promise<readonly ProvenanceEntry[]> {
  return provenanceOf(JSON.parse(await readFile(files.description('service', 'json'), 'utf8')))
}

const meanings = {
  documented: 'The specification says so. Build on it.',
  observed: 'Seen in public documentation or client code. Likely, not promised: check it.',
  assumed: 'Nobody says. The sandbox chose; expect the service to differ.',
}

function show(c: Context, entries: readonly ProvenanceEntry[], summary: Readonly<Record<string, number>>) {
  const groups = [
    { title: 'Operations', rows: entries.filter((each) => each.operation !== '') },
    { title: 'Schemas and their fields', rows: entries.filter((each) => each.operation === '') },
  ]
  return page(c, {
    title: 'How sure is it?',
    style: sheetStyle + style,
    body: html`<nav><a href="/">Sandbox</a> <a href="/docs">API reference</a></nav>
      <h1>How sure is it?</h1>
      <dl class="legend">
        ${words.map(
          (word) =>
            html`<dt><span class="mark ${word}">${word}</span> ${summary[word]}</dt>
              <dd>${meanings[word]}</dd>`,
        )}
      </dl>
      ${groups.map(
        ({ title, rows }) =>
          html`<h2>${title}</h2>
            <div class="scroll" tabindex="0" role="region" aria-label="${title}">
              <table>
                <thead>
                  <tr>
                    <th scope="col">What</th>
                    <th scope="col">Origin</th>
                    <th scope="col">Why</th>
                  </tr>
                </thead>
                <tbody>
                  ${rows.map(row)}
                </tbody>
              </table>
            </div>`,
      )}
      <p class="quiet">
        The same as JSON: <code>curl ${new URL('/sandbox/provenance', c.req.url).href}</code>
      </p>`,
  })
}

const row = ({ kind, name, provenance, note }: ProvenanceEntry) => {
  const heads = kind === 'operation' || kind === 'schema'
  return html`<tr class="${heads ? 'head' : ''}">
    <td>${heads ? '' : html`<span class="kind">${kind}</span> `}<code>${name}</code></td>
    <td><span class="mark ${provenance}">${provenance}</span></td>
    <td>${note}</td>
  </tr>`
}

const style = `
body { display: block; padding: 3rem 0 5rem; }
main { width: min(60rem, 92vw); margin: 0 auto; }
nav { display: flex; gap: 1.25rem; margin-bottom: 1.5rem; font-size: 0.875rem; }
h2 { margin: 3rem 0 0.75rem; font-size: 1.25rem; letter-spacing: -0.01em; }
.legend { display: grid; grid-template-columns: auto 1fr; gap: 0.5rem 1.25rem; margin: 1.5rem 0 0; }
.legend dt { font-variant-numeric: tabular-nums; }
.legend dd { margin: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.875rem; }
th { text-align: left; font-weight: 600; }
th, td { padding: 0.4rem 1rem 0.4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tr.head td { padding-top: 1.5rem; font-weight: 600; }
tr:not(.head) td:first-child { padding-left: 1rem; }
.kind { color: var(--soft); }
td code { overflow-wrap: anywhere; }
td:last-child { width: 45%; color: var(--soft); font-weight: 400; }
.mark { display: inline-block; padding: 0 0.5rem; border-radius: 1rem; font-size: 0.75rem; line-height: 1.25rem; font-weight: 600; }
.mark.documented { color: var(--soft); border: 1px solid var(--line); }
.mark.observed { color: var(--observed); background: var(--observed-back); }
.mark.assumed { color: var(--assumed); background: var(--assumed-back); }
`
