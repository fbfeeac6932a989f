import { teamsOf } from '../domain/access.ts'
import type { Look } from '../domain/context.ts'
import { notFound } from '../domain/errors.ts'
import { toMajor } from '../domain/money.ts'
import { foldedIn } from '../domain/retention.ts'
import { findTransaction } from '../domain/transactions.ts'
import { wireTime } from '../domain/wire-time.ts'
import type { BalanceRow, PostingLine, PostingRow } from '../store/rows.ts'
import type { ControlHandlers } from './handlers.ts'

export const ledger: Pick<ControlHandlers, 'getLedger'> = {
  async getLedger(c) {
    const { world, caller } = c.var
    const { transaction, before, limit = 100 } = c.req.valid('query')
    const answer = await world.read(async (look) => {
      const teams = await teamsOf(look, caller.user_id)
      if (teams.length === 0) throw notFound('a Team of user', caller.user_id)
      const about = transaction === undefined ? undefined : await findTransaction(look, caller, transaction)
      const all = await look.rows.all('postings')
      const matching = all.filter(
        (row) =>
          (about === undefined || row.transaction_id === about.id) &&
          (before === undefined || row.id < before),
      )
      const page = matching.slice(-limit).reverse()
      const last = page.at(-1)
      return {
        ...(await proof(look, all)),
        postings: await Promise.all(page.map((row) => postingView(look, row))),
        next_before: last && matching.length > page.length ? last.id : null,
      }
    })
    return c.json(answer, 200)
  },
}

/** Sums the whole ledger anew: every posting to zero, every account to the balance on record. */
async function proof(look: Look, postings: readonly PostingRow[]) {
  const sums = new Map<string, number>()
  let zero = true
  const add = (lines: readonly PostingLine[]) => {
    let total = 0
    for (const { account, amount } of lines) {
      total += amount
      sums.set(account, (sums.get(account) ?? 0) + amount)
    }
    zero &&= total === 0
  }
  const carried = await look.rows.all('carried')
  for (const currency of new Set(carried.map((row) => row.currency)))
    add(carried.filter((row) => row.currency === currency))
  for (const { lines } of postings) add(lines)
  const balances = await look.rows.all('balances')
  const agree =
    balances.length === sums.size && balances.every((balance) => sums.get(balance.account) === balance.amount)
  return {
    balanced: zero && agree,
    checked_postings: postings.length,
    carried: await carriedView(look, carried),
    balances: balances.map(balanceView),
  }
}

async function carriedView(look: Look, carried: readonly BalanceRow[]) {
  const folded = await foldedIn(look)
  if (!folded) return null
  const { transactions, postings, through } = folded
  return { transactions, postings, through: wireTime(through), balances: carried.map(balanceView) }
}

const balanceView = ({ account, currency, amount }: BalanceRow) => ({
  account,
  currency,
  balance: toMajor(amount, currency),
})

async function postingView(look: Look, row: PostingRow) {
  const transaction =
    row.transaction_id === null ? undefined : await look.rows.get('transactions', row.transaction_id)
  return {
    id: row.id,
    at: wireTime(row.at),
    kind: row.kind,
    currency: row.currency,
    transaction: transaction?.reference ?? null,
    lines: row.lines.map(({ account, amount }) => ({ account, amount: toMajor(amount, row.currency) })),
  }
}
