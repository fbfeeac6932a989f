import { byRail, isRail, type Rail, railNames, rails, type Reason } from '../vocabulary/rails.ts'
import { type CardAttempt, MOST_CARDS, type TransactionRow } from '../../storage/store/payment-rows.ts'
import { addJob, type Caller, isRealistic, type Look, type Tx } from './context.ts'
import { countryByCode } from './countries/countries.ts'
import { networksOf, requireAccount } from './countries/networks.ts'
import type { Network } from './countries/country.ts'
import { toMajor } from './money.ts'
import { Faults, faultless, invalid, noneLeft } from './errors.ts'
import { readParty } from './global-payments.ts'
import { CHECKOUT_LASTS, isLeftToPayer, stopWaiting } from './prompts.ts'
import { endAsDecided, endOf, failInstead, findTransaction } from './transactions.ts'
import { wireTime } from './wire-time.ts'
import type { RespondToCheckoutRequest } from '../../generated/control/types.ts'
import { type Card, type CardField, readCard, testCardOf } from './cards.ts'

/** Only pay-ins of the unified endpoint have a page. */
export const hasCheckout = ({ operation, direction }: TransactionRow): boolean =>
  operation === 'createGlobalPayment' && direction === 'payin'

/**
 * Opens the page: from now on the payer decides, and the payment expires without action. A payment that waited for its
 * page to be opened stops waiting; one that a scenario leaves queued forever stays queued.
 */
export function openCheckout(tx: Tx, id: number): void {
  const row = tx.rows.get('transactions', id)
  if (row?.status !== 'QUEUED' || row.checkout_expires_at !== undefined) return
  stopWaiting(tx, row)
  const checkout_expires_at = tx.now + CHECKOUT_LASTS
  tx.rows.put('transactions', { ...row, checkout_opened_at: tx.now, checkout_expires_at })
  if (!row.plan?.settle?.never) addJob(tx, CHECKOUT_LASTS, { kind: 'expire', transaction_id: id })
}

/** Pays: the payment ends at once with its decided outcome, including a scenario's failure. */
export function payCheckout(tx: Tx, id: number): void {
  const row = tx.rows.get('transactions', id)
  if (row?.status === 'QUEUED') endAsDecided(tx, row)
}

/** @throws {ServiceError} 400 if the payment has succeeded */
export function cancelCheckout(tx: Tx, id: number): void {
  const row = tx.rows.get('transactions', id)
  if (row?.status === 'SUCCESS')
    throw invalid(
      `payment ${row.reference} cannot be cancelled any more: it was paid at ${wireTime(row.settled_at!)}`,
    )
  if (row) failInstead(tx, row, 'cancelled')
}

/** Expires the page: the payment fails as expired, or as declined if a card was declined. */
export function endCheckout(tx: Tx, id: number): void {
  const row = tx.rows.get('transactions', id)
  if (!row) return
  const last = row.cards?.at(-1)
  const declined = last?.outcome === 'declined' ? last.reason : null
  failInstead(tx, row, endOf(row).reason ?? declined ?? 'expired')
}

/**
 * Returns the pay-in of a page by any of its identifiers or the caller's own reference.
 * @throws {ServiceError} 404 if there is none, 400 if it has no page
 */
export function findCheckout(look: Look, caller: Caller, identifier: string): TransactionRow {
  const row = findTransaction(look, caller, identifier, 'checkout')
  if (hasCheckout(row)) return row
  throw invalid(
    `payment ${row.reference} has no page: only a pay-in by POST /api/global/payments has one, and this is a ${row.direction} by ${row.operation}`,
  )
}

type Action = keyof RespondToCheckoutRequest
const actions = ['open', 'card', 'three_d_secure', 'pay', 'cancel'] as const satisfies readonly Action[]

/**
 * Performs one action of the payer, for tests. Impossible actions are errors here, whereas the page ignores them.
 * @throws {ServiceError} 400 unless exactly one action is given, possible and valid
 */
export function respondToCheckout(
  tx: Tx,
  found: TransactionRow,
  answer: RespondToCheckoutRequest,
): TransactionRow {
  const { open, card, three_d_secure, pay, cancel, ...rest } = answer
  noneLeft(rest)
  requireOne(answer)
  requirePending(found)
  const { id } = found
  if (open) openCheckout(tx, id)
  else if (pay) payCheckout(tx, id)
  else if (cancel) cancelCheckout(tx, id)
  else if (card) payByCard(tx, id, readTyped(tx, found, card))
  else if (three_d_secure) {
    if (!challengeOf(found))
      throw invalid('three_d_secure is only for a card that waits for 3-D Secure, and this payment has none')
    answerChallenge(tx, id, three_d_secure)
  }
  return tx.rows.get('transactions', id)!
}

function requireOne(answer: RespondToCheckoutRequest): void {
  const given = actions.filter((action) => answer[action] !== undefined)
  if (given.length !== 1) {
    const got = given.length === 0 ? 'none' : given.join(' and ')
    throw invalid(`one of ${actions.join(', ')} must be sent, got ${got}`)
  }
  const [only] = given
  if (answer[only!] === false) throw invalid(`${only} must be true, got false`)
}

function requirePending({ reference, status, settled_at, reason }: TransactionRow): void {
  if (status === 'QUEUED') return
  const how = reason === null ? status : `${status} (${reason})`
  throw invalid(`payment ${reference} has already ended: it is ${how} since ${wireTime(settled_at!)}`)
}

function readTyped(
  { now }: Tx,
  row: TransactionRow,
  { number, expiry, cvc, name, ...rest }: NonNullable<RespondToCheckoutRequest['card']>,
) {
  noneLeft(rest)
  if (rails[row.rail].payer !== 'card')
    throw invalid(`card is only for card payments, and this payment uses ${row.rail}; send pay instead`)
  const { card, faults: found } = readCard({ number, expiry, cvc, name }, now)
  const faults = new Faults()
  for (const [field, fault] of Object.entries(found) as [CardField, string][])
    faults.add(`card.${field}`, fault)
  faults.throwAny()
  if (cardsLeft(row) === 0) throw invalid('card was not tried: this payment has no attempts left')
  return card
}

/** Returns the networks by which a page accepts its amount, by rail. A rail without networks is closed. */
export function pageNetworks({ country: code, amount, currency }: TransactionRow) {
  const country = countryByCode(code)
  const major = toMajor(amount, currency)
  return byRail((rail): readonly Network[] => {
    const all = country ? networksOf(country, rail) : []
    const open = all.filter(({ min_amount, max_amount }) => min_amount <= major && major <= max_amount)
    return [...new Map(open.toReversed().map((each) => [each.network_name, each])).values()].toReversed()
  })
}

/** A payer's choice of how to pay, as sent by the page. */
interface RailChoice {
  readonly rail: string
  /** The first of the rail if omitted. */
  readonly network?: string | undefined
  /** Cards have none. */
  readonly account_number?: string | undefined
}

/** Reads the payer's choice; the party is the present one if the choice names none. */
export function readRailChoice(
  look: Pick<Look, 'settings'>,
  row: TransactionRow,
  choice: RailChoice,
  faults: Faults,
) {
  const networks = pageNetworks(row)
  const open = railNames.filter((each) => networks[each].length > 0)
  const rail: Rail = isRail(choice.rail) ? choice.rail : row.rail
  if (!open.includes(choice.rail as Rail)) faults.refuseWord('rail', choice.rail, open)
  const names = networks[rail].map(({ network_name }) => network_name)
  const name = choice.network ?? names[0] ?? ''
  if (!names.includes(name)) faults.refuseWord('network', name, names)
  const network = networks[rail].find(({ network_name }) => network_name === name)
  const country = countryByCode(row.country)
  if (rails[rail].payer === 'card') return { rail, network, party: row.party }
  const sent = choice.account_number ?? ''
  const party = readParty(faults, sent, rail, country, 'account_number')
  if (isRealistic(look) && country && rails[rail].party === 'account')
    requireAccount(faults, 'account_number', party, country, network?.network_name)
  return { rail, network, party }
}

/**
 * Changes how the payer of a page pays (assumed). The outcome of a scenario stays.
 * @throws {ServiceError} 400 if the choice is invalid
 */
export function changeRail(tx: Tx, id: number, choice: RailChoice): void {
  openCheckout(tx, id)
  const row = tx.rows.get('transactions', id)
  if (row?.status !== 'QUEUED' || challengeOf(row)) return
  const { rail, network, party } = faultless((faults) => readRailChoice(tx, row, choice, faults))
  const { networks } = countryByCode(row.country)!
  const provider = Object.keys(networks).find((each) => networks[each]!.includes(network!))!
  const changed = { ...row, rail, provider, network: network!.network_name, party, payer_due_at: undefined }
  const payer_due_at = isLeftToPayer(tx, changed) ? row.checkout_expires_at : undefined
  tx.rows.put('transactions', { ...changed, payer_due_at })
}

/**
 * Card payments. A declined card leaves the payment open while another card can be tried; the last card, or a decided
 * failure, ends it. The service documents none of this: it is assumed.
 */

export const cardsLeft = ({ cards = [] }: TransactionRow): number => Math.max(0, MOST_CARDS - cards.length)

/** Returns the card that waits for 3-D Secure. */
export function challengeOf({ status, cards = [] }: TransactionRow): CardAttempt | undefined {
  const last = cards.at(-1)
  return status === 'QUEUED' && last?.outcome === 'challenged' ? last : undefined
}

export function declineOf({ cards = [] }: TransactionRow): CardAttempt | undefined {
  const last = cards.at(-1)
  return last?.outcome === 'declined' ? last : undefined
}

/**
 * Charges a card, which also opens the page. Does nothing if the payment is over or no attempt is left. Only the brand
 * and last digits are stored.
 */
export function payByCard(tx: Tx, id: number, { number, brand, last4 }: Card): void {
  openCheckout(tx, id)
  const row = tx.rows.get('transactions', id)
  if (row?.status !== 'QUEUED' || cardsLeft(row) === 0) return
  const { reason = null, three_d_secure = false } = testCardOf(number) ?? {}
  const before = (row.cards ?? []).map((each) =>
    each.outcome === 'challenged' ? { ...each, outcome: 'abandoned' as const } : each,
  )
  const attempt: CardAttempt = { at: tx.now, brand, last4, outcome: 'challenged', reason }
  const charged = { ...row, cards: [...before, attempt] }
  tx.rows.put('transactions', charged)
  if (!three_d_secure) conclude(tx, charged, reason)
}

/** Maximum number of codes that a payer can enter for 3-D Secure (assumed). */
const MOST_CODES = 3

export const codesLeft = ({ wrong_codes = 0 }: CardAttempt): number => MOST_CODES - wrong_codes

/** @param answer - the last `wrong` code fails the challenge */
export function answerChallenge(tx: Tx, id: number, answer: 'pass' | 'fail' | 'wrong'): void {
  const row = tx.rows.get('transactions', id)
  const pending = row && challengeOf(row)
  if (!pending) return
  const counted = { ...pending, wrong_codes: (pending.wrong_codes ?? 0) + 1 }
  if (answer === 'wrong' && codesLeft(counted) > 0)
    tx.rows.put('transactions', { ...row, cards: [...row.cards!.slice(0, -1), counted] })
  else conclude(tx, row, answer === 'pass' ? pending.reason : 'not_authenticated')
}

/** @param reason - why the bank declines the last card; null if it does not */
function conclude(tx: Tx, row: TransactionRow, reason: Reason | null): void {
  const decided = endOf(row)
  const declined = reason ?? decided.reason
  const outcome = declined === null ? 'approved' : 'declined'
  const { cards = [] } = row
  const last = { ...cards.at(-1)!, outcome, reason: declined } as const
  const concluded = { ...row, cards: [...cards.slice(0, -1), last] }
  tx.rows.put('transactions', concluded)
  if (reason === null) payCheckout(tx, row.id)
  else if (cardsLeft(concluded) === 0) failInstead(tx, concluded, decided.reason ?? reason)
}
