import { timeSlice } from '../lib/clock/clock.ts'
import { heldBy } from '../service/domain/callbacks.ts'
import type { Look } from '../service/domain/context.ts'
import { formatMoney } from '../service/domain/money.ts'
import { visibleTransaction } from '../service/domain/visible.ts'
import { linesOf } from '../storage/store/tables.ts'
import type { CardAttempt, TransactionRow } from '../storage/store/payment-rows.ts'
import type { Money } from '../generated/control/types.ts'
import type { World } from '../worlds/world.ts'
import { exactOrNull, exactTime } from '../service/domain/wire-time.ts'
import { parsedJson } from '../lib/text/parsed-json.ts'
import { traceIdOf } from '../lib/text/headers.ts'
import { jobView, plannedFor } from './jobs.ts'
import { handlers, moneyView, ok } from './page.ts'
import { made, textIn } from './transactions.ts'

interface Event {
  readonly at: number
  /** Order among events at the same time. */
  readonly rank: number
  readonly kind: 'request' | 'state' | 'posting' | 'callback' | 'attempt' | 'status_query'
  readonly summary: string
  readonly amount?: Money
  /** The result of a request or attempt. */
  readonly went?: {
    readonly status: number | null
    readonly duration_ms: number
    readonly next_attempt_at?: string | null
  }
  readonly callback: number | null
  readonly request: string | null
}

export const timeline = handlers(() => ({
  async getTimeline(call) {
    const { world, caller, request } = call
    const { reference } = request.path
    const { row, happened, planned } = await world.read((look) => {
      const row = visibleTransaction(look, caller, reference)
      const happened = [...states(row), ...postings(look, row), ...sent(look, row)]
      return { row, happened, planned: plannedFor(look, row).map((job) => jobView(look, job)) }
    })
    const events = [...(await requests(world, row)), ...happened].sort(
      (a, b) => a.at - b.at || a.rank - b.rank,
    )
    if (/\btext\/vnd\.mermaid\b/i.test(call.header('accept') ?? ''))
      return { status: 200, text: mermaid(row, events), type: 'text/vnd.mermaid; charset=utf-8' }
    const listed = events.map(({ at, kind, summary, amount, went, callback, request }) => ({
      at: exactTime(at),
      kind,
      summary,
      ...(amount && { amount }),
      ...went,
      callback,
      request,
    }))
    const { reference: transaction, status, trace } = row
    const trace_id = trace && { trace_id: traceIdOf(trace) }
    return ok({ transaction, status, ...trace_id, events: listed, planned })
  },
}))

const RANK = { request: 0, queued: 1, posting: 2, final: 3, callback: 4, attempt: 5, status_query: 6 }
const nothing = { callback: null, request: null }

async function requests(world: World, row: TransactionRow): Promise<Event[]> {
  const names = new Set(
    [row.reference, row.checkout_request_id, row.external_reference].filter((name) => name !== ''),
  )
  const events: Event[] = []
  const slice = await timeSlice(world.name)
  for (const entry of await world.journal.all()) {
    if (slice.over) await slice.next()
    const { id, at, operation, status, duration_ms } = entry
    const summary = `${operation}: ${status || 'no response yet'}`
    const seen = { at, callback: null, request: id, summary, went: { status: status || null, duration_ms } }
    if (operation === 'getTransactionStatus' || operation === 'getTransactionStatusByReference') {
      const asked =
        operation === 'getTransactionStatus'
          ? textIn(parsedJson(entry.body), 'request_id')
          : new URL(entry.url).searchParams.get('reference')
      const poll = names.has(asked ?? '')
      if (poll) events.push({ ...seen, rank: RANK.status_query, kind: 'status_query' })
    } else if (made(entry, row)) events.push({ ...seen, rank: RANK.request, kind: 'request' })
  }
  return events
}

function states(row: TransactionRow): Event[] {
  const state = { ...nothing, kind: 'state' } as const
  const events: Event[] = [{ ...state, at: row.created_at, rank: RANK.queued, summary: 'QUEUED' }]
  const { checkout_opened_at, checkout_expires_at } = row
  if (checkout_opened_at !== undefined && checkout_expires_at !== undefined) {
    const summary = `the payer opened the checkout page, which stays open until ${exactTime(checkout_expires_at)}`
    events.push({ ...state, at: checkout_opened_at, rank: RANK.queued, summary })
  }
  const { payer_due_at, responded_at } = row
  if (payer_due_at !== undefined) {
    const summary = `waits for the payer until ${exactTime(payer_due_at)}`
    events.push({ ...state, at: row.created_at, rank: RANK.queued, summary })
  }
  if (responded_at !== undefined)
    events.push({ ...state, at: responded_at, rank: RANK.queued, summary: 'the payer answered the prompt' })
  for (const card of row.cards ?? [])
    events.push({ ...state, at: card.at, rank: RANK.queued, summary: cardSummary(card) })
  const { settled_at: at, status, reason, history = [] } = row
  for (const past of at === null
    ? history
    : [...history, { at, status, reason, rejection_reason: undefined }]) {
    const named = past.reason === null ? past.status : `${past.status}: ${past.reason}`
    const summary = past.rejection_reason === undefined ? named : `not ${named}: ${past.rejection_reason}`
    events.push({ ...state, at: past.at, rank: RANK.final, summary })
  }
  return events
}

function cardSummary({ last4, outcome, reason }: CardAttempt): string {
  const card = `the card ending in ${last4}`
  if (outcome === 'challenged') return `the bank of ${card} started 3-D Secure`
  if (outcome === 'abandoned') return `the payer abandoned 3-D Secure for ${card}`
  return outcome === 'declined' ? `${card} was declined: ${reason}` : `${card} was approved`
}

function postings({ rows }: Look, row: TransactionRow): Event[] {
  const all = rows.find('postings', 'transaction', row.id)
  return all.map((posting) => {
    const { at, kind, currency } = posting
    const lines = linesOf(posting)
    const moved = lines.map(({ account, amount }) => `${account} ${formatMoney(amount, currency)}`).join(', ')
    const total = lines.reduce((sum, { amount }) => sum + Math.max(0, amount), 0)
    const amount = moneyView(total, currency)
    return { ...nothing, at, rank: RANK.posting, kind: 'posting', summary: `${kind}: ${moved}`, amount }
  })
}

function sent(look: Look, row: TransactionRow): Event[] {
  const { rows } = look
  const events: Event[] = []
  for (const callback of rows.find('callbacks', 'transaction', row.id)) {
    const { id, created_at, shape, fault, url, state } = callback
    const about = { callback: id, request: null }
    const purpose = fault === null ? '' : `, ${fault} on purpose`
    const holding = state === 'pending' ? heldBy(look, callback) : undefined
    const waits = holding === undefined ? '' : `; waits for callback ${holding}, which comes first and failed`
    const summary = `callback ${id} for ${url}, ${shape}${purpose}${waits}`
    events.push({ ...about, at: created_at, rank: RANK.callback, kind: 'callback', summary })
    for (const { at, status, error, next_at, duration_ms } of rows.find('attempts', 'callback', id)) {
      const came = status === null ? error : `answered ${status}`
      const next_attempt_at = exactOrNull(next_at)
      const summary = next_attempt_at === null ? came : `${came}; next attempt ${next_attempt_at}`
      const went = { status, duration_ms, next_attempt_at }
      events.push({ ...about, at, rank: RANK.attempt, kind: 'attempt', summary, went })
    }
  }
  return events
}

const ARROWS: { readonly [Kind in Event['kind']]: string } = {
  request: 'Client->>Sandbox: ',
  status_query: 'Client->>Sandbox: ',
  state: 'Note over Sandbox: ',
  posting: 'Note over Sandbox: ',
  callback: 'Note over Sandbox: ',
  attempt: 'Sandbox->>Receiver: ',
}

function mermaid(row: TransactionRow, events: readonly Event[]): string {
  const lines = events.map(
    ({ at, kind, summary }) => `  ${ARROWS[kind]}${plain(`${clockTime(at)} ${summary}`)}`,
  )
  const people = ['Client', 'Sandbox', 'Receiver'].map((name) => `  participant ${name}`)
  const title = `  Note over Client,Receiver: ${plain(row.reference)}`
  return ['sequenceDiagram', ...people, title, ...lines, ''].join('\n')
}

const clockTime = (at: number) => exactTime(at).slice(11, 23)

/** In Mermaid, a semicolon or line break ends a statement and # starts an entity. */
const plain = (text: string) =>
  text
    .replace(/#/g, '#35;')
    .replace(/;(?<!#35;)/g, ',')
    .replace(/[\r\n]+/g, ' ')
