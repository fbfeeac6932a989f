/** Teams, and what people do who are not the caller. */
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
} from '../../generated/control/types.ts'

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
export interface InviteFilter {
  readonly status?: Invite['status'] | undefined
  readonly account_id?: number | undefined
  readonly email?: string | undefined
}

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
export interface KycFilter {
  readonly status?: KycReview['status'] | undefined
  readonly account_id?: number | undefined
}

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
