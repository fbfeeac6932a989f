import type { CallbackDetails, FireCallbackRequest } from '../generated/control/types.ts'
import type { CheckContext, PaidOrder } from './orders.ts'
import { pause } from '../lib/clock/clock.ts'
import { until } from './waiting.ts'
import { InconclusiveError } from './shop-access.ts'
import type { Exchange } from './certification.ts'
import { ofAttempt } from './evidence.ts'

export interface SentCallback {
  readonly id: number
  /** The receiver's status, or null without a response. */
  readonly status: number | null
  readonly exchanges: readonly Exchange[]
  readonly exchange: Exchange
}

/** How a callback differs from a correct one. */
export type CallbackVariant = Omit<FireCallbackRequest, 'reference'>

const SENT_LIMIT = 60_000
/** How often, and milliseconds for how long, a receiver may postpone a callback. */
const MAX_POSTPONED = 5
const LONGEST_POSTPONED = 30_000

/** Returns the milliseconds after which a busy receiver wants a callback again. */
export function retryAfter({ response, at }: Exchange): number | undefined {
  if (response?.status !== 429 && response?.status !== 503) return undefined
  const written = response.headers.find(({ name }) => name.toLowerCase() === 'retry-after')?.value
  if (written === undefined) return undefined
  const ms = /^\d+$/.test(written) ? Number(written) * 1000 : Date.parse(written) - Date.parse(at)
  return Number.isNaN(ms) || ms > LONGEST_POSTPONED ? undefined : Math.max(100, ms)
}

/** @param due performs pending jobs if the world's clock is frozen */
export function createCallbacks({ world, common, evidence }: CheckContext, due: () => Promise<void>) {
  /** The callbacks read so far, by id. */
  const known = new Map<number, CallbackDetails>()

  /** Sends a callback with the current state of a payment. @param label the name of the exchange in the report */
  async function send(
    { payment }: Pick<PaidOrder, 'payment'>,
    label: string,
    wanted: CallbackVariant = {},
  ): Promise<SentCallback> {
    const { url } = common.profile.receiver
    const to = payment.callback_url === '' ? url : undefined
    if (payment.callback_url === '' && url === undefined)
      throw new InconclusiveError(
        'There is no callback address: the payment has no callback_url, and the profile no receiver.',
      )
    const { callback } = await world.callbacks.fire({
      reference: payment.reference,
      ...wanted,
      ...(to !== undefined && { url: to }),
    })
    return accept(await attemptsOf(callback.id, label, wanted.method ?? 'POST'), label)
  }

  /** Resends a callback that a busy receiver postpones, after the time that the receiver names. */
  async function accept(sent: SentCallback, label: string): Promise<SentCallback> {
    let last = sent
    const exchanges = [...sent.exchanges]
    for (let tried = 0; tried < MAX_POSTPONED && sent.exchanges.length === 1; tried++) {
      const wait = retryAfter(last.exchange)
      if (wait === undefined) break
      await pause(wait)
      await world.callbacks.resend(sent.id)
      last = await attemptsOf(sent.id, label, sent.exchange.method)
      exchanges.push(...last.exchanges)
    }
    return { ...last, exchanges }
  }

  /** Resends the same callback with the same id. */
  async function again(
    { id, exchange }: Pick<SentCallback, 'id' | 'exchange'>,
    label: string,
  ): Promise<SentCallback> {
    await world.callbacks.resend(id)
    return accept(await attemptsOf(id, label, exchange.method), label)
  }

  async function attemptsOf(id: number, label: string, method: string): Promise<SentCallback> {
    await due()
    const over = await until(SENT_LIMIT, async () => {
      const details = await world.callbacks.get(id)
      if (details.callback.state !== 'pending') return details
      // A busy receiver postpones retries in real time, also when the world's clock is frozen.
      const last = details.attempts.at(-1)
      await pause((last && retryAfter(ofAttempt(last, method, label))) ?? 0)
      await due()
    })
    if (!over) throw new InconclusiveError(`The callback was not sent within ${SENT_LIMIT} ms.`)
    const before = known.get(id)?.attempts.length ?? 0
    const exchanges = over.attempts.slice(before).map((each) => ofAttempt(each, method, label))
    known.set(id, over)
    const exchange = exchanges.at(-1)
    if (!exchange) throw new InconclusiveError(`The callback was not sent: ${over.callback.last_error}.`)
    evidence.keep(...exchanges)
    for (const { response: answer, error } of exchanges)
      evidence.event('shop', `${label}: ${answer ? `responded with ${answer.status}` : error}`)
    return { id, status: exchange.response?.status ?? null, exchanges, exchange }
  }

  /**
   * Waits until no callback of the payment is pending, adds all of them to the evidence, and returns them. Resends those that a
   * busy receiver postponed.
   */
  async function waitForAll({ payment }: Pick<PaidOrder, 'payment'>): Promise<readonly Exchange[]> {
    const { reference } = payment
    const over = await until(SENT_LIMIT, async () => {
      const callbacks = await world.callbacks.list({ reference })
      return callbacks.some(({ state }) => state === 'pending') ? undefined : callbacks
    })
    const details = await Promise.all((over ?? []).map(({ id }) => world.callbacks.get(id)))
    const resent: Exchange[] = []
    for (const { callback, attempts } of details.toReversed()) {
      const exchanges = attempts.map((each) => ofAttempt(each, 'POST', 'callback'))
      const exchange = exchanges.at(-1)
      if (exchange && retryAfter(exchange) !== undefined) {
        const sent = { id: callback.id, status: exchange.response!.status, exchanges: [exchange], exchange }
        resent.push(...(await accept(sent, 'resent')).exchanges.slice(1))
      }
    }
    for (const each of details) known.set(each.callback.id, each)
    const exchanges = details.flatMap(({ attempts, body }) =>
      attempts.map((each) => ofAttempt(each, 'POST', /"status":"(\w+)"/.exec(body)?.[1] ?? 'callback')),
    )
    evidence.keep(...exchanges)
    return [...exchanges, ...resent]
  }
  return { known, send, again, waitForAll }
}
