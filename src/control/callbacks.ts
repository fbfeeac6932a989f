import { timeSlice } from '../lib/clock/time-slice.ts'
import { addJob, type Look, type Tx, wasGivenOut } from '../service/domain/context.ts'
import { noneLeft, notFound, ServiceError } from '../service/domain/errors.ts'
import { fireCallback } from '../service/domain/callbacks.ts'
import { requireKept } from '../service/domain/archive.ts'
import { findTransaction } from '../service/domain/transactions.ts'
import type { CallbackRow } from '../storage/store/payment-rows.ts'
import { callbackDetails, callbackView } from './callback-views.ts'
import type { ControlHandlers } from '../http/handler.ts'
import { cut, pageOf } from './page.ts'
import { readDuration } from '../service/domain/wire-time.ts'

type Handlers = Pick<
  ControlHandlers,
  'listCallbacks' | 'getCallback' | 'resendCallback' | 'resendCallbacks' | 'fireCallback'
>

export const callbacks: Handlers = {
  async listCallbacks(call) {
    const { world } = call
    const { transaction, reference, state, url, since, before, limit = 100 } = call.request.query
    const from = since === undefined ? -Infinity : Date.parse(since)
    const fits = (row: CallbackRow) =>
      (state === undefined || row.state === state) &&
      row.created_at >= from &&
      (url === undefined || row.url.includes(url))
    const answer = await world.readInSlices(async (look) => {
      const about = callbacksAbout(look, transaction, reference)
      if (about?.length === 0 && transaction !== undefined) requireKept(look, 'transaction', transaction)
      const page = about
        ? cut(about.filter((row) => fits(row) && row.id < (before ?? Infinity)).toReversed(), limit)
        : await pageOf(look, world.name, 'callbacks', { before, limit }, fits)
      return {
        callbacks: page.rows.map((row) => callbackView(look, world.name, row)),
        next_before: page.next_before,
      }
    })
    return { status: 200, body: answer }
  },

  async getCallback(call) {
    const { world } = call
    const { id } = call.request.path
    const answer = await world.read((look) => callbackDetails(look, world.name, requireCallback(look, id)))
    return { status: 200, body: answer }
  },

  async resendCallback(call) {
    const { world } = call
    const { id } = call.request.path
    const answer = await world.change((tx) =>
      callbackDetails(tx, world.name, sendAgain(tx, requireCallback(tx, id))),
    )
    return { status: 200, body: answer }
  },

  async resendCallbacks(call) {
    const { world } = call
    const { state = 'failed', url, since, ...rest } = call.request.body ?? {}
    noneLeft(rest)
    const from = since === undefined ? -Infinity : Date.parse(since)
    const fits = (row: CallbackRow) =>
      row.state === state && row.created_at >= from && (url === undefined || row.url.includes(url))
    const page = await world.readInSlices((look) =>
      pageOf(look, world.name, 'callbacks', { limit: MOST_RESENT }, fits),
    )
    const ids = page.rows.map(({ id }) => id).reverse()
    const callbacks: number[] = []
    const slice = await timeSlice(world.name)
    for (let at = 0; at < ids.length; at += A_CHANGE) {
      if (slice.over) await slice.next()
      const some = await world.change((tx) => {
        const rows = ids.slice(at, at + A_CHANGE).map((id) => tx.rows.get('callbacks', id))
        // Somebody else may have sent it again meanwhile.
        return rows.flatMap((row) => (row && fits(row) ? sendAgain(tx, row).id : []))
      })
      callbacks.push(...some)
    }
    return {
      status: 200,
      body: { resent: callbacks.length, callbacks, more: page.next_before !== null },
    }
  },

  async fireCallback(call) {
    const { world, caller } = call
    const { reference, after, ...wanted } = call.request.body
    const delay = after === undefined ? 0 : readDuration('after', after)
    const answer = await world.change((tx) => {
      const transaction = findTransaction(tx, caller, reference)
      return callbackDetails(tx, world.name, fireCallback(tx, transaction, { ...wanted, after: delay }))
    })
    return { status: 200, body: answer }
  },
}

/** How many callbacks one request sends again, and how many of them one change. */
const MOST_RESENT = 1_000
const A_CHANGE = 100

function sendAgain(tx: Tx, before: CallbackRow): CallbackRow {
  const row: CallbackRow = { ...before, state: 'pending' }
  tx.rows.put('callbacks', row)
  // It takes the place of one that was given up, which the next start would do else.
  for (const job of tx.rows.find('jobs', 'callback', row.id))
    if (job.failed?.given_up) tx.rows.delete('jobs', job.id)
  addJob(tx, 0, { kind: 'callback', callback_id: row.id })
  return row
}

function requireCallback(look: Look, id: number): CallbackRow {
  const row = look.rows.get('callbacks', id)
  if (row) return row
  const missing = notFound('callback', id)
  if (!wasGivenOut(look, 'callback', id)) throw missing
  throw new ServiceError(missing.code, `${missing.message}: it is over and kept no longer`)
}

/** Callbacks of the transactions named, oldest first; undefined when none is named. */
function callbacksAbout(
  { rows }: Look,
  ...names: (string | undefined)[]
): readonly CallbackRow[] | undefined {
  const given = names.filter((name) => name !== undefined)
  if (given.length === 0) return undefined
  const found = given.map((name) => rows.find('transactions', 'identifier', name))
  const [first, ...others] = found.map((each) => new Set(each.map(({ id }) => id)))
  const ids = [...first!].filter((id) => others.every((other) => other.has(id)))
  const lists = ids.map((id) => rows.find('callbacks', 'transaction', id))
  return lists.flat().toSorted((a, b) => a.id - b.id)
}
