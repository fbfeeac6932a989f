/** Shipped scenarios that say something of callbacks, or have more than one come. */
import { readdirSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { ScenarioFile, ShippedScenario } from '../../../src/generated/scenario-file.ts'
import { type Order, orders, type Row, type Rule, rules } from './row.ts'

const as = (answers: Rule, order: Order) => ({ answers, order })

const scenarios: Partial<Record<ShippedScenario, ReturnType<typeof as>>> = {
  'payer-cancels': as(rules.taken, orders.failed),
  'late-success': as(rules.taken, orders.paid),
  'success-then-reversed': as(rules.taken, orders.reversedLate),
  'callbacks-out-of-order': as(rules.taken, orders.reversed),
  // A payout that has the order's reference pays nothing.
  'returned-next-day': as(rules.taken, orders.waiting),
  'duplicate-callback': as(rules.taken, orders.paid),
  'callbacks-at-once': as(rules.taken, orders.paid),
  'callback-response-lost': as(rules.cutThenTaken, orders.paid),
  'callback-before-response': as(rules.taken, orders.paid),
  'callback-late': as(rules.taken, orders.paid),
  'callback-lost': as(rules.none, orders.waiting),
  'callback-underpaid': as(rules.taken, orders.review),
  'callback-overpaid': as(rules.taken, orders.review),
  'callback-other-currency': as(rules.taken, orders.review),
  'callback-unknown-payment': as(rules.either, orders.waiting),
  'callback-extra-fields': as(rules.taken, orders.paid),
  'callback-reformatted': as(rules.taken, orders.paid),
  'callback-huge': as(rules.tooLarge, orders.waiting),
}

export const scenarioRows: readonly Row[] = Object.entries(scenarios).map(([name, expected]) => ({
  title: `outcome \`${name}\``,
  play: {
    scenario: name as ShippedScenario,
    ...(name === 'returned-next-day' && { operation: 'createWithdrawal' as const }),
    ...(name === 'callback-response-lost' && { again: true as const }),
  },
  ...expected,
}))

/** Those of the folder that nobody has said what is right of. */
export function scenariosWithoutRow(folder: string): readonly string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'))
  const aboutCallbacks = files.filter((name) => {
    const {
      then,
      steps = [],
      choices = [],
    } = parse(readFileSync(`${folder}/${name}`, 'utf8')) as ScenarioFile
    const all = [then, ...steps.map((step) => step.then), ...choices.map((choice) => choice.then)]
    return all.some((each) => each?.callback !== undefined || each?.later !== undefined)
  })
  return aboutCallbacks.map((name) => name.replace('.yaml', '')).filter((name) => !(name in scenarios))
}
