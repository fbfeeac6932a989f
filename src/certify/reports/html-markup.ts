import type { Verdict } from '../certification.ts'
import { escaped } from './words.ts'

export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Markup | string | number | false | null | undefined | readonly Part[]

/** Builds markup such as `` html`<b>${name}</b>` ``: escapes text, joins lists, omits `false`, `null` and `undefined`. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(
    strings
      .map((each, at) => each.replace(/\n\s+/g, '\n') + (at < parts.length ? markupOf(parts[at]) : ''))
      .join(''),
  )

function markupOf(part: Part): string {
  if (part === false || part === null || part === undefined) return ''
  if (part instanceof Markup) return part.text
  if (typeof part === 'object') return part.map(markupOf).join('')
  return escaped(String(part))
}

/** Isolates the direction of foreign text. */
export const theirs = (text: string): Markup => html`<bdi>${text}</bdi>`

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
    ([verdict, shape]) => new Markup(`<symbol id="i-${verdict}" viewBox="0 0 16 16">${shape}</symbol>`),
  )}
</svg>`

/** The shape of a verdict, next to its name. */
export const icon = (verdict: Verdict): Markup =>
  html`<svg class="icon v-${verdict}" aria-hidden="true"><use href="#i-${verdict}"></use></svg>`
