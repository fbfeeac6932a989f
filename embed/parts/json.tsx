import { Scrolled } from './prose.tsx'

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d[\d.eE+-]*)/g

/** JSON with highlighted syntax. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  // Very long values are not highlighted.
  const plain = typeof value === 'string' || text.length > 20_000
  return <Scrolled label={label}>{plain ? text : painted(text)}</Scrolled>
}

function painted(text: string) {
  const pieces: unknown[] = []
  let last = 0
  for (const found of text.matchAll(TOKEN)) {
    const [whole, quoted, colon, word] = found
    if (found.index > last) pieces.push(text.slice(last, found.index))
    const kind = colon ? 'name' : quoted ? 'text' : word ? 'word' : 'number'
    pieces.push(<span class={kind}>{colon ? quoted : whole}</span>, colon ?? '')
    last = found.index + whole.length
  }
  return [...pieces, text.slice(last)]
}
