import type { Certification } from '../certification.ts'
import { groups, type Group } from '../checks.ts'
import { icon } from './html-icons.ts'
import { html, type Markup, theirs } from './markup.ts'
import { dayOf, lengthOf } from './times.ts'
import { leftToDo, standing, verdictWords, worstOf } from './words.ts'

const tones = { Ready: 'good', 'Not ready': 'bad', 'Not decided': 'wait' } as const
const sentences = {
  Ready: 'Ready to go live',
  'Not ready': 'Not ready to go live',
  'Not decided': 'Not decided yet',
} as const

/** The first screen: whether it is ready, what is worst, and how each group stands. For whoever reads no further. */
export const frontMarkup = (certification: Certification): Markup => {
  const stand = standing(certification)
  const { subject, mode, sandbox, started_at, summary, duration_ms, checks } = certification
  return html`<header class="front ${tones[stand]}">
      <p class="kicker">
        <span>Payments certification</span><span>${dayOf(started_at)}</span
        ><span
          >${checks.length} checks in
          ${lengthOf(duration_ms)}${mode === 'passive' && ', from the record alone'}</span
        ><span>payments-sandbox ${sandbox.version}</span>
      </p>
      <div class="hero">
        <div>
          <p class="subject">${theirs(subject)}</p>
          <h1>${sentences[stand]}</h1>
          <p class="lead">${withoutHead(summary.text)}</p>
        </div>
        ${ring(summary.score)}
      </div>
      ${worst(certification)} ${strips(certification)}
    </header>
    ${left(certification)}`
}

/** The title says it already. */
const withoutHead = (text: string) =>
  text.replace(/^(Ready|Not ready|Not decided): (.)/, (_, __, first: string) => first.toUpperCase())

/** How far round the score goes. */
function ring(score: number | null): Markup {
  const length = 2 * Math.PI * 52
  const done = ((score ?? 0) / 100) * length
  return html`<div
    class="ring"
    role="img"
    aria-label="${score === null ? 'No score' : `Score ${Math.floor(score)} of 100`}"
  >
    <svg viewBox="0 0 120 120" aria-hidden="true">
      <circle class="track" cx="60" cy="60" r="52" />
      ${
        done > 0 &&
        html`<circle
          class="done"
          cx="60"
          cy="60"
          r="52"
          stroke-dasharray="${done.toFixed(1)} ${length.toFixed(1)}"
          transform="rotate(-90 60 60)"
        />`
      }
    </svg>
    <p aria-hidden="true"><b>${score === null ? '–' : Math.floor(score)}</b><span>of 100</span></p>
  </div>`
}

function worst(certification: Certification): Markup | false {
  const check = worstOf(certification)
  if (!check) return false
  const { id, title, seen, why, level, verdict } = check
  return html`<a class="worst" href="#${id}">
    <span class="label"
      >${icon(verdict)}${level === 'mandatory' ? 'Mend this first' : 'Worth mending next'}</span
    >
    <strong>${theirs(seen)}</strong>
    <span class="why">${why}</span>
    <span class="which"><b>${id}</b> ${title}</span>
  </a>`
}

const strips = ({ checks }: Certification) =>
  html`<ul class="strips">
    ${(Object.keys(groups) as Group[]).map((group) => {
      const of = checks.filter((each) => each.group === group)
      return (
        of.length > 0 &&
        html`<li>
          <a href="#${group}"
            ><b>${groups[group]}</b
            ><span>${of.filter(({ verdict }) => verdict === 'pass').length} of ${of.length}</span></a
          >
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
        </li>`
      )
    })}
  </ul>`

/** What is to be done before going live, most urgent first. */
function left(certification: Certification): Markup | false {
  const todo = leftToDo(certification)
  if (todo.length === 0) return false
  const failing = todo.filter(({ verdict }) => verdict !== 'not_seen')
  const unseen = todo.filter(({ verdict }) => verdict === 'not_seen')
  return html`<section class="left" aria-labelledby="left">
    <h2 id="left">What is left</h2>
    ${
      failing.length > 0 &&
      html`<ol>
        ${failing.map(
          ({ id, title, level, verdict, mend }) =>
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
