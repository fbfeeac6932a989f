/** Groups scenarios by outcome. */
import type { Scenario } from '../../src/generated/control/types.ts'

type Sorted = Pick<Scenario, 'name' | 'source' | 'outcome' | 'operations'>

const payins = ['createCollection']
/** The first matching group takes a scenario. */
const groups: readonly (readonly [title: string, fits: (scenario: Sorted) => boolean])[] = [
  ['Custom', ({ source }) => source === 'this world'],
  ['Cards', ({ name }) => name.startsWith('card-')],
  ['KYC reviews', ({ operations }) => operations.includes('submitKyc') && operations.length <= 2],
  ['Statements', ({ outcome }) => outcome.startsWith('statement')],
  ['Delays', ({ outcome }) => /, then |status quer|stays queued/.test(outcome)],
  [
    'Failing pay-ins',
    ({ outcome, operations }) =>
      outcome.startsWith('fails') && payins.some((each) => operations.includes(each)),
  ],
  ['Failing payouts', ({ outcome }) => outcome.startsWith('fails')],
  ['Callbacks', ({ outcome }) => /callback/.test(outcome)],
  ['Responses and connections', () => true],
]
const order = [
  'Custom',
  'Failing pay-ins',
  'Cards',
  'Failing payouts',
  'Delays',
  'Callbacks',
  'Responses and connections',
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

const PAYMENTS = ['createCollection', 'createWithdrawal', 'createGlobalPayment']

/** Whether a scenario may decide payments. */
export const isOfPayments = ({ operations }: Pick<Scenario, 'operations'>): boolean =>
  operations.some((each) => PAYMENTS.includes(each))
