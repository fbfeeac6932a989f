import { systemWall } from '../lib/clock/clock.ts'
import type { WorldEvent } from '../client/types.ts'
import { askForOne, type Target } from './client.ts'
import { forward, type SentCallback } from './forward.ts'
import { painter } from './paint.ts'
import type { Way } from './routes.ts'
import type { Teller } from './teller.ts'
import { reasonOf } from './unreachable.ts'

/** The local server may take as long as the sandbox would wait, milliseconds. */
const TIMEOUT = 10_000

interface Details {
  readonly callback: {
    readonly external_reference: string
    readonly transaction: string
    readonly created_at: string
  }
  readonly attempts: readonly {
    readonly url: string
    readonly request: { readonly headers: SentCallback['headers']; readonly body: string }
  }[]
}

/**
 * What is done with each event of the stream: an attempt to deliver a callback is sent on, unless the local server has
 * answered an earlier one of the same callback with 2xx. Prints a line each.
 */
export function createSendOn(out: Teller, target: Target, way: Way) {
  const paint = painter(out.colours)
  /** By callback: the attempts seen, and whether the local server has taken it. */
  const progress = new Map<string, { seen: number; taken: boolean }>()

  return async ({ type, data }: WorldEvent): Promise<void> => {
    const id = data['callback_id']
    if (type !== 'attempt' || typeof id !== 'number') return
    const details = await askForOne<Details>(target, `/sandbox/callbacks/${id}`)
    // It went with a reset, or was forgotten for newer ones.
    if (!details) return
    const { callback, attempts } = details
    // A world that is reset, or a sandbox that starts anew, counts its callbacks from 1 again.
    const key = `${id} ${callback.created_at} ${callback.transaction}`
    const { seen, taken } = progress.get(key) ?? { seen: attempts.length - 1, taken: false }
    const now = { seen: attempts.length, taken }
    progress.set(key, now)
    for (const { url, request } of attempts.slice(seen)) {
      if (now.taken) return
      const to = await way({ url, ...request }, callback.transaction)
      if (!to) {
        out.say(`callback ${id} to ${url} has no route`, { kind: 'no_route', callback: id, url })
        return
      }
      const said = await send({ url, ...request }, to)
      now.taken = said.ok
      const about = callback.external_reference || callback.transaction
      const answer = paint(said.ok ? 'green' : 'red', said.words)
      const { status, error, duration_ms } = said
      const fact = { kind: 'forwarded', callback: id, of: about, url: to.href, status, error, duration_ms }
      out.say(`${said.time}  callback ${id} of ${about}  POST ${to.pathname}${to.search}  ${answer}`, fact)
    }
  }
}

async function send(sent: SentCallback, to: URL) {
  const started = systemWall()
  const time = new Date(started).toISOString().slice(11, 19)
  const answer = await forward(sent, to, TIMEOUT).catch((error: unknown) => reasonOf(error, to.origin))
  const duration_ms = systemWall() - started
  if (typeof answer === 'string')
    return { ok: false, words: answer, time, status: null, error: answer, duration_ms }
  const ok = answer >= 200 && answer < 300
  return { ok, words: `${answer} in ${duration_ms} ms`, time, status: answer, error: '', duration_ms }
}
