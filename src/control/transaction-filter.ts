import { countries } from '../service/domain/countries/countries.ts'
import type { Caller, Look } from '../service/domain/context.ts'
import { seesTeams } from '../service/domain/visible.ts'
import type { ListTransactionsQuery } from '../generated/control/requests.ts'
import type { TransactionRow } from '../storage/store/payment-rows.ts'
import { callbackStateOf } from './transaction-views.ts'

type Test = (row: TransactionRow) => boolean
type Filter = Omit<ListTransactionsQuery, 'reference' | 'before' | 'limit' | 'format'>

/** Fields of which a filter names the value. */
const SAME = ['status', 'reason', 'rail', 'direction', 'operation', 'account_id', 'scenario'] as const

/** Whether a transaction is one that the caller sees and asks for. What is quick to tell is looked at first. */
export function transactionTest(look: Look, caller: Caller, filter: Filter): Test {
  const sees = seesTeams(look, caller)
  const tests: Test[] = [({ account_id }) => sees(account_id)]
  for (const name of SAME) {
    const wanted = filter[name]
    if (wanted !== undefined) tests.push((row) => row[name] === wanted)
  }
  const { party, search, from, to, callback_state } = filter
  if (from !== undefined || to !== undefined) tests.push(acceptedIn(from, to))
  if (party !== undefined) {
    const forms = formsOf(party)
    tests.push((row) => forms.has(row.party))
  }
  if (search !== undefined) tests.push(hasText(search))
  if (callback_state !== undefined) tests.push((row) => callbackStateOf(look, row) === callback_state)
  return (row) => tests.every((test) => test(row))
}

function acceptedIn(from: string | undefined, to: string | undefined): Test {
  const begin = from === undefined ? -Infinity : Date.parse(from)
  const end = to === undefined ? Infinity : Date.parse(to)
  return ({ created_at }) => created_at >= begin && created_at < end
}

/** What the party of a row may be that is asked for in a local or international form. */
function formsOf(party: string): ReadonlySet<string> {
  const bare = party.replace(/[\s-]/g, '').replace(/^\+/, '')
  const local = /^0\d{6,12}$/.test(bare) ? countries.map(({ dial_code }) => dial_code + bare.slice(1)) : []
  return new Set([party.trim(), bare, ...local])
}

/** By a pattern, which is twice as quick as a copy in lower case of each of the texts. */
function hasText(text: string): Test {
  const pattern = new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'i')
  return (row) =>
    pattern.test(row.reference) ||
    pattern.test(row.external_reference) ||
    pattern.test(row.checkout_request_id) ||
    pattern.test(row.provider_reference) ||
    pattern.test(row.party) ||
    pattern.test(row.provider)
}
