import { createHash } from 'node:crypto'
import type { Certification } from '../certification.ts'
import { checkIds } from '../check-ids.ts'
import type { CheckedSignature } from '../verify.ts'
import { browserFile } from '../../lib/files.ts'
import { tokens } from '../../pages/tokens.ts'
import { checkMarkup, icon, icons, theirs } from './html-check.ts'
import { html, raw } from 'hono/html'
import {
  basisTexts,
  byGroup,
  countOf,
  coverageText,
  dayOf,
  leftToDo,
  lengthOf,
  mandatoryOf,
  signedText,
  standingLooks,
  standingText,
  verdictMeanings,
  verdictsOf,
  verdictWords,
  visible,
  worstOf,
} from './words.ts'

/**
 * Renders a self-contained page: readiness on the first screen, and below it each check with its evidence. The script is
 * optional.
 */
export function htmlReport(certification: Certification, signed?: CheckedSignature): string {
  const { subject } = certification
  const style = tokens + browserFile('certification.css')
  const script = browserFile('certification.js')
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
        <title>${subject}: ${standingText(certification.summary)}</title>
        ${raw(`<style>${style}</style>`)}
      </head>
      <body>
        ${icons} ${frontMarkup(certification, signed)} ${body(certification)} ${foot(certification, signed)}
        ${raw(`<script>${script}</script>`)}
      </body>
    </html> `
  return visible(String(page))
}

/** The score compares runs; a shop that is not ready may have a high one. */
const score = ({ summary }: Certification) =>
  summary.score !== null &&
  ` The score only compares runs: ${Math.floor(summary.score)} of 100, with mandatory checks weighted by three.`

const body = (certification: Certification) =>
  html`<main id="checks">
    <header class="bar">
      <h2>All checks</h2>
      <div class="filter" role="group" aria-label="Show" hidden>
        <button type="button" aria-pressed="true" data-show="">
          All <b>${certification.checks.length}</b>
        </button>
        ${verdictsOf(certification).map(
          (verdict) =>
            html`<button type="button" aria-pressed="false" data-show="${verdict}">
              ${icon(verdict)}${verdictWords[verdict]}
              <b>${countOf(certification, verdict)}</b>
            </button>`,
        )}
      </div>
    </header>
    ${byGroup(certification.checks).map(
      ({ group, name, of, passed }) =>
        html`<section class="group" aria-labelledby="${group}">
          <h3 id="${group}">
            ${name}
            <small>${passed} of ${of.length} passed</small>
          </h3>
          ${of.map((check) => checkMarkup(certification, check))}
        </section>`,
    )}
  </main>`

const foot = (certification: Certification, signed: CheckedSignature | undefined) =>
  html`<footer class="foot">
    <section>
      <h2>Legend</h2>
      <dl class="legend">
        ${verdictsOf(certification).map(
          (verdict) =>
            html`<div>
              <dt>${icon(verdict)}${verdictWords[verdict]}</dt>
              <dd>${verdictMeanings[verdict]}</dd>
            </div>`,
        )}
      </dl>
      <p>
        A shop is ready if every mandatory check that applies passes, and none is
        waived.${score(certification)}
      </p>
    </section>
    <section>
      <h2>Coverage</h2>
      <p>${coverageText(certification)}</p>
      <dl class="legend">
        ${Object.entries(certification.coverage).map(
          ([kind, { missing }]) =>
            missing.length > 0 &&
            html`<div>
              <dt>Other ${kind}</dt>
              <dd>${missing.join(', ')}</dd>
            </div>`,
        )}
      </dl>
    </section>
    ${signature(certification, signed)}
  </footer>`

/** An address that is safe to paste into a shell. */
const address = (url: string) => (/^https?:\/\/[\w.:/-]+$/.test(url) ? url : 'ADDRESS')

/** The signature section. The page itself has no signature. */
function signature(certification: Certification, signed: CheckedSignature | undefined) {
  const text = signedText(certification, signed)
  const by = `Created by payments-sandbox ${certification.sandbox.version}.`
  if (text === undefined)
    return html`<p class="made">${by} It is unsigned: anyone could have changed the file.</p>`
  const { url } = certification.sandbox
  return html`<section class="made" id="signed">
    <h2>Signature</h2>
    <p>${theirs(text)}</p>
    <p>
      This applies to the report from which this page was created. The page itself is unsigned: anyone could
      have changed it. To be sure, request the report, check that ${theirs(url)} is the right sandbox, and
      verify it:
    </p>
    <pre
      tabindex="0"
    ><code>payments-sandbox certify verify report.json --public-key ${address(url)}</code></pre>
    <p>${by}</p>
  </section>`
}

/** The first screen: readiness, the worst finding, and the state of each group. */
const frontMarkup = (certification: Certification, signed?: CheckedSignature) => {
  const { tone, sentence } = standingLooks[certification.summary.standing]
  const { subject, mode, sandbox, started_at, summary, duration_ms, checks } = certification
  const all = certification.plan?.checks ?? checkIds.length
  const rest = all - checks.length
  return html`<header class="front ${tone}">
      <p class="kicker">
        <span>Payments certification</span><span>${dayOf(started_at)}</span
        ><span
          >${checks.length} checks in
          ${lengthOf(duration_ms)}${mode === 'passive' && ', from the request log only'}</span
        ><span>payments-sandbox ${sandbox.version}</span>
      </p>
      <div class="hero">
        <div>
          <p class="subject">${theirs(subject)}</p>
          <h1>${sentence}</h1>
          <p class="lead">
            ${theirs(withoutHead(summary.text))}${rest > 0 && ` Only ${checks.length} of ${all} checks were selected.`}
          </p>
          ${signedText(certification, signed) !== undefined && html`<p class="record">Created from a signed report with a valid signature. <a href="#signed">Details</a></p>`}
          ${basisTexts(certification).map((each) => html`<p class="record">${each}</p>`)}
        </div>
        ${ring(certification)}
      </div>
      ${worst(certification)} ${strips(certification)}
    </header>
    ${left(certification)}`
}

/** Removes the standing, which the title contains. */
const withoutHead = (text: string) =>
  text.replace(/^(?:Ready|Ready with \d+ waivers?|So far|Not ready|Undecided): (.)/, (_, first: string) =>
    first.toUpperCase(),
  )

const ROUND = 2 * Math.PI * 52

/** The ring of mandatory checks by verdict, with a gap for untried ones. */
function ring(certification: Certification) {
  const { passed, of } = mandatoryOf(certification)
  const { mandatory } = certification.summary
  let gone = 0
  const parts = (['pass', 'fail', 'inconclusive', 'waived'] as const)
    .filter((verdict) => mandatory[verdict] > 0)
    .map((verdict) => {
      const length = (mandatory[verdict] / of) * ROUND
      const turn = (gone / ROUND) * 360 - 90
      gone += length
      return html`<circle
        class="v-${verdict}"
        cx="60"
        cy="60"
        r="52"
        stroke-dasharray="${Math.max(length - (mandatory[verdict] < of ? 2 : 0), 0.5).toFixed(1)} ${ROUND.toFixed(1)}"
        transform="rotate(${turn.toFixed(1)} 60 60)"
      />`
    })
  return html`<div class="ring">
    <svg viewBox="0 0 120 120" aria-hidden="true">
      <circle class="track" cx="60" cy="60" r="52" />
      ${parts}
    </svg>
    <p><b>${passed}</b> <span>of ${of}</span></p>
    <p class="of">mandatory checks passed</p>
  </div>`
}

function worst(certification: Certification) {
  const check = worstOf(certification)
  if (!check) return false
  const { id, title, observed, impact, level, verdict } = check
  const isFailed = verdict === 'fail' && level === 'mandatory'
  const label = level === 'mandatory' ? 'Fix this first' : 'Worth fixing next'
  return html`<a class="worst" href="#${id}">
    <span class="label">${icon(verdict)}${isFailed ? 'Worst finding: fix this first' : label}</span>
    <strong>${isFailed ? impact : theirs(observed)}</strong>
    <span class="why">${isFailed ? html`<b>Seen:</b> ${theirs(observed)}` : impact}</span>
    <span class="which"><b>${id}</b> ${title}</span>
  </a>`
}

const strips = ({ checks }: Certification) =>
  html`<ul class="strips">
    ${byGroup(checks).map(
      ({ group, name, of, passed }) =>
        html`<li>
          <a href="#${group}"><b>${name}</b><span>${passed} of ${of.length}</span></a>
          <span class="strip"
            >${of.map(
              ({ id, title, verdict }) =>
                html`<a
                  class="v-${verdict}"
                  href="#${id}"
                  title="${id} ${title}: ${verdictWords[verdict].toLowerCase()}"
                  aria-label="${id} ${verdictWords[verdict].toLowerCase()}"
                  tabindex="-1"
                ></a>`,
            )}</span
          >
        </li>`,
    )}
  </ul>`

function left(certification: Certification) {
  const todo = leftToDo(certification)
  if (todo.length === 0) return false
  const failing = todo.filter(({ verdict }) => verdict !== 'not_seen')
  const unseen = todo.filter(({ verdict }) => verdict === 'not_seen')
  return html`<section class="left" aria-labelledby="left">
    <h2 id="left">To do</h2>
    ${countOf(certification, 'fail') > 0 && html`<p class="unseen">Requirements that this shop does not meet yet:</p>`}
    ${
      failing.length > 0 &&
      html`<ol>
        ${failing.map(
          ({ id, title, level, verdict, fix: mend }) =>
            html`<li>
              <a href="#${id}"
                >${icon(verdict)}<span><b>${title}</b><span class="mend">${mend}</span></span
                ><span class="tags"><code>${id}</code><span class="${level}">${level}</span></span></a
              >
            </li>`,
        )}
      </ol>`
    }
    ${
      unseen.length > 0 &&
      html`<p class="unseen">
        <b>Not seen yet:</b>
        ${unseen.map(({ id, title }, at) => html`${at > 0 && ', '}<a href="#${id}" title="${title}">${id}</a>`)}
      </p>`
    }
  </section>`
}
