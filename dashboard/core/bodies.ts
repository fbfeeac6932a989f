/** Bodies that may be long, or no text at all. The sandbox keeps them as text, in which a byte that is none is U+FFFD. */

const LOST = '\uFFFD'
/** Characters that are looked at. */
const LOOKED_AT = 4_096

/** Whether it is no text, by the characters that texts do not have. */
export const isBinary = (text: string): boolean =>
  // eslint-disable-next-line no-control-regex -- these are what is looked for
  /[\u0000-\u0008\u000E-\u001A\u001C-\u001F\uFFFD]/.test(text.slice(0, LOOKED_AT))

/** Bytes on the wire; of each that was no text it counts one. */
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

/** Lines of sixteen bytes with their place and their letters; `??` is a byte that was not kept. */
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
