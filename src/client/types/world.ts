/** One world. */
import type {
  AuditEntry,
  CreateWorldRequest as NewWorld,
  FundRequest,
  Funding,
  Job,
  PhoneSummary,
  Lease,
  Ledger,
  Statement,
  Steered,
  World as WorldView,
  WorldCertification,
  WorldExport,
  WorldSettingsChange,
} from '../../generated/control/types.ts'
import type { Fetch } from '../transport.ts'
import type { CallbacksClient, InboxClient, SignaturesClient } from './callbacks.ts'
import type { CheckoutClient, CheckoutsClient } from './checkouts.ts'
import type { Listening, WorldEvent } from './events.ts'
import type { AdminClient } from './admin.ts'
import type {
  ApiKeysClient,
  AuditFilter,
  CertificationsClient,
  OutboxClient,
  SnapshotsClient,
  WorldsClient,
} from './worlds.ts'
import type { LeaseOptions, WorldLease } from './lease.ts'
import type { PhoneClient, PromptsClient } from './phones.ts'
import type { RequestsClient } from './requests.ts'
import type { Operation, OperationAnswer, OperationInput } from './operations.ts'
import type { ScenarioName, ScenariosClient } from './scenarios.ts'
import type { ChannelsClient, InvitationsClient, KycClient, TeamsClient } from './teams.ts'
import type { ClockClient, JobFilter } from './time.ts'
import type { LedgerFilter, StatementFilter, TransactionsClient } from './transactions.ts'

/**
 * One world of a sandbox, with the credentials of its owner.
 * @example
 * ```ts
 * import type { WorldClient } from 'payments-sandbox'
 *
 * const pay = async (shop: WorldClient) => {
 *   const answer = await shop.fetch('/api/v2/payments', {
 *     method: 'POST',
 *     headers: { 'content-type': 'application/json' },
 *     body: JSON.stringify({
 *       amount: 1000,
 *       phone_number: '0712345678',
 *       provider: 'm-pesa',
 *       network_code: '63902',
 *       account_id: 63,
 *       external_reference: 'order-1',
 *       callback_url: await shop.inbox.url(),
 *     }),
 *   })
 *   return answer.status
 * }
 * const shop = await world.world()
 * await pay(shop) // => 201
 * await shop.settle()
 * const messages = await shop.inbox.messages()
 * messages.length // => 1
 * await shop.balance('team:63:wallet:KES') // => 100985
 * ```
 */
export interface WorldClient {
  /** Where its requests go. */
  readonly url: string
  readonly username: string
  readonly password: string
  /** The value of the header `Authorization`. */
  readonly authorization: string
  /** `fetch` with the world's credentials; a path alone, such as `/api/v2/payments`, is one of the sandbox. */
  readonly fetch: Fetch
  /**
   * Any operation of the service or of the sandbox by its name, with the types of the description.
   * @throws SandboxError when it is refused
   * @example
   * ```ts
   * const channels = await world.call('listPaymentChannels', { query: { per: 5 } })
   * ```
   */
  call<Name extends Operation>(
    operation: Name,
    ...given: OperationInput<Name>
  ): Promise<OperationAnswer<Name>>

  /** Its time, settings and how much is in it. */
  show(): Promise<WorldView>
  /** Changes settings; the rest stays. */
  configure(change: WorldSettingsChange): Promise<WorldView>
  /** Back to what it was made with; nothing that was owed is done. */
  reset(): Promise<void>
  /** Gone, with everything in it. */
  delete(): Promise<void>

  /** From now on requests that fit meet this scenario. */
  scenario(name: ScenarioName): Promise<void>
  readonly scenarios: ScenariosClient

  readonly clock: ClockClient
  /** Runs until nothing is owed. @param how how far the clock may go, such as `72h`, and how much work it may do */
  settle(how?: { readonly within?: string | undefined; readonly most?: number | undefined }): Promise<Steered>

  readonly callbacks: CallbacksClient
  readonly signatures: SignaturesClient
  readonly transactions: TransactionsClient
  /** What payers are asked on their phones. */
  readonly prompts: PromptsClient
  /** A phone, which is there without being made. @param number as `0712345678`, or with the dial code */
  phone(number: string): PhoneClient
  /** Those of which anything is known. */
  phones(): Promise<readonly PhoneSummary[]>
  /**
   * The page of a pay-in, and what its payer does there.
   * @param reference `checkout_request_id`, or any other identifier of the payment
   */
  checkout(reference: string): CheckoutClient
  readonly checkouts: CheckoutsClient
  /** What the service's reviewers decide. */
  readonly kyc: KycClient
  /** What invited people do. @param token of the invitation, or the link in its mail */
  readonly invitations: InvitationsClient
  /** Each with its wallets, limits and what is used of them, channels and costs. */
  readonly teams: TeamsClient
  /** What falls due when, soonest first. */
  jobs(filter?: JobFilter): Promise<readonly Job[]>
  /** Puts money from outside into a pot of a Team. */
  fund(account_id: number, money: FundRequest): Promise<Funding>
  readonly channels: ChannelsClient

  /** A receiver inside the sandbox, for who has none. */
  readonly inbox: InboxClient

  readonly requests: RequestsClient

  /**
   * Takes this world for a while, where several share it: who takes a lease meanwhile waits, or is refused. It is renewed until it is
   * given back; `await using` does so in the end.
   * @throws SandboxError 409 that names who has it
   */
  lease(options: LeaseOptions): Promise<WorldLease>
  /** Who has such a lease now; null when nobody has. */
  usedBy(): Promise<Lease | null>

  readonly snapshots: SnapshotsClient
  export(): Promise<WorldExport>
  import(exported: WorldExport): Promise<void>

  readonly apiKeys: ApiKeysClient

  readonly outbox: OutboxClient

  /** The ledger, summed anew; of one transaction or one account when one is said. */
  ledger(which?: LedgerFilter): Promise<Ledger>
  /** What the record of the world says of the integration that is tried in it, check by check. */
  certification(): Promise<WorldCertification>
  /** The same as reports to hand on, signed where the sandbox has a key. */
  readonly certifications: CertificationsClient
  /** What moved a wallet in a period, all pages in one; of the Team of the API key when none is said. */
  statement(asked?: StatementFilter): Promise<Statement>
  /**
   * What an account of the ledger holds, in units of its currency: 100985 is KES 100,985.00. An account that nothing was ever booked
   * to holds 0.
   * @param account such as `team:63:wallet`, in the Team's own currency, or `team:63:wallet:GHS`
   * @throws SandboxError 400 with the nearest account when there is none of this name
   */
  balance(account: string): Promise<number>

  /** What happens, as it happens, until the signal ends it. */
  events(options?: { signal?: AbortSignal; after?: string }): AsyncIterable<WorldEvent>
  /**
   * Tells a function what happens from now on, one after another, until the world ends.
   * @param tell is waited for; what it throws is thrown by `ended`
   */
  listen(tell: (event: WorldEvent) => unknown): Promise<Listening>
  /** Makes a world of its own; `await using` deletes it in the end. */
  world(options?: NewWorld): Promise<WorldClient>
  /** The world of this key and those that it made, by their ids. */
  readonly worlds: WorldsClient
  /** What was changed by those who may do everything in the world, the newest first. */
  audit(filter?: AuditFilter): Promise<readonly AuditEntry[]>
  /** What the operator of the sandbox can do. @param token of `SANDBOX_ADMIN_TOKEN`; needed where there is one */
  admin(token?: string): AdminClient
  /** Ends its listeners, and deletes the world when `world()` made it. */
  [Symbol.asyncDispose](): Promise<void>
}
