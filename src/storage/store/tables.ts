/** The tables of a world: their keys, lookups and orders. There are no table scans. */
import type * as z from 'zod'
import * as payments from './payment-rows.ts'
import * as rows from './rows.ts'
import type { RowOf } from './row-fields.ts'
import type { PostingRow } from './payment-rows.ts'

/** Estimates how much memory values take: an upper bound for texts, a fair guess for the rest. */

/** A field of any value: a number, a reference or a slot. */
const SLOT = 8
/** Overhead of an object or list. */
const HEAD = 40
/** Shorter texts count by characters, which is faster than encoding them. */
const ENCODED_FROM = 256

/** Returns the bytes of a text, 0 for other values: imported rows are not always valid. */
export function textBytes(text: unknown): number {
  if (typeof text !== 'string') return 0
  return text.length < ENCODED_FROM ? text.length : Buffer.byteLength(text)
}

export function valueBytes(value: unknown): number {
  let bytes = 0
  const left = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next === 'string') bytes += SLOT + textBytes(next)
    else if (typeof next !== 'object' || next === null) bytes += SLOT
    else if (Array.isArray(next)) {
      bytes += HEAD
      for (const each of next) left.push(each)
    } else {
      bytes += HEAD
      for (const name in next) {
        bytes += textBytes(name)
        left.push((next as { [name: string]: unknown })[name])
      }
    }
  }
  return bytes
}

/** Overhead of a row for its place in the table and in each index. */
const PLACE = 160

/** Returns the bytes of a row of a rarely written table, by all of its fields. */
export const whole = (row: object) => PLACE + valueBytes(row)

/**
 * How a field counts: by the size of its text or value, not at all because the row's constant covers its longest value, or by
 * a separate function.
 */
type Size<Value> = 'text' | 'value' | 'constant' | ((value: Value) => number)

/** The fields of a row with unlimited size. */
type Growing<Row> = {
  [Field in keyof Row]-?: IsGrowing<NonNullable<Row[Field]>> extends true ? Field : never
}[keyof Row]
type IsGrowing<Value> = string extends Value ? true : [Extract<Value, object>] extends [never] ? false : true

/** The size of each growing field: a new field does not compile until it is listed. */
type Sizes<Row> = { readonly [Field in Growing<Row>]: Size<Row[Field]> }

/** Returns the count of a row of a table that is written with every payment, without a look at fields of fixed size. */
export function counted<Row extends object>(constant: number, sizes: Sizes<Row>): (row: Row) => number {
  type Fields = { readonly [field: string]: unknown }
  const fieldsOf = (size: Size<never>) =>
    Object.keys(sizes).filter((field) => (sizes as Fields)[field] === size)
  const texts = fieldsOf('text')
  const values = fieldsOf('value')
  const others = Object.entries<unknown>(sizes).filter(([, size]) => typeof size === 'function') as [
    string,
    (value: unknown) => number,
  ][]
  return (row) => {
    let bytes = constant
    for (const field of texts) bytes += textBytes((row as Fields)[field])
    for (const field of values) {
      const value = (row as Fields)[field]
      if (value) bytes += valueBytes(value)
    }
    for (const [field, bytesOf] of others) bytes += bytesOf((row as Fields)[field])
    return bytes
  }
}

const REMEMBERED_DEPTH = 2
const remembered = new WeakMap<object, number>()

/** Returns the same as `valueBytes` for a value whose parts rarely change: rows are immutable, so sizes can be cached. */
export function changingBytes(value: unknown, depth = REMEMBERED_DEPTH): number {
  if (typeof value !== 'object' || value === null) return valueBytes(value)
  const known = remembered.get(value)
  if (known !== undefined) return known
  let bytes = HEAD
  if (depth === 0 || Array.isArray(value)) bytes = valueBytes(value)
  else
    for (const [name, part] of Object.entries(value))
      bytes += textBytes(name) + changingBytes(part, depth - 1)
  remembered.set(value, bytes)
  return bytes
}

export type Key = string | number

/** Rows of a group, ascending by `by`, then by key. A row may be in several groups, or in none for an empty string. */
export interface Order<Row> {
  readonly group: (row: Row) => Key | readonly Key[]
  readonly by: (row: Row) => number
  /** What a row adds to the sum of a group. */
  readonly sum?: (row: Row, group: Key) => number
}

export interface Table<Row, Lookup extends string, OrderName extends string, Count extends string = string> {
  readonly schema: () => z.ZodType
  readonly key: (row: Row) => Key
  /** Returns an upper bound of the memory that a row takes, including its index entries. Called at every write. */
  readonly bytes: (row: Row) => number
  /** The values under which a row is found; an empty string is not indexed. */
  readonly lookups: { readonly [Name in Lookup]: (row: Row) => Key | readonly Key[] }
  readonly orders: { readonly [Name in OrderName]: Order<Row> }
  /** The group that a row is counted in; none for an empty string. */
  readonly counts: { readonly [Name in Count]: (row: Row) => Key }
  /** Lookups and orders that few worlds use; they are built at first use. */
  readonly rare: readonly (Lookup | OrderName)[]
}

interface Declared<Row, Lookup extends string, OrderName extends string, Count extends string> {
  readonly key: (row: Row) => Key
  readonly bytes?: (row: Row) => number
  readonly lookups?: Table<Row, Lookup, OrderName, Count>['lookups']
  readonly orders?: Table<Row, Lookup, OrderName, Count>['orders']
  readonly counts?: Table<Row, Lookup, OrderName, Count>['counts']
  readonly rare?: readonly NoInfer<Lookup | OrderName>[]
}

function table<
  Schema extends () => z.ZodType<object>,
  Lookup extends string = never,
  OrderName extends string = never,
  Count extends string = never,
>(
  schema: Schema,
  declared: Declared<RowOf<Schema>, Lookup, OrderName, Count>,
): Table<RowOf<Schema>, Lookup, OrderName, Count> {
  type Declaration = Table<RowOf<Schema>, Lookup, OrderName, Count>
  const none = { bytes: whole, lookups: {}, orders: {}, counts: {}, rare: [] } as unknown as Declaration
  return { ...none, schema, ...declared }
}

/** Constant parts of rows that are written with every payment: the row, its fixed texts and its index entries. */
const TRANSACTION = 900
const CHANNEL = 500
const LINE = 120
const JOB = 400
const CALLBACK = 400
/** A row with a short name. */
const NAMED = PLACE + 80

const transactionBytes = counted<payments.TransactionRow>(TRANSACTION, {
  currency: 'constant',
  country: 'constant',
  reference: 'constant',
  checkout_request_id: 'constant',
  provider_reference: 'constant',
  provider: 'text',
  network: 'constant',
  party: 'text',
  external_reference: 'text',
  callback_url: 'text',
  redirect_url: 'text',
  scenario: 'text',
  paid_by: 'text',
  plan: 'value',
  trace: 'value',
  cards: 'value',
  exchange: 'value',
  history: 'value',
})

/** Counts the rows that settlement will write in advance: an accepted payment must not run out of room. */
function bytesToCome({ callback_url, external_reference }: payments.TransactionRow): number {
  const ledger = 2 * (PLACE + 3 * LINE)
  return callback_url === ''
    ? ledger
    : // Both the callback and its attempt contain the URL.
      ledger + CALLBACK + JOB + 600 + 2 * textBytes(callback_url) + textBytes(external_reference)
}

export const tables = {
  organizations: table(rows.organizationRow, { key: (row) => row.id }),
  users: table(rows.userRow, { key: (row) => row.id, lookups: { email: (row) => row.email } }),
  apiKeys: table(rows.apiKeyRow, { key: (row) => row.username }),
  roles: table(rows.roleRow, {
    key: (row) => row.id,
    lookups: { account: (row) => row.account_id, user: (row) => row.user_id },
  }),
  teams: table(rows.teamRow, {
    key: (row) => row.id,
    /** Case-insensitive. */
    lookups: { uuid: (row) => row.uuid.toLowerCase() },
  }),
  channels: table(rows.channelRow, {
    key: (row) => row.id,
    bytes: counted(CHANNEL, {
      transaction_type: 'constant',
      short_code: 'text',
      account_number: 'text',
      description: 'text',
    }),
    lookups: { account: (row) => row.account_id },
    orders: { activity: { group: (row) => row.account_id, by: (row) => row.active_at } },
  }),
  kycs: table(rows.kycRow, { key: (row) => row.id, lookups: { account: (row) => row.account_id } }),
  invites: table(rows.inviteRow, {
    key: (row) => row.token,
    orders: { age: { group: () => 0, by: (row) => row.id } },
  }),
  mails: table(rows.mailRow, { key: (row) => row.id }),
  mailJobs: table(rows.mailJobRow, { key: (row) => row.id }),
  transactions: table(payments.transactionRow, {
    key: (row) => row.id,
    bytes: (row) => transactionBytes(row) + (row.status === 'QUEUED' ? bytesToCome(row) : 0),
    lookups: {
      identifier: (row) => [row.reference, row.checkout_request_id, row.external_reference],
      party: (row) => row.paid_by ?? row.party,
      /** Waiting for the payer. */
      held: (row) => (row.payer_due_at !== undefined && row.status === 'QUEUED' ? 'yes' : ''),
    },
    orders: {
      /** Settled transactions, to archive the oldest. */
      over: {
        group: (row) => (row.settled_at === null ? '' : 1),
        by: (row) => row.kept_from ?? row.settled_at ?? 0,
      },
    },
    counts: {
      /** By Team: a Team with queued transactions cannot be deleted. */
      queued: (row) => (row.status === 'QUEUED' ? row.account_id : ''),
    },
    rare: ['party'],
  }),
  accountTransactions: table(payments.accountTransactionRow, {
    key: (row) => row.id,
    bytes: () => PLACE + 300,
    lookups: {
      transaction: (row) => row.transaction_id ?? '',
      wallet: (row) => `${row.account_id}:${row.wallet}`,
    },
    orders: { account: { group: (row) => row.account_id, by: (row) => row.id } },
  }),
  phones: table(rows.phoneRow, { key: (row) => row.number }),
  postings: table(payments.postingRow, {
    key: (row) => row.id,
    bytes: counted(PLACE, {
      kind: 'constant',
      currency: 'constant',
      // Two places a line.
      lines: (lines) => (Array.isArray(lines) ? (LINE / 2) * lines.length : 0),
    }),
    lookups: { transaction: (row) => row.transaction_id ?? '' },
    orders: {
      /** By account of statements and time. */
      account: { group: statedAccounts, by: (row) => row.at, sum: amountIn },
    },
    rare: ['account'],
  }),
  /** The sums of archived postings, by account. */
  carried: table(payments.balanceRow, { key: (row) => row.account, bytes: () => NAMED }),
  balances: table(payments.balanceRow, { key: (row) => row.account, bytes: () => NAMED }),
  usage: table(payments.usageRow, { key: (row) => row.id, bytes: () => NAMED }),
  jobs: table(payments.jobRow, {
    key: (row) => row.id,
    bytes: counted(JOB, {
      task: (task) => (task?.kind === 'review' ? valueBytes(task) : 0),
      failed: 'value',
    }),
    lookups: {
      callback: (row) => (row.task.kind === 'callback' ? row.task.callback_id : ''),
      expire: ({ task }) =>
        task.kind === 'expire' || task.kind === 'expire_offline' || task.kind === 'unanswered'
          ? task.transaction_id
          : '',
      later: (row) => (row.task.kind === 'later' ? row.task.transaction_id : ''),
      failing: (row) => (row.failed ? 'yes' : ''),
    },
    orders: {
      /** 0 for pending jobs, 1 for those that were given up. */
      due: { group: (row) => (row.failed?.abandoned ? 1 : 0), by: (row) => row.due_at },
    },
  }),
  callbacks: table(payments.callbackRow, {
    key: (row) => row.id,
    bytes: counted(CALLBACK, {
      url: 'text',
      body: 'text',
      content_type: 'text',
      retry: 'value',
      trace: 'value',
    }),
    lookups: { transaction: (row) => row.transaction_id },
    orders: {
      /** Finished callbacks, to delete the oldest. */
      over: { group: (row) => (row.state === 'pending' ? 0 : 1), by: (row) => row.ended_by ?? 0 },
    },
  }),
  attempts: table(payments.attemptRow, {
    key: (row) => row.id,
    lookups: { callback: (row) => row.callback_id },
  }),
  inbox: table(rows.inboxRow, {
    key: (row) => row.id,
    lookups: { inbox: (row) => row.inbox },
    orders: { age: { group: () => 0, by: (row) => row.id } },
  }),
  certifications: table(rows.certificationRow, { key: (row) => row.id }),
  counters: table(rows.counterRow, { key: (row) => row.name, bytes: () => NAMED }),
  state: table(rows.stateRow, {
    key: (row) => row.name,
    bytes: ({ name, value }) => PLACE + textBytes(name) + changingBytes(value),
  }),
}

type Tables = typeof tables
export type TableName = keyof Tables
/** Tables that do not grow with payments, so they may be read as a whole. */
export type SmallTable = 'apiKeys' | 'teams' | 'balances' | 'carried' | 'phones'
type RowIn<T> = T extends Table<infer Row, string, string> ? Row : never
export type Row<Name extends TableName> = RowIn<Tables[Name]>
export type LookupName<Name extends TableName> = keyof Tables[Name]['lookups'] & string
export type OrderName<Name extends TableName> = keyof Tables[Name]['orders'] & string
export type CountName<Name extends TableName> = keyof Tables[Name]['counts'] & string

/** All rows of a world, for seeds, snapshots and exports. */
export type WorldRows = { readonly [Name in TableName]?: readonly Row<Name>[] }

/** The lines of a posting are stored flat: objects took a quarter of the memory of a settled transaction. */

export interface PostingLine {
  /** The ledger account, for example `team:63:wallet` or `fees:KES`. */
  readonly account: string
  /** Minor units; positive into the account, negative out of it. */
  readonly amount: number
}

export const packLines = (lines: readonly PostingLine[]): readonly (string | number)[] =>
  // A copy has no spare capacity, unlike an array that grew.
  lines.flatMap(({ account, amount }) => [account, amount]).slice()

export function linesOf({ lines }: Pick<PostingRow, 'lines'>): readonly PostingLine[] {
  const read: PostingLine[] = []
  for (let at = 0; at < lines.length; at += 2)
    read.push({ account: lines[at] as string, amount: lines[at + 1] as number })
  return read
}

/** Returns the accounts of a posting that appear in statements: accounts of Teams, except funds in transit. */
export function statedAccounts({ lines }: Pick<PostingRow, 'lines'>): string | readonly string[] {
  let first = ''
  let all: string[] | undefined
  for (const account of lines) {
    if (typeof account !== 'string' || !isStated(account) || account === first) continue
    if (first === '') first = account
    else if (!all?.includes(account)) (all ??= [first]).push(account)
  }
  return all ?? first
}

const isStated = (account: string) => account.startsWith('team:') && !account.includes(':in_transit:')

export function amountIn({ lines }: Pick<PostingRow, 'lines'>, account: string | number): number {
  let sum = 0
  // Creates no objects: an index over all postings calls it for each.
  for (let at = 0; at < lines.length; at += 2) if (lines[at] === account) sum += lines[at + 1] as number
  return sum
}
