/** Teams and their people: channels, money, KYC, invitations. */
import { requireKnown } from './filters.ts'
import { listOf } from './pages.ts'
import type { Transport } from './transport.ts'
import type { WorldClient } from './types.ts'

/** `world.teams`. */
export const teamsOf = (transport: Transport): WorldClient['teams'] => ({
  list: (search) => listOf(transport, 'listTeams', 'teams', { query: { search } }),
  get: (id) => transport.call('getTeam', { path: { id } }),
})

/** `world.channels`. */
export const channelsOf = ({ call }: Transport): WorldClient['channels'] => ({
  create: async (body) => (await call('createChannel', { body })).payment_channel,
  update: async (id, body) => (await call('updateChannel', { path: { id }, body })).payment_channel,
})

/** `world.fund`. */
export const fundOf =
  ({ call }: Transport): WorldClient['fund'] =>
  (id, body) =>
    call('fundTeam', { path: { id }, body })

/** `world.kyc`: what the reviewers of the service do. */
export const kycOf = (transport: Transport): WorldClient['kyc'] => ({
  async list(filter = {}) {
    requireKnown('kyc.list', filter, ['status', 'account_id'])
    return listOf(transport, 'listKycReviews', 'kyc', { query: filter }, 100)
  },
  show: (id) => transport.call('getKycReview', { path: { id } }),
  review: (id, body) => transport.call('reviewKyc', { path: { id }, body }),
})

/** `world.invitations`: what invited people do. */
export const invitationsOf = (transport: Transport): WorldClient['invitations'] => {
  // The link of a mail ends with the token.
  const path = (token: string) => ({ token: token.replace(/^.*\//s, '') })
  return {
    async list(filter = {}) {
      requireKnown('invitations.list', filter, ['status', 'account_id', 'email'])
      return listOf(transport, 'listInvites', 'invites', { query: filter })
    },
    accept: (token) => transport.call('acceptInvite', { path: path(token) }),
    decline: (token) => transport.call('declineInvite', { path: path(token) }),
  }
}
