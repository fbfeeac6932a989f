import { createHash } from 'node:crypto'
import { type Group, groups } from '../check-ids.ts'
import type { Certification } from '../certification.ts'
import type { CheckedSignature } from '../verify.ts'
import { checkMarkup } from './html-check.ts'
import { frontMarkup } from './html-front.ts'
import { script } from './html-assets.ts'
import { style } from './html-assets.ts'
import { html, Markup, theirs } from './html-markup.ts'
import { countOf, signedText, standing, verdictMeanings, verdictWords } from './words.ts'
import { icon, icons } from './html-markup.ts'

/**
 * One page that needs nothing else: whether the shop is ready on its first screen, and below it each check with what was done and seen. It
 * runs nothing but its own script, and is whole without it.
 */
export function htmlReport(certification: Certification, signed?: CheckedSignature): string {
  const { subject } = certification
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  const policy = `default-src 'none'; style-src ${hash(style)}; script-src ${hash(script)}; base-uri 'none'; form-action 'none'`
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>${subject}: ${standing(certification).toLowerCase()}</title>
        ${new Markup(`<style>${style}</style>`)}
      </head>
      <body>
        ${icons} ${frontMarkup(certification, signed)} ${body(certification)} ${foot(certification, signed)}
        ${new Markup(`<script>${script}</script>`)}
      </body>
    </html> `
  return page.text
}

/** To compare runs with: one that is not ready may have a high one. */
const score = ({ summary }: Certification) =>
  summary.score !== null &&
  ` The score compares one run with another, and decides nothing: ${Math.floor(summary.score)} of 100 by what passed, mandatory checks counting three times.`

const verdictsSeen = (certification: Certification) =>
  (Object.keys(verdictWords) as (keyof typeof verdictWords)[]).filter(
    (verdict) => countOf(certification, verdict) > 0,
  )

const body = (certification: Certification) =>
  html`<main id="checks">
    <header class="bar">
      <h2>All checks</h2>
      <div class="filter" role="group" aria-label="Show" hidden>
        <button type="button" aria-pressed="true" data-show="">
          All <b>${certification.checks.length}</b>
        </button>
        ${verdictsSeen(certification).map(
          (verdict) =>
            html`<button type="button" aria-pressed="false" data-show="${verdict}">
              ${icon(verdict)}${verdictWords[verdict]}
              <b>${countOf(certification, verdict)}</b>
            </button>`,
        )}
      </div>
    </header>
    ${(Object.keys(groups) as Group[]).map((group) => {
      const checks = certification.checks.filter((each) => each.group === group)
      return (
        checks.length > 0 &&
        html`<section class="group" aria-labelledby="${group}">
          <h3 id="${group}">
            ${groups[group]}
            <small
              >${checks.filter(({ verdict }) => verdict === 'pass').length} of ${checks.length} passed</small
            >
          </h3>
          ${checks.map((check) => checkMarkup(certification, check))}
        </section>`
      )
    })}
  </main>`

const foot = (certification: Certification, signed: CheckedSignature | undefined) =>
  html`<footer class="foot">
    <section>
      <h2>How to read it</h2>
      <dl class="legend">
        ${verdictsSeen(certification).map(
          (verdict) =>
            html`<div>
              <dt>${icon(verdict)}${verdictWords[verdict]}</dt>
              <dd>${verdictMeanings[verdict]}</dd>
            </div>`,
        )}
      </dl>
      <p>
        Mandatory checks decide: a shop is ready when none of them fails or is inconclusive. A check that was
        not tried says nothing.${score(certification)}
      </p>
    </section>
    ${signature(certification, signed)}
  </footer>`

/** What somebody may well put into a shell. */
const address = (url: string) => (/^https?:\/\/[\w.:/-]+$/.test(url) ? url : 'ADDRESS')

/** Who answers for it. The page itself is signed by nobody. */
function signature(certification: Certification, signed: CheckedSignature | undefined): Markup {
  const text = signedText(certification, signed)
  const by = `Made by payments-sandbox ${certification.sandbox.version}.`
  if (text === undefined)
    return html`<p class="made">${by} Nobody signed it: whoever has the file can have changed it.</p>`
  const { url } = certification.sandbox
  return html`<section class="made" id="signed">
    <h2>Who signed it</h2>
    <p>${theirs(text)}</p>
    <p>
      That was the report that this page was made of. The page is not signed: whoever has it can have changed
      it. To be sure, ask for the report, see that ${theirs(url)} is the sandbox you mean, and look yourself:
    </p>
    <pre
      tabindex="0"
    ><code>payments-sandbox certify verify report.json --public-key ${address(url)}</code></pre>
    <p>${by}</p>
  </section>`
}
