import { teamsOf } from '../service/domain/access.ts'
import type { Look } from '../service/domain/context.ts'
import { notFound } from '../service/domain/errors.ts'
import { toMajor } from '../service/domain/money.ts'
import { archivedIn } from '../service/domain/archive.ts'
import { findTransaction } from '../service/domain/transactions.ts'
import { wireTime } from '../service/domain/wire-time.ts'
import type { LedgerLine } from '../generated/control/schemas.ts'
import { linesOf } from '../storage/store/posting-lines.ts'
import type { BalanceRow, PostingRow } from '../storage/store/payment-rows.ts'
import type { ControlHandlers } from '../http/handler.ts'
import { balanceNamed } from './ledger-account.ts'
import { cut, pageOf } from './page.ts'
import { prove, toProve } from './proof.ts'

export const ledger: Pick<ControlHandlers, 'getLedger'> = {
  async getLedger(call) {
    const { world, caller } = call
    const { transaction, account, before, limit = 100 } = call.request.query
    const { to_prove, named, ...answer } = await world.readInSlices(async (look) => {
      const teams = teamsOf(look, caller.user_id)
      if (teams.length === 0) throw notFound('a Team of user', caller.user_id)
      const own = teams.map(({ team }) => team)
      const named = account === undefined ? undefined : balanceNamed(look, own, account)
      const about = transaction === undefined ? undefined : findTransaction(look, caller, transaction)
      const page = about
        ? cut(postingsOf(look, about.id, before), limit)
        : await pageOf(look, world.name, 'postings', { before, limit })
      return {
        to_prove: toProve(world, look),
        named,
        carried: carriedView(look),
        postings: page.rows.map((row) => postingView(look, row)),
        next_before: page.next_before,
      }
    })
    const balances = (named ? [named] : to_prove.balances).map(balanceView)
    return { status: 200, body: { ...(await prove(world, to_prove)), balances, ...answer } }
  },
}

/** Newest first. */
function postingsOf({ rows }: Look, transaction_id: number, before = Infinity) {
  const all = rows.find('postings', 'transaction', transaction_id)
  return all.filter(({ id }) => id < before).toSorted((a, b) => b.id - a.id)
}

function carriedView(look: Look) {
  const folded = archivedIn(look)
  if (!folded) return null
  const { transactions, postings, through } = folded
  return {
    transactions,
    postings,
    through: wireTime(through),
    balances: look.rows.all('carried').map(balanceView),
  }
}

/** Whose account it is, which its name says: `team:63:wallet:KES`, `fees:KES`, `outside:KES`. */
function partsOf(account: string) {
  const [kind = '', id, pot] = account.split(':')
  const wallet = (kind === 'team' ? pot : kind) as LedgerLine['wallet']
  return { team: kind === 'team' ? Number(id) : null, wallet }
}

const balanceView = ({ account, currency, amount }: BalanceRow) => ({
  account,
  ...partsOf(account),
  currency,
  balance: toMajor(amount, currency),
  minor: amount,
})

function postingView(look: Look, row: PostingRow) {
  const transaction =
    row.transaction_id === null ? undefined : look.rows.get('transactions', row.transaction_id)
  return {
    id: row.id,
    at: wireTime(row.at),
    kind: row.kind,
    currency: row.currency,
    transaction: transaction?.reference ?? null,
    lines: linesOf(row).map(({ account, amount }) => ({
      account,
      ...partsOf(account),
      currency: row.currency,
      amount: toMajor(amount, row.currency),
      minor: amount,
    })),
  }
}
