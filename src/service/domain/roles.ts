import type { Faults } from './faults.ts'

/** What a role lets a user do in a Team. */
export type Ability = 'read' | 'move_money' | 'manage' | 'delete'

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
export const rolesThat = (ability: Ability) =>
  roles
    .filter(({ abilities }) => abilities.includes(ability))
    .map(({ name }) => name)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or ')
