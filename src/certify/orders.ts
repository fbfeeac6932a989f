import { systemWall } from '../lib/clock/clock.ts'
import type { Transaction } from '../generated/control/types.ts'
import { until, within } from './waiting.ts'
import { type CheckContext, isPaymentOf, type OrderDetails, type Requests } from './requests.ts'
import type { Trigger } from './profile.ts'
import { act, type ActionResult, NoPaymentError } from './shop-access.ts'

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

export class Orders {
  readonly #context: CheckContext
  readonly #requests: Requests

  constructor(context: CheckContext, requests: Requests) {
    this.#context = context
    this.#requests = requests
  }

  place(): Order {
    const { check, common, evidence, kind } = this.#context
    const n = common.next()
    const details: OrderDetails = {
      kind,
      order: `${check.toLowerCase()}-${common.run}-${n}`,
      amount: 100 + n,
      phone: `0712${String(100_000 + n * 7)}`,
    }
    const { trigger: collects, payout } = common.profile
    const what = kind === 'payout' ? payout : collects
    const trigger = what ? this.#trigger(what, details) : this.#pay(details)
    trigger.catch(() => {})
    evidence.event(
      'certify',
      `Trigger a ${kind === 'payout' ? 'payout' : 'payment'} of ${details.amount} for the order ${details.order}`,
    )
    return { ...details, trigger }
  }

  async #trigger(trigger: Trigger, details: OrderDetails): Promise<ActionResult> {
    const { common, world, secret, evidence } = this.#context
    const { receiver, variables } = common.profile
    const { url, username, password, authorization, fetch } = world
    const where = { sandbox: url, user: username, password, authorization, secret }
    const { order, amount, phone } = details
    const given = { order, amount, phone, ...where, callback: receiver.url ?? '' }
    const what = typeof trigger === 'function' ? () => trigger({ ...given, fetch }) : trigger
    const done = await act(common.access, what, { ...given, ...variables }, 'trigger')
    evidence.keep(done.exchange)
    return done
  }

  /** Without a trigger, certify pays, so that callbacks have a payment. */
  async #pay({ order, amount, phone }: OrderDetails): Promise<ActionResult> {
    const { common, world } = this.#context
    const body = {
      amount,
      phone_number: phone,
      provider: 'm-pesa',
      network_code: '63902',
      external_reference: order,
      callback_url: common.profile.receiver.url ?? '',
    } as const
    const answer = await world.fetch('/api/v2/payments', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    this.#requests.exclude(answer.headers.get('sandbox-request-id') ?? '')
    const text = await answer.text()
    const { exchange } = await act(common.access, () => {}, {}, 'trigger')
    if (answer.ok) return { ok: true, text, error: '', exchange }
    return { ok: false, text, error: `the sandbox responded with ${answer.status}: ${text}`, exchange }
  }

  /** @throws {NoPaymentError} If the shop makes no payment. */
  async pay(): Promise<PaidOrder> {
    const order = this.place()
    return { ...order, payment: await this.payment(order) }
  }

  /** Returns the payments of an order, oldest first. */
  async payments(order: OrderDetails): Promise<readonly Transaction[]> {
    const found = await this.#requests.payments()
    return found.filter((each) => isPaymentOf(order, each)).reverse()
  }

  /** Resolves to the payment of an order after the trigger ended. @throws {NoPaymentError} If there is none. */
  async payment(order: Order): Promise<Transaction> {
    const { isManual, client } = this.#context.common.profile
    const patience = isManual ? 300_000 : Math.max(client.patience, 2_000)
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
      const [payment] = await this.payments(order)
      return payment ?? (over ? null : undefined)
    })
    const done = await within(TRIGGER_GRACE, order.trigger)
    if (found) return found
    const { url, username } = this.#context.world
    const pays = `does it pay to ${url}, as ${username}?`
    const why = !done
      ? `it is still running and has made no payment of ${order.amount}; ${pays}`
      : !done.ok
        ? `${done.error}.`
        : `there was no payment of ${order.amount} within ${patience} ms; ${pays}`
    const refused = /connection refused/.test(done?.exchange.error ?? '')
    throw new NoPaymentError(`The trigger made no payment for ${order.order}: ${why}`, refused)
  }
}
