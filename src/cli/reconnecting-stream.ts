import { readStream } from '../client/events.ts'
import type { WorldEvent } from '../client/types.ts'
import type { WorldClient } from '../client/world-client.ts'
import { later } from '../lib/clock/clock.ts'
import { ClientError, failed } from './failures.ts'
import type { Target } from './options.ts'
import { exitCodes } from './output.ts'
import type { Process } from './process.ts'
import { worldAt } from './world-command.ts'

/** Pause between two attempts to reach a sandbox that was there before, milliseconds. */
const PAUSE = 1_000

/**
 * Passes on the events of the user's world until a signal asks to stop. It waits for a sandbox that goes away, and misses nothing that
 * the sandbox still remembers.
 * @param listener.after - The id of an event; the stream begins after it.
 * @param listener.connected - Called at each connection; `again` if the sandbox was gone.
 * @returns the exit code
 */
export async function followEvents(
  io: Process,
  target: Target,
  {
    json,
    connected,
    tell,
    ...from
  }: {
    readonly json: boolean
    readonly after?: string
    connected(again: boolean): void
    tell(event: WorldEvent, world: WorldClient): unknown
  },
): Promise<number> {
  const ending = new AbortController()
  const { signal } = ending
  void io.stopped().then(() => ending.abort())
  io.out.gone?.addEventListener('abort', () => ending.abort())
  const world = worldAt(target)
  let { after } = from
  let connections = 0
  let lost = false
  while (!signal.aborted) {
    try {
      const body = await openStream(world, after, signal)
      connected(connections++ > 0)
      lost = false
      for await (const { id, event } of readStream(body, signal)) {
        if (event) await tell(event, world)
        // Not before: an event whose listener failed is passed on again.
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

/** @throws {ClientError} For a response that is no stream of events. */
async function openStream({ url, fetch }: WorldClient, after: string | undefined, signal: AbortSignal) {
  const headers: Record<string, string> = after === undefined ? {} : { 'last-event-id': after }
  const { status, body, headers: answered } = await fetch('/sandbox/events', { headers, signal })
  if (status === 200 && body && answered.get('content-type')?.startsWith('text/event-stream')) return body
  throw new ClientError(`${url} streams no events (it answers ${status}): is it a sandbox?`)
}

const pause = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const cancel = later(PAUSE, resolve)
    signal.addEventListener('abort', () => {
      cancel()
      resolve()
    })
  })
