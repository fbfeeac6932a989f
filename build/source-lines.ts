const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/**
 * The mappings of a source map with those places alone at which another line of a source begins: whoever looks a place up finds the
 * last one before it, and so the same line as ever.
 * @param mappings as the format has them: lines by `;`, places by `,`, numbers as differences from the place before
 */
export function byLine(mappings: string): string {
  // Source, line, column, as of the last place read and of the last written.
  const read = [0, 0, 0]
  const written = [0, 0, 0]
  const lines = mappings.split(';').map((line) => {
    let [column, writtenColumn, isFirst] = [0, 0, true]
    const kept: string[] = []
    for (const text of line === '' ? [] : line.split(',')) {
      const [step, ...steps] = numbersOf(text)
      column += step!
      // What is of no source goes with what is before it.
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

/** Base 64 by five bits, the lowest first; the sixth says that more follow, and the first of all is the sign. */
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
