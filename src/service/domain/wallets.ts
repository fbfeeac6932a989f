/**
 * The money of Teams: what moves on acceptance, success and reversal, the limits of KYC tiers, and the rows of `GET
 * /api/v2/transactions` of the previous API generation, written only while that is enabled.
 */
import type { Requests } from '../../generated/extensions/requests.ts'
import type { AccountTransactionRow, TransactionRow } from '../../storage/store/payment-rows.ts'
import type { ChannelRow, TeamRow } from '../../storage/store/rows.ts'
import { requireTeam } from './access.ts'
import { type Caller, type Look, next, type Tx } from './context.ts'
import { balanceOf, feesAccount, outsideAccount, post, type Pot, teamAccount } from './ledger.ts'
import { invalid, noneLeft, ServiceError } from './errors.ts'
import { currencies, fromShillings, moneyText } from './money.ts'
import type { TierLimits } from '../../generated/control/types.ts'
import { otherSide, withExchange } from './exchange.ts'
import type { PostingLine } from '../../storage/store/tables.ts'
import { moveOnPhone } from './prompts.ts'

type WalletName = AccountTransactionRow['wallet']

/** Returns the wallet of a transaction. One into a channel changes only the service wallet, which pays its cost. */
const walletOf = ({ operation, channel_id }: TransactionRow): WalletName =>
  operation === 'topUpServiceWallet' || channel_id !== null ? 'service_wallet' : 'wallet'

const typeOf = ({ operation, direction }: TransactionRow) => {
  if (operation === 'topUpServiceWallet') return 'wallet_top_up'
  return direction === 'payin' ? 'inbound_payment' : 'outbound_payment'
}

/**
 * Adds rows for a booked transaction: its amount, and its charge separately.
 * @param sign - -1 for a reversal
 */
function addAccountTransactions(tx: Tx, row: TransactionRow, sign: 1 | -1 = 1): void {
  if (!tx.settings.extensions) return
  const { id, account_id, currency, amount, cost } = atHome(row)
  const wallet = walletOf(row)
  const balance = balanceOf(tx, teamAccount(account_id, wallet, currency))
  const booked = { account_id, wallet, transaction_id: id, currency }
  add(tx, {
    ...booked,
    transaction_type: typeOf(row),
    amount: sign * amount,
    wallet_balance: balance + sign * cost,
  })
  if (cost !== 0)
    add(tx, {
      ...booked,
      transaction_type: 'service_charge',
      amount: sign * cost,
      wallet_balance: balance,
    })
}

/** Adds a row for money without a transaction; `amount` in minor units. */
export function listFunding(
  tx: Tx,
  team: TeamRow,
  wallet: WalletName,
  amount: number,
  currency: string,
): void {
  if (!tx.settings.extensions) return
  add(tx, {
    account_id: team.id,
    wallet,
    transaction_type: 'wallet_top_up',
    transaction_id: null,
    currency,
    amount,
    wallet_balance: balanceOf(tx, teamAccount(team.id, wallet, currency)),
  })
}

const add = (tx: Tx, row: Omit<AccountTransactionRow, 'id' | 'created_at'>) =>
  tx.rows.insert('accountTransactions', { id: next(tx, 'account_transaction'), created_at: tx.now, ...row })

export type ListedTransaction = ReturnType<typeof listAccountTransactions>['listed'][number]

/**
 * Returns a page of the account transactions of a Team, newest first; `page` starts at 1.
 * @throws {ServiceError} 404
 */
export function listAccountTransactions(
  look: Look,
  caller: Caller,
  query: Requests['listAccountTransactions']['query'],
) {
  const { account_id, page, per, ...rest } = query
  noneLeft(rest)
  const team = requireTeam(look, caller, account_id, 'read')
  const count = look.rows.count('accountTransactions', 'account', team.id)
  const offset = (page - 1) * per
  const rows =
    offset >= count
      ? []
      : look.rows.walk('accountTransactions', 'account', team.id, { offset, limit: per, newestFirst: true })
  const listed = rows.map((row) => ({
    row,
    transaction: row.transaction_id === null ? undefined : look.rows.get('transactions', row.transaction_id),
  }))
  return { listed, count }
}

/** Returns the last row of a Team's wallet; undefined if it has none. */
export const lastOf = (look: Look, account_id: number, wallet: WalletName) =>
  look.rows.newest('accountTransactions', 'wallet', `${account_id}:${wallet}`, { offset: 0, limit: 1 })[0]

export type WalletType = Requests['getWallet']['query']['wallet_type']

const pots = { service_wallet: 'service_wallet', payment_wallet: 'wallet' } as const

export type Wallet = ReturnType<typeof findWallet>

/** @throws {ServiceError} 404 if the caller cannot see the Team, or it has no such wallet */
export function findWallet(look: Look, caller: Caller, query: Requests['getWallet']['query']) {
  const { wallet_type, account_id, ...rest } = query
  noneLeft(rest)
  const team = requireTeam(look, caller, account_id, 'read')
  const account = teamAccount(team.id, pots[wallet_type], team.currency)
  const exists =
    wallet_type === 'service_wallet' ||
    look.rows.get('balances', account) !== undefined ||
    collectsIntoWallet(look, team)
  // Observed text.
  if (!exists) throw new ServiceError('resource_not_found', 'wallet not found')
  return { team, balance: balanceOf(look, account) }
}

/**
 * Returns a Team's balances in minor units, its own currency first.
 * @throws {ServiceError} 404
 */
export function holdingsOf(look: Look, caller: Caller, account_id: number) {
  const team = requireTeam(look, caller, account_id, 'read')
  const others = currencies.filter((currency) => currency !== team.currency && isHeld(look, team, currency))
  return [team.currency, ...others].map((currency) => {
    const held = (pot: Pot) => balanceOf(look, teamAccount(team.id, pot, currency))
    return {
      currency,
      wallet: held('wallet'),
      service_wallet: held('service_wallet'),
      savings: held('savings'),
      in_transit: held('in_transit'),
    }
  })
}

const isHeld = (look: Look, { id }: TeamRow, currency: string): boolean =>
  (['wallet', 'savings'] as const).some((pot) => look.rows.get('balances', teamAccount(id, pot, currency)))

/**
 * Returns the balance of a wallet channel, which is the Team's payment wallet, now and before its last row; minor
 * units of `currency`. Undefined for other channels.
 */
export function balanceOfChannel(look: Look, channel: ChannelRow) {
  const team = channel.channel_type === 'wallet' ? look.rows.get('teams', channel.account_id) : undefined
  if (!team) return undefined
  const { currency } = team
  const balance = balanceOf(look, teamAccount(team.id, 'wallet', currency))
  const last = lastOf(look, team.id, 'wallet')
  const transaction = last?.transaction_id ? look.rows.get('transactions', last.transaction_id) : undefined
  return {
    currency,
    last_balance: last ? last.wallet_balance - changeOf(last) : balance,
    balance,
    last_reference: transaction?.reference ?? '',
  }
}

const changeOf = ({ transaction_type, amount }: NonNullable<ReturnType<typeof lastOf>>) =>
  transaction_type === 'outbound_payment' || transaction_type === 'service_charge' ? -amount : amount

/** Open-points, "KYC" (figures assumed; that the tier sets the limits is documented). */
export const defaultTiers: readonly TierLimits[] = [
  { wallet_collections_allowed: false, payouts_allowed: false, per_transaction: 10_000, per_day: 50_000 },
  { wallet_collections_allowed: true, payouts_allowed: false, per_transaction: 50_000, per_day: 100_000 },
  { wallet_collections_allowed: true, payouts_allowed: true, per_transaction: 150_000, per_day: 300_000 },
  { wallet_collections_allowed: true, payouts_allowed: true, per_transaction: 1_000_000, per_day: 5_000_000 },
]

type Direction = TransactionRow['direction']

/** A movement to check against the limits; `amount` in minor units. */
export type Movement = Pick<TransactionRow, 'direction' | 'amount' | 'currency'>

const DAY = 86_400_000
const dayOf = (at: number) => Math.floor(at / DAY)
const usageId = (team: number, { direction, currency }: Pick<Movement, 'direction' | 'currency'>) =>
  `${team}:${direction}:${currency}`

const tierOf = (look: Look, tier: number) => look.settings.tiers[tier] ?? look.settings.tiers.at(-1)!

/**
 * Checks a movement against the limits of the Team's tier and counts it towards the day (UTC), separately for pay-ins
 * and payouts.
 * @throws {ServiceError} with tier, limit and amount
 */
export function useAllowance(tx: Tx, team: TeamRow, movement: Movement, into_channel = false): void {
  const limits = tierOf(tx, team.kyc_tier)
  const { amount, currency } = movement
  const money = (minor: number) => moneyText(minor, currency)
  const tier = () => `KYC tier ${team.kyc_tier} of account ${team.id}`

  if (movement.direction === 'payout' && !limits.payouts_allowed)
    throw invalid(
      `${tier()} does not allow payouts of ${money(amount)}; payouts need tier ${firstTier(tx, 'payouts_allowed')}`,
    )
  if (movement.direction === 'payin' && !into_channel && !limits.wallet_collections_allowed)
    throw invalid(
      `${tier()} does not allow collecting ${money(amount)} into the wallet; that needs tier ${firstTier(tx, 'wallet_collections_allowed')}, or a channel_id`,
    )

  const perTransaction = fromShillings(limits.per_transaction, currency)
  if (amount > perTransaction)
    throw invalid(
      `amount ${money(amount)} is above the limit of ${money(perTransaction)} a transaction for ${tier()}`,
    )

  const id = usageId(team.id, movement)
  const day = dayOf(tx.now)
  const last = tx.rows.get('usage', id)
  const used = last?.day === day ? last.amount : 0
  const perDay = fromShillings(limits.per_day, currency)
  if (used + amount > perDay)
    throw invalid(
      `amount ${money(amount)} with ${money(used)} already used today is above the limit of ${money(perDay)} a day for ${tier()}`,
    )
  tx.rows.put('usage', { id, day, amount: used + amount })
}

/** Returns a Team's limits in its currency, and its total of today (UTC) in one direction; minor units. */
export function allowanceOf(look: Look, { id, kyc_tier }: TeamRow, currency: string) {
  const limits = tierOf(look, kyc_tier)
  const usedToday = (direction: Direction): number => {
    const last = look.rows.get('usage', usageId(id, { direction, currency }))
    return last?.day === dayOf(look.now) ? last.amount : 0
  }
  return {
    limits,
    per_transaction: fromShillings(limits.per_transaction, currency),
    per_day: fromShillings(limits.per_day, currency),
    usedToday,
  }
}

/** Whether the Team's tier allows collections into its wallet. */
const collectsIntoWallet = (look: Look, team: TeamRow): boolean =>
  tierOf(look, team.kyc_tier).wallet_collections_allowed

/** Subtracts a failed transaction from the day of its acceptance, unless a later day has begun. */
export const returnAllowance = (tx: Tx, row: TransactionRow): void => addToDay(tx, row, -row.amount)

/** Adds a late success to the day of its acceptance, regardless of limits. */
export const countAgain = (tx: Tx, row: TransactionRow): void => addToDay(tx, row, row.amount)

function addToDay(tx: Tx, row: TransactionRow, amount: number): void {
  const used = tx.rows.get('usage', usageId(row.account_id, row))
  if (used?.day !== dayOf(row.created_at)) return
  tx.rows.put('usage', { ...used, amount: Math.max(0, used.amount + amount) })
}

const firstTier = (look: Look, ability: 'payouts_allowed' | 'wallet_collections_allowed') =>
  look.settings.tiers.findIndex((tier) => tier[ability])

/** Returns a transaction as the Team's wallets see it: in the Team's currency. */
export const atHome = (row: TransactionRow): TransactionRow =>
  row.exchange ? { ...row, ...row.exchange } : row

/**
 * Returns the money to reserve, which is in transit until SUCCESS. A collection into a wallet takes nothing from the
 * Team.
 */
const setsAside = (row: TransactionRow): { pot: Pot; amount: number } | undefined => {
  if (row.direction === 'payout') return { pot: 'wallet', amount: row.amount + row.cost }
  if (row.channel_id !== null) return { pot: 'service_wallet', amount: row.cost }
  return undefined
}

/** @throws {ServiceError} `insufficient balance` */
export const reserve = (tx: Tx, row: TransactionRow): void => moveAside(tx, row, 'reserve', 1)

/** Returns the reserved money. */
export const release = (tx: Tx, row: TransactionRow): void => moveAside(tx, row, 'release', -1)

function moveAside(tx: Tx, foreign: TransactionRow, kind: 'reserve' | 'release', sign: 1 | -1): void {
  const row = atHome(foreign)
  const aside = setsAside(row)
  if (!aside) return
  const from = { account: teamAccount(row.account_id, aside.pot, row.currency), amount: -sign * aside.amount }
  const to = { account: teamAccount(row.account_id, 'in_transit', row.currency), amount: sign * aside.amount }
  book(tx, row, kind, sign === 1 ? [from, to] : [to, from])
}

export function complete(tx: Tx, foreign: TransactionRow): void {
  const row = atHome(foreign)
  if (row.exchange) exchange(tx, foreign, 1)
  book(tx, row, row.direction === 'payout' ? 'payout' : 'collection', finalLines(row))
  if (row.direction === 'payin') repayDebt(tx, row.account_id, row.currency)
  addAccountTransactions(tx, row)
  moveOnPhone(tx, foreign, false)
}

/**
 * Returns a final transaction's money.
 * @throws {ServiceError} `insufficient balance` if the Team has spent it, unless Teams may owe money
 */
export function reverse(tx: Tx, foreign: TransactionRow): void {
  const row = atHome(foreign)
  const account = (pot: Pot) => teamAccount(row.account_id, pot, row.currency)
  const origin = account(setsAside(row)?.pot ?? fills(row))
  const returned = finalLines(row).map((line) => ({
    account: line.account === account('in_transit') ? origin : line.account,
    amount: -line.amount,
  }))
  if (row.exchange) exchange(tx, foreign, -1)
  book(tx, row, 'reversal', tx.settings.realism === 'field' ? owed(tx, row, returned) : returned)
  repayDebt(tx, row.account_id, row.currency)
  addAccountTransactions(tx, row, -1)
  moveOnPhone(tx, foreign, true)
}

/** Takes from a wallet what it still has, and the rest from the Team's debt. */
const owed = (look: Look, { account_id, currency }: TransactionRow, lines: readonly PostingLine[]) =>
  lines.flatMap((line) => {
    const held = line.account.startsWith('team:') ? balanceOf(look, line.account) : Infinity
    if (held + line.amount >= 0) return [line]
    const debt = teamAccount(account_id, 'debt', currency)
    return [
      { account: line.account, amount: -held },
      { account: debt, amount: held + line.amount },
    ]
  })

/** Moves money of the wallet to the Team's debt as far as both reach. */
export function repayDebt(tx: Tx, account_id: number, currency: string): void {
  const debt = teamAccount(account_id, 'debt', currency)
  const owes = -balanceOf(tx, debt)
  if (owes <= 0) return
  const wallet = teamAccount(account_id, 'wallet', currency)
  const amount = Math.min(owes, balanceOf(tx, wallet))
  if (amount === 0) return
  const lines = [
    { account: wallet, amount: -amount },
    { account: debt, amount },
  ]
  post(tx, { kind: 'debt_repayment', currency, transaction_id: null, lines })
}

/** @throws {ServiceError} 400 while the Team owes money of reversals */
export function requireNoDebt(look: Look, { id, currency }: TeamRow): void {
  const debt = -balanceOf(look, teamAccount(id, 'debt', currency))
  if (debt > 0)
    throw invalid(
      `insufficient balance: account ${id} owes ${moneyText(debt, currency)} of reversed payments, which incoming money repays first`,
    )
}

/** Books the side of an exchange in the currency of the payer or recipient. */
const exchange = (tx: Tx, row: TransactionRow, sign: 1 | -1): void =>
  book(
    tx,
    row,
    'exchange',
    otherSide(row).map(({ account, amount }) => ({ account, amount: sign * amount })),
  )

/** Returns the account that a collection without a channel fills. */
const fills = ({ operation }: TransactionRow): Pot =>
  operation === 'topUpServiceWallet' ? 'service_wallet' : 'wallet'

const finalLines = (row: TransactionRow): PostingLine[] =>
  row.exchange ? withExchange(row.exchange, linesAtHome(row)) : linesAtHome(row)

function linesAtHome(row: TransactionRow): PostingLine[] {
  const { amount, cost, currency } = row
  const pot = (name: Pot) => teamAccount(row.account_id, name, currency)
  const fees = { account: feesAccount(currency), amount: cost }
  if (row.direction === 'payout')
    return [
      { account: pot('in_transit'), amount: -(amount + cost) },
      { account: outsideAccount(currency), amount: amount - row.amount_to_save },
      { account: pot('savings'), amount: row.amount_to_save },
      fees,
    ]
  // The payer's money goes directly to the channel; only the cost passes through the service.
  if (row.channel_id !== null) return [{ account: pot('in_transit'), amount: -cost }, fees]
  return [
    { account: outsideAccount(currency), amount: -amount },
    { account: pot(fills(row)), amount: amount - cost },
    fees,
  ]
}

const book = (tx: Tx, row: TransactionRow, kind: string, lines: PostingLine[]) =>
  post(tx, { kind, currency: row.currency, transaction_id: row.id, lines })
