/** The lines of a posting are stored flat: objects took a quarter of the memory of a settled transaction. */
import type { PostingRow } from './payment-rows.ts'

export interface PostingLine {
  /** The ledger account, for example `team:63:wallet` or `fees:KES`. */
  readonly account: string
  /** Minor units; positive into the account, negative out of it. */
  readonly amount: number
}

export const packLines = (lines: readonly PostingLine[]): readonly (string | number)[] =>
  // A copy has no spare capacity, unlike an array that grew.
  lines.flatMap(({ account, amount }) => [account, amount]).slice()

export function linesOf({ lines }: Pick<PostingRow, 'lines'>): readonly PostingLine[] {
  const read: PostingLine[] = []
  for (let at = 0; at < lines.length; at += 2)
    read.push({ account: lines[at] as string, amount: lines[at + 1] as number })
  return read
}

/** Returns the accounts of a posting that appear in statements: accounts of Teams, except funds in transit. */
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

export function amountIn({ lines }: Pick<PostingRow, 'lines'>, account: string | number): number {
  let sum = 0
  // Creates no objects: an index over all postings calls it for each.
  for (let at = 0; at < lines.length; at += 2) if (lines[at] === account) sum += lines[at + 1] as number
  return sum
}
