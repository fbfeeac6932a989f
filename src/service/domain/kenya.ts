/** What the legacy, Kenya-based endpoints share (specification 4.8, 4.9). */
import type { TeamRow } from '../../storage/store/rows.ts'
import type { AskedTeam } from './access.ts'
import { banks, findBank, ke as kenya, mobileNetworks } from './countries/ke.ts'
import type { Faults } from './errors.ts'
import { moneyText, readMoney, toMajor } from './money.ts'

const CURRENCY = kenya.currency
/** Minor units (open-points, "Legacy collection and withdrawal": observed). */
const LEAST = 100
const MOST = 15_000_000

/** Refuses a Team that holds another currency. */
export function requireKenyan(faults: Faults, { id, team }: AskedTeam): void {
  if (team && team.currency !== CURRENCY)
    faults.add(
      'account_id',
      `must be a Team that holds ${CURRENCY}, got ${id}, which holds ${team.currency} (use POST /api/global/payments)`,
    )
}

/** Refuses a Team that can have no channels. */
export function requireChannels(faults: Faults, { id, currency }: TeamRow): void {
  if (currency !== CURRENCY)
    faults.add('account_id', `must be a Team that holds ${CURRENCY}, got ${id}, which holds ${currency}`)
}

/** The amount in minor units, KES 1 to 150,000; one that is at fault is 0. */
export function readShillings(faults: Faults, amount: number | undefined): number {
  if (amount === undefined) return 0
  const within = amount >= toMajor(LEAST, CURRENCY) && amount <= toMajor(MOST, CURRENCY)
  if (within) return readMoney(faults, 'amount', amount, CURRENCY)
  faults.refuse(
    'amount',
    amount,
    `must be from ${moneyText(LEAST, CURRENCY)} to ${moneyText(MOST, CURRENCY)}`,
  )
  return 0
}

/** Refuses what is no mobile-money provider of Kenya. */
export function requireProvider(faults: Faults, provider: string | undefined): void {
  const known = kenya.providers.momo
  if (provider !== undefined && !known.includes(provider)) faults.refuseWord('provider', provider, known)
}

/** Refuses what is no network code of Kenya. */
export function requireNetworkCode(faults: Faults, network_code: string | undefined): void {
  if (network_code === undefined || mobileNetworks.some(({ code }) => code === network_code)) return
  faults.refuse('network_code', network_code, `must be one of ${listed(mobileNetworks)}`)
}

/** Refuses what is no bank's code of Kenya. */
export function requireBankCode(faults: Faults, network_code: string | undefined): void {
  if (network_code === undefined || findBank(network_code)) return
  faults.refuse('network_code', network_code, `must be the code of a bank, one of ${listed(banks)}`)
}

const listed = (known: readonly { readonly code: string; readonly name: string }[]) =>
  known.map(({ code, name }) => `${code} (${name})`).join(', ')
