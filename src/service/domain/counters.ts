import type { CounterRow } from '../../storage/store/rows.ts'
import type { WorldRows } from '../../storage/store/store.ts'
import type { Look, Tx } from './context.ts'

/** Where each sequence of a world starts; seeds use the numbers below. */
const starts = {
  user: 100,
  team: 1_000,
  channel: 10_000,
  kyc: 500,
  transaction: 0,
  checkout: 29_118,
  own_reference: 0,
  posting: 0,
  account_transaction: 0,
  job: 0,
  callback: 0,
  attempt: 0,
  inbox: 0,
  invite: 0,
  mail: 0,
} as const

/** The next number of a sequence: each is given out once in a world. */
export const next = (tx: Tx, counter: keyof typeof starts): number =>
  tx.rows.increment(counter, starts[counter])

/** For each sequence that numbers rows: the highest number that the rows of a world have. */
const counted = {
  user: (rows) => highest(rows.users),
  team: (rows) => highest(rows.teams),
  channel: (rows) => highest(rows.channels),
  kyc: (rows) => highest(rows.kycs),
  transaction: (rows) => highest(rows.transactions),
  posting: (rows) => highest(rows.postings),
  account_transaction: (rows) => highest(rows.accountTransactions),
  job: (rows) => highest(rows.jobs),
  callback: (rows) => highest(rows.callbacks),
  attempt: (rows) => highest(rows.attempts),
  inbox: (rows) => highest(rows.inbox),
  invite: (rows) => rows.invites?.reduce((most, { id = 0 }) => Math.max(most, id), rows.invites.length) ?? 0,
  mail: (rows) => highest(rows.mails),
} as const satisfies { readonly [Name in keyof typeof starts]?: (rows: WorldRows) => number }

const highest = (rows: readonly { readonly id: number }[] = []) =>
  rows.reduce((most, { id }) => Math.max(most, id), 0)

/** The counters of rows that come from a seed or an export: none may give out a number that a row already has. */
export function countersOf(rows: WorldRows): readonly CounterRow[] {
  const values = new Map(rows.counters?.map(({ name, value }) => [name, value]))
  for (const [name, least] of Object.entries(counted)) {
    const reached = least(rows)
    if (reached > (values.get(name) ?? starts[name as keyof typeof starts])) values.set(name, reached)
  }
  return [...values].map(([name, value]) => ({ name, value }))
}
/** Whether a number of a sequence was given out already. */
export const wasGivenOut = ({ rows }: Look, counter: keyof typeof starts, number: number): boolean =>
  number > starts[counter] && number <= (rows.get('counters', counter)?.value ?? 0)
