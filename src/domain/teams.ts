import type { TeamRow } from '../store/rows.ts'
import { requireOrganization, requireTeam, requireUser, roleKey } from './access.ts'
import type { Caller, Tx } from './context.ts'
import { next } from './counters.ts'
import { invalid } from './errors.ts'
import { toMinor } from './money.ts'
import { readTeamPhone } from './phones.ts'
import { OWNER } from './roles.ts'

export interface NewTeam {
  readonly organization_id: number
  readonly name: string
  readonly description?: string | undefined
  readonly email?: string | undefined
  readonly dial_code?: string | undefined
  readonly number?: string | undefined
  readonly user_id?: number | undefined
  readonly username?: string | undefined
}

/**
 * Creates a Team with its wallets; the creator becomes its owner, and so does the organization's admin
 * (specification 4.1; first values: open-points, "Teams, users, invitations").
 */
export function createTeam(tx: Tx, caller: Caller, input: NewTeam): TeamRow {
  requireOrganization(tx, caller, input.organization_id, 'manage')
  const organization = tx.rows.get('organizations', input.organization_id)!
  const creator = requireUser(tx, input.user_id ?? caller.user_id)
  if (!creator.organization_ids.includes(organization.id))
    throw invalid(`user_id ${creator.id} is not a user of organization ${organization.id}`)

  const phone = readPhone(input)
  const id = next(tx, 'team')
  const team: TeamRow = {
    id,
    organization_id: organization.id,
    name: input.name,
    description: input.description ?? '',
    currency: phone?.country.currency ?? organization.currency,
    country: phone?.country.code ?? '',
    number: phone?.digits ?? '',
    email: input.email ?? '',
    status: 'active',
    account_type: 'prepaid',
    kyc_tier: 0,
    kyc_verified: false,
    logo: '',
    theme_color: '',
    payment_note: '',
    notify_amount: 0,
    uuid: freeSlug(tx, id, input),
    merchant_id: id,
    created_at: tx.now,
    updated_at: tx.now,
  }
  tx.rows.insert('teams', team)
  for (const user_id of new Set([creator.id, organization.admin_id]))
    tx.rows.insert('roles', { id: roleKey(id, user_id), account_id: id, user_id, role_id: OWNER })
  return team
}

function readPhone({ dial_code, number }: NewTeam) {
  if (dial_code === undefined && number === undefined) return undefined
  if (dial_code === undefined) throw invalid('dial_code is required together with number')
  if (number === undefined) throw invalid('number is required together with dial_code')
  return readTeamPhone(dial_code, number)
}

/** The asked-for slug when it is free, or one made of the name. */
function freeSlug(tx: Tx, id: number, { username, name }: NewTeam): string {
  const taken = (slug: string) => tx.rows.find('teams', 'uuid', slug).length > 0
  if (username !== undefined) {
    if (taken(username)) throw invalid(`username "${username}" is taken`)
    return username
  }
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  const plain = slug || 'team'
  return taken(plain) ? `${plain}-${id}` : plain
}

export interface TeamChanges {
  readonly account_id: number
  readonly description?: string | undefined
  readonly email?: string | undefined
  readonly logo?: string | undefined
  readonly theme_color?: string | undefined
  readonly payment_note?: string | undefined
  readonly notify_amount?: number | undefined
}

/** Changes the fields that were sent and leaves the others (specification 4.1). */
export function updateTeam(tx: Tx, caller: Caller, input: TeamChanges): TeamRow {
  const team = requireTeam(tx, caller, input.account_id, 'manage')
  const { notify_amount } = input
  const changed: TeamRow = {
    ...team,
    description: input.description ?? team.description,
    email: input.email ?? team.email,
    logo: input.logo ?? team.logo,
    theme_color: input.theme_color ?? team.theme_color,
    payment_note: input.payment_note ?? team.payment_note,
    notify_amount:
      notify_amount === undefined
        ? team.notify_amount
        : toMinor(notify_amount, team.currency, 'notify_amount'),
    updated_at: tx.now,
  }
  tx.rows.put('teams', changed)
  return changed
}

/**
 * Deletes a Team with its channels and roles and returns it as it last was.
 * @throws ServiceError 400 while it has queued transactions
 */
export function deleteTeam(tx: Tx, caller: Caller, account_id: number): TeamRow {
  const team = requireTeam(tx, caller, account_id, 'delete')
  const queued = tx.rows.count('transactions', 'queued', account_id)
  if (queued > 0)
    throw invalid(
      `account_id ${account_id} has ${queued} queued transaction${queued === 1 ? '' : 's'}; it can be deleted when all are final`,
    )
  for (const channel of tx.rows.find('channels', 'account', account_id))
    tx.rows.delete('channels', channel.id)
  for (const role of tx.rows.find('roles', 'account', account_id)) tx.rows.delete('roles', role.id)
  tx.rows.delete('teams', account_id)
  return { ...team, status: 'deleted', updated_at: tx.now }
}
