import { type Faults, notFound, ServiceError } from './errors.ts'
import type { RoleRow, TeamRow, UserRow } from '../../storage/store/rows.ts'
import type { Caller, Look } from './context.ts'

/** What a role lets a user do in a Team. */
type Ability = 'read' | 'move_money' | 'manage' | 'delete'

interface Role {
  readonly id: number
  readonly name: string
  readonly abilities: readonly Ability[]
}

/** Roles and what they may do (open-points, "Teams, users, invitations"; only the name `owner` is documented). */
const roles: readonly Role[] = [
  { id: 1, name: 'owner', abilities: ['read', 'move_money', 'manage', 'delete'] },
  { id: 2, name: 'admin', abilities: ['read', 'move_money', 'manage'] },
  { id: 3, name: 'finance', abilities: ['read', 'move_money'] },
  { id: 4, name: 'viewer', abilities: ['read'] },
]

export const roleIds: readonly number[] = roles.map(({ id }) => id)
export const OWNER = 1
export const VIEWER = 4

/** Refuses an id that no role has. */
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

/** The names of the roles that may do it, as `owner, admin or finance`. */
const rolesThat = (ability: Ability) =>
  roles
    .filter(({ abilities }) => abilities.includes(ability))
    .map(({ name }) => name)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or ')

export const roleKey = (account_id: number, user_id: number) => `${account_id}:${user_id}`

/**
 * The Team that a request is about, if the caller's role in it allows the request.
 * @param account_id the caller's default Team when undefined
 * @throws ServiceError 404 when there is none the caller can see, 403 when the role does not allow it
 */
export const requireTeam = (
  look: Look,
  caller: Caller,
  account_id: number | undefined,
  ability: Ability,
  field = 'account_id',
): TeamRow => requireAbility(askedTeam(look, caller, account_id, field), ability)

/** The Team that a request names, and the caller's role in it; neither when the caller can see none. */
export interface AskedTeam {
  readonly id: number
  /** What the request calls it. */
  readonly field: string
  /** The request names none, and the API key's default Team is meant. */
  readonly by_default: boolean
  readonly team?: TeamRow
  readonly role?: RoleRow
}

/** The Team that a request is about, for rules about its values; whether the request is allowed is to be asked. */
export function askedTeam(
  look: Look,
  caller: Caller,
  account_id: number | undefined,
  field = 'account_id',
): AskedTeam {
  const id = account_id ?? caller.default_account_id
  return { id, field, by_default: account_id === undefined, ...membershipIn(look, caller, id) }
}

/** @throws ServiceError 404 when there is no such Team the caller can see, 403 when the role does not allow it */
export function requireAbility({ id, field, by_default, team, role }: AskedTeam, ability: Ability): TeamRow {
  if (!team || !role)
    throw notFound(by_default ? `${field} is not sent, and the API key's default Team` : field, id)
  if (!allows(role.role_id, ability)) throw denied(roleName(role.role_id), ability, `account ${id}`)
  return team
}

/** The Team with the caller's role in it, or undefined when the caller cannot see it. */
export function membershipIn(look: Look, caller: Caller, account_id: number) {
  const role = look.rows.get('roles', roleKey(account_id, caller.user_id))
  const team = role && look.rows.get('teams', account_id)
  return team && { team, role }
}

/**
 * Checks that the best of the caller's roles in an organization allows something that belongs to no Team yet.
 * @throws ServiceError 404 when the caller is not of the organization, 403 when no role allows it
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

/** The roles a user holds in the Teams of an organization. */
function rolesIn(look: Look, user_id: number, organization_id: number): RoleRow[] {
  const held: RoleRow[] = []
  for (const role of look.rows.find('roles', 'user', user_id)) {
    const team = look.rows.get('teams', role.account_id)
    if (team?.organization_id === organization_id) held.push(role)
  }
  return held
}

/** Lets only the world's owner go on. @throws ServiceError 403 */
export function requireOwner(look: Look, { user_id }: Caller): void {
  const user = look.rows.get('users', user_id)
  if (user?.is_admin) return
  throw new ServiceError(
    'permission_denied',
    `only the owner of the world may do this; user ${user_id} is not`,
  )
}

/**
 * Lets only those go on who may do more than read: the world's owner, and whoever has such a role in some Team.
 * @throws ServiceError 403
 */
export function requireMoreThanReading(look: Look, caller: Caller): void {
  if (!mayOnlyRead(look, caller)) return
  const { user_id } = caller
  throw new ServiceError(
    'permission_denied',
    `user ${user_id} may only read; a change needs the key of the world's owner, or of a user who is ${rolesThat('move_money')} in some Team`,
  )
}

/** Whether the caller neither owns the world nor has a role that may more than read in some Team. */
export function mayOnlyRead(look: Look, { user_id }: Caller): boolean {
  const user = look.rows.get('users', user_id)
  if (user?.is_admin) return false
  const roles = look.rows.find('roles', 'user', user_id)
  return !roles.some(({ role_id }) => allows(role_id, 'move_money'))
}

/** The strongest role of the caller, as `x-allowed-roles` has them: `owner` owns the world, whatever role a Team gives. */
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

/** A user of the world. @throws ServiceError 404 */
export function requireUser(look: Look, user_id: number): UserRow {
  const user = look.rows.get('users', user_id)
  if (!user) throw notFound('user_id', user_id)
  return user
}

/** The Teams that a user holds a role in, in the order they were given. */
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
