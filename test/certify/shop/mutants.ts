import type { CheckId } from '../../../src/certify/checks.ts'
import type { Habits } from './habits.ts'
import { clientMutants } from './mutants-client.ts'
import { otherMutants } from './mutants-others.ts'
import { receiverMutants } from './mutants-receiver.ts'

/** A shop with one fault, or one whose tests left something out. */
export interface Mutant {
  /** What it does wrong, in a sentence. */
  readonly fault: string
  /** What it does otherwise than the careful shop. Made anew for each shop, as some remember something. */
  readonly habits?: (careful: Habits) => Partial<Habits>
  /** Where it is called back. */
  readonly origin?: string
  /** Checks that cannot but fail too, as they look at the same thing. */
  readonly also?: readonly CheckId[]
}

/** One for each check; it does not compile when a check has none. */
export const mutants: Readonly<Record<CheckId, Mutant>> = {
  ...receiverMutants,
  ...clientMutants,
  ...otherMutants,
}
