import type { CreateAccountBody, UpdateAccountBody } from '../generated/service/requests.ts'
import type { TeamRow } from '../store/rows.ts'
import { requireOrganization, requireTeam, requireUser, roleKey } from './access.ts'
import type { Caller, Tx } from './context.ts'
import { next } from './counters.ts'
import { invalid } from './errors.ts'
import { toMinor } from './money.ts'
import { readTeamPhone } from './phones.ts'
import { noneLeft } from './request-fields.ts'
import { OWNER } from './roles.ts'

/**
 * Creates a Team with its wallets; the creator becomes its owner, and so does the organization's admin
 * (specification 4.1; first values: open-points, "Teams, users, invitations").
 */
export function createTeam(tx: Tx, caller: Caller, input: CreateAccountBody): TeamRow {
  const { organization_id, name, description = '', email = '', dial_code, number, ...others } = input
  const { user_id: creator_id = caller.user_id, username, ...rest } = others
  noneLeft(rest)
  requireOrganization(tx, caller, organization_id, 'manage')
  const organization = tx.rows.get('organizations', organization_id)!
  const creator = requireUser(tx, creator_id)
  if (!creator.organization_ids.includes(organization.id))
    throw invalid(`user_id ${creator.id} is not a user of organization ${organization.id}`)

  const phone = readPhone(dial_code, number)
  const id = next(tx, 'team')
  const team: TeamRow = {
    id,
    organization_id: organization.id,
    name,
    description,
    currency: phone?.country.currency ?? organization.currency,
    country: phone?.country.code ?? '',
    number: phone?.digits ?? '',
    email,
    status: 'active',
    account_type: 'prepaid',
    kyc_tier: 0,
    kyc_verified: false,
    logo: '',
    theme_color: '',
    payment_note: '',
    notify_amount: 0,
    uuid: freeSlug(tx, id, username, name),
    merchant_id: id,
    created_at: tx.now,
    updated_at: tx.now,
  }
  tx.rows.insert('teams', team)
  for (const user_id of new Set([creator.id, organization.admin_id]))
    tx.rows.insert('roles', { id: roleKey(id, user_id), account_id: id, user_id, role_id: OWNER })
  return team
}

function readPhone(dial_code: string | undefined, number: string | undefined) {
  if (dial_code === undefined && number === undefined) return undefined
  if (dial_code === undefined) throw invalid('dial_code is required together with number')
  if (number === undefined) throw invalid('number is required together with dial_code')
  return readTeamPhone(dial_code, number)
}

/** The asked-for slug when it is free, or one made of the name. */
function freeSlug(tx: Tx, id: number, username: string | undefined, name: string): string {
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

/** Changes the fields that were sent and leaves the others (specification 4.1). */
export function updateTeam(tx: Tx, caller: Caller, input: UpdateAccountBody): TeamRow {
  const { account_id, notify_amount, ...texts } = input
  const team = requireTeam(tx, caller, account_id, 'manage')
  const {
    description = team.description,
    email = team.email,
    logo = team.logo,
    theme_color = team.theme_color,
    payment_note = team.payment_note,
    ...rest
  } = texts
  noneLeft(rest)
  const changed: TeamRow = {
    ...team,
    description,
    email,
    logo,
    theme_color,
    payment_note,
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
