import { lexer, type Token, type Tokens } from 'marked'

/** Formatted text as data, from which a page creates elements without parsing markup. */
export type Prose = readonly (string | ProseElement)[]

interface ProseElement {
  readonly name: ProseName
  /** The target of a link. */
  readonly to?: string
  readonly in: Prose
}

type ProseName =
  | 'p'
  | 'code'
  | 'strong'
  | 'em'
  | 'ul'
  | 'ol'
  | 'li'
  | 'pre'
  | 'table'
  | 'tr'
  | 'th'
  | 'td'
  | 'a'

/** Parses a text of the description. @param markdown - as written */
export const proseOf = (markdown: string): Prose => lexer(markdown).flatMap(nodesOf)

const element = (name: ProseName, inside: Prose): ProseElement => ({ name, in: inside })

function nodesOf(token: Token): Prose {
  switch (token.type) {
    case 'space':
    case 'hr':
      return []
    case 'paragraph':
    case 'heading':
    case 'blockquote':
      return [element('p', inside(token))]
    case 'strong':
    case 'em':
      return [element(token.type, inside(token))]
    case 'codespan':
      return [element('code', [token.text])]
    case 'code':
      return [element('pre', [token.text])]
    case 'br':
      return [' ']
    case 'link':
      return linkOf(token as Tokens.Link)
    case 'list':
      return [listOf(token as Tokens.List)]
    case 'table':
      return [tableOf(token as Tokens.Table)]
    default:
      // Markup within a text is shown as text.
      return 'tokens' in token && token.tokens ? inside(token) : [(token as Tokens.Text).text]
  }
}

const all = (tokens: readonly Token[]): Prose => tokens.flatMap(nodesOf)
const inside = (token: Token): Prose => ('tokens' in token ? all(token.tokens ?? []) : [])

/** Keeps absolute links only; relative ones belong to another page. */
const linkOf = (token: Tokens.Link): Prose =>
  /^https?:\/\//.test(token.href) ? [{ name: 'a', to: token.href, in: inside(token) }] : inside(token)

const listOf = ({ ordered, items }: Tokens.List): ProseElement =>
  element(
    ordered ? 'ol' : 'ul',
    items.map(({ tokens }) => element('li', all(tokens))),
  )

const tableOf = ({ header, rows }: Tokens.Table): ProseElement =>
  element('table', [rowOf('th', header), ...rows.map((row) => rowOf('td', row))])

const rowOf = (name: 'th' | 'td', cells: readonly Tokens.TableCell[]): ProseElement =>
  element(
    'tr',
    cells.map(({ tokens }) => element(name, all(tokens))),
  )
