import { handlers, cut, pageOf, ok } from './page.ts'
import type { LedgerLine } from '../generated/control/schemas.ts'
import { timeSlice } from '../lib/clock/time-slice.ts'
import { didYouMean } from '../lib/text/suggest.ts'
import { teamsOf } from '../service/domain/access.ts'
import { archivedIn } from '../service/domain/archive.ts'
import type { Look } from '../service/domain/context.ts'
import { invalid, notFound } from '../service/domain/errors.ts'
import { feesAccount, outsideAccount, type Pot, teamAccount } from '../service/domain/ledger.ts'
import { currencies, toMajor } from '../service/domain/money.ts'
import { findTransaction } from '../service/domain/transactions.ts'
import { wireTime } from '../service/domain/wire-time.ts'
import type { BalanceRow, PostingRow } from '../storage/store/payment-rows.ts'
import { linesOf, type PostingLine } from '../storage/store/posting-lines.ts'
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
    return ok({ ...(await prove(world, to_prove)), balances, ...answer })
  },
}))

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

const pots: readonly Pot[] = ['wallet', 'service_wallet', 'savings', 'in_transit']

/**
 * What an account of the ledger holds, by its name as people write it: without a currency it is a Team's own, or the only one there is.
 * An account that nothing was ever booked to holds 0.
 * @param teams those of the caller
 * @throws ServiceError 400 with the nearest account when there is none of this name, or with all of them when several are meant
 */
function balanceNamed({ rows }: Look, teams: readonly TeamRow[], name: string): BalanceRow {
  const exact = rows.get('balances', name)
  if (exact) return exact
  const bare = baseOf(name)
  const team = teams.find(({ id }) => pots.some((pot) => bare === `team:${id}:${pot}`))
  const exists = team !== undefined || bare === 'fees' || bare === 'outside'
  const currency = name.slice(bare.length + 1)
  if (exists && currencies.includes(currency)) return { account: name, currency, amount: 0 }
  if (exists && currency === '') {
    const held = currencies.flatMap((each) => rows.get('balances', `${bare}:${each}`) ?? [])
    const own = (team ?? teams[0])!.currency
    const nothing = { account: `${bare}:${own}`, currency: own, amount: 0 }
    if (held.length <= 1) return held[0] ?? nothing
    if (team) return held.find((each) => each.currency === own) ?? nothing
    throw invalid(`account ${name} is held in several currencies: ${listed(held)}`)
  }
  const known = [...rows.all('balances').map(({ account }) => account), ...teams.flatMap(accountsOf)]
  throw invalid(`account "${name}" is not one of the ledger${didYouMean(name, known) || FORMS}`)
}

const FORMS = '; accepted are such as team:63:wallet:KES, fees:KES and outside:KES'

/** Without the currency at its end. */
const baseOf = (name: string) => name.replace(/^(fees|outside|team:\d+:\w+):.*$/s, '$1')

const accountsOf = ({ id, currency }: TeamRow): readonly string[] => [
  ...pots.map((pot) => teamAccount(id, pot, currency)),
  ...pots.map((pot) => `team:${id}:${pot}`),
  feesAccount(currency),
  outsideAccount(currency),
  'fees',
  'outside',
]

const listed = (held: readonly BalanceRow[]) => held.map(({ account }) => account).join(', ')

/** What the postings up to a mark come to. They are never changed, so that they need to be summed only once. */
interface Summed {
  readonly mark: Mark
  readonly sums: ReadonlyMap<string, number>
  /** The lines of each came to zero. */
  readonly zero: boolean
  readonly count: number
}

interface Proof {
  readonly balanced: boolean
  readonly checked_postings: number
}

const summed = new WeakMap<World, Summed>()

/** What of the ledger is to be summed, and what it must come to: both of one moment. */
interface ToProve {
  readonly before: Summed | undefined
  readonly added: Added<PostingRow>
  /** What the postings come to that are kept no longer; whenever it changes, postings have gone, and all are summed anew. */
  readonly carried: readonly BalanceRow[]
  readonly balances: readonly BalanceRow[]
}

function toProve(world: World, { rows }: Look): ToProve {
  const known = summed.get(world)
  const added = rows.since('postings', known?.mark)
  const before = added.anew ? undefined : known
  return { before, added, carried: rows.all('carried'), balances: rows.all('balances') }
}

/**
 * Sums the ledger: every posting to zero, every account to the balance on record. What was summed before and is as it was
 * counts; the rest is walked over in time slices.
 */
async function prove(world: World, { before, added, carried, balances }: ToProve): Promise<Proof> {
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
    for (const currency of new Set(carried.map((row) => row.currency)))
      add(carried.filter((row) => row.currency === currency))
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
