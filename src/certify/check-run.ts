import type { ScenarioFile } from '../client/types.ts'
import { createCallbacks } from './callbacks.ts'
import type { TestWorld } from './environment.ts'
import { until } from './waiting.ts'
import { believed, isPaidOnce, type Look, type Pace, type Standing, standingText } from './probe.ts'
import type { Profile } from './read-profile.ts'
import {
  type CheckContext,
  type OrderDetails,
  createOrders,
  type PaidOrder,
  PAYING,
  type RunContext,
} from './orders.ts'
import { act, InconclusiveError } from './shop-access.ts'
import { createEvidenceLog } from './evidence.ts'
import { protectionFor } from '../service/vocabulary/receiver-protection.ts'
import { pause, systemWall } from '../lib/clock/clock.ts'

export type Then = NonNullable<ScenarioFile['then']>

const AWAKE_LIMIT = 60_000
const DIRECT_LIMIT = 10_000

export type CheckRun = ReturnType<typeof startCheck>

/** Starts a check in a world. All later requests of the shop belong to the check. */
export function startCheck(
  check: CheckContext['check'],
  common: RunContext,
  { world, secret, mark }: TestWorld,
  time: CheckContext['time'],
) {
  const { profile, access, look } = common
  const { trigger, payout } = profile
  const kind = check.startsWith('PAY') || (!trigger && payout) ? 'payout' : 'collection'
  const evidence = createEvidenceLog()
  const context = { check, common, time, world, secret, mark, kind, evidence } as const
  const orders = createOrders(context)
  const callbacks = createCallbacks(context, time === 'real' ? async () => {} : () => settle('1m'))
  let hasScenario = false
  /** Whether the shop may still process what it was sent. */
  let isBusy = false

  /** Sets the scenario of the next payments. With several steps, the last one repeats. */
  async function useScenario(title: string, ...thens: readonly Then[]): Promise<void> {
    const when = { operation: [...PAYING[kind]] }
    const scenario = (
      thens.length === 1
        ? { title, when, then: thens[0]! }
        : {
            title,
            when,
            steps: thens.map((then, n) => (n === thens.length - 1 ? { then } : { times: 1, then })),
            afterLast: 'stay',
          }
    ) as ScenarioFile
    await world.scenarios.put('certify', scenario)
    if (!hasScenario) await world.scenario('certify')
    // In a shared world the previous check left the scenario at its last step.
    if (thens.length > 1) await world.scenarios.setStep('certify', 1)
    hasScenario = true
    evidence.step(title)
  }

  /** Advances the world's clock until no job is pending. */
  async function settle(within?: string): Promise<void> {
    isBusy = true
    const { clock } = await world.settle(within === undefined ? {} : { within })
    evidence.clock(clock.now)
  }

  /** Ends the payment of an order now. The scenario decides whether the sandbox sends callbacks. */
  async function endPayment(
    { payment }: Pick<PaidOrder, 'payment'>,
    outcome: 'success' | 'failed' = 'success',
  ): Promise<void> {
    const reason = kind === 'payout' ? 'operator_error' : 'cancelled'
    const end = outcome === 'failed' ? ({ outcome, reason } as const) : { outcome }
    await world.transactions.simulate(payment.reference, end)
  }

  /**
   * Takes a payment that stays pending in status queries, too, so that the shop learns the result only from callbacks.
   * @param veiled - Whether status queries return that it is queued even after its end.
   */
  async function pendingPayment(veiled = false): Promise<PaidOrder> {
    await useScenario('A payment stays pending; no callback is sent automatically.', {
      settle: { never: true },
      callback: { drop: true },
      ...(veiled && { statusQuery: { status: 'queued' } }),
    })
    return orders.pay()
  }

  /** Takes a payment that succeeds without a callback. */
  async function succeededPayment(): Promise<PaidOrder> {
    const paid = await pendingPayment()
    await endPayment(paid)
    return paid
  }

  async function payAndSettle(): Promise<PaidOrder> {
    const paid = await orders.pay()
    await settle()
    return paid
  }

  /** Waits until the shop answers its probe, for example after a restart. @throws {InconclusiveError} After a minute. */
  async function waitForShop({ order }: Pick<OrderDetails, 'order'>): Promise<void> {
    const ask = async () => {
      access.ended.throwIfAborted()
      return look ? await look(order).catch(() => undefined) : null
    }
    if ((await until(AWAKE_LIMIT, ask)) === undefined)
      throw new InconclusiveError(`The probe failed for ${AWAKE_LIMIT} ms after the restart.`)
  }

  /**
   * Returns the state of an order in the shop once it is stable.
   * @param hoped - Whether a state is the expected one.
   * @throws {InconclusiveError} Without a probe.
   */
  async function standing(
    { order }: Pick<OrderDetails, 'order'>,
    hoped?: (standing: Standing) => boolean,
    pace: Partial<Pace> = {},
  ): Promise<Standing> {
    if (!look) throw new InconclusiveError('Without a probe, the state of orders is not visible.')
    const all = { ...common.pace, ...pace }
    if (all.queues && isBusy) await fence(look)
    const standing = await believed(look, order, all, hoped)
    evidence.event('certify', `The probe returns for ${order}: ${standingText(standing)}`)
    return standing
  }

  /**
   * Waits until a shop with a queue has processed all callbacks: a valid one, sent last, takes effect.
   * @throws {InconclusiveError} If it has no effect in time.
   */
  async function fence(look: Look): Promise<void> {
    const began = systemWall()
    const { pace } = common
    // A status query would take effect before the callbacks that wait in the queue.
    const fence = await pendingPayment(pace.trusts)
    await endPayment(fence)
    await callbacks.send(fence, 'fence')
    const standing = await believed(look, fence.order, pace, isPaidOnce)
    if (!isPaidOnce(standing))
      throw new InconclusiveError(
        `A valid callback, sent last, had no effect within ${pace.hope} ms: the order is ${standingText(standing)}.`,
      )
    await pause(Math.max(0, began + (profile.receiver.settles ?? 0) - systemWall()))
    isBusy = false
  }

  /** Performs an action of the profile, such as a restart. @throws {InconclusiveError} If it fails. */
  async function perform(
    what: NonNullable<Profile['restart']>,
    label: string,
    values: Readonly<Record<string, string>> = {},
  ) {
    const done = await act(access, what, { ...values, ...profile.variables }, 'trigger')
    evidence.keep({ ...done.exchange, label })
    if (!done.ok) throw new InconclusiveError(`${label} fails: ${done.error}.`)
  }

  /** Sends a request to the receiver without the sandbox. */
  async function request(
    label: string,
    asking: { method: string; body?: string; headers?: Record<string, string> },
    url: string,
  ) {
    const protection = protectionFor(profile.receiver.protection, url)
    const headers = { ...protection?.headers, ...asking.headers }
    const sent = { limit: DIRECT_LIMIT, ...asking, url, headers, tls: protection?.tls }
    const { exchange, text } = await access.ask(sent, 'direct', label)
    const { response, error } = exchange
    evidence.keep(exchange)
    evidence.event('shop', `${label}: ${response ? `responded with ${response.status}` : error}`)
    return { exchange, text, status: response?.status ?? null }
  }
  return {
    profile,
    world,
    secret,
    evidence,
    orders,
    callbacks,
    access,
    look,
    /** Whether the shop considers orders paid whose payment is still pending, which CLI-11 checks. */
    isEager: common.isEager,
    close: () => orders.close(callbacks.known),
    useScenario,
    settle,
    endPayment,
    pendingPayment,
    succeededPayment,
    payAndSettle,
    waitForShop,
    standing,
    perform,
    request,
  }
}
