import type { Shop } from './shop.ts'
import type { Account } from './store.ts'

/** What the service answered. */
export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  /** How long it asks to be left alone, milliseconds. */
  readonly retryAfter?: number
}

/** No answer came: what was asked for may have been done or not. */
export const LOST = 'lost'

export interface Question {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

/** One request to the service. */
export async function ask(shop: Shop, account: Account, question: Question): Promise<Answer | typeof LOST> {
  try {
    const answer = await shop.fetch(shop.habits.write(shop, account, question))
    const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
    const told: unknown = await answer.json()
    return {
      status: answer.status,
      body: Object(told) as Answer['body'],
      ...(seconds >= 0 && { retryAfter: seconds * 1000 }),
    }
  } catch {
    shop.stopped.throwIfAborted()
    return LOST
  }
}

export const write = (
  shop: Shop,
  { baseUrl, authorization }: Account,
  { method, path, body }: Question,
): Request =>
  new Request(new URL(path, baseUrl), {
    method,
    headers: { authorization, 'content-type': 'application/json', 'user-agent': 'careful-shop/1.0' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.any([AbortSignal.timeout(shop.patience.response), shop.stopped]),
  })

/** How long to wait before asking again: what the service says, or twice as long as the last time. */
export const pauseBefore = ({ patience }: Shop, tried: number, last: Answer | typeof LOST): number =>
  Math.max(last === LOST ? 0 : (last.retryAfter ?? 0), patience.pause * 2 ** tried)

/** Asks what changes nothing, as often as is reasonable. */
export async function askAgain(
  shop: Shop,
  account: Account,
  question: Question,
): Promise<Answer | typeof LOST> {
  for (let tried = 0; ; tried++) {
    const answer = await ask(shop, account, question)
    const passing = answer === LOST || answer.status === 429 || answer.status >= 500
    if (!passing || tried + 1 >= shop.patience.tries) return answer
    await shop.clock.sleep(shop.habits.pauseBefore(shop, tried, answer), shop.stopped)
  }
}
