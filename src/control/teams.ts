import { notFound } from '../service/domain/errors.ts'
import { seesTeams, visibleTeams } from '../service/domain/visible.ts'
import type { ControlHandlers } from '../http/handler.ts'
import type { TeamRow } from '../storage/store/rows.ts'
import { cut } from './page.ts'
import { membersOf, teamView } from './team-views.ts'

export const teams: Pick<ControlHandlers, 'listTeams' | 'getTeam'> = {
  async listTeams(call) {
    const { world, caller } = call
    const { search = '', before = Infinity, limit = 100 } = call.request.query
    const sought = search.toLowerCase()
    const body = await world.read((look) => {
      const all = visibleTeams(look, caller)
      const { rows, next_before } = cut(
        all.filter((team) => team.id < before && isCalled(team, sought)),
        limit,
      )
      return { teams: rows.map((team) => teamView(look, team)), next_before }
    })
    return { status: 200, body }
  },

  async getTeam(call) {
    const { world, caller } = call
    const { id } = call.request.path
    const body = await world.read((look) => {
      const team = look.rows.get('teams', id)
      if (!team || !seesTeams(look, caller)(id)) throw notFound('account_id', id)
      return { team: teamView(look, team), members: membersOf(look, team) }
    })
    return { status: 200, body }
  },
}

/** @param sought in lower case */
const isCalled = ({ name, uuid, email }: TeamRow, sought: string): boolean =>
  sought === '' || `${name}\n${uuid}\n${email}`.toLowerCase().includes(sought)
