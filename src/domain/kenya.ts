/** What the legacy, Kenya-based endpoints share (specification 4.8, 4.9). */
import type { TeamRow } from '../store/rows.ts'
import { ke as kenya } from './countries/ke.ts'
import { invalid } from './errors.ts'
import { formatMoney, toMajor, toMinor } from './money.ts'

const CURRENCY = kenya.currency
/** Minor units (open-points, "Legacy collection and withdrawal": observed). */
const LEAST = 100
const MOST = 15_000_000

const networkCodes = new Map(
  Object.values(kenya.networks)
    .flat()
    .filter((network) => network.account_type === 'momo')
    .map((network) => [network.network_code, network.network_name]),
)

/** @throws ServiceError when the Team does not hold Kenya shillings */
export function requireKenyan(team: TeamRow): void {
  if (team.currency !== CURRENCY)
    throw invalid(
      `account_id ${team.id} holds ${team.currency}; this endpoint serves Kenya (KES), use POST /api/global/payments`,
    )
}

/** The amount in minor units. @throws ServiceError outside KES 1 to 150,000 */
export function readShillings(amount: number): number {
  const within = amount >= toMajor(LEAST, CURRENCY) && amount <= toMajor(MOST, CURRENCY)
  if (within) return toMinor(amount, CURRENCY)
  throw invalid(
    `amount ${amount} must be from ${formatMoney(LEAST, CURRENCY)} to ${formatMoney(MOST, CURRENCY)} ${CURRENCY}`,
  )
}

/** @throws ServiceError listing the mobile-money providers of Kenya */
export function requireProvider(provider: string): void {
  const known = kenya.providers.momo
  if (!known.includes(provider))
    throw invalid(`provider "${provider}" is not known; known are ${known.join(', ')}`)
}

/** @throws ServiceError listing the network codes of Kenya */
export function requireNetworkCode(network_code: string): void {
  if (networkCodes.has(network_code)) return
  const known = [...networkCodes].map(([code, name]) => `${code} (${name})`).join(', ')
  throw invalid(`network_code "${network_code}" is not known; known are ${known}`)
}
