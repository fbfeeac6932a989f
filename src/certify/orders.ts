/** The orders of a check, and the requests of the shop for them. */
import { pause, systemWall } from '../lib/clock/clock.ts'
import type { CallbackDetails, Transaction } from '../generated/control/types.ts'
import type { CheckId } from './check-ids.ts'
import type { ClockMode, TestWorld } from './environment.ts'
import type { EvidenceLog } from './evidence.ts'
import type { Look, Pace } from './probe.ts'
import type { OrderKind, Trigger, TriggerValues } from './profile.ts'
import type { Profile } from './read-profile.ts'
import { act, type ActionResult, NoPaymentError, type ShopAccess } from './shop-access.ts'
import { until, within } from './waiting.ts'
import {
  type ShopRequest,
  newRequests,
  newTransactions,
  ownRequests,
  type WorldRecord,
  readRecord,
} from './world-record.ts'

export interface RunContext {
  readonly profile: Profile
  readonly access: ShopAccess
  /** A unique name of the run. */
  readonly run: string
  /** Returns a unique number per order. */
  readonly next: () => number
  readonly pace: Pace
  /** Whether the shop considers orders paid whose payment is still pending. */
  readonly isEager: boolean
  /** Calls the shop's probe for an order; undefined without a usable probe. */
  readonly look: Look | undefined
}

export interface CheckContext extends Pick<TestWorld, 'world' | 'secret' | 'mark'> {
  readonly check: CheckId | 'calibration'
  readonly time: ClockMode
  readonly common: RunContext
  readonly evidence: EvidenceLog
  readonly kind: OrderKind
}

/** An order: its name, amount and phone are unique within a run. */
export type OrderDetails = Pick<TriggerValues, 'order' | 'amount' | 'phone'> & {
  readonly kind: OrderKind
}

export const PAYING = {
  collection: ['createCollection', 'createGlobalPayment'],
  payout: ['createWithdrawal', 'createGlobalPayment'],
} as const

const isPaying = ({ kind }: OrderDetails, { operation }: ShopRequest): boolean =>
  (PAYING[kind] as readonly (string | null)[]).includes(operation)

const partyOf = (phone: string) => phone.replace(/\D/g, '').replace(/^0/, '')

function concerns({ order, amount, phone }: OrderDetails, { body }: ShopRequest): boolean {
  const text = JSON.stringify(body)
  return (
    text.includes(order) || text.includes(partyOf(phone)) || new RegExp(`"amount":"?${amount}\\b`).test(text)
  )
}

const isPaymentOf = ({ order, amount, phone, kind }: OrderDetails, payment: Transaction): boolean =>
  payment.external_reference.includes(order) ||
  payment.party.endsWith(partyOf(phone)) ||
  (payment.amount.amount === amount && payment.direction === (kind === 'payout' ? 'payout' : 'payin'))

export interface Order extends OrderDetails {
  readonly trigger: Promise<ActionResult>
}

export interface PaidOrder extends Order {
  readonly payment: Transaction
}

const FIRST_LOOK = 100
const TRIGGER_GRACE = 2_000
/** Milliseconds to wait for a payment while the trigger runs. */
const TRIGGER_LIMIT = 10_000

export function createOrders({ check, common, evidence, kind, mark, secret, time, world }: CheckContext) {
  const { profile } = common
  /** The requests that certify itself sent. */
  const ownIds = new Set<string>()
  /** The number of requests per order, and the newest request at that time. */
  const counts = new Map<string, { readonly newest: string; readonly count: number }>()

  function place(): Order {
    const n = common.next()
    const details: OrderDetails = {
      kind,
      order: `${check.toLowerCase()}-${common.run}-${n}`,
      amount: 100 + n,
      phone: `0712${String(100_000 + n * 7)}`,
    }
    const what = kind === 'payout' ? profile.payout : profile.trigger
    const trigger = what ? triggerOrder(what, details) : payItself(details)
    trigger.catch(() => {})
    evidence.event(
      'certify',
      `Trigger a ${kind === 'payout' ? 'payout' : 'payment'} of ${details.amount} for the order ${details.order}`,
    )
    return { ...details, trigger }
  }

  async function triggerOrder(trigger: Trigger, details: OrderDetails): Promise<ActionResult> {
    const { url, username, password, authorization, fetch } = world
    const where = { sandbox: url, user: username, password, authorization, secret }
    const { order, amount, phone } = details
    const given = { order, amount, phone, ...where, callback: profile.receiver.url ?? '' }
    const what = typeof trigger === 'function' ? () => trigger({ ...given, fetch }) : trigger
    const done = await act(common.access, what, { ...given, ...profile.variables }, 'trigger')
    evidence.keep(done.exchange)
    return done
  }

  /** Without a trigger, certify pays, so that callbacks have a payment. */
  async function payItself({ order, amount, phone }: OrderDetails): Promise<ActionResult> {
    const body = {
      amount,
      phone_number: phone,
      provider: 'm-pesa',
      network_code: '63902',
      external_reference: order,
      callback_url: profile.receiver.url ?? '',
    } as const
    const answer = await world.fetch('/api/v2/payments', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    ownIds.add(answer.headers.get('sandbox-request-id') ?? '')
    const text = await answer.text()
    const { exchange } = await act(common.access, () => {}, {}, 'trigger')
    if (answer.ok) return { ok: true, text, error: '', exchange }
    return { ok: false, text, error: `the sandbox responded with ${answer.status}: ${text}`, exchange }
  }

  /** @throws {NoPaymentError} If the shop makes no payment. */
  async function pay(): Promise<PaidOrder> {
    const order = place()
    return { ...order, payment: await payment(order) }
  }

  /** Returns the payments of an order, oldest first. */
  async function payments(order: OrderDetails): Promise<readonly Transaction[]> {
    const found = await allPayments()
    return found.filter((each) => isPaymentOf(order, each)).reverse()
  }

  /** Resolves to the payment of an order after the trigger ended. @throws {NoPaymentError} If there is none. */
  async function payment(order: Order): Promise<Transaction> {
    const patience = profile.isManual ? 300_000 : Math.max(profile.client.patience, 2_000)
    let ended: ActionResult | undefined
    let endedAt = Infinity
    const note = (done: ActionResult) => {
      ended = done
      endedAt = systemWall()
    }
    void order.trigger.then(note).catch(() => {})
    // Most shops pay within this time.
    await within(FIRST_LOOK, order.trigger)
    // A busy machine is slow with the trigger, too.
    const found = await until(Math.max(patience, TRIGGER_LIMIT), async () => {
      const over = (ended && !ended.ok) || systemWall() - endedAt >= patience
      const [payment] = await payments(order)
      return payment ?? (over ? null : undefined)
    })
    const done = await within(TRIGGER_GRACE, order.trigger)
    if (found) return found
    const { url, username } = world
    const pays = `does it pay to ${url}, as ${username}?`
    const why = !done
      ? `it is still running and has made no payment of ${order.amount}; ${pays}`
      : !done.ok
        ? `${done.error}.`
        : `there was no payment of ${order.amount} within ${patience} ms; ${pays}`
    const refused = /connection refused/.test(done?.exchange.error ?? '')
    throw new NoPaymentError(`The trigger made no payment for ${order.order}: ${why}`, refused)
  }

  /** Returns the record of the check. @param callbacks the callbacks read so far */
  async function close(callbacks: ReadonlyMap<number, CallbackDetails>): Promise<WorldRecord> {
    const record = await readRecord(
      world,
      mark,
      { check, real: time === 'real' },
      callbacks,
      profile.features,
    )
    return { ...record, requests: ofCheck(record.requests, record.transactions) }
  }

  /** Returns the payments since the start, newest first. */
  const allPayments = () => newTransactions(world, mark)

  /** Oldest first. */
  async function all(): Promise<readonly ShopRequest[]> {
    return ofCheck(...(await Promise.all([newRequests(world, mark), allPayments()])))
  }

  function ofCheck(
    requests: readonly ShopRequest[],
    transactions: readonly Transaction[],
  ): readonly ShopRequest[] {
    const run = `-${common.run}-`
    const shops = requests.filter(({ id }) => !ownIds.has(id))
    return ownRequests(shops, transactions, check.toLowerCase() + run, run)
  }

  /** Returns the requests that pay for an order, accepted or not. */
  async function tries(order: OrderDetails): Promise<readonly ShopRequest[]> {
    return (await newRequests(world, mark)).filter(
      (each) => isPaying(order, each) && !ownIds.has(each.id) && concerns(order, each),
    )
  }

  /** Counts the requests that pay for an order, and reads the list only after a new request. */
  async function countOf(order: OrderDetails): Promise<number> {
    const { requests } = await world.call('listRequests', { query: { limit: 1 } })
    const newest = requests[0]?.id ?? ''
    const before = counts.get(order.order)
    if (before?.newest === newest) return before.count
    const count = (await tries(order)).length
    counts.set(order.order, { newest, count })
    return count
  }

  /** Waits until the shop has sent `times` requests for an order, for at most `most` milliseconds. */
  async function sent(times: number, order: OrderDetails, most: number): Promise<void> {
    await until(most, async () => ((await countOf(order)) >= times ? true : undefined))
  }

  /** Waits until the shop has sent no request for an order for `calm` milliseconds, at most `most`. */
  async function quiet(calm: number, most: number, order: OrderDetails): Promise<void> {
    const end = systemWall() + most
    let count = -1
    for (let since = systemWall(); systemWall() < end;) {
      const now = await countOf(order)
      if (now !== count) since = systemWall()
      count = now
      // Silence counts only after the first request.
      if (systemWall() - since >= calm && count > 0) return
      await pause(Math.min(100, calm / 3))
    }
  }
  return { place, pay, payments, payment, close, allPayments, all, tries, sent, quiet }
}
