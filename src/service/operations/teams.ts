import { requireTeam } from '../domain/access.ts'
import { createTeam, deleteTeam, readProfile, readTeam, readTeamChange, updateTeam } from '../domain/teams.ts'
import type { ServiceHandlers } from '../../http/handler.ts'
import { accountView, profileView } from './views.ts'

export const teams: Pick<
  ServiceHandlers,
  'getUserProfile' | 'createAccount' | 'getAccount' | 'updateAccount' | 'deleteAccount'
> = {
  getUserProfile: {
    read(look, { caller, request }) {
      const profile = readProfile(look, caller, request.path.user_id)
      return { status: 200, body: { user_profile: profileView(profile) } }
    },
  },

  createAccount: {
    check: (_look, { request: { body = {} } }, faults) => void readTeam(body, faults),
    change(tx, { caller, request }) {
      return { status: 200, body: { account: accountView(tx, createTeam(tx, caller, request.body)) } }
    },
  },

  getAccount: {
    read(look, { caller, request }) {
      const team = requireTeam(look, caller, request.path.account_id, 'read')
      return { status: 200, body: { account: accountView(look, team) } }
    },
  },

  updateAccount: {
    check: (look, { caller, request: { body = {} } }, faults) =>
      void readTeamChange(look, caller, body, faults),
    change(tx, { caller, request }) {
      return { status: 200, body: { account: accountView(tx, updateTeam(tx, caller, request.body)) } }
    },
  },

  deleteAccount: {
    change(tx, { caller, request }) {
      const team = deleteTeam(tx, caller, request.path.account_id)
      return { status: 200, body: { account: accountView(tx, team) } }
    },
  },
}
