import type { ScenarioFile, WorldClient } from '../client/types.ts'
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
import type { WorldRecord } from './world-record.ts'
import { act, InconclusiveError, type ShopAccess } from './shop-access.ts'
import { createEvidenceLog } from './evidence.ts'
import { protectionFor } from '../service/vocabulary/receiver-protection.ts'
import { pause, systemWall } from '../lib/clock/clock.ts'

export type Then = NonNullable<ScenarioFile['then']>

const AWAKE_LIMIT = 60_000
const DIRECT_LIMIT = 10_000

export class CheckRun {
  readonly profile: Profile
  readonly world: WorldClient
  readonly secret: string
  readonly evidence = createEvidenceLog()
  readonly orders: ReturnType<typeof createOrders>
  readonly callbacks: ReturnType<typeof createCallbacks>
  readonly #context: CheckContext
  #hasScenario = false
  /** Whether the shop may still process what it was sent. */
  #isBusy = false

  /** Starts a check in a world. All later requests of the shop belong to the check. */
  constructor(
    check: CheckContext['check'],
    common: RunContext,
    { world, secret, mark }: TestWorld,
    time: CheckContext['time'],
  ) {
    const { trigger, payout } = common.profile
    const kind = check.startsWith('PAY') || (!trigger && payout) ? 'payout' : 'collection'
    const context = { check, common, time, world, secret, mark, kind, evidence: this.evidence } as const
    this.#context = context
    this.profile = common.profile
    this.world = world
    this.secret = secret
    this.orders = createOrders(context)
    this.callbacks = createCallbacks(context, time === 'real' ? async () => {} : () => this.settle('1m'))
  }

  close(): Promise<WorldRecord> {
    return this.orders.close(this.callbacks.known)
  }

  get access(): ShopAccess {
    return this.#context.common.access
  }

  get look(): Look | undefined {
    return this.#context.common.look
  }

  /** Sets the scenario of the next payments. With several steps, the last one repeats. */
  async useScenario(title: string, ...thens: readonly Then[]): Promise<void> {
    const when = { operation: [...PAYING[this.#context.kind]] }
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
    await this.world.scenarios.put('certify', scenario)
    if (!this.#hasScenario) await this.world.scenario('certify')
    // In a shared world the previous check left the scenario at its last step.
    if (thens.length > 1) await this.world.scenarios.setStep('certify', 1)
    this.#hasScenario = true
    this.evidence.step(title)
  }

  /** Advances the world's clock until no job is pending. */
  async settle(within?: string): Promise<void> {
    this.#isBusy = true
    const { clock } = await this.world.settle(within === undefined ? {} : { within })
    this.evidence.clock(clock.now)
  }

  /** Ends the payment of an order now. The scenario decides whether the sandbox sends callbacks. */
  async endPayment(
    { payment }: Pick<PaidOrder, 'payment'>,
    outcome: 'success' | 'failed' = 'success',
  ): Promise<void> {
    const reason = this.#context.kind === 'payout' ? 'operator_error' : 'cancelled'
    const end = outcome === 'failed' ? ({ outcome, reason } as const) : { outcome }
    await this.world.transactions.simulate(payment.reference, end)
  }

  /**
   * Takes a payment that stays pending in status queries, too, so that the shop learns the result only from callbacks.
   * @param veiled - Whether status queries return that it is queued even after its end.
   */
  async pendingPayment(veiled = false): Promise<PaidOrder> {
    await this.useScenario('A payment stays pending; no callback is sent automatically.', {
      settle: { never: true },
      callback: { drop: true },
      ...(veiled && { statusQuery: { status: 'queued' } }),
    })
    return this.orders.pay()
  }

  /** Takes a payment that succeeds without a callback. */
  async succeededPayment(): Promise<PaidOrder> {
    const paid = await this.pendingPayment()
    await this.endPayment(paid)
    return paid
  }

  /** Whether the shop considers orders paid whose payment is still pending, which CLI-11 checks. */
  get isEager(): boolean {
    return this.#context.common.isEager
  }

  async payAndSettle(): Promise<PaidOrder> {
    const paid = await this.orders.pay()
    await this.settle()
    return paid
  }

  /** Waits until the shop answers its probe, for example after a restart. @throws {InconclusiveError} After a minute. */
  async waitForShop({ order }: Pick<OrderDetails, 'order'>): Promise<void> {
    const { look } = this
    const { ended } = this.access
    const ask = async () => {
      ended.throwIfAborted()
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
  async standing(
    { order }: Pick<OrderDetails, 'order'>,
    hoped?: (standing: Standing) => boolean,
    pace: Partial<Pace> = {},
  ): Promise<Standing> {
    const { look } = this
    if (!look) throw new InconclusiveError('Without a probe, the state of orders is not visible.')
    const all = { ...this.#context.common.pace, ...pace }
    if (all.queues && this.#isBusy) await this.#fence(look)
    const standing = await believed(look, order, all, hoped)
    this.evidence.event('certify', `The probe returns for ${order}: ${standingText(standing)}`)
    return standing
  }

  /**
   * Waits until a shop with a queue has processed all callbacks: a valid one, sent last, takes effect.
   * @throws {InconclusiveError} If it has no effect in time.
   */
  async #fence(look: Look): Promise<void> {
    const began = systemWall()
    const { pace, profile } = this.#context.common
    // A status query would take effect before the callbacks that wait in the queue.
    const fence = await this.pendingPayment(pace.trusts)
    await this.endPayment(fence)
    await this.callbacks.send(fence, 'fence')
    const standing = await believed(look, fence.order, pace, isPaidOnce)
    if (!isPaidOnce(standing))
      throw new InconclusiveError(
        `A valid callback, sent last, had no effect within ${pace.hope} ms: the order is ${standingText(standing)}.`,
      )
    await pause(Math.max(0, began + (profile.receiver.settles ?? 0) - systemWall()))
    this.#isBusy = false
  }

  /** Performs an action of the profile, such as a restart. @throws {InconclusiveError} If it fails. */
  async perform(
    what: NonNullable<Profile['restart']>,
    label: string,
    values: Readonly<Record<string, string>> = {},
  ) {
    const done = await act(this.access, what, { ...values, ...this.profile.variables }, 'trigger')
    this.evidence.keep({ ...done.exchange, label })
    if (!done.ok) throw new InconclusiveError(`${label} fails: ${done.error}.`)
  }

  /** Sends a request to the receiver without the sandbox. */
  async request(
    label: string,
    asking: { method: string; body?: string; headers?: Record<string, string> },
    url: string,
  ) {
    const protection = protectionFor(this.profile.receiver.protection, url)
    const headers = { ...protection?.headers, ...asking.headers }
    const sent = { limit: DIRECT_LIMIT, ...asking, url, headers, tls: protection?.tls }
    const { exchange, text } = await this.access.ask(sent, 'direct', label)
    const { response, error } = exchange
    this.evidence.keep(exchange)
    this.evidence.event('shop', `${label}: ${response ? `responded with ${response.status}` : error}`)
    return { exchange, text, status: response?.status ?? null }
  }
}
