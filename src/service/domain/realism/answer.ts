/** The rules of a real operator for a payment that the service has accepted. */
import { isOfPhone } from '../../vocabulary/rails.ts'
import type { Reason } from '../../vocabulary/reasons.ts'
import type { TransactionRow, Draft } from '../../../storage/store/payment-rows.ts'
import type { Plan } from '../../vocabulary/outcome.ts'
import type { Tx } from '../context.ts'
import { countryByCode, utcOffset } from '../countries/countries.ts'
import { toMinor } from '../money.ts'
import { PROMPT_LASTS } from '../payer.ts'
import { keptEnding } from '../countries/country.ts'
import { fieldCallback, fieldOutcome } from './field.ts'
import { isKeptForScenarios, isOfAnother, isWithoutPrompt, operatorOf } from './rules.ts'

/** Milliseconds within which a repeated payment is rejected (observed). */
const REPEATED_WITHIN = 120_000
/** M-Pesa's daily limit per phone in Kenya, shillings (observed since 15 August 2023). */
const MPESA_DAILY = 500_000

const DAY = 86_400_000
/** Maximum number of a phone's payments to check; more per day indicate a load test. */
const LOOKED_AT = 200

/** Returns the plan of a transaction under realistic operators: a scenario's outcome takes precedence. */
export function realisticPlan(
  tx: Tx,
  draft: Draft,
  id: number,
  network_name: string | undefined,
  plan: Plan | null,
): Plan | null {
  if (plan?.settle !== undefined) return plan
  const broken = refusalOf(tx, draft, network_name)
  if (broken === undefined) return isInField(tx, draft, plan) ? fieldPlan(tx, draft, id, network_name) : plan
  const [rule, reason] = broken
  tx.onOperatorRule?.(rule, reason)
  // A plan for after a success does not apply to a failure.
  const { later: _, ...rest } = plan ?? {}
  return { ...rest, settle: { status: 'failed', reason } }
}

/** Whether chance decides: test numbers and scenarios have a certain end, and offline collections wait for their payer. */
function isInField({ settings }: Tx, { party, is_offline, country }: Draft, plan: Plan | null): boolean {
  if (settings.realism !== 'field' || plan !== null || is_offline || keptEnding(party) !== undefined)
    return false
  const home = countryByCode(country)
  return !home || !isKeptForScenarios(home, party)
}

function fieldPlan(tx: Tx, draft: Draft, id: number, network: string | undefined): Plan | null {
  const { random, now, settings } = tx
  const { rail, direction, country, party } = draft
  const outcome = fieldOutcome(random, { id, rail, direction, country, party, network }, now)
  const callback = fieldCallback(random, id)
  // A payer by hand decides alone.
  const byHand = direction === 'payin' && settings.payer !== undefined && settings.payer !== 'automatic'
  if (!outcome || byHand) return callback ? { callback } : null
  const { rule, reason, after } = outcome
  if (reason !== undefined) tx.onOperatorRule?.(rule, reason)
  const settle = {
    ...(reason !== undefined && { status: 'failed' as const, reason }),
    ...(after !== undefined && { after }),
  }
  return { settle, ...(callback && { callback }) }
}

/** The name of a violated rule in `rules`, and the reason of the failure. */
type ViolatedRule = readonly [
  rule: 'other_network' | 'prompt_in_flight' | 'same_amount' | 'amount_per_day',
  reason: Reason,
]

function refusalOf(tx: Tx, draft: Draft, network_name: string | undefined): ViolatedRule | undefined {
  const { is_offline, party, direction } = draft
  const country = countryByCode(draft.country)
  if (!isOfPhone(draft) || is_offline || !country || !party.startsWith(country.dial_code)) return undefined
  if (isKeptForScenarios(country, party)) return undefined
  if (network_name !== undefined && isOfAnother(country, party, network_name))
    return ['other_network', direction === 'payin' ? 'prompt_not_sent' : 'not_registered']
  const isMpesa = country.code === 'KE' && operatorOf(country, party)?.networks.includes('M-Pesa')
  return isMpesa ? violatedMpesaRule(tx, draft) : undefined
}

/** Returns the rule of M-Pesa in Kenya that a payment violates because of earlier payments. */
function violatedMpesaRule(tx: Tx, draft: Draft): ViolatedRule | undefined {
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

/** A phone shows only one prompt at a time. */
function hasPrompt({ status, is_offline, created_at, plan }: TransactionRow, now: number): boolean {
  if (status !== 'QUEUED' || is_offline || now - created_at >= PROMPT_LASTS) return false
  return !isWithoutPrompt(plan)
}

/** Whether a transaction has moved its money, or will. */
const moves = ({ status, plan }: TransactionRow): boolean =>
  status === 'SUCCESS' || (status === 'QUEUED' && plan?.settle?.status !== 'failed')

/** The operator's local day. */
const dayOf = (at: number) => Math.floor((at + utcOffset('KE')) / DAY)
