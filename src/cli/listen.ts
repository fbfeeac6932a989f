import { later } from '../clock.ts'
import { ClientError, streamEvents, type Target } from './client.ts'
import { exitCodes } from './exit-codes.ts'
import { painter } from './paint.ts'
import type { Process } from './process.ts'
import { createSendOn } from './send-on.ts'

/** Between two tries to reach a sandbox that was there before, milliseconds. */
const PAUSE = 1_000

/**
 * Sends every callback of the user's world on to a server on this machine, until a signal asks it to stop; a sandbox
 * that goes away is waited for. Returns the exit code.
 */
export async function listen(io: Process, target: Target, forwardTo: string): Promise<number> {
  const ending = new AbortController()
  const { signal } = ending
  void io.stopped().then(() => ending.abort())
  const sendOn = createSendOn(io, target, forwardTo)
  let after: string | undefined
  let connections = 0
  let lost = false

  const connected = () => {
    const who = connections++ === 0 ? `as ${target.username}; callbacks go to ${forwardTo}` : 'again'
    io.out.write(`listening to ${painter(io.out.colours)('bold', target.url)} ${who}\n`)
    lost = false
  }
  while (!signal.aborted) {
    try {
      for await (const { id, event } of streamEvents(target, { after, signal, connected })) {
        if (event) await sendOn(event)
        // Not before: what could not be looked at is told again.
        after = id
      }
    } catch (error) {
      if (signal.aborted) break
      const refused = error instanceof ClientError && error.refused
      if (error instanceof ClientError && (connections === 0 || refused)) {
        io.err.write(`${error.message}\n`)
        return refused ? exitCodes.no : exitCodes.unreachable
      }
    }
    if (signal.aborted) break
    if (!lost) io.err.write(`${target.url} is gone; trying again\n`)
    lost = true
    await pause(signal)
  }
  return exitCodes.done
}

const pause = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const cancel = later(PAUSE, resolve)
    signal.addEventListener('abort', () => {
      cancel()
      resolve()
    })
  })
