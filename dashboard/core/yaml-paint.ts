/** A piece of a YAML line with its kind and whether it is wrong. */
export interface Piece {
  readonly text: string
  readonly is: 'key' | 'text' | 'number' | 'comment' | 'sign' | 'plain'
  readonly wrong: boolean
}

const TOKENS =
  /(?<comment>(?:^|(?<=\s))#.*$)|(?<key>(?:"[^"]*"|'[^']*'|[\w.$-]+)(?=:(?:\s|$)))|(?<text>"(?:[^"\\]|\\.)*"|'[^']*')|(?<number>(?<![\w.-])-?\d+(?:\.\d+)?(?:ms|[smhd])?(?![\w.-]))|(?<sign>[{}[\],:|>]|-(?=\s))/g

/** @param marks - columns with errors, from 0 */
export function painted(line: string, marks: readonly number[] = []): readonly Piece[] {
  const kinds = Array.from<Piece['is']>({ length: line.length }).fill('plain')
  for (const { groups, index, 0: found } of line.matchAll(TOKENS)) {
    const [is] = Object.entries(groups!).find(([, value]) => value !== undefined)!
    kinds.fill(is as Piece['is'], index, index + found.length)
  }
  const wrong = new Set(marks.flatMap((mark) => columnsOf(line, mark)))
  const end = [...wrong].some((column) => column >= line.length)
  const pieces: Piece[] = []
  for (let column = 0; column < line.length; column++) {
    const piece = { text: line[column]!, is: kinds[column]!, wrong: wrong.has(column) }
    const last = pieces.at(-1)
    if (last && last.is === piece.is && last.wrong === piece.wrong)
      pieces[pieces.length - 1] = { ...last, text: last.text + piece.text }
    else pieces.push(piece)
  }
  return end ? [...pieces, { text: ' ', is: 'plain', wrong: true }] : pieces
}

/** The word at a column, or the column itself. */
function columnsOf(line: string, from: number): readonly number[] {
  const long = /^(?:"[^"]*"?|'[^']*'?|[^\s,{}[\]:]+)/.exec(line.slice(from))?.[0].length ?? 1
  return Array.from({ length: long }, (_, n) => Math.min(from, line.length) + n)
}

/** Converts a line and column, counted from 1, to an offset. */
export function offsetOf(text: string, line: number, column: number): number {
  let at = 0
  for (let n = 1; n < line; n++) {
    const end = text.indexOf('\n', at)
    if (end < 0) return text.length
    at = end + 1
  }
  const end = text.indexOf('\n', at)
  return Math.min(at + column - 1, end < 0 ? text.length : end)
}

/** Returns the word that a message suggests, and the text it replaces. */
export function mendOf(
  text: string,
  { line, column, message }: { readonly line: number; readonly column: number; readonly message: string },
): { readonly from: number; readonly to: number; readonly word: string } | undefined {
  const word = /\(did you mean ([^?\s]+)\?\)/.exec(message)?.[1]
  const wrong = /"([^"]+)" is /.exec(message)?.[1]
  if (word === undefined || wrong === undefined) return undefined
  const begin = offsetOf(text, line, column)
  const end = text.indexOf('\n', begin)
  const at = text.slice(begin, end < 0 ? undefined : end).indexOf(wrong)
  return at < 0 ? undefined : { from: begin + at, to: begin + at + wrong.length, word }
}
