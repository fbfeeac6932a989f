import { either } from '../../lib/text/shown.ts'
import { type Faults, notFound, ServiceError } from './errors.ts'
import type { RoleRow, TeamRow, UserRow } from '../../storage/store/rows.ts'
import type { Caller, Look } from './context.ts'

type Ability = 'read' | 'move_money' | 'manage' | 'delete'

interface Role {
  readonly id: number
  readonly name: string
  readonly abilities: readonly Ability[]
}

/** Roles and their abilities (open-points, "Teams, users, invitations"; only the name `owner` is documented). */
const roles: readonly Role[] = [
  { id: 1, name: 'owner', abilities: ['read', 'move_money', 'manage', 'delete'] },
  { id: 2, name: 'admin', abilities: ['read', 'move_money', 'manage'] },
  { id: 3, name: 'finance', abilities: ['read', 'move_money'] },
  { id: 4, name: 'viewer', abilities: ['read'] },
]

export const roleIds: readonly number[] = roles.map(({ id }) => id)
export const OWNER = 1
export const VIEWER = 4

export function requireRole(faults: Faults, role_id: number | undefined): void {
  if (role_id === undefined || roles.some((each) => each.id === role_id)) return
  const known = roles.map((each) => `${each.id} (${each.name})`).join(', ')
  faults.refuse('role_id', role_id, `must be one of ${known}`)
}

const roleOf = (role_id: number): Role => {
  const role = roles.find((each) => each.id === role_id)
  if (!role) throw new Error(`there is no role ${role_id}`)
  return role
}

export const roleName = (role_id: number) => roleOf(role_id).name
export const allows = (role_id: number, ability: Ability) => roleOf(role_id).abilities.includes(ability)

/** Returns the names of roles with an ability, as `owner, admin or finance`. */
const rolesThat = (ability: Ability) =>
  either(roles.filter(({ abilities }) => abilities.includes(ability)).map(({ name }) => name))

export const roleKey = (account_id: number, user_id: number) => `${account_id}:${user_id}`

/**
 * Returns the Team of a request if the caller's role allows the request.
 * @param account_id - defaults to the caller's default Team
 * @throws {ServiceError} 404 if the caller cannot see the Team, 403 if the role does not allow it
 */
export const requireTeam = (
  look: Look,
  caller: Caller,
  account_id: number | undefined,
  ability: Ability,
  field = 'account_id',
): TeamRow => requireAbility(requestedTeam(look, caller, account_id, field), ability)

/** The Team of a request and the caller's role in it; without both if the caller cannot see the Team. */
export interface RequestedTeam {
  readonly id: number
  /** The field's name in the request. */
  readonly field: string
  /** Whether the request names no Team, so that the API key's default Team is used. */
  readonly by_default: boolean
  readonly team?: TeamRow
  readonly role?: RoleRow
}

/** Returns the Team of a request before its permission is checked, for rules about its values. */
export function requestedTeam(
  look: Look,
  caller: Caller,
  account_id: number | undefined,
  field = 'account_id',
): RequestedTeam {
  const id = account_id ?? caller.default_account_id
  const by_default = account_id === undefined
  const found = membershipIn(look, caller, id)
  return found ? { id, field, by_default, team: found.team, role: found.role } : { id, field, by_default }
}

/** @throws {ServiceError} 404 if the caller cannot see the Team, 403 if the role does not allow the ability */
export function requireAbility(
  { id, field, by_default, team, role }: RequestedTeam,
  ability: Ability,
): TeamRow {
  if (!team || !role)
    throw notFound(by_default ? `${field} is missing, and the API key's default Team` : field, id)
  if (!allows(role.role_id, ability)) throw denied(roleName(role.role_id), ability, `account ${id}`)
  return team
}

/** Returns a Team with the caller's role in it; undefined if the caller cannot see it. */
export function membershipIn(look: Look, caller: Caller, account_id: number) {
  const role = look.rows.get('roles', roleKey(account_id, caller.user_id))
  const team = role && look.rows.get('teams', account_id)
  return team && { team, role }
}

/**
 * Checks the caller's best role in an organization, for what belongs to no Team yet.
 * @throws {ServiceError} 404 if the caller is not in the organization, 403 if no role allows the ability
 */
export function requireOrganization(
  look: Look,
  caller: Caller,
  organization_id: number,
  ability: Ability,
): void {
  const user = requireUser(look, caller.user_id)
  const organization = look.rows.get('organizations', organization_id)
  if (!organization || !user.organization_ids.includes(organization_id))
    throw notFound('organization_id', organization_id)
  if (organization.admin_id === user.id) return
  const roles = rolesIn(look, user.id, organization_id)
  if (roles.some((role) => allows(role.role_id, ability))) return
  const names = [...new Set(roles.map((role) => roleName(role.role_id)))].join(', ') || 'none'
  throw denied(names, ability, `organization ${organization_id}`)
}

function rolesIn(look: Look, user_id: number, organization_id: number): RoleRow[] {
  const held: RoleRow[] = []
  for (const role of look.rows.find('roles', 'user', user_id)) {
    const team = look.rows.get('teams', role.account_id)
    if (team?.organization_id === organization_id) held.push(role)
  }
  return held
}

/** @throws {ServiceError} 403 unless the caller owns the world */
export function requireOwner(look: Look, { user_id }: Caller): void {
  const user = look.rows.get('users', user_id)
  if (user?.is_admin) return
  throw new ServiceError(
    'permission_denied',
    `only the owner of the world may do this; user ${user_id} is not`,
  )
}

/** @throws {ServiceError} 403 unless the caller owns the world or has more than read access in some Team */
export function requireMoreThanReading(look: Look, caller: Caller): void {
  if (!mayOnlyRead(look, caller)) return
  const { user_id } = caller
  throw new ServiceError(
    'permission_denied',
    `user ${user_id} may only read; a change needs the key of the world's owner, or of a user who is ${rolesThat('move_money')} in some Team`,
  )
}

export function mayOnlyRead(look: Look, { user_id }: Caller): boolean {
  const user = look.rows.get('users', user_id)
  if (user?.is_admin) return false
  const roles = look.rows.find('roles', 'user', user_id)
  return !roles.some(({ role_id }) => allows(role_id, 'move_money'))
}

/**
 * Returns the caller's strongest role, in terms of `x-allowed-roles`: `owner` owns the world, whatever the roles in
 * Teams.
 */
export function strongestRole(
  look: Look,
  { user_id }: Caller,
): 'owner' | 'admin' | 'finance' | 'viewer' | 'none' {
  if (look.rows.get('users', user_id)?.is_admin) return 'owner'
  const held = look.rows.find('roles', 'user', user_id)
  const may = (ability: Ability) => held.some(({ role_id }) => allows(role_id, ability))
  if (may('manage')) return 'admin'
  if (may('move_money')) return 'finance'
  return held.length > 0 ? 'viewer' : 'none'
}

export function requireUser(look: Look, user_id: number): UserRow {
  const user = look.rows.get('users', user_id)
  if (!user) throw notFound('user_id', user_id)
  return user
}

/** Returns the Teams in which a user has a role, in the order they were granted. */
export function teamsOf(look: Look, user_id: number): { team: TeamRow; role: RoleRow }[] {
  const teams = []
  for (const role of look.rows.find('roles', 'user', user_id)) {
    const team = look.rows.get('teams', role.account_id)
    if (team) teams.push({ team, role })
  }
  return teams
}

function denied(role: string, ability: Ability, where: string) {
  const what = { read: 'read', move_money: 'move money in', manage: 'change', delete: 'delete' }[ability]
  return new ServiceError('permission_denied', `role ${role} may not ${what} ${where}`)
}
