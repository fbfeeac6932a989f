/** Bodies may be long or binary. The sandbox stores them as text, with U+FFFD for invalid bytes. */

const LOST = '\uFFFD'
/** Characters examined. */
const LOOKED_AT = 4_096

/** Whether a body contains characters that texts do not have. */
export const isBinary = (text: string): boolean =>
  // eslint-disable-next-line no-control-regex -- these are what is looked for
  /[\u0000-\u0008\u000E-\u001A\u001C-\u001F\uFFFD]/.test(text.slice(0, LOOKED_AT))

/** Size in bytes; each invalid byte counts as one. */
export function byteLength(text: string): number {
  let lost = 0
  for (const each of text) if (each === LOST) lost++
  return new TextEncoder().encode(text).length - 2 * lost
}

/** `850 bytes`, `1.5 KB`, `64 KB` */
export function sizeOf(bytes: number): string {
  if (bytes < 1_000) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  const kilo = bytes / 1_024
  return kilo < 1_000
    ? `${Number(kilo.toFixed(kilo < 10 ? 1 : 0))} KB`
    : `${Number((kilo / 1_024).toFixed(1))} MB`
}

/** A hex dump with 16 bytes per line; `??` is a byte that was not stored. */
export function hexOf(text: string, most = 512): string {
  const encoder = new TextEncoder()
  const cells: (readonly [hex: string, letter: string])[] = []
  for (const each of text) {
    if (cells.length >= most) break
    if (each === LOST) cells.push(['??', '?'])
    else
      for (const byte of encoder.encode(each))
        cells.push([
          byte.toString(16).padStart(2, '0'),
          byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.',
        ])
  }
  const lines: string[] = []
  for (let n = 0; n < cells.length; n += 16) {
    const row = cells.slice(n, n + 16)
    const hex = row.map(([pair]) => pair).join(' ')
    lines.push(
      `${n.toString(16).padStart(4, '0')}  ${hex.padEnd(47)}  ${row.map(([, letter]) => letter).join('')}`,
    )
  }
  return lines.join('\n')
}

/** Summarises a body in one line: for callbacks the reference and result. */
export function gistOf(body: string): string {
  let fields: Record<string, unknown>
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value !== 'object' || value === null) return shortly(body)
    fields = value as Record<string, unknown>
  } catch {
    return shortly(body)
  }
  // The nested callback shape has the fields one level deeper.
  const { response } = fields
  const inner = typeof response === 'object' && response !== null ? (response as Record<string, unknown>) : {}
  const first = (...names: readonly unknown[]) =>
    names.find((each): each is string => typeof each === 'string' && each !== '')
  const about = first(
    fields['external_reference'],
    inner['ExternalReference'],
    fields['reference'],
    inner['CheckoutRequestID'],
  )
  const how = first(fields['status'], inner['Status'], fields['message'])
  return about === undefined ? shortly(body) : [about, how?.toLowerCase()].filter(Boolean).join(', ')
}

const shortly = (text: string) => {
  const line = text.slice(0, 120).replace(/\s+/g, ' ').trim()
  return text.length > 120 ? `${line}…` : line
}
