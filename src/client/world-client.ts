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
import { type IncidentName, type IncidentsClient, incidentsOf, type StartIncident } from './incidents.ts'
import type { LeaseOptions, WorldLease } from './lease.ts'
import { listBy, listOf } from './lists.ts'
import { type Operation, type OperationResponse, type OperationInput, requireFilters } from './operations.ts'
import { callbackOf, pay, type Payment, type PayOptions, type ReceivedCallback } from './payments.ts'
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
import type { TrafficRun } from '../traffic/result.ts'
import type { TrafficPlan, TrafficWorld } from '../traffic/world.ts'
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
  Incident,
  Job,
  Lease,
  Ledger,
  Overview,
  PhoneSummary,
  Statement,
  Steered,
  World as WorldView,
  WorldCertification,
  WorldExport,
  WorldSettingsChange,
} from '../generated/control/types.ts'

/**
 * The client of one world, with the API key of its owner.
 * @example
 * ```ts
 * const shop: WorldClient = await world.world()
 * await shop.pay()
 * await shop.settle()
 * const messages = await shop.inbox.messages()
 * messages.length // => 1
 * await shop.balance('team:63:wallet:KES') // => 100985
 * ```
 */
export interface WorldClient {
  /** The current URL of the sandbox; it changes when a sandbox in this process starts to listen. */
  readonly url: string
  readonly username: string
  readonly password: string
  /** The value of the header `Authorization`. */
  readonly authorization: string
  /** `fetch` with the world's credentials; it also accepts paths of the sandbox, such as `/api/v2/payments`. */
  readonly fetch: Fetch
  /**
   * Calls any operation of the service or of the control API by its name, fully typed.
   * @throws {SandboxError} If the response is an error.
   * @example
   * ```ts
   * const channels = await world.call('listPaymentChannels', { query: { per: 5 } })
   * ```
   */
  call<Name extends Operation>(
    operation: Name,
    ...given: OperationInput<Name>
  ): Promise<OperationResponse<Name>>

  /**
   * Collects money from a payer; every option has a default.
   * @throws {SandboxError} If the service rejects the payment, also because of its outcome.
   * @example
   * ```ts
   * const payment = await world.pay({ outcome: 'payer-cancels', callbackUrl: 'https://shop.test/callback' })
   * ```
   */
  pay(options?: PayOptions): Promise<Payment>
  /** Pays money out; every option has a default. @throws {SandboxError} If the service rejects the payment. */
  payOut(options?: PayOptions): Promise<Payment>
  /**
   * Returns the newest delivered callback of a payment, with its signature checked.
   * @param payment - The result of `pay`, or any identifier of the payment.
   * @throws {SandboxError} 504 with the reason if none is delivered.
   */
  callback(
    payment: Pick<Payment, 'reference'> | string,
    options?: { readonly timeout?: string | undefined },
  ): Promise<ReceivedCallback>

  /** Returns the world's time, settings and size. */
  show(): Promise<WorldView>
  /** Changes the given settings. */
  configure(change: WorldSettingsChange): Promise<WorldView>
  /** Restores the initial state; pending jobs are dropped. */
  reset(): Promise<void>
  /** Deletes the world. */
  delete(): Promise<void>

  /** Applies an outcome to all matching requests from now on: `scenarios.on`. */
  scenario(name: ScenarioName): Promise<void>
  readonly scenarios: ScenariosClient
  /** Starts an incident, such as `m-pesa-stalls`, for all payments of the world: `incidents.start`. */
  incident(name: IncidentName, how?: StartIncident): Promise<Incident>
  readonly incidents: IncidentsClient
  /** Plays the customers of a shop, and compares its books with the ledger. */
  traffic(plan: TrafficPlan): Promise<TrafficRun>

  readonly clock: ClockClient
  /** Runs pending jobs until none is left. @param how - How far the clock may advance, such as `72h`, and how many jobs may run. */
  settle(how?: {
    readonly within?: string | undefined
    readonly limit?: number | undefined
  }): Promise<Steered>

  readonly callbacks: CallbacksClient
  readonly signatures: SignaturesClient
  readonly transactions: TransactionsClient
  readonly prompts: PromptsClient
  /** @param number - Such as `0712345678`, with or without the dial code; it needs no setup. */
  phone(number: string): PhoneClient
  /** Lists the phones that have state. */
  phones(): Promise<readonly PhoneSummary[]>
  /** @param reference - `checkout_request_id`, or any other identifier of the payment. */
  checkout(reference: string): CheckoutClient
  readonly checkouts: CheckoutsClient
  readonly kyc: KycClient
  readonly invitations: InvitationsClient
  readonly teams: TeamsClient
  /** Shows what needs attention, with failures grouped by cause, and the newest payments. */
  overview(filter?: { readonly limit?: number }): Promise<Overview>
  /** Lists pending jobs, the next one first. */
  jobs(filter?: JobFilter): Promise<readonly Job[]>
  /** Adds external money to a balance of a Team. */
  fund(account_id: number, money: FundRequest): Promise<Funding>
  readonly channels: ChannelsClient

  readonly inbox: InboxClient

  readonly requests: RequestsClient

  /**
   * Takes a lease on a shared world, renewed until it is released; `await using` releases it at the end of the block.
   * @throws {SandboxError} 409 with the current holder.
   */
  lease(options: LeaseOptions): Promise<WorldLease>
  /** Returns the current lease, if any. */
  usedBy(): Promise<Lease | null>

  readonly snapshots: SnapshotsClient
  export(): Promise<WorldExport>
  import(exported: WorldExport): Promise<void>

  readonly apiKeys: ApiKeysClient

  readonly outbox: OutboxClient

  /** Computes the ledger, optionally of one transaction or account. */
  ledger(which?: LedgerFilter): Promise<Ledger>
  /** Evaluates the certification checks on the request log of the world. */
  certification(): Promise<WorldCertification>
  readonly certifications: CertificationsClient
  /** Returns the movements of a wallet in a period; by default of the Team of the API key. */
  statement(asked?: StatementFilter): Promise<Statement>
  /**
   * Returns the balance of a ledger account in major units: 100985 is KES 100,985.00. An account without postings has 0.
   * @param account - Such as `team:63:wallet`, in the Team's currency, or `team:63:wallet:GHS`.
   * @throws {SandboxError} 400 with the most similar account if there is none of this name.
   */
  balance(account: string): Promise<number>

  /** Yields events as they happen, until the signal aborts. */
  events(options?: { signal?: AbortSignal; after?: string }): AsyncIterable<WorldEvent>
  /**
   * Calls a function with each event from now on, one at a time, until the world is deleted.
   * @param tell - Awaited before the next event; an error ends listening and rejects `ended`.
   */
  listen(tell: (event: WorldEvent) => unknown): Promise<Listening>
  /** Creates an isolated world; `await using` deletes it at the end of the block. */
  world(options?: NewWorld): Promise<WorldClient>
  readonly worlds: WorldsClient
  /** Lists administrative changes to the world, newest first. */
  audit(filter?: AuditFilter): Promise<readonly AuditEntry[]>
  /** @param token - `SANDBOX_ADMIN_TOKEN`, if the sandbox sets it. */
  admin(token?: string): AdminClient
  /** Stops listeners, and deletes the world if `world()` created it. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Plays traffic. The library sets it, so that clients in browsers do not include the implementation. */
export const trafficPlayer = {
  play: (_world: TrafficWorld, _plan: TrafficPlan): Promise<TrafficRun> =>
    Promise.reject(new Error('world.traffic needs the library payments-sandbox')),
}

const CURRENT = { path: { world: 'current' } }

/** @param isOwned - Whether to delete the world when the client is disposed of. */
export function createWorldClient(transport: Transport, reach: Reach, isOwned = false): WorldClient {
  const { call } = transport
  const scenarios = scenariosOf(transport)
  const incidents = incidentsOf(transport)
  const listeners = createListeners(transport)
  const client: WorldClient = {
    get url() {
      return transport.url
    },
    ...transport.credentials,
    authorization: transport.authorization,
    fetch: transport.fetch,
    call,

    pay: (options) => pay(transport, 'pay', options),
    payOut: (options) => pay(transport, 'payOut', options),
    callback: (payment, options) => callbackOf(transport, payment, options),
    show: () => call('getWorld', CURRENT),
    configure: (body) => call('updateWorld', { ...CURRENT, body }),
    reset: async () => void (await call('resetWorld')),
    delete: async () => void (await call('deleteWorld', CURRENT)),

    scenario: scenarios.on,
    scenarios,
    incident: incidents.start,
    incidents,
    traffic: (plan) => trafficPlayer.play(client, plan),
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
    overview: (filter = {}) => call('getOverview', { query: filter }),
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
      const { credentials } = await call('createWorld', { body })
      return createWorldClient(
        createTransport(() => transport.url, credentials, reach, true),
        reach,
        true,
      )
    },
    worlds: worldsOf(transport),
    audit: (filter) => listBy(transport, 'audit', 'listAudit', 'entries', filter),
    admin: (token) => adminOf(transport, token),

    async [Symbol.asyncDispose]() {
      await listeners.end()
      if (isOwned) await call('deleteWorld', CURRENT).catch(ignoreIfGone)
    },
  }
  return client
}

/** Ignores the errors of a world that is already deleted. */
function ignoreIfGone(error: unknown): void {
  if (!(error instanceof SandboxError && [401, 404].includes(error.status))) throw error
}
