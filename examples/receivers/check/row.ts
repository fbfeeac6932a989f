/** What is sent to each receiver, and what is right. */
import type { ScenarioFile, ShippedScenario } from '../../../src/generated/scenario-file.ts'
import type { Answer, Sender } from './sender.ts'

/** An order as the receiver knows it. */
export interface Order {
  readonly status: string
  /** How often goods were handed out. */
  readonly fulfilled: number
  readonly paid: number
}

export interface Row {
  /** What is sent: the first column of the table. */
  readonly title: string
  readonly play: Play
  readonly answers: Rule
  /** What becomes of the order; of several each is right. */
  readonly order: Order | readonly Order[]
}

export type Play =
  /** A payment of the sandbox that goes as a shipped scenario has it. */
  | {
      readonly scenario: ShippedScenario
      readonly operation?: 'createWithdrawal'
      /** What is not taken is sent again. */
      readonly again?: true
    }
  /** One that goes as is said here. */
  | { readonly then: ScenarioFile['then'] }
  /** Whatever somebody who knows the secret can send. */
  | { readonly send: (sender: Sender) => Promise<readonly Answer[]> }

export interface Rule {
  readonly text: string
  fits(answers: readonly Answer[]): boolean
}

const is2xx = (answer: Answer) => answer !== null && answer >= 200 && answer < 300
const is4xx = (answer: Answer) => answer !== null && answer >= 400 && answer < 500
const all = (fits: (answer: Answer) => boolean) => (answers: readonly Answer[]) =>
  answers.length > 0 && answers.every(fits)

/** What answers may be. A redirect and a failure of the receiver's own are never right. */
export const rules = {
  taken: { text: '2xx', fits: all(is2xx) },
  refused: { text: '4xx', fits: all(is4xx) },
  either: { text: '2xx or 4xx', fits: all((answer) => is2xx(answer) || is4xx(answer)) },
  tooLarge: { text: '413', fits: all((answer) => answer === 413) },
  cut: { text: 'cut', fits: all((answer) => answer === null) },
  cutThenTaken: { text: 'cut, 2xx', fits: ([first, ...rest]) => first === null && all(is2xx)(rest) },
  none: { text: 'none', fits: (answers) => answers.length === 0 },
} as const satisfies Record<string, Rule>

/** What an order of 1,000 shillings comes to. */
export const orders = {
  waiting: { status: 'waiting', fulfilled: 0, paid: 0 },
  paid: { status: 'paid', fulfilled: 1, paid: 1000 },
  failed: { status: 'failed', fulfilled: 0, paid: 0 },
  review: { status: 'review', fulfilled: 0, paid: 0 },
  reversed: { status: 'reversed', fulfilled: 0, paid: 0 },
  /** Goods were handed out before: somebody has to fetch them. */
  reversedLate: { status: 'reversed', fulfilled: 1, paid: 0 },
} as const satisfies Record<string, Order>

/** A cell of the table: `204 ×2, paid`. */
export function cellOf(answers: readonly Answer[], order: Order): string {
  const runs: [text: string, times: number][] = answers.length === 0 ? [['none', 1]] : []
  for (const answer of answers) {
    const text = answer === null ? 'cut' : String(answer)
    const last = runs.at(-1)
    if (last?.[0] === text) last[1] += 1
    else runs.push([text, 1])
  }
  const said = runs.map(([text, times]) => (times === 1 ? text : `${text} ×${times}`))
  return [...said, effectOf(order)].join(', ')
}

export function effectOf({ status, fulfilled }: Order): string {
  const usual = status === 'paid' ? 1 : 0
  return fulfilled === usual ? status : `${status} after ${fulfilled} delivered`
}
