import { handlers, pageOf, pageOfTransactions, ok } from './page.ts'
import { inTime, waitIn } from './waiting.ts'
import type { Phone as PhoneView, PhoneSummary, Prompt } from '../generated/control/types.ts'
import type { Look } from '../service/domain/context.ts'
import { fromShillings, toMajor } from '../service/domain/money.ts'
import { type Phone, readNumber } from '../service/domain/countries/countries.ts'
import { networkOf, operatorOf } from '../service/domain/countries/networks.ts'
import { isLocked, phoneOf, waitsUntil } from '../service/domain/prompts.ts'
import {
  changePhone,
  payFromPhone,
  phoneRow,
  respondToPrompt,
  endUnreached,
  findPrompt,
  describeEnd,
  isPrompt,
  businessOf,
  messagesOf,
  promptText,
} from '../service/domain/phones.ts'
import { flatResult } from '../service/domain/callbacks.ts'
import { exactOrNull, exactTime, readDuration } from '../service/domain/wire-time.ts'
import { isOfPhone } from '../service/vocabulary/rails.ts'
import type { TransactionRow } from '../storage/store/payment-rows.ts'
import type { PhoneRow } from '../storage/store/rows.ts'

export const phones = handlers(({ worlds }) => ({
  listPhones: {
    read(look, { request }) {
      const { before, limit = 100 } = request.query
      const last = before === undefined ? undefined : readNumber('before', before).digits
      const waiting = waitingBy(look)
      const numbers = new Set([...waiting.keys(), ...look.rows.all('phones').map(({ number }) => number)])
      const sorted = [...numbers]
        .filter((number) => last === undefined || number < last)
        .sort()
        .reverse()
      const page = sorted.slice(0, limit)
      const views = page.map((number) =>
        phoneSummary(phoneRow(look, number), readNumber('number', number), waiting.get(number) ?? 0),
      )
      return ok({ phones: views, next_before: sorted.length > page.length ? page.at(-1)! : null })
    },
  },

  getPhone: {
    read: (look, { request }) => ok(phoneView(look, readNumber('number', request.path.number))),
  },

  updatePhone: {
    change(tx, { request }) {
      const phone = readNumber('number', request.path.number)
      changePhone(tx, phone, request.body)
      endUnreached(tx, phone.digits)
      return ok(phoneView(tx, phone))
    },
  },

  payFromPhone: {
    change: (tx, { request: { path, body } }) =>
      ok(flatResult(payFromPhone(tx, readNumber('number', path.number), body))),
  },

  async listPrompts({ world, request }) {
    const { state, phone, before, limit = 100 } = request.query
    const fits = (row: TransactionRow) => isPrompt(row) && (state === undefined || stateOf(row) === state)
    const asked = phone === undefined ? undefined : readNumber('phone', phone)
    const body = await world.readInSlices(async (look) => {
      const page =
        asked === undefined
          ? await pageOf(look, world.name, 'transactions', { before, limit }, fits)
          : pageOfTransactions(look, 'party', asked.digits, { before, limit }, fits)
      return { prompts: page.rows.map((row) => promptView(look, row)), next_before: page.next_before }
    })
    return ok(body)
  },

  getPrompt: {
    read: (look, { caller, request }) => ok(promptView(look, findPrompt(look, caller, request.path.id))),
  },

  respondToPrompt: {
    change(tx, { caller, request }) {
      const row = findPrompt(tx, caller, request.path.id)
      respondToPrompt(tx, row, request.body)
      return ok(promptView(tx, tx.rows.get('transactions', row.id)!))
    },
  },

  async waitForPrompt(call) {
    const { world } = call
    const { phone, timeout = '10s' } = call.request.query
    const asked = readNumber('phone', phone)
    const most = readDuration('timeout', timeout, { most: LONGEST })
    const waits = (row: TransactionRow) => row.status === 'QUEUED' && isPrompt(row)
    const there = async () =>
      world.read((look) => pageOfTransactions(look, 'party', asked.digits, { limit: 1 }, waits).rows[0])
    const found =
      most === 0
        ? await there()
        : await waitIn<TransactionRow>(call, worlds, most, (found, failed) => {
            const stop = world.onCommit((written) => {
              for (const { table, row } of written) {
                if (table !== 'transactions' || !row) continue
                const payment = row as TransactionRow
                if (waits(payment) && phoneOf(payment) === asked.digits) found(payment)
              }
            })
            there().then((row) => row && found(row), failed)
            return stop
          })
    if (found) return ok(await world.read((look) => promptView(look, found)))
    return { status: 504, body: await world.read((look) => late(look, asked, inTime(most, timeout))) }
  },
}))

function waitingBy({ rows }: Look): ReadonlyMap<string, number> {
  const waiting = new Map<string, number>()
  for (const row of rows.find('transactions', 'held', 'yes'))
    if (isPrompt(row)) waiting.set(phoneOf(row), (waiting.get(phoneOf(row)) ?? 0) + 1)
  return waiting
}

/** Maximum number of recent payments read per phone. */
const LOOKED_AT = 1_000
const MOST_PROMPTS = 20
const MOST_MESSAGES = 50
const MOST_OFFERS = 50
/**
 * The initial balance in Kenyan shillings or their equivalent: the amount of the largest possible payment.
 */
const FIRST_BALANCE = 1_000_000

export function promptView(look: Look, row: TransactionRow): Prompt {
  const until = waitsUntil(row)
  return {
    id: row.reference,
    external_reference: row.external_reference,
    phone: phoneOf(row),
    account_id: row.account_id,
    business: businessOf(look, row),
    amount: toMajor(row.amount, row.currency),
    currency: row.currency,
    text: promptText(look, row),
    state: stateOf(row),
    reason: row.reason,
    message: row.status === 'QUEUED' ? '' : flatResult(row).message,
    created_at: exactTime(row.created_at),
    expires_at: exactOrNull(until),
    responded_at: exactOrNull(row.responded_at),
    ended_at: exactOrNull(row.settled_at),
  }
}

function stateOf({ status }: TransactionRow): Prompt['state'] {
  if (status === 'QUEUED') return 'waiting'
  return status === 'FAILED' ? 'failed' : 'paid'
}

function phoneSummary(row: PhoneRow, { digits, country }: Phone, waiting: number): PhoneSummary {
  const { number, on, registered, operator } = row
  const { code } = country
  const network = networkOf({ country: code, rail: 'momo', party: digits })?.name ?? ''
  const carrier = operatorOf(country, digits)?.name ?? ''
  return { number, country: code, carrier, network, on, registered, operator, locked: isLocked(row), waiting }
}

function phoneView(look: Look, phone: Phone): PhoneView {
  const { digits, country } = phone
  const row = phoneRow(look, digits)
  const payments = look.rows
    .newest('transactions', 'party', digits, { offset: 0, limit: LOOKED_AT })
    .filter(isOfPhone)
  const prompts = payments.filter(isPrompt)
  const waiting = prompts.filter(({ status }) => status === 'QUEUED').length
  const messages = messagesOf(look, payments, MOST_MESSAGES)
  return {
    ...phoneSummary(row, phone, waiting),
    pin: row.pin,
    wrong_pins: row.wrong_pins,
    balances: balances(row, country.currency, payments),
    prompts: prompts.slice(0, MOST_PROMPTS).map((each) => promptView(look, each)),
    messages: messages.map(({ at, text, row: { reference: transaction } }) => ({
      at: exactTime(at),
      text,
      transaction,
    })),
    menu: payments
      .filter(({ is_offline, status }) => is_offline && status === 'QUEUED')
      .slice(0, MOST_OFFERS)
      .map((each) => offerView(look, each)),
  }
}

function offerView(look: Look, row: TransactionRow): PhoneView['menu'][number] {
  const [job] = look.rows.find('jobs', 'expire', row.id)
  return {
    transaction: row.reference,
    business: businessOf(look, row),
    business_number: '756756',
    account_number: `553125#${row.checkout_request_id}`,
    amount: toMajor(row.amount, row.currency),
    currency: row.currency,
    expires_at: job ? exactTime(job.due_at) : null,
  }
}

/**
 * Returns the balances of a phone, its country's currency first. That one is derived from the payments unless
 * it was set.
 */
function balances(row: PhoneRow, own: string, payments: readonly TransactionRow[]): PhoneView['balances'] {
  const { [own]: said, ...others } = row.balances
  const money = (currency: string, amount: number, limited: boolean) => ({
    currency,
    amount: toMajor(amount, currency),
    limited,
  })
  return [
    money(own, said ?? reckoned(own, payments), said !== undefined),
    ...Object.entries(others).map(([currency, amount]) => money(currency, amount, true)),
  ]
}

function reckoned(own: string, payments: readonly TransactionRow[]): number {
  const moved = payments
    .filter(({ status, currency }) => status === 'SUCCESS' && currency === own)
    .reduce((sum, { direction, amount }) => sum + (direction === 'payin' ? -amount : amount), 0)
  return Math.max(0, fromShillings(FIRST_BALANCE, own) + moved)
}

const LONGEST = 60_000

const AUTOMATIC =
  ', so prompts do not wait for an answer; to change that, PATCH /sandbox/worlds/current with payer manual'

function late(look: Look, phone: Phone, when: string) {
  const [last] = pageOfTransactions(look, 'party', phone.digits, { limit: 1 }, isPrompt).rows
  const instead = last ? `the last one, ${last.reference}, ${describeEnd(last)}` : 'the phone has had none'
  const { payer = 'automatic' } = look.settings
  return {
    error_code: 'deadline_exceeded' as const,
    error_message: `no prompt waited on phone ${phone.digits} ${when}; ${instead}; the world's payer is ${payer}${payer === 'automatic' ? AUTOMATIC : ''}`,
    status_code: 504,
    last: last ? promptView(look, last) : null,
  }
}
