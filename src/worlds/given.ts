/** Rows that nobody's requests made: they were imported, or made up when the world began. Certification leaves them out. */
import type { WorldRows } from '../storage/store/store.ts'

/** Its row in the table `state`; never taken over from elsewhere. */
export const GIVEN = 'given'

/** The highest id of each; 0 where none was given. */
export interface Given {
  readonly transactions: number
  readonly callbacks: number
  readonly kyc: number
  readonly invites: number
}

export const NOTHING_GIVEN: Given = { transactions: 0, callbacks: 0, kyc: 0, invites: 0 }

export const givenIn = ({ transactions, callbacks, kycs, invites }: WorldRows): Given => ({
  transactions: highest(transactions),
  callbacks: highest(callbacks),
  kyc: highest(kycs),
  invites: highest(invites),
})

const highest = (rows: readonly { readonly id?: number | undefined }[] = []) =>
  rows.reduce((most, { id = 0 }) => Math.max(most, id), 0)
