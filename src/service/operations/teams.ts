import { requireRole, requireTeam } from '../domain/access.ts'
import { createTeam, deleteTeam, readProfile, readTeam, readTeamChange, updateTeam } from '../domain/teams.ts'
import type { ServiceHandlers } from '../../http/handler.ts'
import { accountView, channelView, kycView, pagination, profileView } from './views.ts'
import { inviteMember, removeMember } from '../domain/members.ts'
import { noneLeft } from '../domain/errors.ts'
import { amendKyc, checkAmendment, checkKyc, submitKyc } from '../domain/kyc.ts'
import { listChannels } from '../domain/channels.ts'

export const teams = {
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
} satisfies Partial<ServiceHandlers>

export const members = {
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
} satisfies Partial<ServiceHandlers>

export const kyc = {
  submitKyc: {
    check: (look, { request: { body = {} } }, faults) => checkKyc(look, body, faults),
    change(tx, { caller, request }) {
      const { account_id, ...details } = request.body
      return { status: 200, body: { account_kyc: kycView(submitKyc(tx, caller, account_id, details)) } }
    },
  },

  amendKyc: {
    check(look, { request: { path = {}, body = {} } }, faults) {
      checkAmendment(look, path.id, body.id, body, faults)
    },
    change(tx, { caller, request }) {
      const { id: repeated, ...input } = request.body
      const amended = amendKyc(tx, caller, request.path.id, repeated, input)
      return { status: 200, body: { account_kyc: kycView(amended) } }
    },
  },
} satisfies Partial<ServiceHandlers>

export const channels = {
  listPaymentChannels: {
    read(look, { caller, request }) {
      const { page, per } = request.query
      const found = listChannels(look, caller, request.query)
      return {
        status: 200,
        body: {
          payment_channels: found.channels.map(channelView),
          pagination: pagination(found.count, page, per),
        },
      }
    },
  },
} satisfies Partial<ServiceHandlers>
