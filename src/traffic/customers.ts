/** The customers of a plan: who orders what, when, and from which phone. A function of plan and seed. */
import { createRandom, type Random } from '../lib/random/random.ts'
import { entriesOf } from '../scenarios/incident.ts'
import { mixedScenario, paymentKey } from '../scenarios/incidents.ts'
import type { Phase, Plan } from './plan.ts'

export interface Order {
  readonly n: number
  readonly amount: number
  /** In local form, such as 0712345678; unique within a run. */
  readonly phone: string
  /** The scenario that the mix of the plan selects for the payment. */
  readonly outcome: string | null
}

/** A customer presses the button. */
export interface Press {
  /** Milliseconds from the start. */
  readonly at: number
  readonly kind: 'order' | 'again' | 'device' | 'retry'
  readonly order: Order
}

/** Safaricom numbers from 0710000000. Test numbers begin with 0700000. */
const FIRST_PHONE = 710_000_000
const PHONES = 19_000_000
/** The second line of a customer that tries again. */
const RETRIES = 9_000_000
/** Amounts in whole shillings. */
const LEAST = 50
const SPREAD = 4_950

/** Yields the presses of all customers in order of time. It keeps only those of the next minutes. */
export function* pressesOf(plan: Plan, seed: string): Generator<Press> {
  const random = createRandom(seed)
  const pending: Press[] = []
  const add = (press: Press) => {
    const place = pending.findIndex(({ at }) => at > press.at)
    pending.splice(place < 0 ? pending.length : place, 0, press)
  }
  let n = 0
  for (const at of arrivals(plan.phases, random)) {
    while (pending.length > 0 && pending[0]!.at <= at) yield pending.shift()!
    const order = orderOf(plan, random, ++n)
    yield { at, kind: 'order', order }
    for (const press of furtherPresses(plan, random, at, order)) add(press)
  }
  yield* pending
}

function orderOf({ mix }: Plan, random: Random, n: number): Order {
  const phone = String(FIRST_PHONE + random.shuffled('phone', n, PHONES))
  const amount = LEAST + Math.floor(random.fraction('amount', n) ** 2 * SPREAD)
  const outcome = mixedScenario(mix, random, paymentKey(`254${phone}`, amount)) ?? null
  return { n, amount, phone: `0${phone}`, outcome }
}

function furtherPresses(plan: Plan, random: Random, at: number, order: Order): readonly Press[] {
  const { twice, devices, retries } = plan.customers
  const { n } = order
  const drawn = random.fraction('habit', n)
  const presses: Press[] = []
  if (drawn < twice)
    presses.push({ at: at + 300 + Math.round(random.fraction('again', n) * 1_700), kind: 'again', order })
  else if (drawn < twice + devices) presses.push({ at, kind: 'device', order })
  if (order.outcome !== null && random.fraction('patience', n) < retries)
    presses.push({
      at: at + 30_000 + Math.round(random.fraction('retry', n) * 90_000),
      kind: 'retry',
      order: orderOf(plan, random, n + RETRIES),
    })
  return presses
}

/** Yields the times of a Poisson process whose rate follows the phases. */
function* arrivals(phases: readonly Phase[], random: Random): Generator<number> {
  let n = 0
  let start = 0
  /** The number of expected arrivals until the next one. */
  let left = -Math.log(1 - random.fraction('arrival', n))
  for (const { for: span, from, to } of phases) {
    const seconds = span / 1_000
    const slope = (to - from) / seconds
    let time = 0
    for (;;) {
      const rate = from + slope * time
      const rest = rate * (seconds - time) + (slope * (seconds - time) ** 2) / 2
      if (rest < left) {
        left -= rest
        break
      }
      // Solves rate * x + slope * x² / 2 = left.
      time +=
        Math.abs(slope) < 1e-9
          ? left / rate
          : (Math.sqrt(Math.max(0, rate * rate + 2 * slope * left)) - rate) / slope
      yield Math.round(start + time * 1_000)
      left = -Math.log(1 - random.fraction('arrival', ++n))
    }
    start += span
  }
}

/** Yields the record of a plan as lines of JSON: the same plan and seed give the same bytes. */
export function* recordOf(plan: Plan, seed: string): Generator<string> {
  const { title, phases, mix, customers, incidents } = plan
  yield `${JSON.stringify({ kind: 'plan', title, seed, phases, mix, customers })}\n`
  for (const { name, file } of incidents)
    for (const { time, until, isOnce: _, ...entry } of entriesOf(file))
      yield `${JSON.stringify({ kind: 'incident', name, at: time, until: until === Infinity ? null : until, ...entry })}\n`
  for (const { at, kind, order } of pressesOf(plan, seed)) yield `${JSON.stringify({ kind, at, ...order })}\n`
}
