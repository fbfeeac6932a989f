import { Marked, type MarkedExtension, type Token, type Tokens } from 'marked'
import { escaped } from '../../lib/text/escaped.ts'
import { slugOf } from './slug.ts'
import { asHere, commandsHere, type Here, guideOfLink } from './for-this-sandbox.ts'

/** Markup in which all text of the guide is escaped, and the headings with their anchors. */
export type Rendered = ReturnType<typeof render>

type AddressOf = (name: string) => string

/**
 * Renders a guide.
 * @param markdown - as written
 * @param addressOf - returns the address of a guide
 */
export function render(markdown: string, here: Here, addressOf: AddressOf) {
  const parts: { anchor: string; title: string }[] = []
  const anchors = new Set<string>()
  const anchorOf = (title: string): string => {
    const wanted = slugOf(title)
    let anchor = wanted
    for (let n = 1; anchors.has(anchor); n++) anchor = `${wanted}-${n}`
    anchors.add(anchor)
    return anchor
  }
  const renderer: MarkedExtension['renderer'] = {
    ...texts(here),
    ...tables(),
    heading({ tokens, depth, text }) {
      const title = text.replaceAll('`', '')
      const anchor = anchorOf(title)
      if (depth === 2) parts.push({ anchor, title })
      const body = this.parser.parseInline(tokens)
      return depth === 1
        ? `<h1>${body}</h1>\n`
        : `<h${depth} id="${anchor}"><a href="#${anchor}">${body}</a></h${depth}>\n`
    },
    link({ href, tokens }) {
      const body = this.parser.parseInline(tokens)
      const target = targetOf(href, here, addressOf)
      return target === undefined ? body : `<a href="${escaped(target)}">${body}</a>`
    },
  }
  const marked = new Marked({ gfm: true, renderer })
  return { markup: marked.parse(markdown, { async: false }), parts }
}

/** Escapes all text; HTML in a guide is shown as text. */
const texts = (here: Here): MarkedExtension['renderer'] => ({
  text(token) {
    return hasTokens(token) ? this.parser.parseInline(token.tokens) : escaped(asHere(token.text, here))
  },
  html({ text }) {
    const [, marker] = /^<!-- ?(.*?) ?-->\s*$/.exec(text) ?? []
    if (marker === 'tabs') return '<div class="tabs">\n'
    if (marker === '/tabs') return '</div>\n'
    // Other comments mark generated tables and the suites that run a block.
    return marker === undefined ? escaped(text) : ''
  },
  codespan: ({ text }) => `<code>${escaped(asHere(text, here))}</code>`,
  code: ({ text }) => `<pre tabindex="0"><code>${escaped(commandsHere(text, here))}</code></pre>\n`,
  image: ({ text }) => escaped(text),
})

const hasTokens = (token: Tokens.Text | Tokens.Escape): token is Tokens.Text & { tokens: Token[] } =>
  'tokens' in token && token.tokens !== undefined

/** Wide tables scroll on their own, also by keyboard. Landmarks of a page need unique names, so each has a number. */
const tables = (count = 0): MarkedExtension['renderer'] => ({
  table({ header, rows }) {
    count += 1
    const cell = (name: 'th' | 'td', { tokens }: Tokens.TableCell) =>
      `<${name}${name === 'th' ? ' scope="col"' : ''}>${this.parser.parseInline(tokens)}</${name}>`
    const head = header.map((each) => cell('th', each)).join('')
    const body = rows.map((row) => `<tr>${row.map((each) => cell('td', each)).join('')}</tr>`).join('\n')
    const label = escaped(
      header
        .map(({ text }) => text.replaceAll('`', ''))
        .filter(Boolean)
        .join(', '),
    )
    return `<div class="scroll" tabindex="0" role="region" aria-label="Table ${count}: ${label}"><table>
<thead><tr>${head}</tr></thead>
<tbody>${body}</tbody></table></div>\n`
  },
})

/**
 * Returns the target of a link: a guide, a heading or an address; undefined for a file that is not served.
 */
function targetOf(href: string, here: Here, addressOf: AddressOf): string | undefined {
  if (href.startsWith('#')) return href
  const guide = guideOfLink(href)
  if (guide) return addressOf(guide.name) + guide.anchor
  return /^https?:\/\//.test(href) ? asHere(href, here) : undefined
}
