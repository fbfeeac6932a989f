import { handlers } from './page.ts'
import type { Look } from '../service/domain/context.ts'
import { roleName } from '../service/domain/access.ts'
import { seesTeams } from '../service/domain/visible.ts'
import { wireTime } from '../service/domain/wire-time.ts'
import type { Invite } from '../generated/control/schemas.ts'
import type { InviteRow } from '../storage/store/rows.ts'

export const invites = handlers({
  async listInvites({ world, caller, request }) {
    const { status, account_id, email, before = Infinity, limit = 100 } = request.query
    const body = await world.read((look) => {
      const sees = seesTeams(look, caller)
      const all = newestFirst(look, before).filter(
        (row) =>
          (status === undefined || row.status === status) &&
          (account_id === undefined || row.account_id === account_id) &&
          (email === undefined || row.email.toLowerCase() === email.toLowerCase()) &&
          sees(row.account_id),
      )
      const page = all.slice(0, limit)
      const next_before = all.length > limit ? page.at(-1)!.id : null
      return { invites: page.map((row) => inviteView(look, row)), next_before }
    })
    return { status: 200, body }
  },
})

/** The invitations before a place; a world keeps few enough to look at all of them. */
function newestFirst({ rows }: Look, before: number): readonly InviteRow[] {
  const count = rows.count('invites', 'age', 0)
  const offset =
    before === Infinity ? 0 : count - rows.rank('invites', 'age', 0, { by: before, key: '' }).count
  return rows.walk('invites', 'age', 0, { offset, limit: count, newestFirst: true })
}

const inviteView = ({ rows }: Look, row: InviteRow): Invite => ({
  id: row.id ?? null,
  status: row.status,
  email: row.email,
  phone_number: row.phone_number,
  organization_id: row.organization_id,
  account_id: row.account_id,
  team: rows.get('teams', row.account_id)?.name ?? '',
  role_id: row.role_id,
  role: roleName(row.role_id),
  assigned_account_ids: [...row.assigned_account_ids],
  token: row.token,
  link: row.link,
  created_at: wireTime(row.created_at),
})
