import type { Statement } from '../../src/client/types.ts'
import type { LedgerPosting } from '../../src/generated/control/types.ts'

type Line = Statement['lines'][number]

export interface Difference {
  readonly posting: number
  readonly reference: string | null
  readonly what: 'not in the statement' | 'twice in the statement' | 'another amount' | 'not in the ledger'
  /** The amount in the statement in major units; null if the line is missing. */
  readonly said: number | null
  readonly booked: number | null
}

export interface Comparison {
  readonly postings: number
  readonly differences: readonly Difference[]
}

interface Told {
  readonly lines: readonly Line[]
  readonly from: string | null
  readonly to: string | null
  readonly account_id: number
  readonly wallet: string
  readonly currency: string
}

/** A unit in which sums are exact. */
const exact = (amount: number) => Math.round(amount * 10_000)

/** @param postings - include those of the statement's period */
export function compared(
  { lines, account_id, wallet, currency, from, to }: Told,
  postings: readonly LedgerPosting[],
): Comparison {
  const within = ({ at }: LedgerPosting) =>
    (from === null || Date.parse(at) >= Date.parse(from)) && (to === null || Date.parse(at) < Date.parse(to))
  const booked = new Map<number, { readonly amount: number; readonly reference: string | null }>()
  for (const posting of postings.filter(within)) {
    const own = posting.lines.filter(
      (line) => line.team === account_id && line.wallet === wallet && line.currency === currency,
    )
    const amount = own.reduce((sum, line) => sum + exact(line.amount), 0)
    if (own.length > 0) booked.set(posting.id, { amount, reference: posting.transaction })
  }
  const said = new Map<number, readonly Line[]>()
  for (const line of lines) said.set(line.posting, [...(said.get(line.posting) ?? []), line])
  const differences: Difference[] = []
  for (const posting of [...new Set([...booked.keys(), ...said.keys()])].sort((a, b) => a - b)) {
    const told = said.get(posting) ?? []
    const there = booked.get(posting)
    const first = told[0]
    const sum = first === undefined ? null : exact(first.amount) - exact(first.charge)
    const what =
      first === undefined
        ? 'not in the statement'
        : there === undefined
          ? 'not in the ledger'
          : told.length > 1
            ? 'twice in the statement'
            : sum === there.amount
              ? undefined
              : 'another amount'
    if (what)
      differences.push({
        posting,
        what,
        reference: first?.external_reference ?? first?.reference ?? there?.reference ?? null,
        said: sum === null ? null : (sum * Math.max(1, told.length)) / 10_000,
        booked: there === undefined ? null : there.amount / 10_000,
      })
  }
  return { postings: booked.size, differences }
}
