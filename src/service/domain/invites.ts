import type { Name } from '../../lib/random/people.ts'
import type { InviteRow, UserRow } from '../../storage/store/rows.ts'
import { roleKey } from './access.ts'
import type { Tx } from './context.ts'
import { next } from './counters.ts'
import { invalid, notFound } from './errors.ts'

export interface Accepted {
  readonly user: UserRow
  readonly created: boolean
  readonly role_id: number
  readonly account_ids: readonly number[]
}

/**
 * Accepts an invitation (specification 3): makes the user if need be and grants the role on its Teams. Whoever has a
 * stronger role there keeps it.
 * @param name what a user who is made for it is called
 * @throws ServiceError 404 when there is no such invitation, 400 when it was answered before or its Team was deleted
 */
export function acceptInvite(tx: Tx, token: string, name: Name): Accepted {
  const invite = requireOpenInvite(tx, token)
  if (!tx.rows.get('teams', invite.account_id))
    throw invalid(`account_id ${invite.account_id} was deleted; invite ${token} leads into no Team`)
  const [known] = tx.rows.find('users', 'email', invite.email)
  const user = joined(tx, known ?? newUser(tx, invite, name), invite.organization_id)
  const account_ids = [...new Set([invite.account_id, ...invite.assigned_account_ids])].filter((id) =>
    tx.rows.get('teams', id),
  )
  for (const account_id of account_ids) grant(tx, account_id, user.id, invite.role_id)
  tx.rows.put('invites', { ...invite, status: 'accepted' })
  return { user, created: known === undefined, role_id: invite.role_id, account_ids }
}

/** Declines an invitation. @throws ServiceError 404 or 400, as for accepting it */
export function declineInvite(tx: Tx, token: string): InviteRow {
  const invite: InviteRow = { ...requireOpenInvite(tx, token), status: 'declined' }
  tx.rows.put('invites', invite)
  return invite
}

function requireOpenInvite(tx: Tx, token: string): InviteRow {
  const invite = tx.rows.get('invites', token)
  if (!invite) throw notFound('invite', token)
  if (invite.status !== 'sent') throw invalid(`invite ${token} was ${invite.status} before`)
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
  // Roles count down from the strongest.
  if (held && held.role_id <= role_id) return
  tx.rows.put('roles', { id, account_id, user_id, role_id })
}
