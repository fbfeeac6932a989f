import { escaped } from './xml.ts'

/** Markup that was written here. Whatever is put into it is text, unless it is markup too. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Markup | string | number | false | null | undefined | readonly Part[]

/** Such as `` html`<b>${name}</b>` ``: text is escaped, lists are joined, what is false, null or undefined is nothing. */
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

/** What others wrote: it does not turn round what stands beside it. */
export const theirs = (text: string): Markup => html`<bdi>${text}</bdi>`
