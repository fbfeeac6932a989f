import type { InviteMemberRequest } from '../../generated/service/types.ts'
import type { InviteRow, RoleRow, UserRow } from '../../storage/store/rows.ts'
import { OWNER, requireOrganization, requireRole, requireTeam, roleKey, roleName, VIEWER } from './access.ts'
import { type Caller, next, type Tx } from './context.ts'
import { faultless, invalid, noneLeft, notFound, ServiceError } from './errors.ts'
import { isolated, writeMail } from './mails.ts'
import type { Name } from '../../lib/random/people.ts'

const INVITES_KEPT = 10_000

/** An invitation request; `base_url` defaults to the sandbox's own address. */
export type Invitation = InviteMemberRequest & { readonly base_url: string }

/** Creates the invitation and its mail (specification 4.2, 6.3). */
export function inviteMember(tx: Tx, caller: Caller, input: Invitation): void {
  const { organization_id, account_id, email, phone_number = '', role_id = VIEWER, ...others } = input
  const { assigned_account_ids: assigned = [account_id], base_url, ...rest } = others
  noneLeft(rest)
  faultless((faults) => requireRole(faults, role_id))
  requireOrganization(tx, caller, organization_id, 'read')
  const team = requireTeam(tx, caller, account_id, 'manage')
  if (team.organization_id !== organization_id)
    throw invalid(`account_id must be a Team of organization ${organization_id}, got ${team.id}`)
  for (const id of assigned) requireTeam(tx, caller, id, 'manage', 'assigned_account_ids')

  const id = next(tx, 'invite')
  const token = tx.random.secret(`invite ${tx.now}`, id)
  forgetOldest(tx)
  const end = base_url.search(/[?#]|$/)
  // The lookbehind avoids quadratic backtracking over many slashes.
  const link = `${base_url.slice(0, end).replace(/(?<!\/)\/+$/, '')}/invites/${token}${base_url.slice(end)}`
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

/** @throws {ServiceError} 404 if the user is not a member, 400 if the user is the Team's last owner */
export function removeMember(tx: Tx, caller: Caller, account_id: number, user_id: number): RoleRow {
  requireTeam(tx, caller, account_id, 'manage')
  const role = tx.rows.get('roles', roleKey(account_id, user_id))
  if (!role)
    throw new ServiceError(
      'resource_not_found',
      `user_id ${user_id} is not a member of account ${account_id}`,
    )
  const members = tx.rows.find('roles', 'account', account_id)
  const owners = members.filter((member) => member.role_id === OWNER)
  if (role.role_id === OWNER && owners.length === 1)
    throw invalid(
      `user_id ${user_id} is the last ${roleName(OWNER)} of account ${account_id} and cannot be removed`,
    )
  tx.rows.delete('roles', role.id)
  return role
}

/** Makes room for one more. */
function forgetOldest({ rows }: Tx): void {
  const excess = rows.count('invites', 'age', 0) - INVITES_KEPT + 1
  if (excess <= 0) return
  for (const { token } of rows.walk('invites', 'age', 0, { offset: 0, limit: excess }))
    rows.delete('invites', token)
}

export type Accepted = ReturnType<typeof acceptInvite>

/**
 * Accepts an invitation (specification 3): creates the user if necessary and grants the role in its Teams, unless the
 * user has a stronger role.
 * @param name - of a new user
 * @throws {ServiceError} 404 if there is no such invitation, 400 if it was accepted or declined before or its Team was
 * deleted
 */
export function acceptInvite(tx: Tx, token: string, name: Name) {
  const invite = requireOpenInvite(tx, token)
  if (!tx.rows.get('teams', invite.account_id))
    throw invalid(`invite ${token} is no longer valid: its Team ${invite.account_id} was deleted`)
  const [known] = tx.rows.find('users', 'email', invite.email)
  const user = joined(tx, known ?? newUser(tx, invite, name), invite.organization_id)
  const account_ids = [...new Set([invite.account_id, ...invite.assigned_account_ids])].filter((id) =>
    tx.rows.get('teams', id),
  )
  for (const account_id of account_ids) grant(tx, account_id, user.id, invite.role_id)
  tx.rows.put('invites', { ...invite, status: 'accepted' })
  // A member keeps a stronger role.
  const { role_id } = tx.rows.get('roles', roleKey(invite.account_id, user.id))!
  return { user, created: known === undefined, role_id, account_ids }
}

/** @throws {ServiceError} 404 or 400, as for accepting it */
export function declineInvite(tx: Tx, token: string): InviteRow {
  const invite: InviteRow = { ...requireOpenInvite(tx, token), status: 'declined' }
  tx.rows.put('invites', invite)
  return invite
}

function requireOpenInvite(tx: Tx, token: string): InviteRow {
  const invite = tx.rows.get('invites', token)
  if (!invite) throw notFound('invite', token)
  if (invite.status !== 'sent') throw invalid(`invite ${token} was already ${invite.status}`)
  return invite
}

function newUser(tx: Tx, invite: InviteRow, name: Name): UserRow {
  return {
    id: next(tx, 'user'),
    ...name,
    phone_number: invite.phone_number.replace(/^\+/, ''),
    username: invite.email.split('@')[0]!,
    email: invite.email,
    is_admin: false,
    status: 'active',
    is_pin_set: false,
    organization_ids: [],
  }
}

function joined(tx: Tx, user: UserRow, organization_id: number): UserRow {
  const organization_ids = [...new Set([...user.organization_ids, organization_id])]
  const member = { ...user, organization_ids }
  tx.rows.put('users', member)
  return member
}

function grant(tx: Tx, account_id: number, user_id: number, role_id: number): void {
  const id = roleKey(account_id, user_id)
  const held = tx.rows.get('roles', id)
  // Lower role ids are stronger.
  if (held && held.role_id <= role_id) return
  tx.rows.put('roles', { id, account_id, user_id, role_id })
}
