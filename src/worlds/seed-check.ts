import { invalid } from '../service/domain/errors.ts'
import { fieldPath, type FieldPath } from '../lib/text/field-path.ts'
import { type Issue, toldOf } from '../lib/text/validation-messages.ts'
import type { Seed } from '../generated/control/types.ts'

/** Fields that no two rows of a list may have alike. */
const unique = [
  ['organizations', 'id'],
  ['users', 'id'],
  ['teams', 'id'],
  ['teams', 'uuid'],
  ['channels', 'id'],
  ['api_keys', 'username'],
] as const

/** What a seed names but does not have, and ids that are there twice; the shape is checked before. */
export function seedIssues(seed: Seed): readonly Issue[] {
  const issues: Issue[] = []
  const users = new Set(seed.users.map(({ id }) => id))
  const organizations = new Set(seed.organizations.map(({ id }) => id))
  const teams = new Set(seed.teams.map(({ id }) => id))
  const tiers = seed.tiers?.length ?? Infinity
  const need = (there: ReadonlySet<number>, id: number, what: string, ...path: FieldPath) => {
    if (!there.has(id)) issues.push({ path, message: `there is no ${what} ${id}; there are ${some(there)}` })
  }
  for (const [list, field] of unique) {
    const seen = new Set<unknown>()
    const rows: readonly object[] = seed[list] ?? []
    rows.forEach((row, n) => {
      const value = (row as Readonly<Record<string, unknown>>)[field]
      const key = field === 'uuid' ? String(value).toLowerCase() : value
      if (seen.has(key)) issues.push({ path: [list, n, field], message: `${String(value)} is there twice` })
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

/** How many ids a message lists. */
const MOST_LISTED = 10

function some(ids: ReadonlySet<number>): string {
  if (ids.size === 0) return 'none'
  const first: number[] = []
  for (const id of ids) if (first.push(id) === MOST_LISTED) break
  const listed = first.join(', ')
  return ids.size > MOST_LISTED ? `${listed} and ${ids.size - MOST_LISTED} more` : listed
}

/** @throws ServiceError 400 that lists what contradicts itself */
export function requireSound(seed: Seed): void {
  const issues = seedIssues(seed)
  if (issues.length > 0) throw invalid(toldOf(issues, (issue) => seedSentence(issue, ['seed'])).join('; '))
}

/** @param at where the seed stands */
export const seedSentence = ({ path, message }: Issue, at: FieldPath = []): string =>
  `${fieldPath([...at, ...path])}: ${message}`
