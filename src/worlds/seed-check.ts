import { invalid } from '../domain/errors.ts'
import type { Seed } from './seed.ts'

/** Something in a seed that contradicts the rest of it, and where. */
export interface SeedFault {
  readonly path: readonly (string | number)[]
  readonly message: string
  /** The last part of the path is what is wrong, not its value. */
  readonly atKey?: boolean
}

/** What a seed names but does not have, and ids that are there twice; the shape is checked before. */
export function seedFaults(seed: Seed): readonly SeedFault[] {
  const faults: SeedFault[] = []
  const users = new Set(seed.users.map(({ id }) => id))
  const organizations = new Set(seed.organizations.map(({ id }) => id))
  const teams = new Set(seed.teams.map(({ id }) => id))
  const tiers = seed.tiers?.length ?? Infinity
  const need = (there: ReadonlySet<number>, id: number, what: string, ...path: SeedFault['path']) => {
    if (!there.has(id)) faults.push({ path, message: `there is no ${what} ${id}; there are ${some(there)}` })
  }
  const once = (list: keyof Seed, keys: readonly (string | number)[], field: string) => {
    const seen = new Set<string | number>()
    keys.forEach((key, n) => {
      if (seen.has(key)) faults.push({ path: [list, n, field], message: `${key} is there twice` })
      seen.add(key)
    })
  }

  once(
    'organizations',
    seed.organizations.map(({ id }) => id),
    'id',
  )
  once(
    'users',
    seed.users.map(({ id }) => id),
    'id',
  )
  once(
    'teams',
    seed.teams.map(({ id }) => id),
    'id',
  )
  once(
    'teams',
    seed.teams.map(({ uuid }) => uuid),
    'uuid',
  )
  once(
    'channels',
    (seed.channels ?? []).map(({ id }) => id),
    'id',
  )
  once(
    'api_keys',
    seed.api_keys.map(({ username }) => username),
    'username',
  )
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
      faults.push({
        path: ['teams', n, 'kyc_tier'],
        message: `there is no tier ${kyc_tier}; the highest is ${tiers - 1}`,
      })
  })
  seed.channels?.forEach(({ account_id }, n) => need(teams, account_id, 'Team', 'channels', n, 'account_id'))
  return faults
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

/** How many faults of a seed are told. */
const MOST_TOLD = 20

/** The first faults, each as `say` has it, and how many there are beside them. */
export const toldOf = <Fault>(faults: readonly Fault[], say: (fault: Fault) => string): string[] => [
  ...faults.slice(0, MOST_TOLD).map(say),
  ...(faults.length > MOST_TOLD ? [`and ${faults.length - MOST_TOLD} more`] : []),
]

/** @throws ServiceError 400 that lists what contradicts itself */
export function requireSound(seed: Seed): void {
  const faults = seedFaults(seed)
  if (faults.length > 0)
    throw invalid(toldOf(faults, ({ path, message }) => `seed.${pathText(path)}: ${message}`).join('; '))
}

export const pathText = (path: readonly PropertyKey[]) =>
  path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text ? `${text}.${String(key)}` : String(key),
    '',
  )
