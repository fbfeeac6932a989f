import type { Look, Tx } from './context.ts'

/** Where each sequence of a world starts; seeds use the numbers below. */
const starts = {
  user: 100,
  team: 1_000,
  channel: 10_000,
  kyc: 500,
  transaction: 0,
  checkout: 29_118,
  posting: 0,
  job: 0,
  callback: 0,
  attempt: 0,
  inbox: 0,
  invite: 0,
  mail: 0,
} as const

/** The next number of a sequence: each is given out once in a world. */
export const next = (tx: Tx, counter: keyof typeof starts): Promise<number> =>
  tx.rows.increment(counter, starts[counter])

/** Whether a number of a sequence was given out already. */
export const wasGivenOut = async (
  { rows }: Look,
  counter: keyof typeof starts,
  number: number,
): Promise<boolean> =>
  number > starts[counter] && number <= ((await rows.get('counters', counter))?.value ?? 0)
