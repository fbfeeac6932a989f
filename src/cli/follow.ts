import { later, systemWall } from '../lib/clock/clock.ts'
import { askFor, askForOne, type Target } from './client.ts'
import { painter, type Paint } from './paint.ts'
import { deliveryOf } from './delivery.ts'
import type { Teller } from './teller.ts'

interface Event {
  readonly at: string
  readonly kind: string
  readonly summary: string
  /** The callback that it is about. */
  readonly callback?: number | null
}

/** The next work of the world. */
interface NextJob {
  readonly kind: string
  readonly due_at: string
  readonly transaction: string | null
}

/** The story of what is followed. */
interface Story {
  /** What has happened to it until now, oldest first; undefined when it is not there. */
  look(): Promise<readonly Event[] | undefined>
  /** Whether the world's next work is for it, or may be. */
  concerns(next: NextJob): boolean
}

/** Between two looks, milliseconds. */
const PACE = 150

/** So many leaps show any retry plan to its end. */
const MOST_LEAPS = 100

export interface FollowOptions {
  /** How long to wait for what is pending, milliseconds. */
  readonly limit: number
  /** Whether to move the world's clock to what is pending then; else the story ends there. */
  readonly leap: boolean
}

/**
 * Prints the story of a payment as it goes on, until nothing more is pending for it.
 * @param reference of the payment
 * @returns whether there is such a payment; when not, nothing is printed
 */
export function followPayment(
  out: Teller,
  target: Target,
  reference: string,
  following: FollowOptions,
): Promise<boolean> {
  let transaction: string | undefined
  let status = ''
  const payment: Story = {
    async look() {
      const path = `/sandbox/transactions/${encodeURIComponent(reference)}/timeline`
      const story = await askForOne<Timeline>(target, path)
      transaction = story?.transaction
      status = story?.status ?? ''
      return story?.events
    },
    // What comes first may be another's; it has an end of its own still to come.
    concerns: (next) => next.transaction === transaction || status === 'QUEUED',
  }
  return follow(out, target, payment, following)
}

interface Timeline {
  readonly transaction: string
  readonly status: string
  readonly events: readonly Event[]
}

/** Prints the states of a KYC submission's review until it is final, or nothing more is planned for it. */
export async function followKyc(
  out: Teller,
  target: Target,
  kyc_id: number,
  following: FollowOptions,
): Promise<void> {
  const events: Event[] = []
  let status = ''
  let planned = false
  const kyc: Story = {
    async look() {
      planned = false
      const review = await askForOne<Review>(target, `/sandbox/kyc/${kyc_id}`)
      if (review && review.status !== status) {
        status = review.status
        const summary = [status, review.reasons.join(' ')].filter(Boolean).join(': ')
        events.push({ at: new Date(review.updated_at).toISOString(), kind: 'state', summary })
      }
      return review && events
    },
    concerns(next) {
      planned = next.kind === 'review'
      return planned && !isFinal(status)
    },
  }
  await follow(out, target, kyc, following)
  if (!planned && !isFinal(status))
    out.say(
      `    KYC ${kyc_id} stays ${status}: no review is due next; POST /sandbox/kyc/${kyc_id}/review ends it`,
    )
}

interface Review {
  readonly status: string
  readonly reasons: readonly string[]
  readonly updated_at: string
}

const isFinal = (status: string) => status === 'approved' || status === 'rejected'

async function follow(
  out: Teller,
  target: Target,
  { look, concerns }: Story,
  { limit, leap }: FollowOptions,
): Promise<boolean> {
  const paint = painter(out.colours)
  const deliveries = new Map<number, number>()
  let end = systemWall() + limit
  let leaps = 0
  const tried = async (callback: number) => {
    const number = (deliveries.get(callback) ?? 0) + 1
    deliveries.set(callback, number)
    return deliveryOf(target, callback, number)
  }
  for (let told = 0; ;) {
    // The clock first: what was not due any more by then is told by the look that follows.
    const { next } = await askFor<{ readonly next: NextJob | null }>(target, '/sandbox/clock')
    const events = await look()
    if (!events) return told > 0
    for (const event of events.slice(told)) {
      const sent = event.kind === 'attempt' && event.callback ? await tried(event.callback) : undefined
      out.say(lineOf(event, paint) + (sent ? sent.text : ''), { ...event, ...(sent && { sent: sent.facts }) })
    }
    told = events.length
    if (!next || !concerns(next) || out.gone()) return true
    if (systemWall() < end) await new Promise<void>((resolve) => void later(PACE, resolve))
    else if (leap && leaps < MOST_LEAPS) {
      leaps += 1
      end = 0
      out.say(`    ${paint('dim', `the clock leaps to ${next.due_at}`)}`, { kind: 'leap', at: next.due_at })
      await askFor(target, '/sandbox/clock/advance', { method: 'POST', body: { to: next.due_at } })
    } else {
      const left = `${next.kind} is due at ${next.due_at}; POST /sandbox/clock/advance leaps there`
      out.say(`    ${left}`, { kind: 'left', summary: left, next })
      return true
    }
  }
}

/** `    12:00:03.000  state    FAILED: cancelled`, without the date. */
export function lineOf({ at, kind, summary }: Pick<Event, 'at' | 'kind' | 'summary'>, paint: Paint): string {
  return `    ${paint('dim', at.slice(11, 23))}  ${kind.padEnd(8)}  ${summary}`
}
