import type { Populate } from '../../generated/control/types.ts'

/** How much is made up, nothing left out. */
export interface Amounts {
  readonly teams: number
  readonly members: number
  readonly transactions: number
  readonly days: number
  readonly seed: number
}

/** What was asked for, with what was left out as the description has it. */
export const amountsOf = (asked: Populate): Amounts => ({
  teams: asked.teams ?? 5,
  members: asked.members ?? 10,
  transactions: asked.transactions ?? 500,
  days: asked.days ?? 30,
  seed: asked.seed ?? 1,
})

/** For how long and how many transactions a world keeps that has to have all of the history: what comes later has room, too. */
export function keepFor(asked: Populate): string {
  const { days, transactions } = amountsOf(asked)
  return `${days + 30}d,${Math.max(20_000, 2 * transactions)}`
}
