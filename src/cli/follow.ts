import type { CallbackDetails, Clock, Timeline } from '../client/types.ts'
import type { WorldClient } from '../client/world-client.ts'
import { pause, systemWall } from '../lib/clock/clock.ts'
import { unlessUnknown } from './failures.ts'
import { type Output, type Paint, painter } from './output.ts'

type Attempt = CallbackDetails['attempts'][number]

interface Event {
  readonly at: string
  readonly kind: string
  readonly summary: string
  /** The id of its callback. */
  readonly callback?: number | null
}

/** The next work of the world. */
type NextJob = NonNullable<Clock['next']>

/** A payment or review to follow. */
interface Subject {
  /** Returns its events so far, oldest first; undefined if it does not exist. */
  events(): Promise<readonly Event[] | undefined>
  /** Returns its next work; undefined if nothing is planned for it. @param next - That of the world. */
  due(next: NextJob | null): Pick<NextJob, 'kind' | 'due_at'> | undefined
}

/** Milliseconds between two polls. */
const INTERVAL = 150

/** Enough to follow any retry plan to its end. */
const MAX_LEAPS = 100

export interface FollowOptions {
  /** How long to wait for pending work, milliseconds. */
  readonly limit: number
  /** Whether to advance the world's clock to pending work then, or stop. */
  readonly leap: boolean
  /** The flags of the target for a printed command. */
  readonly flags: string
}

/**
 * Prints the events of a payment until nothing more is pending for it.
 * @returns Whether the payment exists; if not, nothing is printed.
 */
export function followPayment(
  out: Output,
  world: WorldClient,
  reference: string,
  following: FollowOptions,
): Promise<boolean> {
  let planned: Timeline['planned'] = []
  const payment: Subject = {
    async events() {
      const timeline = await world.transactions.timeline(reference).catch(unlessUnknown)
      planned = timeline?.planned ?? []
      return timeline?.events
    },
    // The next work of the world may be that of another payment.
    due: () => planned[0],
  }
  return follow(out, world, payment, following)
}

/** Prints the states of a KYC submission's review until it is final, or nothing more is planned for it. */
export async function followKyc(
  out: Output,
  world: WorldClient,
  kyc_id: number,
  following: FollowOptions,
): Promise<void> {
  const events: Event[] = []
  let status = ''
  let planned = false
  const kyc: Subject = {
    async events() {
      planned = false
      const review = await world.kyc.show(kyc_id).catch(unlessUnknown)
      if (review && review.status !== status) {
        status = review.status
        const summary = [status, review.reasons.join(' ')].filter(Boolean).join(': ')
        events.push({ at: new Date(review.updated_at).toISOString(), kind: 'state', summary })
      }
      return review && events
    },
    due(next) {
      planned = next?.kind === 'review'
      return planned && !isFinal(status) ? next! : undefined
    },
  }
  await follow(out, world, kyc, following)
  if (!planned && !isFinal(status))
    out.say(
      `    KYC ${kyc_id} stays ${status}: no review is scheduled; POST /sandbox/kyc/${kyc_id}/review completes it`,
    )
}

const isFinal = (status: string) => status === 'approved' || status === 'rejected'

async function follow(
  out: Output,
  world: WorldClient,
  { events: readEvents, due }: Subject,
  { limit, leap, flags }: FollowOptions,
): Promise<boolean> {
  const paint = painter(out.colours)
  const deliveries = new Map<number, number>()
  let end = systemWall() + limit
  let leaps = 0
  const nextAttempt = async (callback: number) => {
    const number = (deliveries.get(callback) ?? 0) + 1
    deliveries.set(callback, number)
    const details = await world.callbacks.get(callback).catch(unlessUnknown)
    return details?.attempts.find((each) => each.number === number)
  }
  for (let printed = 0; ;) {
    // Reads the clock first, so that the events include all completed work.
    const { next } = await world.clock.show()
    const events = await readEvents()
    if (!events) return printed > 0
    for (const event of events.slice(printed)) {
      const sent = event.kind === 'attempt' && event.callback ? await nextAttempt(event.callback) : undefined
      out.say(lineOf(event, paint) + (sent ? deliveryText(sent) : ''), {
        ...event,
        ...(sent && { sent: deliveryOf(sent) }),
      })
    }
    printed = events.length
    const job = due(next)
    if (!job || out.gone()) return true
    if (systemWall() < end) await pause(INTERVAL)
    else if (leap && leaps < MAX_LEAPS) {
      leaps += 1
      end = 0
      out.say(`    ${paint('dim', `the clock advances to ${job.due_at}`)}`, {
        kind: 'leap',
        at: job.due_at,
      })
      await world.clock.advance(job.due_at)
    } else {
      const left = `${job.kind} is due at ${job.due_at}; to have it now: payments-sandbox settle${flags}`
      out.say(`    ${left}`, { kind: 'left', summary: left, next: job })
      return true
    }
  }
}

/** Returns `    12:00:03.000  state    FAILED: cancelled`. */
export function lineOf({ at, kind, summary }: Pick<Event, 'at' | 'kind' | 'summary'>, paint: Paint): string {
  return `    ${paint('dim', at.slice(11, 23))}  ${kind.padEnd(8)}  ${summary}`
}

const deliveryOf = ({ url, request, response, error, advice }: Attempt) => ({
  url,
  ...request,
  response,
  error,
  advice,
})

const INDENT = '\n        '

/** Returns the request of an attempt, and advice if it failed. */
export function deliveryText({ url, request, advice }: Attempt): string {
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
  const why = advice === '' ? [] : [advice]
  return INDENT + [...why, `POST ${url}`, ...headers, request.body].join(INDENT)
}

/** Returns the reference of a transaction in a request or response; the service's takes precedence over the caller's. */
export function referenceIn(body: unknown): string | undefined {
  const { reference, merchant_reference, external_reference, payment_config } = (body ?? {}) as {
    readonly [field: string]: unknown
  }
  const own = [reference, merchant_reference, external_reference].find(
    (each) => each !== undefined && each !== '',
  )
  return typeof own === 'string' ? own : payment_config ? referenceIn(payment_config) : undefined
}
