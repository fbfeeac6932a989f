import { readStream } from '../client/events.ts'
import type { WorldEvent } from '../client/types.ts'
import type { WorldClient } from '../client/world-client.ts'
import { pause } from '../lib/clock/clock.ts'
import { ClientError, failed } from './failures.ts'
import type { Target } from './options.ts'
import { exitCodes } from './output.ts'
import type { Process } from './process.ts'
import { worldAt } from './world-command.ts'

/** Milliseconds between two attempts to reconnect. */
const PAUSE = 1_000

/**
 * Calls `onEvent` with the events of the user's world until a signal stops it. After a lost connection it continues with the next
 * event.
 * @param listener.after - The id of an event; the stream starts after it.
 * @param listener.connected - Called at each connection; `again` after a lost connection.
 * @returns The exit code.
 */
export async function followEvents(
  io: Process,
  target: Target,
  {
    json,
    connected,
    onEvent,
    ...from
  }: {
    readonly json: boolean
    readonly after?: string | undefined
    connected(again: boolean): void
    onEvent(event: WorldEvent, world: WorldClient): unknown
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
        if (event) await onEvent(event, world)
        // After the listener, so that an event whose listener failed is repeated.
        after = id
      }
    } catch (error) {
      if (signal.aborted) break
      if (error instanceof ClientError && (connections === 0 || error.refused)) return failed(io, error, json)
    }
    if (signal.aborted) break
    if (!lost) io.err.write(`lost the connection to ${target.url}; reconnecting\n`)
    lost = true
    await pause(PAUSE, signal)
  }
  return exitCodes.done
}

/** @throws {ClientError} If the response is not an event stream. */
async function openStream({ url, fetch }: WorldClient, after: string | undefined, signal: AbortSignal) {
  const headers: Record<string, string> = after === undefined ? {} : { 'last-event-id': after }
  const { status, body, headers: answered } = await fetch('/sandbox/events', { headers, signal })
  if (status === 200 && body && answered.get('content-type')?.startsWith('text/event-stream')) return body
  throw new ClientError(`${url} does not stream events (response ${status}): is it a sandbox?`)
}
