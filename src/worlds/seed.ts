import type { TierLimits } from '../domain/context.ts'
import type { ChannelRow } from '../store/rows.ts'
import type { WrittenCost } from './settings.ts'

/** What a world starts with. Money is in major units, as one would write it down. */
export interface Seed {
  readonly organizations: readonly SeedOrganization[]
  readonly users: readonly SeedUser[]
  readonly api_keys: readonly SeedKey[]
  readonly teams: readonly SeedTeam[]
  readonly channels?: readonly SeedChannel[] | undefined
  readonly tiers?: readonly TierLimits[] | undefined
  readonly costs?: readonly WrittenCost[] | undefined
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
  readonly phone_number?: string | undefined
  readonly organization_ids: readonly number[]
  /** The owner of the world; the user of the first key when nobody is. */
  readonly is_admin?: boolean | undefined
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
  readonly number?: string | undefined
  readonly email?: string | undefined
  readonly kyc_tier: number
  /** Low-balance threshold. */
  readonly notify_amount?: number | undefined
  /** Role ids by user id. */
  readonly members: { readonly [user_id: number]: number }
  /** Opening balances by currency. */
  readonly wallet?: { readonly [currency: string]: number } | undefined
  readonly service_wallet?: number | undefined
}

export interface SeedChannel extends Pick<ChannelRow, 'id' | 'account_id' | 'channel_type' | 'short_code'> {
  readonly account_number?: string | undefined
  readonly description?: string | undefined
  readonly is_active?: boolean | undefined
}
