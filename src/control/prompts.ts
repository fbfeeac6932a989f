/** Prompts on payers' phones: what waits, and what its payer does. */
import type { Look } from '../service/domain/context.ts'
import { phoneOf } from '../service/domain/payer.ts'
import { type Phone, readNumber } from '../service/domain/phones.ts'
import { answerPrompt, findPrompt, howItEnded, isPrompt } from '../service/domain/prompts.ts'
import { readDuration } from '../service/domain/wire-time.ts'
import type { ControlHandlers } from '../http/handler.ts'
import type { TransactionRow } from '../storage/store/payment-rows.ts'
import type { ControlDependencies } from './dependencies.ts'
import { cut, type Page, pageOf } from './page.ts'
import { promptView, stateOf } from './phone-views.ts'
import { inTime, waitIn } from './waiting.ts'

const LONGEST = 60_000
/** How many of a phone's payments are looked at at once. */
const A_LOOK = 100

type Handlers = Pick<ControlHandlers, 'listPrompts' | 'getPrompt' | 'answerPrompt' | 'waitForPrompt'>

export const prompts = ({ worlds }: ControlDependencies): Handlers => ({
  async listPrompts(call) {
    const { world } = call
    const { state, phone, before, limit = 100 } = call.request.query
    const fits = (row: TransactionRow) => isPrompt(row) && (state === undefined || stateOf(row) === state)
    const asked = phone === undefined ? undefined : readNumber('phone', phone)
    const body = await world.readInSlices(async (look) => {
      const page =
        asked === undefined
          ? await pageOf(look, world.name, 'transactions', { before, limit }, fits)
          : onPhone(look, asked, fits, { before, limit })
      return { prompts: page.rows.map((row) => promptView(look, row)), next_before: page.next_before }
    })
    return { status: 200, body }
  },

  async getPrompt(call) {
    const { world, caller, request } = call
    const { id } = request.path
    return {
      status: 200,
      body: await world.read((look) => promptView(look, findPrompt(look, caller, id))),
    }
  },

  async answerPrompt(call) {
    const { world, caller, request } = call
    const { id } = request.path
    const body = await world.change((tx) => {
      const row = findPrompt(tx, caller, id)
      answerPrompt(tx, row, request.body)
      return promptView(tx, tx.rows.get('transactions', row.id)!)
    })
    return { status: 200, body }
  },

  async waitForPrompt(call) {
    const { world } = call
    const { phone, timeout = '10s' } = call.request.query
    const asked = readNumber('phone', phone)
    const most = readDuration('timeout', timeout, { most: LONGEST })
    const waits = (row: TransactionRow) => row.status === 'QUEUED' && isPrompt(row)
    const there = () => world.read((look) => onPhone(look, asked, waits, { limit: 1 }).rows[0])
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
    if (found) return { status: 200, body: await world.read((look) => promptView(look, found)) }
    return { status: 504, body: await world.read((look) => late(look, asked, inTime(most, timeout))) }
  },
})

const AUTOMATIC =
  ', which answers by itself: PATCH /sandbox/worlds/current with payer by_hand lets prompts wait'

function late(look: Look, phone: Phone, when: string) {
  const [last] = onPhone(look, phone, isPrompt, { limit: 1 }).rows
  const instead = last ? `the last one, ${last.reference}, ${howItEnded(last)}` : 'there was none before'
  const { payer = 'automatic' } = look.settings
  return {
    error_code: 'deadline_exceeded' as const,
    error_message: `no prompt waited on phone ${phone.digits} ${when}; ${instead}; the world's payer is ${payer}${payer === 'automatic' ? AUTOMATIC : ''}`,
    status_code: 504,
    last: last ? promptView(look, last) : null,
  }
}

/** A page of a phone's payments that pass the test, newest first. */
function onPhone(
  { rows }: Look,
  { digits }: Phone,
  fits: (row: TransactionRow) => boolean,
  { before = Infinity, limit }: { readonly before?: number | undefined; readonly limit: number },
): Page<TransactionRow> {
  const found: TransactionRow[] = []
  for (let offset = 0; found.length <= limit; offset += A_LOOK) {
    const some = rows.newest('transactions', 'party', digits, { offset, limit: A_LOOK })
    found.push(...some.filter((row) => row.id < before && fits(row)))
    if (some.length < A_LOOK) break
  }
  return cut(found, limit)
}
