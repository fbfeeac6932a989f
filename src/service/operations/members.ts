import { inviteMember, removeMember } from '../domain/members.ts'
import { requireRole } from '../domain/access.ts'
import { noneLeft } from '../domain/errors.ts'
import type { ServiceHandlers } from '../../http/handler.ts'

export const members: Pick<ServiceHandlers, 'inviteMember' | 'removeMember'> = {
  inviteMember: {
    check: (_look, { request: { body = {} } }, faults) => requireRole(faults, body.role_id),
    change(tx, { world, caller, request: { body }, origin }) {
      world.budget.takeNow('mails')
      inviteMember(tx, caller, { ...body, base_url: body.base_url ?? origin })
      return { status: 200, body: { success: true } }
    },
  },

  removeMember: {
    change(tx, { caller, request }) {
      const { account_id, user_id, ...rest } = request.query
      noneLeft(rest)
      removeMember(tx, caller, account_id, user_id)
      return { status: 200, body: { account_id, user_id } }
    },
  },
}
