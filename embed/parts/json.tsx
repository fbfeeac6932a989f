import { Scrolled } from './prose.tsx'

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d[\d.eE+-]*)/g

/** JSON with highlighted syntax. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  // Very long values are not highlighted.
  const plain = typeof value === 'string' || text.length > 20_000
  return <Scrolled label={label}>{plain ? text : painted(text)}</Scrolled>
}

const painted = (text: string) =>
  tokensOf(text).map(({ text: piece, kind }) => (kind ? <span class={kind}>{piece}</span> : piece))

interface Token {
  readonly text: string
  /** Undefined for punctuation and space. */
  readonly kind?: 'name' | 'text' | 'word' | 'number'
}

/** Splits JSON by the kind of its pieces. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  let last = 0
  for (const found of text.matchAll(TOKEN)) {
    const [whole, quoted, colon, word] = found
    if (found.index > last) tokens.push({ text: text.slice(last, found.index) })
    const kind = colon ? 'name' : quoted ? 'text' : word ? 'word' : 'number'
    tokens.push({ text: colon ? quoted! : whole, kind }, ...(colon ? [{ text: colon }] : []))
    last = found.index + whole.length
  }
  return [...tokens, { text: text.slice(last) }]
}
