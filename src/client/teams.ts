import { listBy, listOf } from './lists.ts'
import { type FilterOf, requireText } from './operations.ts'
import type { Transport } from './transport.ts'
import type {
  AcceptedInvite,
  DeclinedInvite,
  Invite,
  KycReview,
  NewChannelRequest as NewChannel,
  PaymentChannel,
  ReviewKycRequest,
  Team,
  TeamDetails,
  UpdateChannelRequest,
} from '../generated/control/types.ts'

/**
 * The Teams of a world with their wallets, limits, usage, channels and costs: `world.teams`.
 * @example
 * ```ts
 * const teams = await world.teams.list()
 * teams.some(({ id }) => id === 63) // => true
 * ```
 */
export interface TeamsClient {
  /** Lists Teams, newest first. @param search - Part of a name, slug or e-mail address. */
  list(search?: string): Promise<readonly Team[]>
  /** Returns a Team with its members. */
  get(account_id: number): Promise<TeamDetails>
}

/**
 * Payment channels to collect into: `world.channels`.
 * @example
 * ```ts
 * const rejected = await world.channels.update(4_000_000, { is_active: false }).catch((error: Error) => error)
 * rejected instanceof Error // => true
 * ```
 */
export interface ChannelsClient {
  /** Adds a payment channel to a Team. */
  create(channel: NewChannel): Promise<PaymentChannel>
  /** Activates or deactivates a payment channel. */
  update(id: number, change: UpdateChannelRequest): Promise<PaymentChannel>
}

/**
 * Filter of `world.invitations.list`.
 * @example
 * ```ts
 * const open: InviteFilter = { status: 'sent', account_id: 63 }
 * await world.invitations.list(open) // => []
 * ```
 */
export type InviteFilter = FilterOf<'listInvites'>

/**
 * The invitations of a world, accepted or declined as the invited person would: `world.invitations`.
 * @example
 * ```ts
 * const open = await world.invitations.list({ status: 'sent' })
 * open.length // => 0
 * ```
 */
export interface InvitationsClient {
  /** Lists invitations, newest first. */
  list(filter?: InviteFilter): Promise<readonly Invite[]>
  accept(token: string): Promise<AcceptedInvite>
  decline(token: string): Promise<DeclinedInvite>
}

/**
 * Filter of `world.kyc.list`.
 * @example
 * ```ts
 * const pending: KycFilter = { status: 'pending' }
 * await world.kyc.list(pending) // => []
 * ```
 */
export type KycFilter = FilterOf<'listKycReviews'>

/**
 * KYC submissions and their review: `world.kyc`.
 * @example
 * ```ts
 * const pending = await world.kyc.list({ status: 'pending' })
 * pending.length // => 0
 * ```
 */
export interface KycClient {
  /** Lists submissions, newest first. */
  list(filter?: KycFilter): Promise<readonly KycReview[]>
  show(id: number): Promise<KycReview>
  review(id: number, decision: ReviewKycRequest): Promise<KycReview>
}

export const teamsOf = (transport: Transport): TeamsClient => ({
  list: (search) => listOf(transport, 'listTeams', 'teams', { query: { search } }),
  get: (id) => transport.call('getTeam', { path: { id } }),
})

export const channelsOf = ({ call }: Transport): ChannelsClient => ({
  create: async (body) => (await call('createChannel', { body })).payment_channel,
  update: async (id, body) => (await call('updateChannel', { path: { id }, body })).payment_channel,
})

export const kycOf = (transport: Transport): KycClient => ({
  list: (filter) => listBy(transport, 'kyc.list', 'listKycReviews', 'kyc', filter, 100),
  show: (id) => transport.call('getKycReview', { path: { id } }),
  review: (id, body) => transport.call('reviewKyc', { path: { id }, body }),
})

export const invitationsOf = (transport: Transport): InvitationsClient => {
  // The link in the e-mail ends with the token.
  const path = (caller: string, token: string) => ({
    token: requireText(`invitations.${caller}`, 'a token or the link of an invitation', token).replace(
      /^.*\//s,
      '',
    ),
  })
  return {
    list: (filter) => listBy(transport, 'invitations.list', 'listInvites', 'invites', filter),
    accept: async (token) => transport.call('acceptInvite', { path: path('accept', token) }),
    decline: async (token) => transport.call('declineInvite', { path: path('decline', token) }),
  }
}
