import { requireTeam, roleKey, teamsOf } from '../domain/access.ts'
import type { Caller, Look, Tx } from '../domain/context.ts'
import { next } from '../domain/counters.ts'
import { invalid, notFound } from '../domain/errors.ts'
import { roleName, VIEWER } from '../domain/roles.ts'
import { wireTime } from '../domain/wire-time.ts'
import type { ApiKey, NewApiKey } from '../generated/control/schemas.ts'
import type { ApiKeyRow, UserRow } from '../store/rows.ts'
import { hashDrawn } from '../worlds/password.ts'
import type { ControlHandlers } from './handlers.ts'

export const apiKeys: Pick<ControlHandlers, 'listApiKeys' | 'createApiKey' | 'revokeApiKey'> = {
  async listApiKeys(c) {
    const { world, caller } = c.var
    const api_keys = await world.read(async (look) => {
      const keys = await look.rows.all('apiKeys')
      return Promise.all(keys.map((key) => keyView(look, key, suffixOf(caller))))
    })
    return c.json({ api_keys }, 200)
  },

  async createApiKey(c) {
    const { world, caller, process } = c.var
    const input = c.req.valid('json')
    const password = process.secrets()
    const username = `key-${process.secrets().slice(0, 12)}`
    const key = await world.change(async (tx) => {
      const team = await requireTeam(tx, caller, input.account_id, 'manage')
      const user_id = await userOf(tx, team.organization_id, input)
      await giveRole(tx, team.id, user_id, input)
      const row: ApiKeyRow = {
        username,
        password_hash: hashDrawn(password),
        user_id,
        default_account_id: team.id,
        revoked_at: null,
      }
      await tx.rows.insert('apiKeys', row)
      return keyView(tx, row, suffixOf(caller))
    })
    return c.json({ ...key, password }, 201)
  },

  async revokeApiKey(c) {
    const { world, caller } = c.var
    const { username } = c.req.valid('param')
    const suffix = suffixOf(caller)
    if (username === caller.username)
      throw invalid(`username ${username} is the key of this very request; revoke it with another`)
    const key = await world.change(async (tx) => {
      const name = username.endsWith(suffix) ? username.slice(0, username.length - suffix.length) : ''
      const row = await tx.rows.get('apiKeys', name)
      if (!row) throw notFound('username', username)
      const revoked = { ...row, revoked_at: row.revoked_at ?? tx.now }
      await tx.rows.put('apiKeys', revoked)
      return keyView(tx, revoked, suffix)
    })
    world.snapshots.revoked(username.slice(0, username.length - suffix.length), world.clock.now())
    return c.json(key, 200)
  },
}

/** What every username of a disposable world ends in; nothing in the default world. */
const suffixOf = ({ username }: Caller) => /\+.*$/.exec(username)?.[0] ?? ''

async function userOf(tx: Tx, organization_id: number, { user_id }: NewApiKey): Promise<number> {
  if (user_id !== undefined) {
    if (!(await tx.rows.get('users', user_id))) throw notFound('user_id', user_id)
    return user_id
  }
  const id = await next(tx, 'user')
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
  await tx.rows.insert('users', user)
  return id
}

async function giveRole(tx: Tx, account_id: number, user_id: number, input: NewApiKey): Promise<void> {
  const id = roleKey(account_id, user_id)
  const held = await tx.rows.get('roles', id)
  const role_id = input.role_id ?? held?.role_id ?? VIEWER
  await tx.rows.put('roles', { id, account_id, user_id, role_id })
}

async function keyView(look: Look, key: ApiKeyRow, suffix: string): Promise<ApiKey> {
  const teams = await teamsOf(look, key.user_id)
  return {
    username: key.username + suffix,
    user_id: key.user_id,
    default_account_id: key.default_account_id,
    roles: Object.fromEntries(teams.map(({ team, role }) => [String(team.id), roleName(role.role_id)])),
    revoked_at: key.revoked_at === null ? null : wireTime(key.revoked_at),
  }
}
