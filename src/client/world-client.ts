/** One world. */
import { type AdminClient, adminOf } from './admin.ts'
import {
  type CallbacksClient,
  callbacksOf,
  type InboxClient,
  inboxOf,
  type SignaturesClient,
  signaturesOf,
} from './callbacks.ts'
import { type CheckoutClient, checkoutOf, type CheckoutsClient, checkoutsOf } from './checkouts.ts'
import { createListeners, type Listening, readEvents, type WorldEvent } from './events.ts'
import type { LeaseOptions, WorldLease } from './lease.ts'
import { listBy, listOf } from './lists.ts'
import { type Operation, type OperationAnswer, type OperationInput, requireFilters } from './operations.ts'
import { type PhoneClient, phoneOf, type PromptsClient, promptsOf } from './phones.ts'
import { type RequestsClient, requestsOf } from './requests.ts'
import { type ScenarioName, type ScenariosClient, scenariosOf } from './scenarios.ts'
import {
  type ChannelsClient,
  channelsOf,
  type InvitationsClient,
  invitationsOf,
  type KycClient,
  kycOf,
  type TeamsClient,
  teamsOf,
} from './teams.ts'
import { type ClockClient, clockOf, type JobFilter } from './time.ts'
import {
  type LedgerFilter,
  type StatementFilter,
  statementOf,
  type TransactionsClient,
  transactionsOf,
} from './transactions.ts'
import { createTransport, type Fetch, type Reach, SandboxError, type Transport } from './transport.ts'
import {
  type ApiKeysClient,
  apiKeysOf,
  type AuditFilter,
  type CertificationsClient,
  certificationsOf,
  type OutboxClient,
  outboxOf,
  type SnapshotsClient,
  snapshotsOf,
  type WorldsClient,
  worldsOf,
} from './worlds.ts'
import type {
  AuditEntry,
  CreateWorldRequest as NewWorld,
  Funding,
  FundRequest,
  Job,
  Lease,
  Ledger,
  PhoneSummary,
  Statement,
  Steered,
  World as WorldView,
  WorldCertification,
  WorldExport,
  WorldSettingsChange,
} from '../generated/control/types.ts'

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

const CURRENT = { path: { world: 'current' } }

/**
 * The client of one world over its transport.
 * @param made by this client, so that it is deleted once it is disposed of
 */
export function createWorldClient(transport: Transport, reach: Reach, made = false): WorldClient {
  const { call, credentials, url } = transport
  const scenarios = scenariosOf(transport)
  const listeners = createListeners(transport)
  return {
    url,
    ...credentials,
    authorization: transport.authorization,
    fetch: transport.fetch,
    call,

    show: () => call('getWorld', CURRENT),
    configure: (body) => call('updateWorld', { ...CURRENT, body }),
    reset: async () => void (await call('resetWorld')),
    delete: async () => void (await call('deleteWorld', CURRENT)),

    scenario: scenarios.on,
    scenarios,
    clock: clockOf(transport),
    async settle(how = {}) {
      requireFilters('settle', 'settle', how)
      return call('settle', { query: how })
    },
    callbacks: callbacksOf(transport),
    inbox: inboxOf(transport),
    requests: requestsOf(transport),
    signatures: signaturesOf(transport),
    transactions: transactionsOf(transport),
    prompts: promptsOf(transport),
    phone: (number) => phoneOf(transport, number),
    phones: () => listOf(transport, 'listPhones', 'phones'),
    checkout: (reference) => checkoutOf(transport, reference),
    checkouts: checkoutsOf(transport),
    kyc: kycOf(transport),
    invitations: invitationsOf(transport),
    channels: channelsOf(transport),
    teams: teamsOf(transport),
    jobs: (filter) => listBy(transport, 'jobs', 'listJobs', 'jobs', filter),
    fund: (id, body) => call('fundTeam', { path: { id }, body }),

    lease: async (options) => (await import('./lease.ts')).takeLease(transport, options),
    usedBy: async () => (await call('getLease')).lease,
    snapshots: snapshotsOf(transport),
    export: () => call('exportWorld'),
    import: async (body) => void (await call('importWorld', { body })),
    apiKeys: apiKeysOf(transport),
    outbox: outboxOf(transport),

    ledger: (which = {}) => call('getLedger', { query: which }),
    certification: () => call('getCertification'),
    certifications: certificationsOf(transport),
    statement: (asked) => statementOf(transport, asked),
    async balance(account) {
      const { balances } = await call('getLedger', { query: { account, limit: 1 } })
      return balances[0]!.balance
    },
    events: (options = {}) => readEvents(transport, options),
    listen: listeners.listen,
    async world(body = {}) {
      const { credentials: theirs } = await call('createWorld', { body })
      return createWorldClient(createTransport(url, theirs, reach), reach, true)
    },
    worlds: worldsOf(transport),
    audit: (filter) => listBy(transport, 'audit', 'listAudit', 'entries', filter),
    admin: (token) => adminOf(transport, token),

    async [Symbol.asyncDispose]() {
      await listeners.end()
      if (made) await call('deleteWorld', CURRENT).catch(unlessGone)
    },
  }
}

/** A world that is deleted already, or whose sandbox is closed, needs no more. */
function unlessGone(error: unknown): void {
  const gone = error instanceof SandboxError ? [401, 404].includes(error.status) : false
  if (!gone) throw error
}
