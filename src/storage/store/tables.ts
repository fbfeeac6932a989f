/**
 * The tables of a world: what a row's key is, how it can be looked up and in which orders it can be walked.
 * A look-up that is not declared here does not exist; nothing scans.
 */
import { amountIn, statedAccounts } from './posting-lines.ts'
import * as bytes from './table-bytes.ts'
import type * as R from './rows.ts'

export type Key = string | number

/**
 * A walkable order: rows of one `group`, ascending by `by`, then by key. A row may be in several groups; one whose group is an empty
 * string is in none.
 */
export interface Order<Row> {
  readonly group: (row: Row) => Key | readonly Key[]
  readonly by: (row: Row) => number
  /** What a row adds to the sum of a group, for orders that are asked what their rows come to. */
  readonly sum?: (row: Row, group: Key) => number
}

export interface Table<Row, Lookup extends string, OrderName extends string, Count extends string = string> {
  readonly key: (row: Row) => Key
  /**
   * What a row takes with its place in look-ups and orders: never less than the values it holds, so that nothing large
   * goes uncounted. It is asked at every write.
   */
  readonly bytes: (row: Row) => number
  /** The value, or values, under which a row is found; an empty string is not indexed. */
  readonly lookups: { readonly [Name in Lookup]: (row: Row) => Key | readonly Key[] }
  readonly orders: { readonly [Name in OrderName]: Order<Row> }
  /** The group that a row is counted in, where it is only asked how many there are; in none under an empty string. */
  readonly counts: { readonly [Name in Count]: (row: Row) => Key }
  /** Look-ups and orders that few worlds ask for; they are made at the first question. */
  readonly rare: readonly (Lookup | OrderName)[]
}

const table =
  <Row>() =>
  <Lookup extends string = never, OrderName extends string = never, Count extends string = never>(
    key: (row: Row) => Key,
    bytes: (row: Row) => number,
    lookups = {} as Table<Row, Lookup, OrderName, Count>['lookups'],
    orders = {} as Table<Row, Lookup, OrderName, Count>['orders'],
    counts = {} as Table<Row, Lookup, OrderName, Count>['counts'],
    rare: readonly NoInfer<Lookup | OrderName>[] = [],
  ): Table<Row, Lookup, OrderName, Count> => ({ key, bytes, lookups, orders, counts, rare })

export const tables = {
  organizations: table<R.OrganizationRow>()((row) => row.id, bytes.whole),
  users: table<R.UserRow>()((row) => row.id, bytes.whole, { email: (row) => row.email }),
  apiKeys: table<R.ApiKeyRow>()((row) => row.username, bytes.whole),
  roles: table<R.RoleRow>()((row) => row.id, bytes.whole, {
    account: (row) => row.account_id,
    user: (row) => row.user_id,
  }),
  teams: table<R.TeamRow>()((row) => row.id, bytes.whole, {
    /** In lower case: no two slugs differ in case alone. */
    uuid: (row) => row.uuid.toLowerCase(),
  }),
  channels: table<R.ChannelRow>()(
    (row) => row.id,
    bytes.channel,
    { account: (row) => row.account_id },
    { activity: { group: (row) => row.account_id, by: (row) => row.active_at } },
  ),
  kycs: table<R.KycRow>()((row) => row.id, bytes.whole, { account: (row) => row.account_id }),
  invites: table<R.InviteRow>()(
    (row) => row.token,
    bytes.whole,
    {},
    { age: { group: () => 0, by: (row) => row.id ?? 0 } },
  ),
  mails: table<R.MailRow>()((row) => row.id, bytes.whole),
  /** Those that are to leave by SMTP and have not yet. */
  mailJobs: table<R.MailJobRow>()((row) => row.id, bytes.whole),
  transactions: table<R.TransactionRow>()(
    (row) => row.id,
    bytes.transaction,
    {
      identifier: (row) => [row.reference, row.checkout_request_id, row.external_reference],
      /** The phone or account that pays or is paid. */
      party: (row) => row.paid_by ?? row.party,
      /** Those that are left to their payers. */
      held: (row) => (row.payer_due_at !== undefined && row.status === 'QUEUED' ? 'yes' : ''),
    },
    {
      /** Those that are over, to fold the oldest. */
      over: {
        group: (row) => (row.settled_at === null ? '' : 1),
        by: (row) => row.kept_from ?? row.settled_at ?? 0,
      },
    },
    {
      /** Queued transactions by Team: a Team that has one cannot be deleted. */
      queued: (row) => (row.status === 'QUEUED' ? row.account_id : ''),
    },
    ['party'],
  ),
  accountTransactions: table<R.AccountTransactionRow>()(
    (row) => row.id,
    bytes.accountTransaction,
    {
      transaction: (row) => row.transaction_id ?? '',
      wallet: (row) => `${row.account_id}:${row.wallet}`,
    },
    { account: { group: (row) => row.account_id, by: (row) => row.id } },
  ),
  phones: table<R.PhoneRow>()((row) => row.number, bytes.whole),
  postings: table<R.PostingRow>()(
    (row) => row.id,
    bytes.posting,
    { transaction: (row) => row.transaction_id ?? '' },
    {
      /** What moved each account that Teams have statements of, by time. */
      account: { group: statedAccounts, by: (row) => row.at, sum: amountIn },
    },
    {},
    ['account'],
  ),
  /** What the postings that are kept no longer come to, by account. */
  carried: table<R.BalanceRow>()((row) => row.account, bytes.named),
  balances: table<R.BalanceRow>()((row) => row.account, bytes.named),
  usage: table<R.UsageRow>()((row) => row.id, bytes.named),
  jobs: table<R.JobRow>()(
    (row) => row.id,
    bytes.job,
    {
      callback: (row) => (row.task.kind === 'callback' ? row.task.callback_id : ''),
      /** The end of the time that a payment waits for its payer. */
      expire: ({ task }) =>
        task.kind === 'expire' || task.kind === 'expire_offline' || task.kind === 'unanswered'
          ? task.transaction_id
          : '',
      /** What is planned for a transaction that is over. */
      later: (row) => (row.task.kind === 'later' ? row.task.transaction_id : ''),
      failing: (row) => (row.failed ? 'yes' : ''),
    },
    {
      /** Those that will be done; and, in group 1, those that were given up. */
      due: { group: (row) => (row.failed?.given_up ? 1 : 0), by: (row) => row.due_at },
    },
  ),
  callbacks: table<R.CallbackRow>()(
    (row) => row.id,
    bytes.callback,
    { transaction: (row) => row.transaction_id },
    {
      /** Those that are over, to forget the oldest. */
      over: { group: (row) => (row.state === 'pending' ? 0 : 1), by: (row) => row.ended_by ?? 0 },
    },
  ),
  attempts: table<R.AttemptRow>()((row) => row.id, bytes.whole, { callback: (row) => row.callback_id }),
  inbox: table<R.InboxRow>()(
    (row) => row.id,
    bytes.whole,
    { inbox: (row) => row.inbox },
    { age: { group: () => 0, by: (row) => row.id } },
  ),
  certifications: table<R.CertificationRow>()((row) => row.id, bytes.whole),
  counters: table<R.CounterRow>()((row) => row.name, bytes.named),
  state: table<R.StateRow>()((row) => row.name, bytes.state),
}

export type Tables = typeof tables
export type TableName = keyof Tables
/** Tables that do not grow with what is paid: they may be walked over as a whole. */
export type SmallTable = 'apiKeys' | 'teams' | 'balances' | 'carried' | 'phones'
type RowIn<T> = T extends Table<infer Row, string, string> ? Row : never
export type Row<Name extends TableName> = RowIn<Tables[Name]>
export type LookupName<Name extends TableName> = keyof Tables[Name]['lookups'] & string
export type OrderName<Name extends TableName> = keyof Tables[Name]['orders'] & string
export type CountName<Name extends TableName> = keyof Tables[Name]['counts'] & string
