import type { OutcomeNumbers, Scenario, TestCard } from '../../src/generated/control/types.ts'
import { act } from './actions.ts'
import { listOf, wholeResource } from './resource.ts'
import { session, type Session } from './session.ts'
import { happenings } from './store.ts'

export const scenarioList = listOf(
  wholeResource<Scenario>(() => session.peek()!.client.scenarios.list(), ['scenario', 'request']),
)
export const scenarios = scenarioList.items

/** Numbers, values and test cards, which are the same in every world. */
export async function readTestValues() {
  const { transport } = session.peek()!
  const [{ test_numbers }, { test_cards }] = await Promise.all([
    transport.ask<{ test_numbers: OutcomeNumbers[] }>('GET', '/sandbox/test-numbers'),
    transport.ask<{ test_cards: TestCard[] }>('GET', '/sandbox/test-cards'),
  ])
  return { numbers: test_numbers, cards: test_cards }
}

export const change = (work: (client: Session['client']) => Promise<unknown>, done: string) =>
  act(async ({ client }) => {
    await work(client)
    void scenarioList.load()
    return done
  })

export interface Decided {
  readonly id: string
  readonly reference: string | null
  readonly status: number
  readonly at: string
}

/** Returns known requests that a scenario decided, newest first. */
export const decidedBy = (name: string): readonly Decided[] =>
  happenings.value.flatMap(({ type, at, data }) =>
    type === 'request' && data['scenario'] === name ? [{ ...data, at } as unknown as Decided] : [],
  )

export const isOwn = ({ source }: Scenario) => source === 'this world'
