import { systemWall } from '../clock.ts'
import type { WorldEvent } from '../client/types.ts'
import { askForOne, type Target } from './client.ts'
import { forward, localUrl, type SentCallback } from './forward.ts'
import { painter } from './paint.ts'
import type { Process } from './process.ts'
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
export function createSendOn({ out }: Process, target: Target, forwardTo: string) {
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
      const to = localUrl(forwardTo, { url, ...request })
      const said = await send({ url, ...request }, to)
      now.taken = said.ok
      const about = callback.external_reference || callback.transaction
      const answer = paint(said.ok ? 'green' : 'red', said.words)
      out.write(`${said.time}  callback ${id} of ${about}  POST ${to.pathname}${to.search}  ${answer}\n`)
    }
  }
}

async function send(sent: SentCallback, to: URL) {
  const started = systemWall()
  const time = new Date(started).toISOString().slice(11, 19)
  try {
    const status = await forward(sent, to, TIMEOUT)
    return { ok: status >= 200 && status < 300, words: `${status} in ${systemWall() - started} ms`, time }
  } catch (error) {
    return { ok: false, words: reasonOf(error, to.origin), time }
  }
}
