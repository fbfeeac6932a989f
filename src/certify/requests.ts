import { pause, systemWall } from '../lib/clock/clock.ts'
import type { Transaction } from '../generated/control/types.ts'
import type { CheckId } from './check-ids.ts'
import type { ClockMode, TestWorld } from './environment.ts'
import type { EvidenceLog } from './evidence.ts'
import type { Look, Pace } from './probe.ts'
import type { Profile } from './read-profile.ts'
import type { ShopAccess } from './shop-access.ts'
import { until } from './waiting.ts'
import type { OrderKind, TriggerValues } from './profile.ts'
import {
  type ShopRequest,
  type KnownRecords,
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

export const isPaymentOf = ({ order, amount, phone, kind }: OrderDetails, payment: Transaction): boolean =>
  payment.external_reference.includes(order) ||
  payment.party.endsWith(partyOf(phone)) ||
  (payment.amount.amount === amount && payment.direction === (kind === 'payout' ? 'payout' : 'payin'))

export class Requests {
  readonly #context: CheckContext
  readonly #own = new Set<string>()
  /** The number of requests per order, and the newest request at that time. */
  readonly #counts = new Map<string, { readonly newest: string; readonly count: number }>()

  constructor(context: CheckContext) {
    this.#context = context
  }

  /** Returns the record of the check. @param callbacks the callbacks read so far */
  async close(callbacks: NonNullable<KnownRecords['callbacks']>): Promise<WorldRecord> {
    const { check, time, world, mark, common } = this.#context
    const { features } = common.profile
    const about = { check, real: time === 'real' }
    const record = await readRecord(world, mark, about, { callbacks, features })
    return { ...record, requests: this.#ofCheck(record.requests, record.transactions) }
  }

  /** Excludes a request that certify itself sent. */
  exclude(id: string): void {
    this.#own.add(id)
  }

  /** Returns the payments since the start, newest first. */
  payments(): Promise<readonly Transaction[]> {
    return newTransactions(this.#context.world, this.#context.mark)
  }

  /** Oldest first. */
  async all(): Promise<readonly ShopRequest[]> {
    const [all, transactions] = await Promise.all([this.#since(), this.payments()])
    return this.#ofCheck(all, transactions)
  }

  #since(): Promise<readonly ShopRequest[]> {
    return newRequests(this.#context.world, this.#context.mark)
  }

  #ofCheck(requests: readonly ShopRequest[], transactions: readonly Transaction[]): readonly ShopRequest[] {
    const { check, common } = this.#context
    const run = `-${common.run}-`
    const shops = requests.filter(({ id }) => !this.#own.has(id))
    return ownRequests(shops, transactions, check.toLowerCase() + run, run)
  }

  /** Returns the requests that pay for an order, accepted or not. */
  async tries(order: OrderDetails): Promise<readonly ShopRequest[]> {
    return (await this.#since()).filter(
      (each) => isPaying(order, each) && !this.#own.has(each.id) && concerns(order, each),
    )
  }

  /** Counts the requests that pay for an order, and reads the list only after a new request. */
  async #countOf(order: OrderDetails): Promise<number> {
    const { requests } = await this.#context.world.call('listRequests', { query: { limit: 1 } })
    const newest = requests[0]?.id ?? ''
    const before = this.#counts.get(order.order)
    if (before?.newest === newest) return before.count
    const count = (await this.tries(order)).length
    this.#counts.set(order.order, { newest, count })
    return count
  }

  /** Waits until the shop has sent `times` requests for an order, for at most `most` milliseconds. */
  async sent(times: number, order: OrderDetails, most: number): Promise<void> {
    await until(most, async () => ((await this.#countOf(order)) >= times ? true : undefined))
  }

  /** Waits until the shop has sent no request for an order for `calm` milliseconds, at most `most`. */
  async quiet(calm: number, most: number, order: OrderDetails): Promise<void> {
    const end = systemWall() + most
    let count = -1
    for (let since = systemWall(); systemWall() < end;) {
      const now = await this.#countOf(order)
      if (now !== count) since = systemWall()
      count = now
      // Silence counts only after the first request.
      if (systemWall() - since >= calm && count > 0) return
      await pause(Math.min(100, calm / 3))
    }
  }
}
