import type { TierLimits } from '../domain/terms.ts'
import type { CostBand } from '../domain/costs.ts'
import type { ChannelRow } from '../store/rows.ts'

/** What a world starts with. Money is in major units, as one would write it down. */
export interface Seed {
  readonly organizations: readonly SeedOrganization[]
  readonly users: readonly SeedUser[]
  readonly api_keys: readonly SeedKey[]
  readonly teams: readonly SeedTeam[]
  readonly channels: readonly SeedChannel[]
  readonly tiers?: readonly TierLimits[]
  readonly costs?: readonly CostBand[]
}

export interface SeedOrganization {
  readonly id: number
  readonly name: string
  readonly currency: string
  readonly admin_id: number
}

export interface SeedUser {
  readonly id: number
  readonly first_name: string
  readonly last_name: string
  readonly email: string
  readonly phone_number: string
  readonly organization_ids: readonly number[]
  readonly is_admin?: boolean
}

export interface SeedKey {
  readonly username: string
  readonly password: string
  readonly user_id: number
  readonly default_account_id: number
}

export interface SeedTeam {
  readonly id: number
  readonly organization_id: number
  readonly name: string
  readonly uuid: string
  readonly currency: string
  readonly country: string
  readonly number?: string
  readonly email?: string
  readonly kyc_tier: number
  /** Role ids by user id. */
  readonly members: { readonly [user_id: number]: number }
  /** Opening balances by currency. */
  readonly wallet?: { readonly [currency: string]: number }
  readonly service_wallet?: number
}

export type SeedChannel = Pick<
  ChannelRow,
  'id' | 'account_id' | 'channel_type' | 'short_code' | 'account_number' | 'description' | 'is_active'
>
