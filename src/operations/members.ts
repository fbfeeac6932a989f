import { inviteMember, removeMember } from '../domain/members.ts'
import { originOf } from '../http/origin.ts'
import type { ServiceHandlers } from './handlers.ts'

export const members: Pick<ServiceHandlers, 'inviteMember' | 'removeMember'> = {
  async inviteMember(c) {
    const world = c.get('world')
    const caller = c.get('caller')
    const input = c.req.valid('json')
    world.budget.take('mails')
    await world.change((tx) =>
      inviteMember(tx, caller, { ...input, base_url: input.base_url ?? originOf(c.req.url) }),
    )
    return c.json({ success: true }, 200)
  },

  async removeMember(c) {
    const world = c.get('world')
    const caller = c.get('caller')
    const { account_id, user_id } = c.req.valid('query')
    await world.change((tx) => removeMember(tx, caller, account_id, user_id))
    return c.json({ account_id, user_id }, 200)
  },
}
