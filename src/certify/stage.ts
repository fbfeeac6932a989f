/** One check being tried: a world, orders in the shop, callbacks to it, and what the shop believes then. */
import type { ScenarioFile, WorldClient } from '../client/types.ts'
import { act, type Hands } from './act.ts'
import { Callbacks } from './callbacks.ts'
import type { RunContext, CheckContext } from './context.ts'
import { quoted } from './exchange.ts'
import type { Place } from './ground.ts'
import { Notes, type Story } from './notes.ts'
import { type Ordered, PAYING } from './ordered.ts'
import { Orders, type PaidOrder } from './orders.ts'
import { until } from './pause.ts'
import { believed, type Look, type Pace, type Standing, standingText } from './probe.ts'
import type { Profile } from './profile.ts'
import { Requests } from './requests.ts'
import type { Scene } from './scene.ts'
import { Undecided } from './undecided.ts'

type Then = NonNullable<ScenarioFile['then']>

const AWAKE_LIMIT = 60_000
const DIRECT_LIMIT = 10_000

export class Stage {
  readonly check: CheckContext['check']
  readonly profile: Profile
  readonly world: WorldClient
  readonly secret: string
  readonly notes: Notes
  readonly requests: Requests
  readonly orders: Orders
  readonly callbacks: Callbacks
  readonly #common: RunContext
  /** The scenario that the shop's payments met last. */
  #scenario: ScenarioFile | undefined

  private constructor(context: CheckContext, requests: Requests) {
    const { check, common, world, secret, notes, time } = context
    this.check = check
    this.#common = common
    this.profile = common.profile
    this.world = world
    this.secret = secret
    this.notes = notes
    this.requests = requests
    this.orders = new Orders(context, requests)
    this.callbacks = new Callbacks(context, time === 'real' ? async () => {} : () => this.settle())
  }

  /** Begins a check in a world. Whatever the shop sends from then on is the check's. */
  static async open(
    check: CheckContext['check'],
    common: RunContext,
    { world, secret, mark }: Place,
    time: CheckContext['time'],
  ): Promise<Stage> {
    const context: CheckContext = { check, common, time, world, secret, mark, notes: new Notes() }
    return new Stage(context, await Requests.open(context))
  }

  /** What was recorded meanwhile; nothing is tried any more. */
  close(): Promise<Scene> {
    return this.requests.close(this.callbacks.known)
  }

  get hands(): Hands {
    return this.#common.hands
  }

  get look(): Look | undefined {
    return this.#common.look
  }

  /** From now on payments of the shop go like this; steps one after another, the last one for ever. */
  async meet(title: string, ...thens: readonly Then[]): Promise<void> {
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
    this.notes.did(title)
  }

  /** What is owed in the world is done, however much later it is due there. */
  async settle(within?: string): Promise<void> {
    const { clock } = await this.world.settle(within === undefined ? {} : { within })
    this.notes.clock(clock.now)
  }

  /** The payment of an order ends now; nothing is told of it unless the scenario lets it. */
  async end(
    { payment }: Pick<PaidOrder, 'payment'>,
    outcome: 'success' | 'failed' = 'success',
  ): Promise<void> {
    const reason = outcome === 'failed' ? { reason: 'cancelled' as const } : {}
    await this.world.transactions.simulate(payment.reference, { outcome, ...reason })
  }

  /** Pays, and lets the payment end as decided; of callbacks only those come that the scenario lets. */
  async settled(): Promise<PaidOrder> {
    const paid = await this.orders.pay()
    await this.settle()
    return paid
  }

  /** Until the shop answers its probe again, as after a restart. @throws Undecided when it does not */
  async awake({ order }: Pick<Ordered, 'order'>): Promise<void> {
    const { look } = this
    const { ended } = this.hands
    const ask = async () => {
      ended.throwIfAborted()
      return look ? await look(order).catch(() => undefined) : null
    }
    if ((await until(AWAKE_LIMIT, ask)) === undefined)
      throw new Undecided(`The shop does not answer its probe within ${AWAKE_LIMIT} ms after the restart.`)
  }

  /**
   * What the shop believes of an order once it stands still.
   * @param hoped what is waited for
   * @throws Undecided without a probe
   */
  async believes(
    { order }: Pick<Ordered, 'order'>,
    hoped?: (standing: Standing) => boolean,
    pace: Partial<Pace> = {},
  ): Promise<Standing> {
    const { look } = this
    if (!look) throw new Undecided('Without a probe nobody sees what the shop believes.')
    const standing = await believed(look, order, { ...this.#common.pace, ...pace }, hoped)
    this.notes.saw('certify', `The probe says of ${order}: ${standingText(standing)}`)
    return standing
  }

  /** Does what the profile has for it, such as a restart. @throws Undecided when it fails */
  async act(
    what: NonNullable<Profile['restart']>,
    label: string,
    values: Readonly<Record<string, string>> = {},
  ) {
    const done = await act(this.hands, what, { ...values, ...this.profile.variables }, 'trigger')
    this.notes.keep({ ...done.exchange, label })
    if (!done.ok) throw new Undecided(`${label} fails: ${done.error}.`)
  }

  /** Asks the receiver itself. */
  async direct(
    label: string,
    asking: { method: string; body?: string; headers?: Record<string, string> },
    url: string,
  ) {
    const { exchange, text } = await this.hands.ask({ url, limit: DIRECT_LIMIT, ...asking }, 'direct', label)
    const { answer, error } = exchange
    this.notes.keep(exchange)
    this.notes.saw('shop', `${label}: ${answer ? `answered ${answer.status}` : error}`)
    return { exchange, text, status: answer?.status ?? null }
  }

  /** For the report. */
  story(duration_ms: number): Story {
    return this.notes.story(duration_ms, this.#repeat())
  }

  /** What has the next payments of the shop meet the same. */
  #repeat(): string | null {
    if (!this.#scenario) return null
    const { url } = this.world
    const put = `curl -u demo:demo -X PUT ${url}/sandbox/scenarios/certify -H 'content-type: application/json' -d ${quoted(JSON.stringify(this.#scenario))}`
    return `${put} && curl -u demo:demo -X PATCH ${url}/sandbox/scenarios/certify -H 'content-type: application/json' -d '{"on":true}'`
  }
}
