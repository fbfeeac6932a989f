/** Compares the orders of the shop with the ledger. */
import { pause, systemWall } from '../lib/clock/clock.ts'
import type { Belief, TrafficWorld } from './world.ts'

export interface OrderState {
  readonly order: string
  readonly amount: number
  /** Digits with the dial code. */
  readonly party: string
}

export const wrongWords = {
  paid_not_fulfilled: 'paid but not fulfilled',
  fulfilled_twice: 'fulfilled twice',
  fulfilled_unpaid: 'fulfilled without a payment',
  given_up_while_open: 'given up while the payment is open',
  reversal_missed: 'reversal missed',
  paid_twice: 'paid twice',
  refunded_twice: 'refunded twice',
} as const
export type WrongKind = keyof typeof wrongWords
export const wrongKinds = Object.keys(wrongWords) as WrongKind[]

/** An order whose state is wrong. */
export interface WrongOrder {
  readonly order: string
  readonly kind: WrongKind
  readonly amount: number
  readonly phone: string
  /** The payments in the ledger, such as `1 SUCCESS`. */
  readonly ledger: string
  /** The state in the shop, such as `open, not fulfilled`. */
  readonly shop: string
}

export interface Books {
  /** The results of orders in the ledger. */
  readonly ledger: {
    readonly paid: number
    readonly failed: number
    readonly open: number
    readonly reversed: number
    readonly none: number
  }
  readonly wrong: {
    readonly count: number
    readonly at_stake: number
    readonly kinds: { readonly [Kind in WrongKind]: number }
    readonly orders: readonly WrongOrder[]
  }
  /** Orders that a person must look at. */
  readonly flagged: number
  readonly probe_failures: number
  readonly first_probe_failure: string
  readonly agreement: {
    readonly agreed: boolean
    /** From the end of traffic and incidents, on the world's clock; null if a payment was still to end. */
    readonly seconds: number | null
    readonly curve: readonly { readonly seconds: number; readonly wrong: number }[]
  }
}

interface Asked {
  readonly world: TrafficWorld
  readonly shop: {
    readonly probe: (order: string) => Belief | undefined | Promise<Belief | undefined>
    readonly advance?: ((ms: number) => unknown) | undefined
  }
  readonly orders: ReadonlyMap<string, OrderState>
  /** The start of traffic on the world's clock. */
  readonly start: number
  /** When the last customer has come and the last incident is over. */
  readonly quietAt: number
  /** How long the books may differ after that, milliseconds. */
  readonly agree: number
  readonly isCompressed: boolean
  readonly ended: AbortSignal
  readonly tell: (progress: string) => void
}

/** Wrong orders in a report. */
const MOST_LISTED = 200
const MOST_PROBES = 32
/** Time limit of a probe. */
const PROBE_LIMIT = 10_000
/** Real time for a shop whose clock is not moved, to look payments up. */
const REAL_LIMIT = 20_000

interface Payments {
  success: number
  failed: number
  open: number
  reversed: number
  payouts: number
}

/** Compares until the books agree and all payments have ended, or the time is over. A stopped run is compared once. */
export async function compareBooks(asked: Asked): Promise<Books> {
  const { world, quietAt, agree, ended, isCompressed, shop, tell } = asked
  const curve: { seconds: number; wrong: number }[] = []
  const realEnd = systemWall() + REAL_LIMIT
  let step = 5_000
  for (;;) {
    const now = (await world.clock.now()).getTime()
    if (now < quietAt && !ended.aborted) {
      await pass(asked, Math.min(quietAt - now, 60_000))
      continue
    }
    const books = await compareOnce(asked)
    const seconds = Math.max(0, Math.round((now - quietAt) / 1_000))
    const { count } = books.wrong
    curve.push({ seconds, wrong: count })
    const over =
      now - quietAt >= agree && (!isCompressed || shop.advance !== undefined || systemWall() >= realEnd)
    const agreed = count === 0 && !(await isSettling(world, books))
    if (agreed || over || ended.aborted || books.probe_failures > 0) {
      const since = curve[curve.findLastIndex(({ wrong }) => wrong > 0) + 1]
      return { ...books, agreement: { agreed, seconds: agreed ? since!.seconds : null, curve } }
    }
    tell(`${count} orders differ ${seconds} s after the end, and ${books.ledger.open} payments are open`)
    await pass(asked, step)
    step = Math.min(60_000, step * 1.5)
  }
}

/** Whether an open payment will end by itself; some stay open for ever, as in an outcome that never settles. */
async function isSettling(world: TrafficWorld, { ledger }: Omit<Books, 'agreement'>): Promise<boolean> {
  if (ledger.open === 0) return false
  const jobs = await Promise.all(['settle', 'expire', 'incident'].map((kind) => world.jobs({ kind })))
  return jobs.flat().length > 0
}

/** Lets time pass in the world and in the shop. */
async function pass({ world, shop, isCompressed, ended }: Asked, ms: number): Promise<void> {
  if (!isCompressed) return pause(Math.min(ms, 5_000), ended)
  for (let left = ms; left > 0; left -= 1_000) {
    await world.clock.advance(`${Math.ceil(Math.min(left, 1_000))}ms`)
    await shop.advance?.(Math.min(left, 1_000))
  }
  // The timers of a shop whose clock is not moved run in real time.
  if (!shop.advance) await pause(250, ended)
}

async function compareOnce({ world, shop, orders, start }: Asked): Promise<Omit<Books, 'agreement'>> {
  const payments = await paymentsOf(world, orders, start)
  const ledger = { paid: 0, failed: 0, open: 0, reversed: 0, none: 0 }
  const kinds = Object.fromEntries(wrongKinds.map((kind) => [kind, 0])) as Record<WrongKind, number>
  const listed: WrongOrder[] = []
  const differing: { readonly order: OrderState; readonly belief: Belief }[] = []
  let count = 0
  let at_stake = 0
  let flagged = 0
  let probe_failures = 0
  let first_probe_failure = ''
  let unknown = 0
  const compare = async (order: OrderState) => {
    const paid = payments.get(order.party)
    ledger[resultOf(paid)]++
    let belief: Belief
    try {
      const found = await within(PROBE_LIMIT, async () => shop.probe(order.order))
      if (!found) unknown++
      belief = found ?? { state: 'open', fulfilled: 0 }
    } catch (error) {
      probe_failures++
      first_probe_failure ||= error instanceof Error ? error.message : String(error)
      return
    }
    if (belief.state === 'flagged') flagged++
    if (wrongKind(paid, belief) !== undefined) differing.push({ order, belief })
  }
  const left = orders.values()
  const worker = async () => {
    for (const order of left) await compare(order)
  }
  await Promise.all(Array.from({ length: MOST_PROBES }, worker))
  const failures = { probe_failures, first_probe_failure }
  if (unknown > 0 && unknown === orders.size && ledger.none < unknown) {
    // The address of the probe is wrong, or the shop has lost its orders: nothing can be compared.
    failures.probe_failures = unknown
    failures.first_probe_failure = 'the shop does not know the order; correct the probe of the profile'
    differing.length = 0
  }
  // A payment may have ended after it was read and before the shop was asked.
  const newest = differing.length > 0 ? await paymentsOf(world, orders, start) : payments
  for (const { order, belief } of differing) {
    const paid = newest.get(order.party)
    const kind = wrongKind(paid, belief)
    if (kind === undefined) continue
    count++
    kinds[kind]++
    at_stake += order.amount
    listed.push({
      order: order.order,
      kind,
      amount: order.amount,
      phone: `+${order.party}`,
      ledger: ledgerText(paid),
      shop: shopText(belief),
    })
  }
  const byOrder = listed
    .sort((a, b) => a.order.localeCompare(b.order, 'en', { numeric: true }))
    .slice(0, MOST_LISTED)
  return {
    ledger,
    wrong: { count, at_stake, kinds, orders: byOrder },
    flagged,
    ...failures,
  }
}

/** Returns why an order is wrong. An open order is right as long as its payment is open, and a flagged one is for a person. */
export function wrongKind(paid: Payments | undefined, { state, fulfilled }: Belief): WrongKind | undefined {
  const { success = 0, reversed = 0, open = 0, payouts = 0 } = paid ?? {}
  const isPaid = success > 0
  if (success + reversed > 1) return 'paid_twice'
  if (payouts > 1) return 'refunded_twice'
  if ((fulfilled ?? 0) > 1) return 'fulfilled_twice'
  if (state === 'flagged') return undefined
  if (isPaid) return state === 'paid' && (fulfilled ?? 1) === 1 ? undefined : 'paid_not_fulfilled'
  if (reversed > 0) return state === 'reversed' || state === 'failed' ? undefined : 'reversal_missed'
  if (state === 'paid' || (fulfilled ?? 0) > 0) return 'fulfilled_unpaid'
  return open > 0 && state !== 'open' ? 'given_up_while_open' : undefined
}

const resultOf = (paid: Payments | undefined) =>
  !paid
    ? 'none'
    : paid.success > 0
      ? 'paid'
      : paid.reversed > 0
        ? 'reversed'
        : paid.open > 0
          ? 'open'
          : 'failed'

const ledgerText = (paid: Payments | undefined): string =>
  Object.entries(paid ?? {})
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ') || 'no payment'

const shopText = ({ state, fulfilled }: Belief) =>
  fulfilled === undefined ? state : `${state}, fulfilled ${fulfilled} times`

/** Returns the payments of the run by phone. */
async function paymentsOf(
  world: TrafficWorld,
  orders: ReadonlyMap<string, OrderState>,
  start: number,
): Promise<ReadonlyMap<string, Payments>> {
  const known = new Set([...orders.values()].map(({ party }) => party))
  const found = new Map<string, Payments>()
  // Times of transactions have whole seconds.
  for (const { party, direction, status, created_at } of await world.transactions.list()) {
    if (!known.has(party) || Date.parse(created_at) < start - 1_000) continue
    const paid = found.get(party) ?? { success: 0, failed: 0, open: 0, reversed: 0, payouts: 0 }
    if (direction === 'payout') paid.payouts += status === 'SUCCESS' ? 1 : 0
    else if (status === 'SUCCESS') paid.success++
    else if (status === 'REVERSED') paid.reversed++
    else if (status === 'FAILED') paid.failed++
    else paid.open++
    found.set(party, paid)
  }
  return found
}

async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const stop = new AbortController()
  try {
    const late = pause(ms, stop.signal).then(() => {
      if (!stop.signal.aborted) throw new Error(`the probe took longer than ${ms} ms`)
      return undefined as T
    })
    late.catch(() => {})
    return await Promise.race([work(), late])
  } finally {
    stop.abort()
  }
}
