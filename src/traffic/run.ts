/** Plays the customers of a plan: real time, or a frozen clock that is moved. */
import { createHash } from 'node:crypto'
import { pause, systemWall } from '../lib/clock/clock.ts'
import { systemUuid } from '../lib/random/random.ts'
import { endOfIncident, entriesOf } from '../scenarios/incident.ts'
import { compareBooks, type OrderState } from './books.ts'
import { type Order, type Press, pressesOf, recordOf } from './customers.ts'
import { planOf, type Plan, type PlanFile } from './plan.ts'
import { judge, type Limits, readLimits, type TrafficRun } from './result.ts'
import { durations, percentiles, watchShop } from './watcher.ts'
import type { TrafficPlan, TrafficShop, TrafficWorld } from './world.ts'

export interface RunOptions {
  readonly plan: Plan
  readonly seed: string
  readonly limits: Limits
  readonly world: TrafficWorld
  readonly shop: TrafficShop
  readonly signal?: AbortSignal | undefined
  readonly tell?: ((progress: string) => void) | undefined
  readonly wait?: string | undefined
}

/** World time that passes between two looks at a compressed clock, milliseconds. */
const SLICE = 1_000
/** Real time to wait for triggers in a slice of compressed time. A slow API takes longer, in real time. */
const GRACE = 100
/** Concurrent requests to the shop. */
const MOST_IN_FLIGHT = 500
/** Shillings a day. */
const NO_LIMIT = 100_000_000_000
/** A press this late makes the generator or the shop the bottleneck, milliseconds. */
const LATE = 250

/** Runs a plan of the library. @throws {PlanError | RangeError} if the plan or a limit is invalid */
export function traffic(
  world: TrafficWorld,
  { shop, seed = '1', failOn = '', signal, wait, ...plan }: TrafficPlan,
): Promise<TrafficRun> {
  return runTraffic({
    plan: planOf(plan as PlanFile),
    seed,
    limits: readLimits(failOn),
    world,
    shop,
    signal,
    wait,
  })
}

/** Runs a plan under a lease, which restores the world afterwards. */
export async function runTraffic(options: RunOptions): Promise<TrafficRun> {
  const { plan, seed, world, signal, wait } = options
  const lease = await world.lease({
    holder: `traffic of ${plan.title}`.slice(0, 100),
    restore: true,
    wait,
    signal,
  })
  const ended = AbortSignal.any([lease.lost, ...(signal ? [signal] : [])])
  try {
    const { tiers } = (await world.show()).settings
    await world.configure({
      settle_after: plan.settle_after,
      payer: 'automatic',
      retention: 'off',
      // The daily limit of a Team would reject the customers of the afternoon.
      tiers: tiers.map((tier) => ({ ...tier, per_day: Math.max(tier.per_day, NO_LIMIT) })),
    })
    if (plan.clock === 'compressed') await world.clock.freeze()
    else await world.clock.resume()
    if (Object.keys(plan.mix).length > 0)
      await world.incidents.start('mix', {
        seed,
        file: { title: 'The mix of the plan', at: { '0s': { mix: plan.mix } } },
      })
    for (const { name, file } of plan.incidents) await world.incidents.start(name, { seed, file })
    const watcher = watchShop(world)
    try {
      const run = await play({ ...options, ended }, watcher)
      if (lease.lost.aborted) throw lease.lost.reason as Error
      return run
    } finally {
      await watcher.close()
    }
  } finally {
    await lease.release()
  }
}

type Playing = RunOptions & { readonly ended: AbortSignal }

async function play(options: Playing, watcher: ReturnType<typeof watchShop>): Promise<TrafficRun> {
  const { plan, seed, world, shop, ended, tell = () => {} } = options
  const began = systemWall()
  const worldStart = (await world.clock.now()).getTime()
  const cpu = cpuTime()
  const traffic = await playCustomers(options, began)
  const seconds = (systemWall() - began) / 1_000
  const used = cpuTime() - cpu
  const trafficEnd = traffic.reached
  // Incidents may outlast the customers.
  const last = Math.max(trafficEnd, ...plan.incidents.map(({ file }) => endOfIncident(file)))
  const books = await compareBooks({
    world,
    shop,
    orders: traffic.orders,
    start: worldStart,
    ended,
    quietAt: worldStart + last,
    agree: plan.agree,
    isCompressed: plan.clock === 'compressed',
    tell,
  })
  return judge(
    {
      traffic: 1,
      title: plan.title,
      seed,
      clock: plan.clock,
      started_at: new Date(began).toISOString(),
      duration_ms: systemWall() - began,
      planned_ms: plan.for,
      reached_ms: Math.min(trafficEnd, plan.for),
      complete: !ended.aborted,
      record: recordHash(plan, seed),
      customers: traffic.counts,
      generator: {
        planned_per_second: round(plan.expected / (plan.for / 1_000)),
        customers_per_second: round(
          plan.clock === 'real'
            ? traffic.onTime / (plan.for / 1_000)
            : traffic.counts.orders / Math.max(seconds, 0.001),
        ),
        on_time: round(traffic.onTime / Math.max(1, traffic.counts.orders - traffic.counts.retries)),
        lateness: percentiles(traffic.lateness),
        trigger: percentiles(traffic.latency),
        cpu: round(used / Math.max(seconds, 0.001)),
        most_in_flight: traffic.mostInFlight,
        bottleneck: traffic.bottleneck,
      },
      incidents: plan.incidents.map(({ name, file }) => ({
        name,
        title: file.title,
        entries: entriesOf(file).map(({ time, until }) => ({
          from_ms: time,
          to_ms: until === Infinity ? time : until,
        })),
      })),
      ...books,
      receiver: watcher.receiver(worldStart),
      api: watcher.api(traffic.orders.size),
    },
    options.limits,
  )
}

const round = (value: number) => Math.round(value * 100) / 100

/** Returns the processor time of this process in seconds. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Returns the SHA-256 of the record, the same as of the file that `--record` writes. */
function recordHash(plan: Plan, seed: string): string {
  const hash = createHash('sha256')
  for (const line of recordOf(plan, seed)) hash.update(line)
  return hash.digest('hex')
}

/** Plays the presses of all customers, and returns their triggers and how late they are. */
async function playCustomers(options: Playing, began: number) {
  const { plan, seed, world, shop, ended, tell = () => {} } = options
  const orders = new Map<string, OrderState>()
  const lateness = durations()
  const latency = durations()
  const counts = {
    orders: 0,
    presses: 0,
    again: 0,
    devices: 0,
    retries: 0,
    failed_triggers: 0,
    first_failure: '',
  }
  /** Customers that pressed within the duration of the plan; others try again after it. */
  let onTime = 0
  /** Milliseconds from the start of the plan. */
  let reached = 0
  let mostInFlight = 0
  let bottleneck: 'generator' | 'shop' | null = null
  const presses = pressesOf(plan, seed)
  /** Distinguishes the orders of runs with one seed in the same shop. */
  const runName = systemUuid().slice(0, 8)
  const inFlight = new Set<Promise<void>>()
  const next = (): Press | undefined => presses.next().value
  let press = next()

  /** Moves the world's clock from slice to slice, as fast as the shop follows. */
  async function compressed(): Promise<void> {
    while (!ended.aborted && (press || reached < plan.for)) {
      const end = reached + SLICE
      while (press && press.at < end) {
        if (inFlight.size >= MOST_IN_FLIGHT) await Promise.race(inFlight)
        if (press.kind === 'order') onTime++
        pressOne(press, systemWall())
        press = next()
      }
      const calm = Promise.all(inFlight)
      if (inFlight.size > 0) await Promise.race([calm, pause(GRACE)])
      await world.clock.advance(`${SLICE}ms`)
      await shop.advance?.(SLICE)
      reached = end
      if (end % 60_000 === 0) tell(`${end / 60_000} min, ${counts.orders} orders`)
    }
    await Promise.race([Promise.all(inFlight), pause(30_000, ended)])
  }

  async function real(): Promise<void> {
    let told = 0
    while (!ended.aborted && press) {
      const due = began + press.at
      const now = systemWall()
      if (due > now) {
        await pause(Math.min(due - now, 1_000), ended)
        reached = systemWall() - began
      } else if (inFlight.size >= MOST_IN_FLIGHT) {
        bottleneck = 'shop'
        await Promise.race([Promise.race(inFlight), pause(1_000, ended)])
      } else {
        if (press.kind === 'order' && now <= began + plan.for + LATE) onTime++
        pressOne(press, due)
        press = next()
        // Lets responses through while customers queue.
        if (counts.presses % 50 === 0) await pause(0)
      }
      if (now - told > 5_000) {
        told = now
        tell(`${Math.round((now - began) / 1_000)} s, ${counts.orders} orders`)
      }
    }
    const rest = began + plan.for - systemWall()
    if (rest > 0) await pause(rest, ended)
    await Promise.race([Promise.all(inFlight), pause(30_000, ended)])
    reached = systemWall() - began
    if (bottleneck === null && percentiles(lateness).p99 > LATE) bottleneck = 'generator'
  }

  /** @param due - the intended start; latencies count from it */
  function pressOne({ kind, order }: Press, due: number): void {
    counts.presses++
    if (kind === 'again') counts.again++
    else if (kind === 'device') counts.devices++
    else counts.orders++
    if (kind === 'retry') counts.retries++
    const name = `${runName}-${order.n}`
    const { amount, phone } = order
    if (!orders.has(name)) orders.set(name, { order: name, amount, party: `254${phone.slice(1)}` })
    lateness.record(Math.max(1, Math.round(systemWall() - due)))
    const running = triggerOrder(name, order)
      .then(() => latency.record(Math.max(1, Math.round(systemWall() - due))))
      .finally(() => inFlight.delete(running))
    inFlight.add(running)
    mostInFlight = Math.max(mostInFlight, inFlight.size)
  }

  async function triggerOrder(order: string, { amount, phone }: Order): Promise<void> {
    try {
      await shop.trigger({ order, amount, phone })
    } catch (error) {
      counts.failed_triggers++
      counts.first_failure ||= error instanceof Error ? error.message : String(error)
    }
  }
  await (plan.clock === 'compressed' ? compressed() : real())
  return { orders, lateness, latency, counts, onTime, reached, mostInFlight, bottleneck }
}
