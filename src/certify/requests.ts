/** What the shop sent to the sandbox since a check began. */
import type { Listening } from '../client/types.ts'
import { systemWall } from '../lib/clock/clock.ts'
import type { Transaction } from '../generated/control/types.ts'
import type { CheckContext } from './context.ts'
import { pause, until } from './waiting.ts'
import type { TriggerValues } from './profile.ts'
import {
  type ShopRequest,
  type KnownRecords,
  newRequests,
  newTransactions,
  ownRequests,
  type WorldRecord,
  readRecord,
} from './world-record.ts'

/** What the shop was told to take a payment for: no two orders of a run have a name, an amount or a phone in common. */
export type OrderDetails = Pick<TriggerValues, 'order' | 'amount' | 'phone'>

/** What begins a payment of the shop. */
export const PAYING = ['createCollection', 'createGlobalPayment'] as const

export const isPaying = ({ operation }: ShopRequest): boolean =>
  (PAYING as readonly (string | null)[]).includes(operation)

/** A phone without its dial code. */
const partyOf = (phone: string) => phone.replace(/\D/g, '').replace(/^0/, '')

export function isAskedFor({ order, amount, phone }: OrderDetails, { body }: ShopRequest): boolean {
  const text = JSON.stringify(body)
  return (
    text.includes(order) || text.includes(partyOf(phone)) || new RegExp(`"amount":"?${amount}\\b`).test(text)
  )
}

export const isPaymentOf = ({ order, amount, phone }: OrderDetails, payment: Transaction): boolean =>
  payment.external_reference.includes(order) ||
  payment.party.endsWith(partyOf(phone)) ||
  (payment.amount.amount === amount && payment.direction === 'payin')

export class Requests {
  readonly #context: CheckContext
  readonly #came: ReadonlyMap<string, number>
  readonly #own = new Set<string>()
  /** How many requests for an order there were when one was the newest. */
  readonly #counts = new Map<string, { readonly newest: string; readonly count: number }>()
  readonly #listening: Listening | undefined

  private constructor(
    context: CheckContext,
    came: ReadonlyMap<string, number>,
    listening: Listening | undefined,
  ) {
    this.#context = context
    this.#came = came
    this.#listening = listening
  }

  /** Begins to look; where time goes on it listens too, as it matters then when each request comes. */
  static async open(context: CheckContext): Promise<Requests> {
    const came = new Map<string, number>()
    const listen = () =>
      context.world.listen(({ type, data }) => {
        if (type === 'request') came.set(String(data['id']), systemWall())
      })
    return new Requests(context, came, context.time === 'real' ? await listen() : undefined)
  }

  /** What was recorded meanwhile; nothing is tried any more. @param callbacks as they were looked at */
  async close(callbacks: NonNullable<KnownRecords['callbacks']>): Promise<WorldRecord> {
    await this.#listening?.stop()
    const { check, time, world, mark, common } = this.#context
    const { features } = common.profile
    const about = { check, real: time === 'real' }
    const record = await readRecord(world, mark, about, { came: this.#came, callbacks, features })
    return { ...record, requests: this.#ofCheck(record.requests, record.transactions) }
  }

  /** A request of whoever certifies is none of the shop's. @param id as the sandbox's answer names it */
  disown(id: string): void {
    this.#own.add(id)
  }

  /** The payments since then, newest first. */
  payments(): Promise<readonly Transaction[]> {
    return newTransactions(this.#context.world, this.#context.mark)
  }

  /** Oldest first. */
  async all(): Promise<readonly ShopRequest[]> {
    const [all, transactions] = await Promise.all([this.#since(), this.payments()])
    return this.#ofCheck(all, transactions)
  }

  #since(): Promise<readonly ShopRequest[]> {
    return newRequests(this.#context.world, this.#context.mark, this.#came)
  }

  #ofCheck(requests: readonly ShopRequest[], transactions: readonly Transaction[]): readonly ShopRequest[] {
    const { check, common } = this.#context
    const run = `-${common.run}-`
    const shops = requests.filter(({ id }) => !this.#own.has(id))
    return ownRequests(shops, transactions, check.toLowerCase() + run, run)
  }

  /** Those that pay for an order, whether they were taken or not. */
  async tries(order: OrderDetails): Promise<readonly ShopRequest[]> {
    return (await this.#since()).filter(
      (each) => isPaying(each) && !this.#own.has(each.id) && isAskedFor(order, each),
    )
  }

  /** How many requests pay for an order; the list is read only when something was asked since the last time. */
  async #countOf(order: OrderDetails): Promise<number> {
    const { requests } = await this.#context.world.call('listRequests', { query: { limit: 1 } })
    const newest = requests[0]?.id ?? ''
    const before = this.#counts.get(order.order)
    if (before?.newest === newest) return before.count
    const count = (await this.tries(order)).length
    this.#counts.set(order.order, { newest, count })
    return count
  }

  /** Until the shop has sent so many requests for an order, or so long at most, milliseconds. */
  async sent(times: number, order: OrderDetails, most: number): Promise<void> {
    await until(most, async () => ((await this.#countOf(order)) >= times ? true : undefined))
  }

  /** Until the shop sent nothing for an order for a while, or so long at most. Milliseconds. */
  async quiet(calm: number, most: number, order: OrderDetails): Promise<void> {
    const end = systemWall() + most
    let count = -1
    for (let since = systemWall(); systemWall() < end;) {
      const now = await this.#countOf(order)
      if (now !== count) since = systemWall()
      count = now
      // Of an order nothing is quiet before it was tried.
      if (systemWall() - since >= calm && count > 0) return
      await pause(Math.min(100, calm / 3))
    }
  }
}
