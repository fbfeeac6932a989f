/** The messages that an operator sends to a phone; the words are made up in its style (assumed). */
import type { PastState, TransactionRow } from '../../storage/store/payment-rows.ts'
import { utcOffset } from './countries/countries.ts'
import type { Look } from './context.ts'
import { moneyText } from './money.ts'

export interface Message {
  readonly at: number
  readonly text: string
  /** The payment that it tells of. */
  readonly row: TransactionRow
}

/** What the phone was told of its payments, newest first: they say it, nothing else is kept. */
export function messagesOf(
  look: Look,
  payments: readonly TransactionRow[],
  most: number,
): readonly Message[] {
  const messages: Message[] = []
  for (const row of payments) {
    if (row.settled_at === null) continue
    const { settled_at: at, status, reason, history = [] } = row
    for (const state of [{ at, status, reason }, ...history.toReversed()]) {
      const text = textOf(look, row, state)
      if (text !== undefined) messages.push({ at: state.at, text, row })
    }
  }
  return messages.sort((a, b) => b.at - a.at).slice(0, most)
}

function textOf(look: Look, row: TransactionRow, state: PastState): string | undefined {
  if (state.refused !== undefined) return undefined
  const { direction, provider_reference: receipt } = row
  const money = moneyText(row.amount, row.currency)
  const when = localTime(state.at, row.country)
  const business = businessOf(look, row)
  if (state.status === 'SUCCESS')
    return direction === 'payin'
      ? `${receipt} Confirmed. ${money} paid to ${business}${accountOf(row)} on ${when}.`
      : `${receipt} Confirmed. You have received ${money} from ${business} on ${when}.`
  if (state.status === 'REVERSED')
    return direction === 'payin'
      ? `${receipt} Reversed. ${money} paid to ${business} was returned to you on ${when}.`
      : `${receipt} Reversed. ${money} received from ${business} was taken back on ${when}.`
  return direction === 'payin' ? failed(state, `${money} to ${business}`) : undefined
}

function failed({ reason }: PastState, what: string): string | undefined {
  if (reason === 'insufficient_funds') return `Failed. You do not have enough money to pay ${what}.`
  if (reason === 'wrong_pin') return `Failed. The PIN was wrong; ${what} was not paid.`
  if (reason === 'subscriber_locked')
    return `Failed. Your PIN is locked after three wrong ones; ${what} was not paid.`
  return undefined
}

/** What the prompt asks. */
export const promptText = (look: Look, row: TransactionRow): string =>
  `Do you want to pay ${moneyText(row.amount, row.currency)} to ${businessOf(look, row)}${accountOf(row)}? Enter your PIN.`

/** Who is paid, or pays, by name. */
export const businessOf = ({ rows }: Look, { account_id }: TransactionRow): string =>
  rows.get('teams', account_id)?.name ?? 'a Team that is gone'

const accountOf = ({ external_reference: reference }: TransactionRow) =>
  reference === '' ? '' : `, account ${reference}`

/** As the payer's country writes it, e.g. `13/6/26 at 3:00 PM`. */
function localTime(at: number, country: string): string {
  const time = new Date(at + utcOffset(country))
  const hour = time.getUTCHours()
  const minute = String(time.getUTCMinutes()).padStart(2, '0')
  const date = `${time.getUTCDate()}/${time.getUTCMonth() + 1}/${String(time.getUTCFullYear()).slice(-2)}`
  return `${date} at ${hour % 12 || 12}:${minute} ${hour < 12 ? 'AM' : 'PM'}`
}
