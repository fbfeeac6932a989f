import { pause, systemWall } from '../lib/clock/clock.ts'
import { parsedJson } from '../lib/text/parsed-json.ts'
import { shown } from '../lib/text/shown.ts'
import { type Values, valueAt } from './expressions.ts'
import type { Belief, Means, Probe, Reading, State } from './profile.ts'
import { act, InconclusiveError, type ShopAccess } from './shop-access.ts'

export interface Standing {
  /** `unknown`: a word that the profile does not list. */
  readonly state: State | 'unknown'
  readonly word: string
  readonly fulfilled: number | undefined
  readonly amount: number | undefined
}

/** How long to probe the shop, in milliseconds. The calibration measures it. */
export interface Pace {
  /** The time without a change after which a response is stable. */
  readonly still: number
  /** Maximum time to wait for the expected state. */
  readonly hope: number
  /** Whether the shop responds to callbacks before they take effect. */
  readonly queues: boolean
  /** Whether callbacks take effect while status queries still return that the payment is queued. */
  readonly trusts: boolean
}

/** The pace before the calibration. @param patience with a client that does nothing */
export const patientPace = (patience: number): Pace => ({
  still: 60,
  hope: Math.max(MIN_HOPE, patience * 2),
  queues: false,
  trusts: false,
})
const MIN_HOPE = 500

/** Paid, and delivered once if the probe counts deliveries. */
export const isPaidOnce = ({ state, fulfilled = 1 }: Standing) => state === 'paid' && fulfilled === 1
export const isUnpaid = ({ state, fulfilled = 0 }: Standing) => state !== 'paid' && fulfilled === 0
export const isPaidOrFlagged = (standing: Standing) => isPaidOnce(standing) || standing.state === 'flagged'

export type Look = (order: string) => Promise<Standing>

/**
 * @param limit - Time limit of a probe, milliseconds.
 * @throws {InconclusiveError} If the probe fails or its response does not match the profile.
 */
export function lookBy(probe: Probe, access: ShopAccess, limit: number, variables: Values): Look {
  const look = async (order: string, limit: number) => {
    const what = 'ask' in probe ? async () => (await probe.ask(order)) ?? null : probe
    const { ok, text, error, exchange } = await act(access, what, { ...variables, order }, 'probe', limit)
    // A 404 means that the order does not exist yet, which counts as open.
    if (exchange.response?.status === 404) return standingOf(null, probe.means)
    if (!ok) throw new InconclusiveError(`The probe fails: ${error}.`)
    const value = parsedJson(text)
    if ('ask' in probe) return standingOf((value ?? null) as Belief | null, probe.means)
    if (value === undefined)
      throw new InconclusiveError(`The probe’s response is not JSON: ${shown(text.slice(0, 80))}.`)
    return standingOf(read(value, probe.read), probe.means)
  }
  // A machine that is busy for a moment is no fault of the shop.
  return (order) =>
    look(order, limit).catch((error: unknown) => {
      if (error instanceof InconclusiveError && /within \d+ ms/.test(error.message))
        return look(order, limit * 3)
      throw error
    })
}

function read(value: unknown, reading: Reading): Belief {
  const state = valueAt(value, reading.state)
  if (state === undefined || typeof state === 'object')
    throw new InconclusiveError(`The probe’s response has no value at ${reading.state}: ${shown(value)}.`)
  const numberAt = (path: string | undefined): number | undefined => {
    if (path === undefined) return undefined
    const found = valueAt(value, path)
    if (Array.isArray(found)) return found.length
    if (found === undefined || found === null) return 0
    const number = typeof found === 'object' ? NaN : Number(found)
    if (Number.isFinite(number)) return number
    throw new InconclusiveError(`The probe’s response has no number at ${path}, but ${shown(found)}.`)
  }
  return {
    state: String(state),
    fulfilled: numberAt(reading.fulfilled),
    amount: numberAt(reading.amount),
  }
}

export const UNKNOWN_ORDER = 'unknown order'

function standingOf(belief: Belief | null, means: Means): Standing {
  if (belief === null) return { state: 'open', word: UNKNOWN_ORDER, fulfilled: 0, amount: undefined }
  const { state: word, fulfilled, amount } = belief
  const state = (Object.keys(means) as State[]).find((each) => means[each]?.includes(word)) ?? 'unknown'
  return { state, word, fulfilled, amount }
}

/**
 * Probes an order until its state is stable.
 * @param hoped - Whether a state is the expected one; any by default.
 * @throws {InconclusiveError} If the state does not become stable.
 */
export async function believed(
  look: Look,
  order: string,
  { still, hope }: Pace,
  hoped: (standing: Standing) => boolean = () => true,
): Promise<Standing> {
  const began = systemWall()
  let last = await look(order)
  let since = systemWall()
  let changes = 0
  for (;;) {
    await pause(Math.max(5, still / 3))
    const next = await look(order)
    const now = systemWall()
    if (!same(last, next)) {
      since = now
      changes++
    }
    last = next
    const calm = now - since >= still
    if (calm && (hoped(next) || now - began >= hope)) return next
    if (!calm && changes > 3 && now - began >= Math.max(hope, MIN_HOPE))
      throw new InconclusiveError(
        `The probe’s response is unstable: it changed ${changes} times in ${now - began} ms.`,
      )
  }
}

const same = (one: Standing, other: Standing) =>
  one.word === other.word && one.fulfilled === other.fulfilled && one.amount === other.amount

/** Such as `paid (complete), delivered once`. */
export function standingText({ state, word, fulfilled }: Standing): string {
  const text = state === word ? state : state === 'unknown' ? `"${word}"` : `${state} ("${word}")`
  if (fulfilled === undefined) return text
  const times =
    fulfilled === 0 ? 'not delivered' : fulfilled === 1 ? 'delivered once' : `delivered ${fulfilled} times`
  return `${text}, ${times}`
}
