import { handlers, cut, MOST_LOOKED_AT, pageOf, ok } from './page.ts'
import type { LedgerLine } from '../generated/control/schemas.ts'
import { timeSlice } from '../lib/clock/time-slice.ts'
import { didYouMean } from '../lib/text/suggest.ts'
import { teamsOf } from '../service/domain/access.ts'
import { archivedIn } from '../service/domain/archive.ts'
import type { Look } from '../service/domain/context.ts'
import { invalid, notFound } from '../service/domain/errors.ts'
import { feesAccount, outsideAccount, pots, teamAccount } from '../service/domain/ledger.ts'
import { currencies, toMajor } from '../service/domain/money.ts'
import { findTransaction } from '../service/domain/transactions.ts'
import { wireTime } from '../service/domain/wire-time.ts'
import type { BalanceRow, PostingRow } from '../storage/store/payment-rows.ts'
import { amountIn, linesOf, type PostingLine, statedAccounts } from '../storage/store/posting-lines.ts'
import type { TeamRow } from '../storage/store/rows.ts'
import type { Added, Mark } from '../storage/store/store.ts'
import type { World } from '../worlds/world.ts'

export const ledger = handlers(() => ({
  async getLedger({ world, caller, request }) {
    const { transaction, account, before, limit = 100 } = request.query
    const { to_prove, named, ...answer } = await world.readInSlices(async (look) => {
      const teams = teamsOf(look, caller.user_id)
      if (teams.length === 0) throw notFound('a Team of user', caller.user_id)
      const own = teams.map(({ team }) => team)
      const named = account === undefined ? undefined : balanceNamed(look, own, account)
      const about = transaction === undefined ? undefined : findTransaction(look, caller, transaction)
      const isMeant = (row: PostingRow) => !named || row.lines.includes(named.account)
      const page = about
        ? cut(postingsOf(look, about.id, before).filter(isMeant), limit)
        : await pageOf(look, world.name, 'postings', { before, limit, most: MOST_LOOKED_AT }, isMeant)
      return {
        to_prove: toProve(world, look),
        named,
        carried_forward: carriedView(look),
        postings: page.rows.map((row) => postingView(look, row, named?.account)),
        next_before: page.next_before,
      }
    })
    const balances = (named ? [named] : to_prove.balances).map(balanceView)
    return ok({ ...(await prove(world, to_prove)), balances, ...answer })
  },
}))

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

/** Parses an account such as `team:63:wallet:KES`, `fees:KES` or `outside:KES`. */
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

/** Returns the balance of a Team's account after a posting. */
function balanceAfter({ rows }: Look, row: PostingRow, account: string): number {
  const { sum } = rows.rank('postings', 'account', account, { by: row.at, key: row.id })
  return (rows.get('carried', account)?.amount ?? 0) + sum + amountIn(row, account)
}

function postingView(look: Look, row: PostingRow, account: string | undefined) {
  const transaction =
    row.transaction_id === null ? undefined : look.rows.get('transactions', row.transaction_id)
  return {
    id: row.id,
    at: wireTime(row.at),
    kind: row.kind,
    currency: row.currency,
    transaction: transaction?.reference ?? null,
    ...(account !== undefined &&
      statedAccounts(row).includes(account) && {
        balance: toMajor(balanceAfter(look, row, account), row.currency),
      }),
    lines: linesOf(row).map(({ account, amount }) => ({
      account,
      ...partsOf(account),
      currency: row.currency,
      amount: toMajor(amount, row.currency),
      minor: amount,
    })),
  }
}

/**
 * Returns the balance of an account. Without a currency, the account means the one in the Team's currency, or
 * the only one that exists. An account without postings has a balance of 0.
 * @param teams - the caller's Teams
 * @throws {ServiceError} 400 naming the nearest account, or all that the name may mean
 */
function balanceNamed({ rows }: Look, teams: readonly TeamRow[], name: string): BalanceRow {
  const exact = rows.get('balances', name)
  if (exact) return exact
  const bare = baseOf(name)
  const team = teams.find(({ id }) => pots.some((pot) => bare === `team:${id}:${pot}`))
  const exists = team !== undefined || SHARED.includes(bare)
  const currency = name.slice(bare.length + 1)
  if (exists && currencies.includes(currency)) return { account: name, currency, amount: 0 }
  if (exists && currency === '') {
    const held = currencies.flatMap((each) => rows.get('balances', `${bare}:${each}`) ?? [])
    const own = (team ?? teams[0])!.currency
    const nothing = { account: `${bare}:${own}`, currency: own, amount: 0 }
    if (held.length <= 1) return held[0] ?? nothing
    if (team) return held.find((each) => each.currency === own) ?? nothing
    throw invalid(`account ${name} exists in several currencies: ${listed(held)}`)
  }
  const known = [...rows.all('balances').map(({ account }) => account), ...teams.flatMap(accountsOf)]
  throw invalid(`account "${name}" does not exist${didYouMean(name, known) || FORMS}`)
}

/** The accounts that no Team owns, without their currency. */
const SHARED = ['fees', 'outside', 'exchange', 'exchange_difference']

const FORMS = '; valid accounts are, for example, team:63:wallet:KES, fees:KES and outside:KES'

/** Removes the currency from an account. */
const baseOf = (name: string) =>
  name.replace(/^(fees|outside|exchange|exchange_difference|team:\d+:\w+):.*$/s, '$1')

const accountsOf = ({ id, currency }: TeamRow): readonly string[] => [
  ...pots.map((pot) => teamAccount(id, pot, currency)),
  ...pots.map((pot) => `team:${id}:${pot}`),
  feesAccount(currency),
  outsideAccount(currency),
  ...SHARED,
]

const listed = (held: readonly BalanceRow[]) => held.map(({ account }) => account).join(', ')

/** Sums of the postings up to a mark. Postings never change, so they are summed only once. */
interface Summed {
  readonly mark: Mark
  readonly sums: ReadonlyMap<string, number>
  /** Whether the lines of every posting sum to zero. */
  readonly zero: boolean
  readonly count: number
}

interface Proof {
  readonly balanced: boolean
  readonly checked_postings: number
}

const summed = new WeakMap<World, Summed>()

/** The postings to sum and the balances to compare, read at the same moment. */
interface ToProve {
  readonly before: Summed | undefined
  readonly added: Added<PostingRow>
  /**
   * Sums of the archived postings. When they change, postings have been archived, and everything is summed
   * again.
   */
  readonly carried_forward: readonly BalanceRow[]
  readonly balances: readonly BalanceRow[]
}

function toProve(world: World, { rows }: Look): ToProve {
  const known = summed.get(world)
  const added = rows.since('postings', known?.mark)
  const before = added.anew ? undefined : known
  return { before, added, carried_forward: rows.all('carried'), balances: rows.all('balances') }
}

/**
 * Checks that every posting sums to zero and every account to its balance. Sums are cached between calls; new
 * postings are added in time slices.
 */
async function prove(world: World, { before, added, carried_forward, balances }: ToProve): Promise<Proof> {
  const sums = new Map(before?.sums)
  let zero = before?.zero ?? true
  const add = (lines: readonly PostingLine[]) => {
    let total = 0
    for (const { account, amount } of lines) {
      total += amount
      sums.set(account, (sums.get(account) ?? 0) + amount)
    }
    zero &&= total === 0
  }
  if (!before)
    for (const currency of new Set(carried_forward.map((row) => row.currency)))
      add(carried_forward.filter((row) => row.currency === currency))
  const slice = await timeSlice(world.name)
  for (const posting of added.rows) {
    if (slice.over) await slice.next()
    add(linesOf(posting))
  }
  const count = (before?.count ?? 0) + added.rows.length
  summed.set(world, { mark: added.mark, sums, zero, count })
  const agree =
    balances.length === sums.size && balances.every((balance) => sums.get(balance.account) === balance.amount)
  return { balanced: zero && agree, checked_postings: count }
}
