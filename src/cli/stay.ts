import { later } from '../lib/clock/clock.ts'
import type { WorldEvent } from '../client/types.ts'
import { ClientError, streamEvents, type Target } from './client.ts'
import { exitCodes } from './exit-codes.ts'
import { failed } from './failed.ts'
import type { Process } from './process.ts'

/** Between two tries to reach a sandbox that was there before, milliseconds. */
const PAUSE = 1_000

export interface Stay {
  /** The id of an event: those after it are told first. */
  readonly after?: string | undefined
  readonly json: boolean
  /** @param again whether the sandbox was gone */
  connected(again: boolean): void
  tell(event: WorldEvent): unknown
}

/**
 * Is told what happens in the user's world, until a signal asks it to stop; a sandbox that goes away is waited for, and nothing is
 * missed that it still remembers. Returns the exit code.
 */
export async function stay(io: Process, target: Target, { connected, tell, json, ...from }: Stay) {
  const ending = new AbortController()
  const { signal } = ending
  void io.stopped().then(() => ending.abort())
  io.out.gone?.addEventListener('abort', () => ending.abort())
  let { after } = from
  let connections = 0
  let lost = false
  const there = () => {
    connected(connections++ > 0)
    lost = false
  }
  while (!signal.aborted) {
    try {
      for await (const { id, event } of streamEvents(target, { after, signal, connected: there })) {
        if (event) await tell(event)
        // Not before: what could not be looked at is told again.
        after = id
      }
    } catch (error) {
      if (signal.aborted) break
      if (error instanceof ClientError && (connections === 0 || error.refused)) return failed(io, error, json)
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
