import type { OrganizationRow, RoleRow, TeamRow, UserRow } from '../../storage/store/rows.ts'
import { requireUser, teamsOf } from './access.ts'
import type { Caller, Look } from './context.ts'
import { notFound } from './errors.ts'

export interface Profile {
  readonly user: UserRow
  readonly memberships: readonly { team: TeamRow; role: RoleRow; organization: OrganizationRow }[]
  readonly organizations: readonly OrganizationRow[]
}

/**
 * A user with Teams, roles and organizations (specification 2.2).
 * @throws ServiceError 404 when the user shares no organization with the caller
 */
export function readProfile(look: Look, caller: Caller, user_id: number): Profile {
  const user = requireUser(look, user_id)
  const self = requireUser(look, caller.user_id)
  const shared = user.organization_ids.some((id) => self.organization_ids.includes(id))
  if (user.id !== self.id && !shared) throw notFound('user_id', user_id)

  const organizations: OrganizationRow[] = []
  for (const id of user.organization_ids) {
    const organization = look.rows.get('organizations', id)
    if (organization) organizations.push(organization)
  }
  const memberships = []
  for (const { team, role } of teamsOf(look, user.id)) {
    const organization = look.rows.get('organizations', team.organization_id)
    if (organization) memberships.push({ team, role, organization })
  }
  return { user, memberships, organizations }
}
