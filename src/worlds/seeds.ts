import type { Seed, SeedKey, SeedTeam } from '../generated/control/types.ts'
import { fieldPath, type FieldPath } from '../lib/text/field-path.ts'
import { type Issue, toldOf } from '../lib/text/validation-messages.ts'
import { roleKey } from '../service/domain/access.ts'
import { transactionTypeOf } from '../service/domain/channels.ts'
import { countersOf } from '../service/domain/context.ts'
import { invalid, noneLeft } from '../service/domain/errors.ts'
import { outsideAccount, teamAccount } from '../service/domain/ledger.ts'
import { toMinor } from '../service/domain/money.ts'
import type { BalanceRow, PostingRow } from '../storage/store/payment-rows.ts'
import { packLines } from '../storage/store/tables.ts'
import type * as R from '../storage/store/rows.ts'
import type { Store, WorldRows } from '../storage/store/change.ts'
import { hashChosen } from './credentials.ts'

/**
 * Returns the initial rows of a world. All worlds of a seed share them.
 * @param at - The creation time of all rows in milliseconds.
 * @param hashes - Of the passwords, in the order of the API keys; without them the world gets no keys.
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

/** Posts initial balances from an outside account, so that the ledger balances. */
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

/** Removes undefined fields, which would override defaults. */
const defined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T

/** Fields that must be unique within a list. */
const unique = [
  ['organizations', 'id'],
  ['users', 'id'],
  ['teams', 'id'],
  ['teams', 'uuid'],
  ['channels', 'id'],
  ['api_keys', 'username'],
] as const

/** Returns dangling references and duplicate ids of a seed that matches the schema. */
export function seedIssues(seed: Seed): readonly Issue[] {
  const issues: Issue[] = []
  const users = new Set(seed.users.map(({ id }) => id))
  const organizations = new Set(seed.organizations.map(({ id }) => id))
  const teams = new Set(seed.teams.map(({ id }) => id))
  const tiers = seed.tiers?.length ?? Infinity
  const need = (there: ReadonlySet<number>, id: number, what: string, ...path: FieldPath) => {
    if (!there.has(id)) issues.push({ path, message: `there is no ${what} ${id}; known are ${some(there)}` })
  }
  for (const [list, field] of unique) {
    const seen = new Set<unknown>()
    const rows: readonly object[] = seed[list] ?? []
    rows.forEach((row, n) => {
      const value = (row as Readonly<Record<string, unknown>>)[field]
      const key = field === 'uuid' ? String(value).toLowerCase() : value
      if (seen.has(key)) issues.push({ path: [list, n, field], message: `${String(value)} is not unique` })
      seen.add(key)
    })
  }
  seed.organizations.forEach(({ admin_id }, n) =>
    need(users, admin_id, 'user', 'organizations', n, 'admin_id'),
  )
  seed.users.forEach(({ organization_ids }, n) =>
    organization_ids.forEach((id, m) =>
      need(organizations, id, 'organization', 'users', n, 'organization_ids', m),
    ),
  )
  seed.api_keys.forEach(({ user_id, default_account_id }, n) => {
    need(users, user_id, 'user', 'api_keys', n, 'user_id')
    need(teams, default_account_id, 'Team', 'api_keys', n, 'default_account_id')
  })
  seed.teams.forEach(({ organization_id, members, kyc_tier }, n) => {
    need(organizations, organization_id, 'organization', 'teams', n, 'organization_id')
    for (const user of Object.keys(members)) need(users, Number(user), 'user', 'teams', n, 'members', user)
    if (kyc_tier >= tiers)
      issues.push({
        path: ['teams', n, 'kyc_tier'],
        message: `there is no tier ${kyc_tier}; the highest is ${tiers - 1}`,
      })
  })
  seed.channels?.forEach(({ account_id }, n) => need(teams, account_id, 'Team', 'channels', n, 'account_id'))
  return issues
}

/** Maximum number of ids in a message. */
const MOST_LISTED = 10

function some(ids: ReadonlySet<number>): string {
  if (ids.size === 0) return 'none'
  const first: number[] = []
  for (const id of ids) if (first.push(id) === MOST_LISTED) break
  const listed = first.join(', ')
  return ids.size > MOST_LISTED ? `${listed} and ${ids.size - MOST_LISTED} more` : listed
}

/** @throws ServiceError 400 listing the issues */
export function requireSound(seed: Seed): void {
  const issues = seedIssues(seed)
  if (issues.length > 0) throw invalid(toldOf(issues, (issue) => seedSentence(issue, ['seed'])).join('; '))
}

export const seedSentence = ({ path, message }: Issue, at: FieldPath = []): string =>
  `${fieldPath([...at, ...path])}: ${message}`

/**
 * Hashes the passwords of API keys, which takes a thread some 50 ms for each.
 * @param before - Returns the stored hash of a key, so that an unchanged password results in the same hash.
 */
export function hashKeys(
  keys: readonly SeedKey[],
  before: (username: string) => string | undefined = () => undefined,
): Promise<readonly string[]> {
  return Promise.all(keys.map(({ username, password }) => hashChosen(password, before(username))))
}

/** Resolves to a function that returns the stored hash of a key. */
export async function hashesKept(
  store: Store,
  world: string,
): Promise<(username: string) => string | undefined> {
  const keys = await store.read(world, (rows) => rows.all('apiKeys'))
  return (name) => keys.find(({ username }) => username === name)?.password_hash
}

export const withoutPasswords = (seed: Seed): Seed => ({
  ...seed,
  api_keys: seed.api_keys.map((key) => ({ ...key, password: '' })),
})
