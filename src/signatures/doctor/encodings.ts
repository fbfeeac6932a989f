/** Reads a signature whatever it was encoded with. */

export interface Decoded {
  readonly bytes: Buffer
  /** How it reads, in words. */
  readonly encoding: string
}

/** Lengths of SHA-1, SHA-256 and SHA-512, bytes. */
const LENGTHS = [20, 32, 64]

/** Every reading of a text that gives the length of a digest; none for a malformed one. */
export function decodings(text: string): Decoded[] {
  const readings: Decoded[] = []
  if (/^([0-9a-f]{2})+$/i.test(text)) {
    readings.push({
      bytes: Buffer.from(text, 'hex'),
      encoding: /[A-F]/.test(text) ? 'upper-case hex' : 'hex',
    })
  }
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) {
    const bytes = Buffer.from(text, 'base64')
    readings.push({ bytes, encoding: base64Name(text) })
    const inner = bytes.toString('latin1')
    if (/^([0-9a-f]{2})+$/i.test(inner)) {
      readings.push({ bytes: Buffer.from(inner, 'hex'), encoding: 'base64 of the hex text' })
    }
  }
  return readings.filter(({ bytes }) => LENGTHS.includes(bytes.length))
}

function base64Name(text: string): string {
  if (/[-_]/.test(text)) return 'base64url'
  return text.length % 4 === 0 ? 'base64' : 'base64 or base64url without padding'
}
