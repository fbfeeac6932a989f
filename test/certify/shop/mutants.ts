import type { CheckId } from '../../../src/certify/check-ids.ts'
import type { Habits } from './habits.ts'
import { clientMutants } from './mutants-client.ts'
import { otherMutants } from './mutants-others.ts'
import { payoutMutants } from './mutants-payouts.ts'
import { effectMutants } from './mutants-effects.ts'
import { mannersMutants } from './mutants-manners.ts'
import { signatureMutants } from './mutants-signatures.ts'

/** A shop with one fault, or one whose tests left something out. */
export interface Mutant {
  /** What it does wrong, in a sentence. */
  readonly fault: string
  /** What it does otherwise than the careful shop. Made anew for each shop, as some remember something. */
  readonly habits?: (careful: Habits) => Partial<Habits>
  /** Where it is called back. */
  readonly origin?: string
}

/** One for each check; it does not compile when a check has none. */
export const mutants: Readonly<Record<CheckId, Mutant>> = {
  ...signatureMutants,
  ...effectMutants,
  ...mannersMutants,
  ...clientMutants,
  ...payoutMutants,
  ...otherMutants,
}
