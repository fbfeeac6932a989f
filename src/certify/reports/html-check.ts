import type { Certification, CheckResult, Exchange, Header, Moment, Verdict } from '../certification.ts'
import { isSurprise } from '../results.ts'
import { html, raw } from 'hono/html'
import { lengthOf, since, worldSince } from './words.ts'
import { guideOf, verdictWords } from './words.ts'
import { repeatOf } from './formats.ts'

/** Isolates the direction of foreign text. */
export const theirs = (text: string) => html`<bdi>${text}</bdi>`

/** One shape per verdict for readers who cannot distinguish colours, 16 by 16. */
const shapes: Readonly<Record<Verdict, string>> = {
  pass: '<circle cx="8" cy="8" r="7"/><path d="m4.9 8.3 2.1 2.1 4.1-4.6"/>',
  fail: '<circle cx="8" cy="8" r="7"/><path d="m5.6 5.6 4.8 4.8m0-4.8-4.8 4.8"/>',
  inconclusive: '<path class="ground" d="M8 1.2 15 14H1z"/><path d="M8 6v3.6m0 2.2v.1"/>',
  not_seen: '<circle class="ring" cx="8" cy="8" r="6.3"/>',
  not_applicable: '<circle class="none" cx="8" cy="8" r="6.3"/><path class="none" d="M5.2 8h5.6"/>',
  waived: '<circle cx="8" cy="8" r="7"/><path d="M8 4.4v4.4m0 2.6v.1"/>',
}

/** All shapes, once per page. */
export const icons = html`<svg class="shapes" aria-hidden="true">
  ${Object.entries(shapes).map(
    ([verdict, shape]) => html`<symbol id="i-${verdict}" viewBox="0 0 16 16">${raw(shape)}</symbol>`,
  )}
</svg>`

/** The shape of a verdict, next to its name. */
export const icon = (verdict: Verdict) =>
  html`<svg class="icon v-${verdict}" aria-hidden="true"><use href="#i-${verdict}"></use></svg>`

/** A check: one line, with its evidence below. */
export const checkMarkup = (certification: Certification, check: CheckResult) => {
  const { id, title, level, verdict, observed, duration_ms } = check
  return html`<details class="check v-${verdict}" id="${id}" data-verdict="${verdict}">
    <summary>
      ${icon(verdict)}<span class="name"><b>${title}</b><span class="seen">${theirs(observed)}</span></span
      ><span class="tags"><code>${id}</code><span class="${level}">${level}</span></span>
    </summary>
    <div class="inside">
      <div class="story">
        <p class="verdict">
          ${icon(verdict)}<b>${verdictWords[verdict]}</b>${duration_ms > 0 && html` <span>in ${lengthOf(duration_ms)}</span>`}
        </p>
        ${waiver(check)}
        <dl>
          <dt>Seen</dt>
          <dd>${theirs(observed)}</dd>
          <dt>Expected</dt>
          <dd>${check.expected}</dd>
          <dt>Tried</dt>
          <dd>${check.tried}</dd>
          <dt>Why it matters</dt>
          <dd>${check.impact}</dd>
        </dl>
        <div class="how">
          <h4>How to fix it</h4>
          <p>${check.fix}</p>
          <p>${guide(certification, check.docs)}</p>
        </div>
      </div>
      <div class="proof">${steps(check)} ${again(check)} ${timeline(check)} ${exchanges(check)}</div>
    </div>
  </details>`
}

const waiver = (check: CheckResult) =>
  check.waiver !== null &&
  html`<p class="said">
    Waived until ${check.waiver.until} by ${theirs(check.waiver.by)} (${theirs(check.waiver.ticket)}):
    ${theirs(check.waiver.because)}${isSurprise(check) && html` <b>It passes: remove the waiver from the profile.</b>`}
  </p>`

function guide(certification: Certification, docs: string) {
  const href = guideOf(certification, docs)
  return href ? html`Guide: <a href="${href}">${docs}</a>` : html`Guide: <code>docs/${docs}</code>`
}

const steps = ({ steps: done }: CheckResult) =>
  done.length > 0 &&
  html`<h4>Steps</h4>
    <ol class="steps">
      ${done.map((each) => html`<li>${theirs(each)}</li>`)}
    </ol>`

const again = ({ id, mode }: CheckResult) =>
  mode === 'active' &&
  html`<h4>Repeat</h4>
    <div class="curl">
      <pre tabindex="0"><code>${repeatOf(id)}</code></pre>
      <button type="button" class="copy" hidden>Copy</button>
    </div>`

function timeline({ timeline: moments }: CheckResult) {
  const [first] = moments
  if (!first) return false
  const began = moments.find(({ world_at }) => world_at !== null)?.world_at ?? null
  return html`<h4>Timeline</h4>
    <ol class="moments">
      ${moments.map(
        (moment, at) =>
          html`<li class="who-${moment.who}">
            <time datetime="${moment.at}">${since(moment.at, first.at)}</time><b>${moment.who}</b
            ><span>${theirs(moment.what)}${worldTime(moment, lastOf(moments, at) ?? began, began)}</span>
          </li>`,
      )}
    </ol>`
}

/** The time of the world's clock before an event. */
const lastOf = (moments: readonly Moment[], at: number) =>
  moments.slice(0, at).findLast(({ world_at }) => world_at !== null)?.world_at

/** The progress of the world's clock, if it moved. */
const worldTime = ({ world_at }: Moment, before: string | null, began: string | null) =>
  world_at !== null &&
  began !== null &&
  world_at !== before &&
  html` <small title="World clock: ${world_at}">world ${worldSince(world_at, began)}</small>`

const directions = {
  callback: 'sandbox → shop',
  request: 'shop → sandbox',
  trigger: 'certify → shop',
  probe: 'certify → shop',
  direct: 'certify → shop',
} as const satisfies Record<Exchange['kind'], string>

const exchanges = ({ exchanges: went }: CheckResult) =>
  went.length > 0 &&
  html`<h4>Requests and responses</h4>
    ${went.map(exchangeMarkup)}`

const exchangeMarkup = (exchange: Exchange) => {
  const { kind, label, method, url, response: answer, error, duration_ms, request } = exchange
  return html`<details class="exchange">
    <summary>
      <span class="kind" title="${directions[kind]}">${kind}</span
      ><span class="to"><b>${theirs(label)}</b><code>${method} ${theirs(url)}</code></span
      >${
        answer
          ? html`<span class="status s${Math.floor(answer.status / 100)}">${answer.status}</span>`
          : html`<span class="status none">no response</span>`
      }<span class="took">${lengthOf(duration_ms)}</span>
    </summary>
    <div class="wire">
      <section>
        <h5>Request <small>${directions[kind]}</small></h5>
        ${headers(request.headers)}${bytes(request.body)}
      </section>
      <section>
        <h5>Response</h5>
        ${answer ? html`${headers(answer.headers)}${bytes(answer.body)}` : html`<p class="error">No response: ${theirs(error)}</p>`}
      </section>
    </div>
  </details>`
}

const headers = (of: readonly Header[]) =>
  of.length > 0 &&
  html`<table>
    ${of.map(
      ({ name, value }) =>
        html`<tr>
          <th scope="row">${theirs(name)}</th>
          <td>${theirs(value)}</td>
        </tr>`,
    )}
  </table>`

const bytes = (body: string) =>
  body === ''
    ? html`<p class="empty">No body</p>`
    : html`<pre tabindex="0"><code>${theirs(body)}</code></pre>
        <p class="size">${Buffer.byteLength(body)} bytes shown</p>`
