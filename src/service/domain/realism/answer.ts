/** What an operator answers to a payment that the service has accepted: nothing, or why it fails. */
import { isOfPhone } from '../../vocabulary/rails.ts'
import type { Reason } from '../../vocabulary/reasons.ts'
import type { TransactionRow, Draft } from '../../../storage/store/payment-rows.ts'
import type { Plan } from '../../vocabulary/outcome.ts'
import type { Tx } from '../context.ts'
import { countryByCode, utcOffset } from '../countries/countries.ts'
import { toMinor } from '../money.ts'
import { PROMPT_LASTS } from '../payer.ts'
import { isKeptForScenarios, isOfAnother, isWithoutPrompt, operatorOf } from './rules.ts'

/** A payment like one before it is refused for so long, milliseconds (observed). */
const REPEATED_WITHIN = 120_000
/** What a phone may send or receive a day with M-Pesa in Kenya, shillings (observed: from 15 August 2023 on). */
const MPESA_DAILY = 500_000

const DAY = 86_400_000
/** So many payments of a phone are looked at; one that has more in a day is a test of something else. */
const LOOKED_AT = 200

/** The plan of a transaction where operators are realistic: what a scenario says of its end wins, then the operator. */
export function plannedBy(
  tx: Tx,
  draft: Draft,
  network_name: string | undefined,
  plan: Plan | null,
): Plan | null {
  if (plan?.settle !== undefined) return plan
  const broken = refusalOf(tx, draft, network_name)
  if (broken === undefined) return plan
  const [rule, reason] = broken
  tx.onOperatorRule?.(rule, reason)
  // What a scenario planned for after a success does not come about.
  const { later: _, ...rest } = plan ?? {}
  return { ...rest, settle: { status: 'failed', reason } }
}

/** The name of a rule, as in `rules`, and what a payment that breaks it fails with. */
type Broken = readonly [
  rule: 'other_network' | 'prompt_in_flight' | 'same_amount' | 'amount_per_day',
  reason: Reason,
]

function refusalOf(tx: Tx, draft: Draft, network_name: string | undefined): Broken | undefined {
  const { is_offline, party, direction } = draft
  const country = countryByCode(draft.country)
  if (!isOfPhone(draft) || is_offline || !country || !party.startsWith(country.dial_code)) return undefined
  if (isKeptForScenarios(country, party)) return undefined
  if (network_name !== undefined && isOfAnother(country, party, network_name))
    return ['other_network', direction === 'payin' ? 'prompt_not_sent' : 'not_registered']
  const isMpesa = country.code === 'KE' && operatorOf(country, party)?.networks.includes('M-Pesa')
  return isMpesa ? refusalOfMpesa(tx, draft) : undefined
}

/** What M-Pesa in Kenya holds against a payment because of those before it. */
function refusalOfMpesa(tx: Tx, draft: Draft): Broken | undefined {
  const { amount, direction, account_id, currency } = draft
  const before = tx.rows
    .newest('transactions', 'party', draft.party, { offset: 0, limit: LOOKED_AT })
    .filter((row) => row.direction === direction && isOfPhone(row) && row.country === 'KE')
  if (direction === 'payin' && before.some((row) => hasPrompt(row, tx.now)))
    return ['prompt_in_flight', 'subscriber_locked']
  const repeated = before.some(
    (row) =>
      row.amount === amount &&
      row.account_id === account_id &&
      moves(row) &&
      tx.now - (row.settled_at ?? row.created_at) < REPEATED_WITHIN,
  )
  if (repeated) return ['same_amount', 'rule_limited']
  const today = dayOf(tx.now)
  const used = before.reduce(
    (sum, row) => (moves(row) && dayOf(row.created_at) === today ? sum + row.amount : sum),
    0,
  )
  return used + amount > toMinor(MPESA_DAILY, currency) ? ['amount_per_day', 'daily_limit'] : undefined
}

/** A payer whose phone shows a prompt has no other at the same time. */
function hasPrompt({ status, is_offline, created_at, plan }: TransactionRow, now: number): boolean {
  if (status !== 'QUEUED' || is_offline || now - created_at >= PROMPT_LASTS) return false
  return !isWithoutPrompt(plan)
}

/** Whether a transaction has moved its money, or will. */
const moves = ({ status, plan }: TransactionRow): boolean =>
  status === 'SUCCESS' || (status === 'QUEUED' && plan?.settle?.status !== 'failed')

/** The operator's own day. */
const dayOf = (at: number) => Math.floor((at + utcOffset('KE')) / DAY)
