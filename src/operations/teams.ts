import { requireTeam } from '../domain/access.ts'
import { readProfile } from '../domain/profiles.ts'
import { createTeam, deleteTeam, updateTeam } from '../domain/teams.ts'
import type { ServiceHandlers } from './handlers.ts'
import { accountView, profileView } from './views.ts'

export const teams: Pick<
  ServiceHandlers,
  'getUserProfile' | 'createAccount' | 'getAccount' | 'updateAccount' | 'deleteAccount'
> = {
  async getUserProfile(c) {
    const world = c.get('world')
    const caller = c.get('caller')
    const { user_id } = c.req.valid('param')
    const profile = await world.read((look) => readProfile(look, caller, user_id))
    return c.json({ user_profile: profileView(profile) }, 200)
  },

  async createAccount(c) {
    const world = c.get('world')
    const caller = c.get('caller')
    const input = c.req.valid('json')
    const account = await world.change((tx) => accountView(tx, createTeam(tx, caller, input)))
    return c.json({ account }, 200)
  },

  async getAccount(c) {
    const world = c.get('world')
    const caller = c.get('caller')
    const { account_id } = c.req.valid('param')
    const account = await world.read((look) =>
      accountView(look, requireTeam(look, caller, account_id, 'read')),
    )
    return c.json({ account }, 200)
  },

  async updateAccount(c) {
    const world = c.get('world')
    const caller = c.get('caller')
    const input = c.req.valid('json')
    const account = await world.change((tx) => accountView(tx, updateTeam(tx, caller, input)))
    return c.json({ account }, 200)
  },

  async deleteAccount(c) {
    const world = c.get('world')
    const caller = c.get('caller')
    const { account_id } = c.req.valid('param')
    const account = await world.change((tx) => accountView(tx, deleteTeam(tx, caller, account_id)))
    return c.json({ account }, 200)
  },
}
