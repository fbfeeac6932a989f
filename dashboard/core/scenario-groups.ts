/** Groups scenarios by outcome. */
import type { Scenario } from '../../src/generated/control/types.ts'

type Sorted = Pick<Scenario, 'name' | 'source' | 'outcome' | 'operations'>

const payins = ['createCollection']
/** The first matching group takes a scenario. */
const groups: readonly (readonly [title: string, fits: (scenario: Sorted) => boolean])[] = [
  ["This world's own", ({ source }) => source === 'this world'],
  ['Cards', ({ name }) => name.startsWith('card-')],
  ['KYC reviews', ({ operations }) => operations.includes('submitKyc') && operations.length <= 2],
  ['Statements', ({ outcome }) => outcome.startsWith('statement')],
  ['Later than expected', ({ outcome }) => /, then |look-up|stays queued/.test(outcome)],
  [
    'Pay-ins that fail',
    ({ outcome, operations }) =>
      outcome.startsWith('fails') && payins.some((each) => operations.includes(each)),
  ],
  ['Payouts that fail', ({ outcome }) => outcome.startsWith('fails')],
  ['Callbacks', ({ outcome }) => /callback/.test(outcome)],
  ['Answers and connections', () => true],
]
const order = [
  "This world's own",
  'Pay-ins that fail',
  'Cards',
  'Payouts that fail',
  'Later than expected',
  'Callbacks',
  'Answers and connections',
  'KYC reviews',
  'Statements',
]

/** Groups in display order, without empty ones. */
export function grouped<S extends Sorted>(all: readonly S[]): readonly (readonly [string, readonly S[]])[] {
  const found = new Map<string, S[]>()
  for (const scenario of all) {
    const [title] = groups.find(([, fits]) => fits(scenario))!
    found.set(title, [...(found.get(title) ?? []), scenario])
  }
  return order.flatMap((title) => {
    const those = found.get(title)
    return those ? [[title, those] as const] : []
  })
}
