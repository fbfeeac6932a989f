import { handlers, ok } from './page.ts'
import {
  OWNER,
  requireTeam,
  requireUser,
  roleKey,
  roleName,
  teamsOf,
  VIEWER,
} from '../service/domain/access.ts'
import { type Caller, type Look, next, type Tx } from '../service/domain/context.ts'
import { invalid, noneLeft, notFound } from '../service/domain/errors.ts'
import { exactOrNull, exactTime, readDuration, wireTime } from '../service/domain/wire-time.ts'
import type { ApiKey, CreateApiKeyRequest } from '../generated/control/types.ts'
import type { ApiKeyRow, TeamRow, UserRow } from '../storage/store/rows.ts'
import { hashDrawn } from '../worlds/credentials.ts'

export const apiKeys = handlers(({ secrets, wall, registry }) => ({
  async listApiKeys({ world, caller, request }) {
    const { before, limit = 100 } = request.query
    const answer = await world.read((look) => {
      const keys = olderThan(look.rows.all('apiKeys'), before, suffixOf(caller))
      const page = keys.slice(-limit)
      const views = page.map((key) => ({ key, view: keyView(look, key, suffixOf(caller)) }))
      return { views, next_before: keys.length > page.length ? views[0]!.view.username : null }
    })
    const usernames = answer.views.map(({ key }) => key.username)
    const used = await registry.keysUsed(world.name, usernames)
    const api_keys = answer.views.map(({ key, view }) => lastUsed(view, used.get(key.username)))
    return ok({ api_keys, next_before: answer.next_before })
  },

  async createApiKey({ world, caller, request }) {
    const { account_id, assigned_account_ids = [], name, expires_in, expires_at, ...input } = request.body
    const expires = expiryOf(wall(), expires_in, expires_at)
    const password = secrets()
    const username = `key-${secrets().slice(0, 12)}`
    const key = await world.change((tx) => {
      const team = requireTeam(tx, caller, account_id, 'manage')
      const user_id = userOf(tx, team.organization_id, input.user_id)
      giveRole(tx, team, user_id, input)
      for (const id of new Set(assigned_account_ids)) {
        const other = requireTeam(tx, caller, id, 'manage', 'assigned_account_ids')
        giveRole(tx, other, user_id, { ...input, role_id: input.role_id ?? roleHeld(tx, team, user_id) })
      }
      const row: ApiKeyRow = {
        username,
        password_hash: hashDrawn(password),
        user_id,
        default_account_id: team.id,
        revoked_at: null,
        ...(name !== undefined && { name }),
        ...(expires !== undefined && { expires_at: expires }),
      }
      tx.rows.insert('apiKeys', row)
      return keyView(tx, row, suffixOf(caller))
    })
    return { status: 201, body: { ...lastUsed(key, undefined), password } }
  },

  async revokeApiKey({ world, caller, request }) {
    const { username } = request.path
    const suffix = suffixOf(caller)
    if (username === caller.username)
      throw invalid(`username ${username} is the key of this request; revoke it with another key`)
    const key = await world.change((tx) => {
      const name = username.endsWith(suffix) ? username.slice(0, username.length - suffix.length) : ''
      const row = tx.rows.get('apiKeys', name)
      if (!row) throw notFound('username', username)
      const revoked = { ...row, revoked_at: row.revoked_at ?? tx.now }
      tx.rows.put('apiKeys', revoked)
      return keyView(tx, revoked, suffix)
    })
    const name = username.slice(0, username.length - suffix.length)
    const used = await registry.keysUsed(world.name, [name])
    return ok(lastUsed(key, used.get(name)))
  },
}))

/**
 * Returns when a key expires, in real time. @throws {ServiceError} 400 if both fields are given or the time
 * has passed
 */
function expiryOf(now: number, after: string | undefined, at: string | undefined): number | undefined {
  if (after !== undefined && at !== undefined)
    throw invalid('give either expires_in (a duration, such as 72h) or expires_at (a time), not both')
  if (after !== undefined) return now + readDuration('expires_in', after, { least: 1_000 })
  if (at === undefined) return undefined
  const time = Date.parse(at)
  if (time <= now)
    throw invalid(`expires_at must be later than ${exactTime(now)}, the current real time, got "${at}"`)
  return time
}

/** The suffix of all usernames of a disposable world; empty in the default world. */
const suffixOf = ({ username }: Caller) => /\+.*$/.exec(username)?.[0] ?? ''

/** Returns the keys before the given one. @throws {ServiceError} 400 if no such key exists */
function olderThan(keys: readonly ApiKeyRow[], before: string | undefined, suffix: string) {
  if (before === undefined) return keys
  const at = keys.findIndex(({ username }) => username + suffix === before)
  if (at < 0)
    throw invalid(`before must be the next_before of a page, which is the username of a key, got "${before}"`)
  return keys.slice(0, at)
}

function userOf(tx: Tx, organization_id: number, user_id: number | undefined): number {
  if (user_id !== undefined) {
    if (!tx.rows.get('users', user_id)) throw notFound('user_id', user_id)
    return user_id
  }
  const id = next(tx, 'user')
  const user: UserRow = {
    id,
    phone_number: '',
    first_name: 'API',
    last_name: `User ${id}`,
    username: `user${id}`,
    email: `user${id}@sandbox.example`,
    is_admin: false,
    status: 'active',
    is_pin_set: false,
    organization_ids: [organization_id],
  }
  tx.rows.insert('users', user)
  return id
}

/**
 * Gives the user a role in the Team if the request names one.
 * @throws {ServiceError} 400 for a non-member without `role_id`, and for the last owner
 */
function giveRole(
  tx: Tx,
  team: TeamRow,
  user_id: number,
  input: Pick<CreateApiKeyRequest, 'user_id' | 'role_id'>,
): void {
  const { user_id: named, role_id: asked, ...rest } = input
  noneLeft(rest)
  const id = roleKey(team.id, user_id)
  const held = tx.rows.get('roles', id)
  if (asked === undefined && held) return
  if (asked === undefined && named !== undefined)
    throw invalid(
      `user_id ${user_id} is not a member of account ${team.id}; give a role_id to add the user, or another account_id`,
    )
  const role_id = asked ?? VIEWER
  if (held?.role_id === OWNER && role_id !== OWNER) requireOtherOwner(tx, team.id, user_id)
  tx.rows.put('roles', { id, account_id: team.id, user_id, role_id })
  joinOrganization(tx, user_id, team.organization_id)
}

const roleHeld = ({ rows }: Look, team: TeamRow, user_id: number) =>
  rows.get('roles', roleKey(team.id, user_id))!.role_id

function requireOtherOwner(tx: Tx, account_id: number, user_id: number): void {
  const members = tx.rows.find('roles', 'account', account_id)
  if (members.some((member) => member.role_id === OWNER && member.user_id !== user_id)) return
  throw invalid(
    `role_id would remove the last owner of account ${account_id}; omit it to keep user_id ${user_id} as owner`,
  )
}

function joinOrganization(tx: Tx, user_id: number, organization_id: number): void {
  const user = requireUser(tx, user_id)
  if (user.organization_ids.includes(organization_id)) return
  tx.rows.put('users', { ...user, organization_ids: [...user.organization_ids, organization_id] })
}

const lastUsed = (view: KeyView, at: number | undefined): ApiKey => ({
  ...view,
  last_used_at: exactOrNull(at),
})

type KeyView = Omit<ApiKey, 'last_used_at'>

function keyView(look: Look, key: ApiKeyRow, suffix: string): KeyView {
  const teams = teamsOf(look, key.user_id)
  return {
    username: key.username + suffix,
    user_id: key.user_id,
    default_account_id: key.default_account_id,
    roles: Object.fromEntries(teams.map(({ team, role }) => [String(team.id), roleName(role.role_id)])),
    revoked_at: key.revoked_at === null ? null : wireTime(key.revoked_at),
    ...(key.name !== undefined && { name: key.name }),
    ...(key.expires_at !== undefined && { expires_at: exactTime(key.expires_at) }),
  }
}
