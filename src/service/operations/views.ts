/** Rows as the service returns them (specification 2). */
import type { Look } from '../domain/context.ts'
import { balanceOf, teamAccount } from '../domain/ledger.ts'
import { toMajor } from '../domain/money.ts'
import type { Profile } from '../domain/teams.ts'
import { roleName } from '../domain/access.ts'
import { wireTime } from '../domain/wire-time.ts'
import type {
  Account,
  AccountKyc,
  Pagination,
  PaymentChannel,
  UserProfile,
} from '../../generated/service/types.ts'
import type { ChannelRow, KycRow, TeamRow } from '../../storage/store/rows.ts'

const timesOf = ({ created_at, updated_at }: Pick<TeamRow, 'created_at' | 'updated_at'>) => ({
  created_at: wireTime(created_at),
  updated_at: wireTime(updated_at),
})

export function accountView(look: Look, team: TeamRow): Account {
  const balance = balanceOf(look, teamAccount(team.id, 'service_wallet', team.currency))
  return {
    id: team.id,
    organization_id: team.organization_id,
    name: team.name,
    description: team.description,
    currency: team.currency,
    number: team.number,
    email: team.email,
    status: team.status,
    account_type: team.account_type,
    kyc_tier: team.kyc_tier,
    kyc_verified: team.kyc_verified,
    service_wallet_balance: toMajor(balance, team.currency),
    logo: team.logo,
    theme_color: team.theme_color,
    notify_amount: Math.trunc(toMajor(team.notify_amount, team.currency)),
    ...timesOf(team),
  }
}

export function profileView({ user, memberships, organizations }: Profile): UserProfile {
  const tier = Math.max(0, ...organizations.map((organization) => organization.kyc_tier))
  return {
    user: {
      id: user.id,
      phone_number: user.phone_number,
      first_name: user.first_name,
      last_name: user.last_name,
      username: user.username,
      email: user.email,
      is_admin: user.is_admin,
      status: user.status,
    },
    accounts: memberships.map(({ team, organization }) => ({
      id: team.id,
      name: team.name,
      uuid: team.uuid,
      status: team.status,
      email: team.email,
      currency: team.currency,
      phone_number: team.number,
      organization: {
        id: organization.id,
        name: organization.name,
        organization_type: organization.organization_type,
        kyc_tier: organization.kyc_tier,
        status: organization.status,
        admin_id: organization.admin_id,
        creator_id: organization.creator_id,
      },
      kyc_tier: team.kyc_tier,
      is_approved: team.kyc_verified,
      merchant_id: team.merchant_id,
    })),
    roles: Object.fromEntries(memberships.map(({ team, role }) => [String(team.id), roleName(role.role_id)])),
    status: user.status,
    is_pin_set: user.is_pin_set,
    is_kyc_verified: tier > 0,
    kyc_tier: tier,
    organizations: organizations.map(({ id, name, organization_type, status, currency }) => ({
      id,
      name,
      organization_type,
      status,
      currency,
    })),
  }
}

export const kycView = (kyc: KycRow): AccountKyc => ({
  ...(kyc.details as Partial<AccountKyc>),
  id: kyc.id,
  account_id: kyc.account_id,
  status: kyc.status,
  ...timesOf(kyc),
})

export const channelView = (channel: ChannelRow): PaymentChannel => ({
  id: channel.id,
  transaction_type: channel.transaction_type,
  channel_type: channel.channel_type,
  account_id: channel.account_id,
  short_code: channel.short_code,
  account_number: channel.account_number,
  description: channel.description,
  is_active: channel.is_active,
  ...timesOf(channel),
})

/** Specification 2.5; a page out of range only links to the last page before it. */
export function pagination(count: number, page: number, per: number): Pagination {
  const num_pages = Math.ceil(count / per)
  return {
    count,
    page,
    per,
    num_pages,
    next_page: page < num_pages ? page + 1 : null,
    prev_page: page > 1 ? Math.min(page - 1, Math.max(num_pages, 1)) : null,
  }
}
