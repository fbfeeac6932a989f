/** What the rows of each table take, by the texts that callers choose. */
import { changingBytes, textBytes, valueBytes } from './row-bytes.ts'
import type * as R from './rows.ts'

/** A row's place in its table and under each look-up. */
const PLACE = 160
/** A row of a table that is seldom written is counted by everything it holds. */
export const whole = (row: object) => PLACE + valueBytes(row)

/** The tables of a payment, whose rows are written too often to look at every field; short fixed words are in the constant. */
const TRANSACTION = 900
const CHANNEL = 500
const LINE = 120
const JOB = 400
const CALLBACK = 400

export function transaction(row: R.TransactionRow): number {
  const {
    plan,
    history,
    cards,
    scenario,
    trace,
    callback_url,
    redirect_url,
    external_reference,
    party,
    provider,
  } = row
  const texts = textBytes(callback_url) + textBytes(redirect_url) + textBytes(party) + textBytes(provider)
  const own = TRANSACTION + texts + textBytes(external_reference)
  const rare =
    (plan ? valueBytes(plan) : 0) +
    (history ? valueBytes(history) : 0) +
    (cards ? valueBytes(cards) : 0) +
    (scenario ? textBytes(scenario) : 0) +
    (trace ? valueBytes(trace) : 0)
  return row.status === 'QUEUED' ? own + rare + toCome(row) : own + rare
}

/** What settling it will write is counted beforehand: what was accepted must not find the room taken. */
function toCome({ callback_url, external_reference }: R.TransactionRow): number {
  const ledger = 2 * (PLACE + 3 * LINE)
  return callback_url === ''
    ? ledger
    : // The callback and its attempt keep the address, each.
      ledger + CALLBACK + JOB + 600 + 2 * textBytes(callback_url) + textBytes(external_reference)
}

export function channel({ account_number, short_code, description }: R.ChannelRow): number {
  return CHANNEL + textBytes(account_number) + textBytes(short_code) + textBytes(description)
}

export function posting({ lines }: R.PostingRow): number {
  // Two places a line, or an object.
  const each = typeof lines?.[0] === 'object' ? LINE : LINE / 2
  return PLACE + each * (Array.isArray(lines) ? lines.length : 0)
}

/** Numbers and words of ours, under three look-ups. */
export const accountTransaction = () => PLACE + 300

/** Their names are ours, and short. */
export const named = () => PLACE + 80

export function job({ task, failed }: R.JobRow): number {
  const reasons = task?.kind === 'review' ? valueBytes(task) : 0
  return JOB + reasons + (failed ? valueBytes(failed) : 0)
}

export const callback = ({ url, body, trace }: R.CallbackRow) =>
  CALLBACK + textBytes(url) + textBytes(body) + (trace ? valueBytes(trace) : 0)

export const state = ({ name, value }: R.StateRow) => PLACE + textBytes(name) + changingBytes(value)
