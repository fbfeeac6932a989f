/** The lines of a posting as they are kept: flat, since objects took a quarter of what a settled transaction takes. */
import type { PostingLine, PostingRow } from './rows.ts'

/** Account and amount of each line, one after another. */
export const packLines = (lines: readonly PostingLine[]): readonly (string | number)[] =>
  // An array that grew has room for more; its copy has not.
  lines.flatMap(({ account, amount }) => [account, amount]).slice()

/** The lines of a posting. Those of older files and exports are objects. */
export function linesOf({ lines }: Pick<PostingRow, 'lines'>): readonly PostingLine[] {
  if (typeof lines[0] === 'object') return lines as readonly PostingLine[]
  const read: PostingLine[] = []
  for (let at = 0; at < lines.length; at += 2)
    read.push({ account: lines[at] as string, amount: lines[at + 1] as number })
  return read
}
