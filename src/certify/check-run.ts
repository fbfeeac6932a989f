/** One check being tried: a world, orders in the shop, callbacks to it, and what the shop believes then. */
import type { ScenarioFile, WorldClient } from '../client/types.ts'
import { Callbacks } from './callbacks.ts'
import type { RunContext, CheckContext } from './context.ts'
import type { TestWorld } from './environment.ts'
import { Orders, type PaidOrder } from './orders.ts'
import { until } from './waiting.ts'
import { believed, type Look, type Pace, type Standing, standingText } from './probe.ts'
import type { Profile } from './profile.ts'
import { Requests } from './requests.ts'
import type { WorldRecord } from './world-record.ts'
import { InconclusiveError } from './inconclusive.ts'
import { act, type ShopAccess } from './shop-access.ts'
import { quoted, EvidenceLog, type Evidence } from './evidence.ts'
import { type OrderDetails, PAYING } from './requests.ts'

/** What a scenario has happen to a payment. */
export type Then = NonNullable<ScenarioFile['then']>

const AWAKE_LIMIT = 60_000
const DIRECT_LIMIT = 10_000

export class CheckRun {
  readonly check: CheckContext['check']
  readonly profile: Profile
  readonly world: WorldClient
  readonly secret: string
  readonly evidence: EvidenceLog
  readonly requests: Requests
  readonly orders: Orders
  readonly callbacks: Callbacks
  readonly #common: RunContext
  /** The scenario that the shop's payments met last. */
  #scenario: ScenarioFile | undefined

  private constructor(context: CheckContext, requests: Requests) {
    const { check, common, world, secret, evidence, time } = context
    this.check = check
    this.#common = common
    this.profile = common.profile
    this.world = world
    this.secret = secret
    this.evidence = evidence
    this.requests = requests
    this.orders = new Orders(context, requests)
    this.callbacks = new Callbacks(context, time === 'real' ? async () => {} : () => this.settle())
  }

  /** Begins a check in a world. Whatever the shop sends from then on is the check's. */
  static async open(
    check: CheckContext['check'],
    common: RunContext,
    { world, secret, mark }: TestWorld,
    time: CheckContext['time'],
  ): Promise<CheckRun> {
    const context: CheckContext = { check, common, time, world, secret, mark, evidence: new EvidenceLog() }
    return new CheckRun(context, await Requests.open(context))
  }

  /** What was recorded meanwhile; nothing is tried any more. */
  close(): Promise<WorldRecord> {
    return this.requests.close(this.callbacks.known)
  }

  get access(): ShopAccess {
    return this.#common.access
  }

  get look(): Look | undefined {
    return this.#common.look
  }

  /** From now on payments of the shop go like this; steps one after another, the last one for ever. */
  async useScenario(title: string, ...thens: readonly Then[]): Promise<void> {
    const when = { operation: [...PAYING] }
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
    if (!this.#scenario) await this.world.scenario('certify')
    // Where checks share a world, the one before was at its last step.
    if (thens.length > 1) await this.world.scenarios.setStep('certify', 1)
    this.#scenario = scenario
    this.evidence.step(title)
  }

  /** What is owed in the world is done, however much later it is due there. */
  async settle(within?: string): Promise<void> {
    const { clock } = await this.world.settle(within === undefined ? {} : { within })
    this.evidence.clock(clock.now)
  }

  /** The payment of an order ends now; nothing is told of it unless the scenario lets it. */
  async endPayment(
    { payment }: Pick<PaidOrder, 'payment'>,
    outcome: 'success' | 'failed' = 'success',
  ): Promise<void> {
    const reason = outcome === 'failed' ? { reason: 'cancelled' as const } : {}
    await this.world.transactions.simulate(payment.reference, { outcome, ...reason })
  }

  /** Pays, and lets the payment end as decided; of callbacks only those come that the scenario lets. */
  async payAndSettle(): Promise<PaidOrder> {
    const paid = await this.orders.pay()
    await this.settle()
    return paid
  }

  /** Until the shop answers its probe again, as after a restart. @throws InconclusiveError when it does not */
  async waitForShop({ order }: Pick<OrderDetails, 'order'>): Promise<void> {
    const { look } = this
    const { ended } = this.access
    const ask = async () => {
      ended.throwIfAborted()
      return look ? await look(order).catch(() => undefined) : null
    }
    if ((await until(AWAKE_LIMIT, ask)) === undefined)
      throw new InconclusiveError(
        `The shop does not answer its probe within ${AWAKE_LIMIT} ms after the restart.`,
      )
  }

  /**
   * What the shop believes of an order once it stands still.
   * @param hoped what is waited for
   * @throws InconclusiveError without a probe
   */
  async standing(
    { order }: Pick<OrderDetails, 'order'>,
    hoped?: (standing: Standing) => boolean,
    pace: Partial<Pace> = {},
  ): Promise<Standing> {
    const { look } = this
    if (!look) throw new InconclusiveError('Without a probe nobody sees what the shop believes.')
    const standing = await believed(look, order, { ...this.#common.pace, ...pace }, hoped)
    this.evidence.event('certify', `The probe says of ${order}: ${standingText(standing)}`)
    return standing
  }

  /** Does what the profile has for it, such as a restart. @throws InconclusiveError when it fails */
  async perform(
    what: NonNullable<Profile['restart']>,
    label: string,
    values: Readonly<Record<string, string>> = {},
  ) {
    const done = await act(this.access, what, { ...values, ...this.profile.variables }, 'trigger')
    this.evidence.keep({ ...done.exchange, label })
    if (!done.ok) throw new InconclusiveError(`${label} fails: ${done.error}.`)
  }

  /** Asks the receiver itself. */
  async request(
    label: string,
    asking: { method: string; body?: string; headers?: Record<string, string> },
    url: string,
  ) {
    const { exchange, text } = await this.access.ask({ url, limit: DIRECT_LIMIT, ...asking }, 'direct', label)
    const { answer, error } = exchange
    this.evidence.keep(exchange)
    this.evidence.event('shop', `${label}: ${answer ? `answered ${answer.status}` : error}`)
    return { exchange, text, status: answer?.status ?? null }
  }

  /** For the report. */
  evidenceOf(duration_ms: number): Evidence {
    return this.evidence.end(duration_ms, this.#repeat())
  }

  /** What has the next payments of the shop meet the same. */
  #repeat(): string | null {
    if (!this.#scenario) return null
    const { url } = this.world
    const put = `curl -u demo:demo -X PUT ${url}/sandbox/scenarios/certify -H 'content-type: application/json' -d ${quoted(JSON.stringify(this.#scenario))}`
    return `${put} && curl -u demo:demo -X PATCH ${url}/sandbox/scenarios/certify -H 'content-type: application/json' -d '{"on":true}'`
  }
}
