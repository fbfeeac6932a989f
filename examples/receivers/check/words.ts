/** What the sandbox can do to callbacks, each shown by a row; what has none does not compile, or stops the run. */
import type { ScenarioThen } from '../../../src/generated/scenario-file.ts'
import type { callbackWords } from '../../../src/scenarios/then/callback.ts'
import type { CallbackMethod } from '../../../src/service/vocabulary/terms.ts'
import { orders, type Order, type Row, type Rule, rules } from './row.ts'

type CallbackWord = (typeof callbackWords)[number]

const inOneWord = (answers: Rule, order: Order, besides: ScenarioThen = {}) => ({ answers, order, besides })
const reversal: ScenarioThen = { settle: { status: 'success' }, later: [{ after: '0s', status: 'reversed' }] }

/** In one word: `Prefer: callback=…`, `callback: …` of a scenario file, `fault` of `fire`. */
const words = {
  duplicate: inOneWord(rules.taken, orders.paid),
  'out-of-order': inOneWord(rules.taken, orders.reversed, reversal),
  first: inOneWord(rules.taken, orders.paid),
  late: inOneWord(rules.taken, orders.paid),
  drop: inOneWord(rules.none, orders.waiting),
  tampered: inOneWord(rules.refused, orders.waiting),
  'wrong-secret': inOneWord(rules.refused, orders.waiting),
  stale: inOneWord(rules.refused, orders.waiting),
  future: inOneWord(rules.refused, orders.waiting),
  unsigned: inOneWord(rules.refused, orders.waiting),
  'malformed-signature': inOneWord(rules.refused, orders.waiting),
  'truncated-body': inOneWord(rules.cut, orders.waiting),
  slow: inOneWord(rules.taken, orders.paid),
  'lost-response': inOneWord(rules.cutThenTaken, orders.paid),
  reformatted: inOneWord(rules.taken, orders.paid),
  'second-signature': inOneWord(rules.taken, orders.paid),
  'upper-case-headers': inOneWord(rules.taken, orders.paid),
} satisfies Record<CallbackWord, ReturnType<typeof inOneWord>>

/** Instead of POST. */
const methods = {
  PUT: rules.refused,
  PATCH: rules.refused,
  DELETE: rules.refused,
  GET: rules.refused,
  HEAD: rules.refused,
} satisfies Record<CallbackMethod, Rule>

/** What was broken off or lost is sent again. */
const again = { retry: { profile: 'sandbox' } } as const

export const wordRows: readonly Row[] = Object.entries(words).map(([word, { answers, order, besides }]) => ({
  title: `\`${word}\``,
  play: {
    then: {
      ...besides,
      callback: word === 'lost-response' ? { fault: word, ...again } : (word as CallbackWord),
    },
  },
  answers,
  order,
}))

type CallbackMap = Exclude<ScenarioThen['callback'], string | undefined>
const map = (title: string, callback: CallbackMap, answers: Rule, order: Order): Row => ({
  title,
  play: { then: { callback } },
  answers,
  order,
})

const methodRows = Object.entries(methods).map(([method, answers]) =>
  map(`\`method: ${method}\``, { method: method as CallbackMethod }, answers, orders.waiting),
)

/** As a map: the words of a scenario file's `callback`, of which `fire` has most. */
export const mapRows = {
  after: [map('`after: 1h`', { after: '1h' }, rules.taken, orders.paid)],
  times: [map('`times: 3`', { times: 3 }, rules.taken, orders.paid)],
  concurrent: [map('`times: 50, concurrent`', { times: 50, concurrent: true }, rules.taken, orders.paid)],
  first: [],
  drop: [],
  outOfOrder: [],
  shape: [
    map('`shape: nested`', { shape: 'nested' }, rules.taken, orders.paid),
    map(
      '`shape: nested`, smaller amount',
      { shape: 'nested', set: { amount: 1 } },
      rules.taken,
      orders.review,
    ),
  ],
  fault: [],
  set: [
    map('`set`: extra fields', { set: { risk_score: 12, name: 'Ødegård 💸' } }, rules.taken, orders.paid),
    map('`set`: smaller amount', { set: { amount: 999.99 } }, rules.taken, orders.review),
    map('`set`: unknown status', { set: { status: 'held' } }, rules.taken, orders.waiting),
    map('`set`: a payout', { set: { transaction_type: 'outbound_payment' } }, rules.taken, orders.waiting),
    map('`set`: amount as text', { set: { amount: '1000' } }, rules.refused, orders.waiting),
  ],
  method: methodRows,
  contentType: [
    map('`contentType: text/plain`', { contentType: 'text/plain' }, rules.refused, orders.waiting),
    map(
      '`contentType: application/x-www-form-urlencoded`',
      { contentType: 'application/x-www-form-urlencoded' },
      rules.refused,
      orders.waiting,
    ),
    map(
      '`contentType: application/json; charset=utf-8`',
      { contentType: 'application/json; charset=utf-8' },
      rules.taken,
      orders.paid,
    ),
  ],
  padding: [
    map('`padding: 60000`', { padding: 60_000 }, rules.taken, orders.paid),
    map('`padding: 70000`', { padding: 70_000 }, rules.tooLarge, orders.waiting),
  ],
  retry: [],
} satisfies Record<keyof CallbackMap, readonly Row[]>
