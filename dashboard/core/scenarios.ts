/** The scenarios of the current world. */
import { effect, signal } from '@preact/signals'
import type { OutcomeNumbers, Scenario, TestCard } from '../../src/generated/control/types.ts'
import { act } from './actions.ts'
import { wordsOf } from './api.ts'
import { atMostEvery } from './frame.ts'
import { session, type Session } from './session.ts'
import { changes, happenings } from './store.ts'

export const scenarios = signal<readonly Scenario[]>([])
/** The loading error. */
export const failure = signal('')
/** Numbers, values and test cards, which are the same in every world. */
export const numbers = signal<readonly OutcomeNumbers[]>([])
export const cards = signal<readonly TestCard[]>([])

let shown = false

export const readScenarios = atMostEvery(600, async () => {
  const now = session.peek()
  if (!now) return
  try {
    scenarios.value = await now.client.scenarios.list()
    failure.value = ''
  } catch (error) {
    failure.value = wordsOf(error)
  }
})

/** Loads the scenarios and reloads them after changes. @returns how to stop */
export function showScenarios(): () => void {
  shown = true
  readScenarios()
  void readNumbers()
  const stop = effect(() => {
    const { scenario, reset, request } = changes.value
    void [scenario, reset, request]
    if (shown) readScenarios()
  })
  return () => {
    shown = false
    stop()
  }
}

async function readNumbers() {
  if (numbers.peek().length > 0) return
  const { transport } = session.peek()!
  try {
    const [outcomes, testCards] = await Promise.all([
      transport.ask<{ test_numbers: OutcomeNumbers[] }>('GET', '/sandbox/test-numbers'),
      transport.ask<{ test_cards: TestCard[] }>('GET', '/sandbox/test-cards'),
    ])
    numbers.value = outcomes.test_numbers
    cards.value = testCards.test_cards ?? []
  } catch {
    // The page works without them.
  }
}

/** Changes scenarios and reports the result. */
export const change = (work: (client: Session['client']) => Promise<unknown>, done: string) =>
  act(async ({ client }) => {
    await work(client)
    readScenarios()
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
