import type { InviteRow, UserRow } from '../store/rows.ts'
import { roleKey } from './access.ts'
import type { Tx } from './context.ts'
import { next } from './counters.ts'
import { invalid, notFound } from './errors.ts'

/**
 * Accepts an invitation: makes the user when no user has the e-mail address, and grants the role (specification 3).
 * @throws ServiceError 404 when there is none, 400 when it was answered before
 */
export async function acceptInvite(tx: Tx, token: string): Promise<InviteRow> {
  const invite = await answer(tx, token, 'accepted')
  const user = await invitee(tx, invite)
  const teams = new Set([invite.account_id, ...invite.assigned_account_ids])
  for (const account_id of teams) {
    if (!(await tx.rows.get('teams', account_id))) continue
    const id = roleKey(account_id, user.id)
    await tx.rows.put('roles', { id, account_id, user_id: user.id, role_id: invite.role_id })
  }
  return invite
}

/**
 * Declines an invitation; nothing else changes.
 * @throws ServiceError 404 when there is none, 400 when it was answered before
 */
export const declineInvite = (tx: Tx, token: string): Promise<InviteRow> => answer(tx, token, 'declined')

async function answer(tx: Tx, token: string, status: 'accepted' | 'declined'): Promise<InviteRow> {
  const invite = await tx.rows.get('invites', token)
  if (!invite) throw notFound('invitation', token)
  if (invite.status !== 'sent') throw invalid(`invitation ${token} was ${invite.status} before`)
  const answered: InviteRow = { ...invite, status }
  await tx.rows.put('invites', answered)
  return answered
}

async function invitee(tx: Tx, invite: InviteRow): Promise<UserRow> {
  const [known] = await tx.rows.find('users', 'email', invite.email)
  const organization_ids = [...new Set([...(known?.organization_ids ?? []), invite.organization_id])]
  const id = known?.id ?? (await next(tx, 'user'))
  const user: UserRow = known
    ? { ...known, organization_ids }
    : {
        id,
        phone_number: invite.phone_number.replace(/^\+/, ''),
        first_name: '',
        last_name: '',
        username: invite.email.split('@')[0]!,
        email: invite.email,
        is_admin: false,
        status: 'active',
        is_pin_set: false,
        organization_ids,
      }
  await tx.rows.put('users', user)
  return user
}
