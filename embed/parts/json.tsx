import { Scrolled } from './prose.tsx'

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d[\d.eE+-]*)/g

/** A value as JSON, in which names, texts and numbers differ. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  // What is very long is not worth an element for each of its words.
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
