/** One check being tried: a world, an order in the shop, callbacks to it, and what is kept for the report. */
import type { FireCallbackRequest } from '../generated/control/types.ts'
import type { Listening, ScenarioFile, WorldClient } from '../client/types.ts'
import { systemWall } from '../clock.ts'
import type { Exchange, Moment } from './certification.ts'
import type { CheckId } from './checks.ts'
import { act, type Done, type Hands } from './act.ts'
import { ofAttempt, ofRequest, quoted } from './exchange.ts'
import type { Place } from './ground.ts'
import type { Story } from './result.ts'
import { pause, until, within } from './pause.ts'
import { believed, type Look, type Pace, type Standing, standingText } from './probe.ts'
import type { Given, Profile } from './profile.ts'
import {
  type Asked,
  type Mark,
  markOf,
  newRequests,
  newTransactions,
  ownRequests,
  type Scene,
  sceneOf,
} from './scene.ts'
import type { Transaction } from '../generated/control/types.ts'
import { NoPayment, Undecided } from './undecided.ts'

/** What all checks of a run share. */
export interface Common {
  readonly profile: Profile
  readonly hands: Hands
  /** A name that no other run has, and numbers that no other order has. */
  readonly run: string
  readonly next: () => number
  readonly pace: Pace
  /** Undefined without a probe, or when it is useless. */
  readonly look: Look | undefined
}

/** An order that the shop was told to take a payment for. */
export interface Order extends Pick<Given, 'order' | 'amount' | 'phone'> {
  readonly trigger: Promise<Done>
}

/** An order whose payment the sandbox has. */
export interface Paid extends Order {
  readonly payment: Transaction
}

/** A callback that was sent. */
export interface Sent {
  readonly id: number
  /** The status that the receiver answered; null when it answered nothing. */
  readonly status: number | null
  readonly exchanges: readonly Exchange[]
  /** The last one. */
  readonly exchange: Exchange
}

type Then = NonNullable<ScenarioFile['then']>
/** What a callback is like, other than good. */
export type Wanted = Omit<FireCallbackRequest, 'reference'>

/** Payments of the shop, whichever endpoint it uses. */
export const PAYING = ['createCollection', 'createGlobalPayment'] as const
const TRIGGER_GRACE = 2_000
/** So long a payment is waited for while the trigger goes on, milliseconds. */
const TRIGGER_LIMIT = 10_000
const SENT_LIMIT = 40_000
const AWAKE_LIMIT = 60_000

export class Stage {
  readonly check: CheckId | 'calibration'
  readonly profile: Profile
  readonly world: WorldClient
  readonly secret: string
  readonly exchanges: Exchange[] = []
  readonly moments: Moment[] = []
  readonly steps: string[] = []
  /** The scenario that the shop's payments met last, as its file. */
  scenario: ScenarioFile | undefined
  readonly #common: Common
  readonly #real: boolean
  readonly #mark: Mark
  readonly #came = new Map<string, number>()
  readonly #own = new Set<string>()
  #listening: Listening | undefined
  #worldTime: string | null = null

  private constructor(check: Stage['check'], common: Common, place: Place, mark: Mark, real: boolean) {
    this.check = check
    this.#common = common
    this.profile = common.profile
    this.world = place.world
    this.secret = place.secret
    this.#mark = mark
    this.#real = real
  }

  static async open(check: Stage['check'], common: Common, place: Place, real: boolean): Promise<Stage> {
    const stage = new Stage(check, common, place, await markOf(place.world), real)
    if (real) {
      stage.#listening = await place.world.listen(({ type, data }) => {
        if (type === 'request') stage.#came.set(String(data['id']), systemWall())
      })
    }
    return stage
  }

  /** What was recorded meanwhile; nothing is tried any more. */
  async close(): Promise<Scene> {
    await this.#listening?.stop()
    const about = { check: this.check, real: this.#real }
    const scene = await sceneOf(this.world, this.#mark, about, this.#came, this.#own)
    return { ...scene, requests: this.#ownOf(scene.requests, scene.transactions) }
  }

  #ownOf(requests: readonly Asked[], transactions: readonly Transaction[]): readonly Asked[] {
    const run = `-${this.#common.run}-`
    return ownRequests(requests, transactions, this.check.toLowerCase() + run, run)
  }

  get hands(): Hands {
    return this.#common.hands
  }

  get look(): Look | undefined {
    return this.#common.look
  }

  /** Something that was done, for the report. */
  did(what: string): void {
    this.steps.push(what)
    this.saw('certify', what)
  }

  saw(who: Moment['who'], what: string): void {
    const at = new Date(systemWall()).toISOString()
    this.moments.push({ at, world_at: this.#worldTime, who, what })
  }

  keep(...exchanges: readonly Exchange[]): void {
    this.exchanges.push(...exchanges)
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
    await this.world.scenario('certify')
    // Where checks share a world, the one before was at its last step.
    if (thens.length > 1) await this.world.scenarios.setStep('certify', 1)
    this.scenario = scenario
    this.did(title)
  }

  /** Tells the shop to take a payment; whether it does is another matter. */
  order(): Order {
    const n = this.#common.next()
    const { profile, hands, run } = this.#common
    const given = {
      order: `${this.check.toLowerCase()}-${run}-${n}`,
      amount: 100 + n,
      phone: `0712${String(100_000 + n * 7)}`,
    }
    const trigger = profile.trigger ? this.#trigger(given, hands) : this.#pay(given)
    trigger.catch(() => {})
    this.saw('certify', `The order ${given.order} is to be paid: ${given.amount}`)
    return { ...given, trigger }
  }

  async #trigger(own: Pick<Given, 'order' | 'amount' | 'phone'>, hands: Hands): Promise<Done> {
    const { trigger } = this.profile
    const { url, username, password, authorization, fetch } = this.world
    const callback = this.profile.receiver.url ?? ''
    const where = { sandbox: url, user: username, password, authorization, secret: this.secret, callback }
    const given = { ...own, ...where }
    const what = typeof trigger === 'function' ? () => trigger({ ...given, fetch }) : trigger!
    const done = await act(hands, what, { ...given, ...this.profile.variables }, 'trigger')
    this.keep(done.exchange)
    return done
  }

  /** Without a trigger it is certify that pays, so that there is something to tell the receiver. */
  async #pay({ order, amount, phone }: Pick<Given, 'order' | 'amount' | 'phone'>): Promise<Done> {
    const { url = '' } = this.profile.receiver
    const body = {
      amount,
      phone_number: phone,
      provider: 'm-pesa',
      network_code: '63902',
      external_reference: order,
      callback_url: url,
    } as const
    const answer = await this.world.fetch('/api/v2/payments', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    this.#own.add(answer.headers.get('sandbox-request-id') ?? '')
    const text = await answer.text()
    const { exchange } = await act(this.#common.hands, () => {}, {}, 'trigger')
    if (answer.ok) return { ok: true, text, error: '', exchange }
    return { ok: false, text, error: `the sandbox answered ${answer.status}: ${text}`, exchange }
  }

  /** The payments that there are for an order, oldest first. */
  async payments({ order, amount, phone }: Pick<Given, 'order' | 'amount' | 'phone'>) {
    const found = await newTransactions(this.world, this.#mark)
    const party = phone.replace(/\D/g, '').replace(/^0/, '')
    return found
      .filter(
        (each) =>
          each.external_reference.includes(order) ||
          each.party.endsWith(party) ||
          (each.amount.amount === amount && each.direction === 'payin'),
      )
      .reverse()
  }

  /** @throws NoPayment when the shop takes no payment */
  async pay(): Promise<Paid> {
    const order = this.order()
    return { ...order, payment: await this.payment(order) }
  }

  /** The payment of an order, once it is there and the trigger is through. @throws NoPayment when none comes */
  async payment(order: Order): Promise<Transaction> {
    const patience = this.profile.isManual ? 300_000 : Math.max(this.profile.client.patience, 2_000)
    let ended: Done | undefined
    let through = Infinity
    const note = (done: Done) => {
      ended = done
      through = systemWall()
    }
    void order.trigger.then(note).catch(() => {})
    // A machine that is busy is slow with the trigger, too.
    const found = await until(Math.max(patience, TRIGGER_LIMIT), async () => {
      const over = (ended && !ended.ok) || systemWall() - through >= patience
      const [payment] = await this.payments(order)
      return payment ?? (over ? null : undefined)
    })
    const done = await within(TRIGGER_GRACE, order.trigger)
    if (found) return found
    const { url, username } = this.world
    const why =
      done && !done.ok
        ? `${done.error}.`
        : `it took no payment of ${order.amount} within ${patience} ms; does it pay to ${url}, as ${username}?`
    const unheard = /connection refused/.test(done?.exchange.error ?? '')
    throw new NoPayment(`The trigger brought no payment for ${order.order}: ${why}`, unheard)
  }

  /** What is owed in the world is done, however much later it is due there. */
  async settle(within?: string): Promise<void> {
    const { clock } = await this.world.settle(within === undefined ? {} : { within })
    this.#worldTime = new Date(clock.now).toISOString()
  }

  /** The payment of an order succeeds now; nothing is told of it unless the scenario lets it. */
  async succeed(
    { payment }: Pick<Paid, 'payment'>,
    outcome: 'success' | 'failed' = 'success',
  ): Promise<void> {
    const reason = outcome === 'failed' ? { reason: 'cancelled' as const } : {}
    await this.world.transactions.simulate(payment.reference, { outcome, ...reason })
  }

  /** Pays, and lets the payment end as decided; of callbacks only those come that the scenario lets. */
  async settled(): Promise<Paid> {
    const paid = await this.pay()
    await this.settle()
    return paid
  }

  /** Sends a callback of a payment as it is now. @param label what it is, for the report */
  async send({ payment }: Pick<Paid, 'payment'>, label: string, wanted: Wanted = {}): Promise<Sent> {
    const { url } = this.profile.receiver
    const to = payment.callback_url === '' ? url : undefined
    if (payment.callback_url === '' && url === undefined)
      throw new Undecided(
        'There is no address for callbacks: the payment has no callback_url, and the profile no receiver.',
      )
    const { callback } = await this.world.callbacks.fire({
      reference: payment.reference,
      ...wanted,
      ...(to !== undefined && { url: to }),
    })
    return this.#sent(callback.id, label, wanted.method ?? 'POST', 0)
  }

  /** Sends the same callback again, with the same id. */
  async again({ id, exchanges }: Sent, label: string): Promise<Sent> {
    await this.world.callbacks.resend(id)
    return this.#sent(id, label, exchanges[0]!.method, exchanges.length)
  }

  async #sent(id: number, label: string, method: string, before: number): Promise<Sent> {
    if (!this.#real) await this.settle()
    const over = await until(SENT_LIMIT, async () => {
      const details = await this.world.callbacks.get(id)
      return details.callback.state === 'pending' ? undefined : details
    })
    if (!over) throw new Undecided(`The callback was not sent within ${SENT_LIMIT} ms.`)
    const exchanges = over.attempts.slice(before).map((each) => ofAttempt(each, method, label))
    const exchange = exchanges.at(-1)
    if (!exchange) throw new Undecided(`The callback was not sent: ${over.callback.last_error}.`)
    this.keep(...exchanges)
    for (const { answer, error } of exchanges)
      this.saw('shop', `${label}: ${answer ? `answered ${answer.status}` : error}`)
    return { id, status: exchange.answer?.status ?? null, exchanges, exchange }
  }

  /** Until all callbacks of a payment that came by themselves are over; they are shown. */
  async told({ payment }: Pick<Paid, 'payment'>): Promise<readonly Exchange[]> {
    const { reference } = payment
    const over = await until(SENT_LIMIT, async () => {
      const callbacks = await this.world.callbacks.list({ reference })
      return callbacks.some(({ state }) => state === 'pending') ? undefined : callbacks
    })
    const details = await Promise.all((over ?? []).map(({ id }) => this.world.callbacks.get(id)))
    const exchanges = details.flatMap(({ attempts, body }) =>
      attempts.map((each) => ofAttempt(each, 'POST', /"status":"(\w+)"/.exec(body)?.[1] ?? 'callback')),
    )
    this.keep(...exchanges)
    return exchanges
  }

  /** Until the shop answers its probe again, as after a restart. @throws Undecided when it does not */
  async awake({ order }: Pick<Given, 'order'>): Promise<void> {
    const { look } = this
    const ask = async () => (look ? await look(order).catch(() => undefined) : null)
    if ((await until(AWAKE_LIMIT, ask)) === undefined)
      throw new Undecided(`The shop does not answer its probe within ${AWAKE_LIMIT} ms after the restart.`)
  }

  /**
   * What the shop believes of an order once it stands still.
   * @param hoped what is waited for
   * @throws Undecided without a probe
   */
  async believes(
    { order }: Pick<Given, 'order'>,
    hoped?: (standing: Standing) => boolean,
    pace: Partial<Pace> = {},
  ): Promise<Standing> {
    const { look } = this
    if (!look) throw new Undecided('Without a probe nobody sees what the shop believes.')
    const standing = await believed(look, order, { ...this.#common.pace, ...pace }, hoped)
    this.saw('certify', `The probe says of ${order}: ${standingText(standing)}`)
    return standing
  }

  /** The shop's requests so far, oldest first. */
  async requests(): Promise<readonly Asked[]> {
    const [all, transactions] = await Promise.all([
      newRequests(this.world, this.#mark, this.#came),
      newTransactions(this.world, this.#mark),
    ])
    return this.#ownOf(
      all.filter(({ id }) => !this.#own.has(id)),
      transactions,
    )
  }

  /** Until the shop has sent its first request for an order. */
  async tried(order: Order): Promise<void> {
    await until(this.profile.client.patience, async () =>
      (await this.tries(order)).length > 0 ? true : undefined,
    )
  }

  /** Those that pay for an order, whether they were taken or not. */
  async tries({ order, amount, phone }: Order): Promise<readonly Asked[]> {
    const party = phone.replace(/\D/g, '').replace(/^0/, '')
    const asked = await this.requests()
    return asked.filter(({ operation, body }) => {
      if (!(PAYING as readonly (string | null)[]).includes(operation)) return false
      const text = JSON.stringify(body)
      return text.includes(order) || text.includes(party) || new RegExp(`"amount":"?${amount}\\b`).test(text)
    })
  }

  /** Until the shop sent nothing for a while, or so long at most. Milliseconds. @param of the order whose payments alone count */
  async quiet(calm: number, most: number, of?: Order): Promise<void> {
    const end = systemWall() + most
    let count = -1
    for (let since = systemWall(); systemWall() < end;) {
      const { length } = await (of ? this.tries(of) : this.requests())
      if (length !== count) since = systemWall()
      count = length
      // Of an order nothing is quiet before it was tried.
      if (systemWall() - since >= calm && (!of || length > 0)) return
      await pause(Math.min(100, calm / 3))
    }
  }

  /** Waits by the shop's clock. */
  async wait(ms: number): Promise<void> {
    await pause(ms)
  }

  /** The requests of the shop are shown, the first few. */
  show(requests: readonly Asked[], label: string): void {
    this.keep(...requests.slice(0, 6).map((each, n) => ofRequest(each, `${label} ${n + 1}`)))
  }

  /** Does what the profile has for it, such as a restart. @throws Undecided when it fails */
  async act(
    what: NonNullable<Profile['restart']>,
    label: string,
    values: Readonly<Record<string, string>> = {},
  ) {
    const done = await act(this.#common.hands, what, { ...values, ...this.profile.variables }, 'trigger')
    this.keep({ ...done.exchange, label })
    if (!done.ok) throw new Undecided(`${label} fails: ${done.error}.`)
  }

  /** For the report. */
  story(duration_ms: number): Story {
    const { steps, exchanges, moments } = this
    return { steps, exchanges, timeline: moments, curl: this.#repeat(), duration_ms }
  }

  /** What has the next payments of the shop meet the same. */
  #repeat(): string | null {
    if (!this.scenario) return null
    const { url } = this.world
    const put = `curl -u demo:demo -X PUT ${url}/sandbox/scenarios/certify -H 'content-type: application/json' -d ${quoted(JSON.stringify(this.scenario))}`
    return `${put} && curl -u demo:demo -X PATCH ${url}/sandbox/scenarios/certify -H 'content-type: application/json' -d '{"on":true}'`
  }

  /** Asks the receiver itself. */
  async direct(
    label: string,
    asking: { method: string; body?: string; headers?: Record<string, string> },
    url: string,
  ) {
    const { exchange, text } = await this.#common.hands.ask(
      { url, limit: 10_000, ...asking },
      'direct',
      label,
    )
    this.keep(exchange)
    this.saw('shop', `${label}: ${exchange.answer ? `answered ${exchange.answer.status}` : exchange.error}`)
    return { exchange, text, status: exchange.answer?.status ?? null }
  }
}
