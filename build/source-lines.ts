const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/**
 * Reduces the mappings of a source map to one segment per source line. A lookup uses the last segment before a position,
 * so it still finds the right line.
 * @param mappings - In the format of source maps: `;` between lines, `,` between segments, numbers relative to the previous segment
 */
export function byLine(mappings: string): string {
  // Source, line and column of the last segment read and of the last segment written.
  const read = [0, 0, 0]
  const written = [0, 0, 0]
  const lines = mappings.split(';').map((line) => {
    let [column, writtenColumn, isFirst] = [0, 0, true]
    const kept: string[] = []
    for (const text of line === '' ? [] : line.split(',')) {
      const [step, ...steps] = numbersOf(text)
      column += step!
      // A segment without a source belongs to the previous segment.
      if (steps.length < 3) continue
      for (const n of read.keys()) read[n]! += steps[n]!
      if (!isFirst && read[0] === written[0] && read[1] === written[1]) continue
      kept.push([column - writtenColumn, ...read.map((value, n) => value - written[n]!)].map(textOf).join(''))
      for (const [n, value] of read.entries()) written[n] = value
      ;[writtenColumn, isFirst] = [column, false]
    }
    return kept.join(',')
  })
  return lines.join(';')
}

/** Base64 VLQ: five bits per digit, lowest first; the sixth bit marks a continuation, the very first bit is the sign. */
function numbersOf(text: string): readonly number[] {
  const numbers: number[] = []
  let [value, shift] = [0, 0]
  for (const char of text) {
    const digit = DIGITS.indexOf(char)
    value += (digit & 31) << shift
    shift += 5
    if (digit & 32) continue
    numbers.push(value & 1 ? -(value >>> 1) : value >>> 1)
    ;[value, shift] = [0, 0]
  }
  return numbers
}

function textOf(number: number): string {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1
  let text = ''
  do {
    const more = rest >>> 5
    text += DIGITS[(rest & 31) | (more > 0 ? 32 : 0)]
    rest = more
  } while (rest > 0)
  return text
}
