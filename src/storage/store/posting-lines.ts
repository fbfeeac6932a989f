/** The lines of a posting as they are kept: flat, since objects took a quarter of what a settled transaction takes. */
import type { PostingRow } from './payment-rows.ts'

export interface PostingLine {
  /** The ledger account, e.g. `team:63:wallet` or `fees:KES`. */
  readonly account: string
  /** Minor units; positive into the account, negative out of it. */
  readonly amount: number
}

/** Account and amount of each line, one after another. */
export const packLines = (lines: readonly PostingLine[]): readonly (string | number)[] =>
  // An array that grew has room for more; its copy has not.
  lines.flatMap(({ account, amount }) => [account, amount]).slice()

/** The lines of a posting. */
export function linesOf({ lines }: Pick<PostingRow, 'lines'>): readonly PostingLine[] {
  const read: PostingLine[] = []
  for (let at = 0; at < lines.length; at += 2)
    read.push({ account: lines[at] as string, amount: lines[at + 1] as number })
  return read
}

/** The accounts of a posting that its Team has statements of: all of the Team's own but what is in transit. */
export function statedAccounts({ lines }: Pick<PostingRow, 'lines'>): string | readonly string[] {
  let first = ''
  let all: string[] | undefined
  for (const account of lines) {
    if (typeof account !== 'string' || !isStated(account) || account === first) continue
    if (first === '') first = account
    else if (!all?.includes(account)) (all ??= [first]).push(account)
  }
  return all ?? first
}

const isStated = (account: string) => account.startsWith('team:') && !account.includes(':in_transit:')

/** What a posting adds to an account, minor units. */
export function amountIn({ lines }: Pick<PostingRow, 'lines'>, account: string | number): number {
  let sum = 0
  // Without an object a line: an order over all postings asks it of each.
  for (let at = 0; at < lines.length; at += 2) if (lines[at] === account) sum += lines[at + 1] as number
  return sum
}
