import { transactionTypeOf } from '../service/domain/channels.ts'
import { countersOf } from '../service/domain/context.ts'
import { teamAccount, outsideAccount } from '../service/domain/ledger.ts'
import { toMinor } from '../service/domain/money.ts'
import { roleKey } from '../service/domain/access.ts'
import { noneLeft } from '../service/domain/errors.ts'
import { packLines } from '../storage/store/posting-lines.ts'
import type { BalanceRow, PostingRow } from '../storage/store/payment-rows.ts'
import type * as R from '../storage/store/rows.ts'
import type { WorldRows } from '../storage/store/store.ts'
import type { Seed, SeedKey, SeedTeam } from '../generated/control/types.ts'

/**
 * The rows of a fresh world. They are the same for every world made of one seed, so they are made once.
 * @param at when everything in it was made, milliseconds
 * @param hashes of its keys' passwords, in their order; without them it has no keys
 */
export function seedRows(seed: Seed, at: number, hashes?: readonly string[]): WorldRows {
  const owned = seed.users.some((user) => user.is_admin)
  const { postings, balances } = openingBalances(seed.teams, at)
  const rows: WorldRows = {
    organizations: seed.organizations.map((each) => ({
      ...each,
      organization_type: 'business',
      status: 'active',
      kyc_tier: 3,
      creator_id: each.admin_id,
    })),
    users: seed.users.map(({ is_admin = false, phone_number = '', ...user }) => ({
      ...user,
      phone_number,
      username: user.email.split('@')[0]!,
      is_admin: is_admin || (!owned && user.id === seed.api_keys[0]?.user_id),
      status: 'active',
      is_pin_set: true,
    })),
    apiKeys: hashes ? keyRows(seed.api_keys, hashes) : [],
    teams: seed.teams.map((team) => teamRow(team, at)),
    roles: seed.teams.flatMap(({ id, members }) =>
      Object.entries(members).map(([user, role_id]) => ({
        id: roleKey(id, Number(user)),
        account_id: id,
        user_id: Number(user),
        role_id,
      })),
    ),
    channels: (seed.channels ?? []).map((channel) => ({
      account_number: '',
      description: '',
      is_active: true,
      ...defined(channel),
      transaction_type: transactionTypeOf(channel.channel_type),
      created_at: at,
      updated_at: at,
      active_at: at,
    })),
    postings,
    balances,
  }
  return { ...rows, counters: countersOf(rows) }
}

/** @param hashes of their passwords, in the order of the keys */
export const keyRows = (keys: readonly SeedKey[], hashes: readonly string[]): readonly R.ApiKeyRow[] =>
  keys.map(({ username, user_id, default_account_id }, n) => ({
    username,
    password_hash: hashes[n]!,
    user_id,
    default_account_id,
    revoked_at: null,
  }))

function teamRow(team: SeedTeam, at: number): R.TeamRow {
  const { members: _members, wallet: _wallet, service_wallet: _service, notify_amount = 0, ...own } = team
  const { id, organization_id, name, uuid, currency, country, number = '', email = '', ...others } = own
  const { kyc_tier, ...rest } = others
  noneLeft(rest)
  return {
    id,
    organization_id,
    name,
    description: '',
    currency,
    country,
    number,
    email,
    status: 'active',
    account_type: 'prepaid',
    kyc_tier,
    kyc_verified: kyc_tier > 0,
    logo: '',
    theme_color: '',
    payment_note: '',
    notify_amount: toMinor(notify_amount, currency),
    uuid,
    merchant_id: id,
    created_at: at,
    updated_at: at,
  }
}

/** Money that is there from the start came from outside, so that the ledger balances from its first posting. */
function openingBalances(teams: readonly SeedTeam[], at: number) {
  const postings: PostingRow[] = []
  const balances = new Map<string, BalanceRow>()
  const add = (account: string, currency: string, amount: number) =>
    balances.set(account, { account, currency, amount: (balances.get(account)?.amount ?? 0) + amount })
  const open = (account: string, currency: string, amount: number) => {
    const lines = [
      { account: outsideAccount(currency), amount: -amount },
      { account, amount },
    ]
    for (const line of lines) add(line.account, currency, line.amount)
    postings.push({
      id: postings.length + 1,
      at,
      kind: 'opening',
      currency,
      transaction_id: null,
      lines: packLines(lines),
    })
  }
  for (const { id, currency, wallet = {}, service_wallet } of teams) {
    for (const [held, amount] of Object.entries(wallet))
      open(teamAccount(id, 'wallet', held), held, toMinor(amount, held))
    if (service_wallet)
      open(teamAccount(id, 'service_wallet', currency), currency, toMinor(service_wallet, currency))
  }
  return { postings, balances: [...balances.values()] }
}

/** Without the fields that are undefined, so that they do not hide what stands in for them. */
const defined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T
