import type { InviteMemberBody } from '../../generated/service/requests.ts'
import type { RoleRow } from '../../storage/store/rows.ts'
import { requireOrganization, requireTeam, roleKey } from './access.ts'
import type { Caller, Tx } from './context.ts'
import { next } from './counters.ts'
import { invalid, ServiceError } from './errors.ts'
import { Faults } from './faults.ts'
import { writeMail } from './mails.ts'
import { noneLeft } from './request-fields.ts'
import { OWNER, requireRole, roleName, VIEWER } from './roles.ts'
import { isolated } from './isolated.ts'

/** Invitations that a world keeps. */
const INVITES_KEPT = 10_000

/** An invitation as it is requested; `base_url` is filled in with the sandbox's own address when it was left out. */
export type Invitation = InviteMemberBody & { readonly base_url: string }

/** Puts the invitation and its mail on record (specification 4.2, 6.3). */
export function inviteMember(tx: Tx, caller: Caller, input: Invitation): void {
  const { organization_id, account_id, email, phone_number = '', role_id = VIEWER, ...others } = input
  const { assigned_account_ids: assigned = [account_id], base_url, ...rest } = others
  noneLeft(rest)
  const faults = new Faults()
  requireRole(faults, role_id)
  faults.throwAny()
  requireOrganization(tx, caller, organization_id, 'read')
  const team = requireTeam(tx, caller, account_id, 'manage')
  if (team.organization_id !== organization_id)
    throw invalid(`account_id ${team.id} is not a Team of organization ${organization_id}`)
  for (const id of assigned) requireTeam(tx, caller, id, 'manage', 'assigned_account_ids')

  const id = next(tx, 'invite')
  const token = tx.random.secret(`invite ${tx.now}`, id)
  forgetOldest(tx)
  // The look-behind keeps it from trying each slash of a row as the first.
  const link = `${base_url.replace(/(?<!\/)\/+$/, '')}/invites/${token}`
  tx.rows.insert('invites', {
    id,
    token,
    organization_id,
    account_id: team.id,
    email,
    phone_number,
    role_id,
    assigned_account_ids: assigned,
    link,
    status: 'sent',
    created_at: tx.now,
  })
  writeMail(tx, {
    to: email,
    subject: `You are invited to ${isolated(team.name)}`,
    text: `You are invited to join ${isolated(team.name)} as ${roleName(role_id)}. Accept or decline here: ${link}`,
    link,
  })
}

/**
 * Takes a user's role in a Team away.
 * @throws ServiceError 404 when the user is no member, 400 when it is the Team's last owner
 */
export function removeMember(tx: Tx, caller: Caller, account_id: number, user_id: number): RoleRow {
  requireTeam(tx, caller, account_id, 'manage')
  const role = tx.rows.get('roles', roleKey(account_id, user_id))
  if (!role)
    throw new ServiceError('resource_not_found', `user_id ${user_id} is no member of account ${account_id}`)
  const members = tx.rows.find('roles', 'account', account_id)
  const owners = members.filter((member) => member.role_id === OWNER)
  if (role.role_id === OWNER && owners.length === 1)
    throw invalid(
      `user_id ${user_id} is the last ${roleName(OWNER)} of account ${account_id} and cannot be removed`,
    )
  tx.rows.delete('roles', role.id)
  return role
}

/** Leaves room for one more. */
function forgetOldest({ rows }: Tx): void {
  const excess = rows.count('invites', 'age', 0) - INVITES_KEPT + 1
  if (excess <= 0) return
  for (const { token } of rows.walk('invites', 'age', 0, { offset: 0, limit: excess }))
    rows.delete('invites', token)
}
