import type { CreateAccountRequest, UpdateAccountRequest } from '../../generated/service/types.ts'
import type { TeamRow } from '../../storage/store/rows.ts'
import {
  requestedTeam,
  OWNER,
  requireAbility,
  requireOrganization,
  requireTeam,
  requireUser,
  roleKey,
  teamsOf,
} from './access.ts'
import { type Caller, type Look, next, type Tx } from './context.ts'
import { type Faults, faultless, invalid, noneLeft, notFound, type Readable } from './errors.ts'
import { readMoney } from './money.ts'
import { shown } from '../../lib/text/shown.ts'
import { type Phone, readTeamPhone } from './countries/countries.ts'

/**
 * Creates a Team with its wallets. Its creator and the organization's admin become owners (specification 4.1; initial
 * values: open-points, "Teams, users, invitations").
 */
export function createTeam(tx: Tx, caller: Caller, input: CreateAccountRequest): TeamRow {
  const { organization_id, name, description = '', email = '', ...others } = input
  const {
    user_id: creator_id = caller.user_id,
    username,
    dial_code: _dial_code,
    number: _number,
    ...rest
  } = others
  noneLeft(rest)
  const phone = faultless((faults) => readTeam(input, faults))
  requireOrganization(tx, caller, organization_id, 'manage')
  const organization = tx.rows.get('organizations', organization_id)!
  const creator = requireUser(tx, creator_id)
  if (!creator.organization_ids.includes(organization.id))
    throw invalid(`user_id ${creator.id} is not a user of organization ${organization.id}`)

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

export function readTeam(
  { name, dial_code, number }: Readable<CreateAccountRequest>,
  faults: Faults,
): Phone | undefined {
  faults.requireWords('name', name)
  if (dial_code !== undefined && number !== undefined) return readTeamPhone(faults, dial_code, number)
  if (number !== undefined) faults.require('dial_code', dial_code, 'together with number')
  if (dial_code !== undefined) faults.require('number', number, 'together with dial_code')
  return undefined
}

const SLUG = /^[\w.-]+$/

/** Returns the requested slug if it is free, or one derived from the name; slugs are unique regardless of case. */
function freeSlug(tx: Tx, id: number, username: string | undefined, name: string): string {
  const taken = (slug: string) => tx.rows.find('teams', 'uuid', slug.toLowerCase()).length > 0
  if (username !== undefined) {
    if (!SLUG.test(username))
      throw invalid(
        `username must have only letters, digits, hyphens, underscores and dots, such as mombasa-branch, got ${shown(username)}`,
      )
    if (taken(username)) throw invalid(`username "${username}" is taken`)
    return username
  }
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  const plain = slug || 'team'
  let free = plain
  for (let n = id; taken(free); n++) free = `${plain}-${n}`
  return free
}

/** Changes the fields that were sent (specification 4.1). */
export function updateTeam(tx: Tx, caller: Caller, input: UpdateAccountRequest): TeamRow {
  const { account_id: _id, notify_amount, ...texts } = input
  const { requested, minor } = faultless((faults) => readTeamChange(tx, caller, input, faults))
  const team = requireAbility(requested, 'manage')
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
    notify_amount: notify_amount === undefined ? team.notify_amount : minor,
    updated_at: tx.now,
  }
  tx.rows.put('teams', changed)
  return changed
}

export function readTeamChange(
  look: Look,
  caller: Caller,
  { account_id, notify_amount }: Readable<UpdateAccountRequest>,
  faults: Faults,
) {
  const requested = requestedTeam(look, caller, account_id)
  const { team } = requested
  return { requested, minor: team ? readMoney(faults, 'notify_amount', notify_amount, team.currency) : 0 }
}

/**
 * Deletes a Team with its channels and roles and returns its last state.
 * @throws {ServiceError} 400 while it has queued transactions
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

export type Profile = ReturnType<typeof readProfile>

/**
 * Returns a user with Teams, roles and organizations (specification 2.2).
 * @throws {ServiceError} 404 if the user shares no organization with the caller
 */
export function readProfile(look: Look, caller: Caller, user_id: number) {
  const user = requireUser(look, user_id)
  const self = requireUser(look, caller.user_id)
  const shared = user.organization_ids.some((id) => self.organization_ids.includes(id))
  if (user.id !== self.id && !shared) throw notFound('user_id', user_id)

  const organizations = user.organization_ids.flatMap((id) => look.rows.get('organizations', id) ?? [])
  const memberships = teamsOf(look, user.id).flatMap(({ team, role }) => {
    const organization = look.rows.get('organizations', team.organization_id)
    return organization ? [{ team, role, organization }] : []
  })
  return { user, memberships, organizations }
}
