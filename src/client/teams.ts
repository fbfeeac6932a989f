/** Teams, and what people do who are not the caller. */
import { listBy, listOf } from './lists.ts'
import type { FilterOf } from './operations.ts'
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
 * The Teams, each with its wallets, limits and what is used of them, channels and costs.
 * @example
 * ```ts
 * import type { TeamsClient } from 'payments-sandbox'
 *
 * const idsOf = async (teams: TeamsClient) => {
 *   const all = await teams.list()
 *   return all.map(({ id }) => id).includes(63)
 * }
 * await idsOf(world.teams) // => true
 * ```
 */
export interface TeamsClient {
  /** Newest first. @param search a part of name, slug or mail address */
  list(search?: string): Promise<readonly Team[]>
  /** With its members. */
  get(account_id: number): Promise<TeamDetails>
}

/**
 * Payment channels to collect into.
 * @example
 * ```ts
 * import type { ChannelsClient } from 'payments-sandbox'
 *
 * const close = async (channels: ChannelsClient, id: number) => {
 *   const { is_active } = await channels.update(id, { is_active: false })
 *   return is_active
 * }
 * const refused = await close(world.channels, 4_000_000).catch((error: Error) => error)
 * refused instanceof Error // => true
 * ```
 */
export interface ChannelsClient {
  /** Gives a Team a payment channel to collect into. */
  create(channel: NewChannel): Promise<PaymentChannel>
  /** Opens or closes a payment channel. */
  update(id: number, change: UpdateChannelRequest): Promise<PaymentChannel>
}

/**
 * Which invitations are meant.
 * @example
 * ```ts
 * import type { InviteFilter } from 'payments-sandbox'
 *
 * const open: InviteFilter = { status: 'sent', account_id: 63 }
 * await world.invitations.list(open) // => []
 * ```
 */
export type InviteFilter = FilterOf<'listInvites'>

/**
 * What invited people do.
 * @example
 * ```ts
 * import type { InvitationsClient } from 'payments-sandbox'
 *
 * const open = async (invitations: InvitationsClient) => {
 *   const sent = await invitations.list({ status: 'sent' })
 *   return sent.length
 * }
 * await open(world.invitations) // => 0
 * ```
 */
export interface InvitationsClient {
  /** Newest first. */
  list(filter?: InviteFilter): Promise<readonly Invite[]>
  accept(token: string): Promise<AcceptedInvite>
  decline(token: string): Promise<DeclinedInvite>
}

/**
 * Which KYC submissions are meant.
 * @example
 * ```ts
 * import type { KycFilter } from 'payments-sandbox'
 *
 * const waiting: KycFilter = { status: 'pending' }
 * await world.kyc.list(waiting) // => []
 * ```
 */
export type KycFilter = FilterOf<'listKycReviews'>

/**
 * What the service's reviewers decide.
 * @example
 * ```ts
 * import type { KycClient } from 'payments-sandbox'
 *
 * const waiting = async (kyc: KycClient) => {
 *   const pending = await kyc.list({ status: 'pending' })
 *   return pending.length
 * }
 * await waiting(world.kyc) // => 0
 * ```
 */
export interface KycClient {
  /** With what was submitted, newest first. */
  list(filter?: KycFilter): Promise<readonly KycReview[]>
  show(id: number): Promise<KycReview>
  review(id: number, decision: ReviewKycRequest): Promise<KycReview>
}

/** `world.teams`. */
export const teamsOf = (transport: Transport): TeamsClient => ({
  list: (search) => listOf(transport, 'listTeams', 'teams', { query: { search } }),
  get: (id) => transport.call('getTeam', { path: { id } }),
})

/** `world.channels`. */
export const channelsOf = ({ call }: Transport): ChannelsClient => ({
  create: async (body) => (await call('createChannel', { body })).payment_channel,
  update: async (id, body) => (await call('updateChannel', { path: { id }, body })).payment_channel,
})

/** `world.kyc`: what the reviewers of the service do. */
export const kycOf = (transport: Transport): KycClient => ({
  list: (filter) => listBy(transport, 'kyc.list', 'listKycReviews', 'kyc', filter, 100),
  show: (id) => transport.call('getKycReview', { path: { id } }),
  review: (id, body) => transport.call('reviewKyc', { path: { id }, body }),
})

/** `world.invitations`: what invited people do. */
export const invitationsOf = (transport: Transport): InvitationsClient => {
  // The link of a mail ends with the token.
  const path = (token: string) => ({ token: token.replace(/^.*\//s, '') })
  return {
    list: (filter) => listBy(transport, 'invitations.list', 'listInvites', 'invites', filter),
    accept: (token) => transport.call('acceptInvite', { path: path(token) }),
    decline: (token) => transport.call('declineInvite', { path: path(token) }),
  }
}
