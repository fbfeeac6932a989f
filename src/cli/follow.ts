import { later, systemWall } from '../clock.ts'
import { ask, askFor, type Target } from './client.ts'
import { painter, type Paint } from './paint.ts'
import type { Writer } from './process.ts'

interface Story {
  readonly transaction: string
  readonly events: readonly { readonly at: string; readonly kind: string; readonly summary: string }[]
}

interface Clock {
  readonly next: {
    readonly kind: string
    readonly due_at: string
    readonly transaction: string | null
  } | null
}

/** Between two looks, milliseconds. */
const PACE = 150

/** So many leaps show any retry plan to its end. */
const MOST_LEAPS = 100

export interface Following {
  /** How long to wait for what is owed, milliseconds. */
  readonly limit: number
  /** Whether to move the world's clock to what is owed then; else the story ends there. */
  readonly leap: boolean
}

/**
 * Prints the story of a payment as it goes on, until nothing more is owed for it.
 * @param reference of the payment; where there is none of it, nothing is printed
 */
export async function followPayment(
  out: Writer,
  target: Target,
  reference: string,
  { limit, leap }: Following,
): Promise<void> {
  const paint = painter(out.colours)
  let end = systemWall() + limit
  let leaps = 0
  for (let told = 0; ;) {
    const story = await storyOf(target, reference)
    if (!story) return
    for (const event of story.events.slice(told)) out.write(lineOf(event, paint))
    told = story.events.length
    const { next } = await askFor<Clock>(target, '/sandbox/clock')
    if (next?.transaction !== story.transaction) return
    if (systemWall() < end) await new Promise<void>((resolve) => void later(PACE, resolve))
    else if (leap && leaps < MOST_LEAPS) {
      leaps += 1
      end = 0
      out.write(`    ${paint('dim', `the clock leaps to ${next.due_at}`)}\n`)
      await askFor(target, '/sandbox/clock/advance', { method: 'POST', body: { to: next.due_at } })
    } else {
      out.write(`    ${next.kind} is due at ${next.due_at}; POST /sandbox/clock/advance leaps there\n`)
      return
    }
  }
}

async function storyOf(target: Target, reference: string): Promise<Story | undefined> {
  const answer = await ask(target, `/sandbox/transactions/${encodeURIComponent(reference)}/timeline`)
  return answer.ok ? ((await answer.json()) as Story) : undefined
}

/** `    12:00:03.000  state    FAILED: cancelled`, without the date. */
function lineOf({ at, kind, summary }: Story['events'][number], paint: Paint): string {
  return `    ${paint('dim', at.slice(11, 23))}  ${kind.padEnd(8)}  ${summary}\n`
}
