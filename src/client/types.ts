/** What the client takes and gives; everything else is generated from the description. */
import type { Fetch } from './transport.ts'
import type {
  AcceptedInvite,
  AnswerCheckoutRequest,
  AnswerPromptRequest,
  ApiKey,
  Callback,
  CallbackDetails,
  ChangePhoneRequest,
  Checkout,
  Clock,
  CreatedApiKey,
  CreatedWorld,
  DeclinedInvite,
  Explanation,
  FireCallbackRequest,
  Funding,
  FundRequest,
  InboxAnswer,
  InboxMessage,
  InboxSummary,
  Invite,
  Job,
  KycReview,
  Ledger,
  Mail,
  CreateApiKeyRequest as NewApiKey,
  CreateWorldRequest as NewWorld,
  NewChannelRequest as NewChannel,
  PaymentChannel,
  PayFromPhoneRequest,
  PayOfflineRequest,
  Phone,
  Prompt,
  RecordedRequest,
  RequestCount,
  ResendCallbacksRequest,
  ResentCallbacks,
  ReviewKycRequest,
  RotateSecretRequest,
  Scenario,
  ScenarioCheck,
  ScenarioFile,
  ScenarioSample,
  ScenarioState,
  SignatureCheck,
  SignatureCheckRequest,
  SigningSecret,
  SimulateTransactionRequest,
  Snapshot,
  Statement,
  Steered,
  Team,
  TeamDetails,
  TestCard,
  Timeline,
  Transaction,
  TransactionDetails,
  TransactionStatus,
  TypedCard,
  UpdateChannelRequest,
  World as WorldView,
  WorldExport,
  WorldSettingsChange,
} from '../generated/control/types.ts'

export type { Seed, WorldSettings } from '../generated/control/types.ts'
export type {
  AcceptedInvite,
  AnswerCheckoutRequest,
  AnswerPromptRequest,
  ApiKey,
  Callback,
  CallbackDetails,
  ChangePhoneRequest,
  Checkout,
  Clock,
  CreatedApiKey,
  CreatedWorld,
  DeclinedInvite,
  Explanation,
  FireCallbackRequest,
  Funding,
  FundRequest,
  InboxAnswer,
  InboxMessage,
  InboxSummary,
  Invite,
  Job,
  KycReview,
  Ledger,
  Mail,
  NewApiKey,
  NewChannel,
  NewWorld,
  PaymentChannel,
  PayFromPhoneRequest,
  PayOfflineRequest,
  Phone,
  Prompt,
  RecordedRequest,
  RequestCount,
  ResendCallbacksRequest,
  ResentCallbacks,
  ReviewKycRequest,
  RotateSecretRequest,
  Scenario,
  ScenarioCheck,
  ScenarioFile,
  ScenarioSample,
  ScenarioState,
  SignatureCheck,
  SignatureCheckRequest,
  SigningSecret,
  SimulateTransactionRequest,
  Snapshot,
  Statement,
  Steered,
  Team,
  TeamDetails,
  TestCard,
  Timeline,
  Transaction,
  TransactionDetails,
  TransactionStatus,
  TypedCard,
  UpdateChannelRequest,
  WorldExport,
  WorldSettingsChange,
  WorldView,
}

/**
 * Which requests are meant.
 * @example
 * ```ts
 * import type { RequestFilter } from 'payments-sandbox'
 *
 * const taken: RequestFilter = { operation: 'createCollection', status: 201 }
 * const requests = await world.requests.list(taken)
 * requests.length // => 1
 * ```
 */
export interface RequestFilter {
  readonly operation?: string | undefined
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly status?: number | undefined
  readonly reference?: string | undefined
}

/**
 * The words of `when` in a scenario file.
 * @example
 * ```ts
 * import type { Conditions } from 'payments-sandbox'
 *
 * const large: Conditions = { operation: 'createCollection', amount: { gte: 1000 } }
 * await world.requests.count(large) // => 1
 * ```
 */
export type Conditions = {
  readonly [Fact in KnownFact | `${'body' | 'query' | 'headers' | 'answer'}.${string}`]?: Predicate
}

/** What a request says, by name. */
type KnownFact =
  | 'operation'
  | 'method'
  | 'path'
  | 'status'
  | 'id'
  | 'username'
  | 'direction'
  | 'rail'
  | 'party'
  | 'amount'
  | 'currency'
  | 'country'
  | 'provider'
  | 'account_id'
  | 'channel_id'
  | 'reference'

type Value = string | number | boolean
type Tests = {
  readonly startsWith?: string
  readonly endsWith?: string
  readonly matches?: string
  readonly lt?: number
  readonly lte?: number
  readonly gt?: number
  readonly gte?: number
  readonly exists?: boolean
  readonly magic?: string
}
/** A value, a list of which one is meant, or tests that all hold. */
type Predicate = Value | readonly Value[] | (Tests & { readonly not?: Value | readonly Value[] | Tests })

/**
 * For how many, and for how long.
 * @example
 * ```ts
 * import type { Waiting } from 'payments-sandbox'
 *
 * const waiting: Waiting = { count: 1, timeout: '10s' }
 * const requests = await world.requests.waitFor({ reference: 'order-1', ...waiting })
 * requests.length // => 1
 * ```
 */
export interface Waiting {
  /** How many; 1 when left out. */
  readonly count?: number | undefined
  /** How long on the wall, such as `10s`. */
  readonly timeout?: string | undefined
}

/**
 * Which transactions are meant.
 * @example
 * ```ts
 * import type { TransactionFilter } from 'payments-sandbox'
 *
 * const collected: TransactionFilter = { direction: 'payin', status: 'SUCCESS', party: '0712345678' }
 * const [transaction] = await world.transactions.list(collected)
 * transaction?.amount // => { amount: 1000, currency: 'KES', minor: 100000 }
 * ```
 */
export interface TransactionFilter {
  readonly status?: Transaction['status'] | undefined
  readonly reason?: string | undefined
  readonly rail?: Transaction['rail'] | undefined
  readonly direction?: Transaction['direction'] | undefined
  readonly operation?: Transaction['operation'] | undefined
  readonly account_id?: number | undefined
  /** Any identifier that the service returned, your own reference, or the receipt. */
  readonly reference?: string | undefined
  /** A phone, in any of its forms, or an account. */
  readonly party?: string | undefined
  readonly scenario?: string | undefined
  readonly callback_state?: Transaction['callback_state'] | undefined
  /** A part of an identifier, the party or the provider. */
  readonly search?: string | undefined
  /** Accepted at or after this time of the world's clock, as ISO 8601. */
  readonly from?: string | undefined
  /** Accepted before this time. */
  readonly to?: string | undefined
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
 * Which work is meant.
 * @example
 * ```ts
 * import type { JobFilter } from 'payments-sandbox'
 *
 * const attempts: JobFilter = { kind: 'callback' }
 * await world.jobs(attempts) // => []
 * ```
 */
export interface JobFilter {
  readonly state?: 'due' | 'given_up' | undefined
  readonly kind?: string | undefined
  /** Due at or before this time of the world's clock, as ISO 8601. */
  readonly until?: string | undefined
}

/**
 * Which callbacks are meant.
 * @example
 * ```ts
 * import type { CallbackFilter } from 'payments-sandbox'
 *
 * const mine: CallbackFilter = { reference: 'order-1', state: 'delivered' }
 * const callbacks = await world.callbacks.list(mine)
 * callbacks.length // => 1
 * ```
 */
export interface CallbackFilter {
  /** Any identifier the service returned for the transaction, or your own reference. */
  readonly reference?: string | undefined
  readonly state?: 'pending' | 'delivered' | 'failed' | undefined
}

/**
 * Which callbacks are waited for.
 * @example
 * ```ts
 * import type { CallbackWaiting } from 'payments-sandbox'
 *
 * const over: CallbackWaiting = { reference: 'order-1', state: 'over', timeout: '10s' }
 * const [callback] = await world.callbacks.waitFor(over)
 * callback?.callback.state // => 'delivered'
 * ```
 */
export interface CallbackWaiting extends Waiting {
  readonly reference?: string | undefined
  /** `over`: delivered or failed; `delivered` when left out. */
  readonly state?: 'delivered' | 'failed' | 'over' | undefined
}

/**
 * Which prompts are meant.
 * @example
 * ```ts
 * import type { PromptFilter } from 'payments-sandbox'
 *
 * const paid: PromptFilter = { state: 'paid', phone: '0712345678' }
 * const prompts = await world.prompts.list(paid)
 * prompts.length // => 1
 * ```
 */
export interface PromptFilter {
  readonly state?: 'waiting' | 'paid' | 'failed' | undefined
  readonly phone?: string | undefined
}

/**
 * How long a prompt is waited for.
 * @example
 * ```ts
 * import type { PromptWaiting } from 'payments-sandbox'
 *
 * const patient: PromptWaiting = { timeout: '30s' }
 * const refused = await world.phone('0722000111').prompt({ ...patient, timeout: '0' }).catch((error: unknown) => error)
 * refused instanceof Error // => true
 * ```
 */
export interface PromptWaiting {
  /** On the wall, such as `10s`, which it is when left out. */
  readonly timeout?: string | undefined
}

/**
 * A phone, and what its owner does with it.
 * @example
 * ```ts
 * import type { PhoneClient } from 'payments-sandbox'
 *
 * const phone: PhoneClient = world.phone('0712345678')
 * const [receipt] = await phone.messages()
 * receipt?.text.includes('Confirmed') // => true
 * ```
 */
export interface PhoneClient {
  show(): Promise<Phone>
  change(change: ChangePhoneRequest): Promise<Phone>
  /** The prompt that waits on it, as soon as there is one. @throws SandboxError 504 that says what was there instead */
  prompt(waiting?: PromptWaiting): Promise<Prompt>
  /** Waits for a prompt and types a PIN; `1234` is right until it is changed. */
  pin(pin: string, waiting?: PromptWaiting): Promise<Prompt>
  /** Waits for a prompt and cancels it. */
  cancel(waiting?: PromptWaiting): Promise<Prompt>
  /**
   * Waits for a prompt and lets it expire: the world's clock goes on to the end of its time.
   * @throws Error when the prompt is not left to its payer
   */
  ignore(waiting?: PromptWaiting): Promise<Prompt>
  on(): Promise<Phone>
  off(): Promise<Phone>
  /** What it holds, in units of the currency; that of its country when left out. */
  balance(currency?: string): Promise<number>
  /** What the operator wrote to it, newest first. */
  messages(): Promise<Phone['messages']>
  /** Pays from its menu. */
  pay(payment: PayFromPhoneRequest): Promise<TransactionStatus>
}

/**
 * The page of one pay-in.
 * @example
 * ```ts
 * import type { CheckoutClient } from 'payments-sandbox'
 *
 * const card = { number: '4000 0025 0000 3155', expiry: '12/30', cvc: '123' }
 * const confirm = async (page: CheckoutClient) => {
 *   await page.pay({ card })
 *   return page.challenge('pass')
 * }
 * const refused = await confirm(world.checkout('no-such-order')).catch((error: Error) => error)
 * refused instanceof Error // => true
 * ```
 */
export interface CheckoutClient {
  /** How it stands; to look at it does not open it. */
  show(): Promise<Checkout>
  /** A payer opens it: nothing settles the payment by itself any more. */
  open(): Promise<Checkout>
  /** With a card as it is typed, or without one as the payment was decided. */
  pay(how?: { readonly card: TypedCard }): Promise<Checkout>
  /** What the payer answers the bank of the card. */
  challenge(answer: 'pass' | 'fail'): Promise<Checkout>
  cancel(): Promise<Checkout>
}

/**
 * What a statement is asked of.
 * @example
 * ```ts
 * import type { StatementFilter } from 'payments-sandbox'
 *
 * const june: StatementFilter = { account_id: 63, from: '2026-06-01', to: '2026-07-01' }
 * const statement = await world.statement(june)
 * statement.wallet // => 'wallet'
 * ```
 */
export interface StatementFilter {
  readonly account_id?: number | undefined
  readonly wallet?: Statement['wallet'] | undefined
  readonly currency?: string | undefined
  /** A day, which begins at midnight in the Team's country, or a time; it belongs to the period. */
  readonly from?: string | Date | undefined
  /** The same, which does not belong to it any more. */
  readonly to?: string | Date | undefined
}

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

  /** Its time, settings and how much is in it. */
  show(): Promise<WorldView>
  /** Changes settings; the rest stays. */
  configure(change: WorldSettingsChange): Promise<WorldView>
  /** Back to what it was made with; nothing that was owed is done. */
  reset(): Promise<void>
  /** Gone, with everything in it. */
  delete(): Promise<void>

  /** From now on requests that fit meet this scenario. */
  scenario(name: string): Promise<void>
  readonly scenarios: {
    on(name: string): Promise<void>
    off(name: string): Promise<void>
    /** The next requests that fit meet it, so many of them. */
    next(name: string, times?: number): Promise<void>
    list(): Promise<readonly Scenario[]>
    /** The text of its file, in YAML. */
    source(name: string): Promise<string>
    /** The requests that show it, with what its file promises of each; none is sent. @param reference the caller's own in them */
    samples(name: string, reference?: string): Promise<readonly ScenarioSample[]>
    /** Where one with steps stands. */
    state(name: string): Promise<ScenarioState>
    /** The next request that it decides gets this step, the first being 1. */
    setStep(name: string, step: number): Promise<ScenarioState>
    /** One of the world's own. @param file as an object, or its YAML */
    put(name: string, file: ScenarioFile | string): Promise<Scenario>
    /** What is wrong in a file, without putting it. @param file as an object, or its YAML */
    check(file: ScenarioFile | string, name?: string): Promise<ScenarioCheck>
    /** Takes one of the world's own away. */
    delete(name: string): Promise<void>
    /** None is on, none is queued, and steps begin again. */
    reset(): Promise<void>
  }

  readonly clock: {
    now(): Promise<Date>
    /** Its time, its speed, and what is due next. */
    show(): Promise<Clock>
    /** Stands still from now on. */
    freeze(): Promise<void>
    resume(): Promise<void>
    /** 60 is an hour a minute. */
    speed(factor: number): Promise<void>
    /** Leaps on by a duration such as `72h`, or to a time; runs what falls due on the way. */
    advance(to: string | Date): Promise<Steered>
  }
  /** Runs until nothing is owed. */
  settle(): Promise<Steered>

  readonly callbacks: {
    list(filter?: CallbackFilter): Promise<readonly Callback[]>
    get(id: number): Promise<CallbackDetails>
    /** The callbacks, as soon as they are there. @throws SandboxError 504 that says what came instead, and why one failed */
    waitFor(filter?: CallbackWaiting): Promise<readonly CallbackDetails[]>
    resend(id: number): Promise<void>
    /** All that failed, or those that fit. */
    resendAll(which?: ResendCallbacksRequest): Promise<ResentCallbacks>
    /** Sends one of a transaction as it is now, wherever and however one likes. */
    fire(wanted: FireCallbackRequest): Promise<CallbackDetails>
  }
  readonly signatures: {
    /** What callbacks are signed with now. */
    secret(): Promise<string>
    /** The secrets that are good now, the profiles in use and the public keys. */
    show(): Promise<SigningSecret>
    rotate(how?: RotateSecretRequest): Promise<SigningSecret>
    /** What is wrong with the signature of a callback as it was received. */
    check(received: SignatureCheckRequest): Promise<SignatureCheck>
  }
  readonly transactions: {
    /** Newest first. */
    list(filter?: TransactionFilter): Promise<readonly Transaction[]>
    /** With its states, callbacks, what is owed for it, and its request. @param reference any identifier of it */
    get(reference: string): Promise<TransactionDetails>
    /** A table for a spreadsheet, with the names of its columns first. */
    csv(filter?: TransactionFilter): Promise<string>
    /** Where it stands. Nothing is asked of the service, so nothing is on record. @param reference any identifier of it */
    status(reference: string): Promise<'QUEUED' | 'SUCCESS' | 'FAILED' | 'REVERSED'>
    /** What happened to it, oldest first. */
    timeline(reference: string): Promise<Timeline>
    /** Ends it as the provider would. */
    simulate(reference: string, how: SimulateTransactionRequest): Promise<TransactionStatus>
    /** What a customer does at the phone to pay an offline collection. */
    payOffline(payment: PayOfflineRequest): Promise<TransactionStatus>
  }
  /** What payers are asked on their phones. */
  readonly prompts: {
    /** Newest first. */
    list(filter?: PromptFilter): Promise<readonly Prompt[]>
    /** @param id any identifier of its payment */
    get(id: string): Promise<Prompt>
    /** @throws SandboxError 400 when it is over, saying how it ended */
    answer(id: string, answer: AnswerPromptRequest): Promise<Prompt>
  }
  /** A phone, which is there without being made. @param number as `0712345678`, or with the dial code */
  phone(number: string): PhoneClient
  /**
   * The page of a pay-in, and what its payer does there.
   * @param reference `checkout_request_id`, or any other identifier of the payment
   */
  checkout(reference: string): CheckoutClient
  readonly checkouts: {
    /** Every payment page, newest first. */
    list(filter?: { readonly state?: Checkout['state'] | undefined }): Promise<readonly Checkout[]>
    /** The cards that the pages know, and what each does. */
    testCards(): Promise<readonly TestCard[]>
  }
  /** What the service's reviewers decide. */
  readonly kyc: {
    /** With what was submitted, newest first. */
    list(filter?: KycFilter): Promise<readonly KycReview[]>
    show(id: number): Promise<KycReview>
    review(id: number, decision: ReviewKycRequest): Promise<KycReview>
  }
  /** What invited people do. @param token of the invitation, or the link in its mail */
  readonly invitations: {
    /** Newest first. */
    list(filter?: InviteFilter): Promise<readonly Invite[]>
    accept(token: string): Promise<AcceptedInvite>
    decline(token: string): Promise<DeclinedInvite>
  }
  /** Each with its wallets, limits and what is used of them, channels and costs. */
  readonly teams: {
    /** Newest first. @param search a part of name, slug or mail address */
    list(search?: string): Promise<readonly Team[]>
    /** With its members. */
    get(account_id: number): Promise<TeamDetails>
  }
  /** What falls due when, soonest first. */
  jobs(filter?: JobFilter): Promise<readonly Job[]>
  /** Puts money from outside into a pot of a Team. */
  fund(account_id: number, money: FundRequest): Promise<Funding>
  readonly channels: {
    /** Gives a Team a payment channel to collect into. */
    create(channel: NewChannel): Promise<PaymentChannel>
    /** Opens or closes a payment channel. */
    update(id: number, change: UpdateChannelRequest): Promise<PaymentChannel>
  }

  /** A receiver inside the sandbox, for who has none. */
  readonly inbox: {
    /** All there are, by name. */
    list(): Promise<readonly InboxSummary[]>
    /** To be sent as `callback_url`. */
    url(name?: string): Promise<string>
    /** What came, newest first. */
    messages(name?: string): Promise<readonly InboxMessage[]>
    /** What it answers from now on, one after the other, the last one for ever: a status, or `timeout` for none. */
    answer(answers: readonly InboxAnswer[], name?: string): Promise<void>
    /** Forgets what came, and answers 200 again. */
    clear(name?: string): Promise<void>
  }

  readonly requests: {
    /** Newest first. @param filter `search` is a text anywhere in the request or its answer */
    list(
      filter?: RequestFilter & { readonly search?: string | undefined },
    ): Promise<readonly RecordedRequest[]>
    get(id: string): Promise<RecordedRequest>
    find(conditions: Conditions): Promise<readonly RecordedRequest[]>
    count(conditions: Conditions): Promise<number>
    /** How many, and of none how the nearest differs. */
    compare(conditions: Conditions): Promise<RequestCount>
    /** The requests, as soon as they are there. @throws SandboxError 504 that says what came instead */
    waitFor(filter?: RequestFilter & Waiting): Promise<readonly RecordedRequest[]>
    clear(): Promise<void>
    curl(id: string): Promise<string>
    /** Why it was decided as it was. */
    explain(id: string): Promise<Explanation>
    har(): Promise<unknown>
  }

  readonly snapshots: {
    take(name?: string): Promise<Snapshot>
    list(): Promise<readonly Snapshot[]>
    restore(snapshot: Snapshot | number): Promise<void>
    delete(snapshot: Snapshot | number): Promise<void>
  }
  export(): Promise<WorldExport>
  import(exported: WorldExport): Promise<void>

  readonly apiKeys: {
    list(): Promise<readonly ApiKey[]>
    create(key?: NewApiKey): Promise<CreatedApiKey>
    revoke(username: string): Promise<void>
  }

  readonly outbox: {
    /** Newest first. */
    list(to?: string): Promise<readonly Mail[]>
    delete(id: number): Promise<void>
    clear(): Promise<void>
  }

  /** The ledger, summed anew. */
  ledger(): Promise<Ledger>
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
  /** Makes a world of its own. */
  world(options?: NewWorld): Promise<WorldClient>
}

/**
 * Something that happened in a world.
 * @example
 * ```ts
 * import type { WorldEvent } from 'payments-sandbox'
 *
 * let first: WorldEvent | undefined
 * for await (const event of world.events({ after: '0' })) {
 *   first = event
 *   break
 * }
 * first?.type // => 'transaction'
 * ```
 */
export interface WorldEvent {
  readonly id: string
  readonly type: string
  readonly at: string
  readonly data: { readonly [name: string]: unknown }
}
