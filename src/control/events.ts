import { repeat } from '../clock/repeat.ts'
import { invalid } from '../domain/errors.ts'
import { wireTime } from '../domain/wire-time.ts'
import { redact } from '../log/redact.ts'
import type { Events, WorldEvent } from '../worlds/events.ts'
import type { ControlHandlers } from './handlers.ts'

const HEARTBEAT = 15_000
/** A listener this many events behind is let go; it may come back with Last-Event-ID. */
const MOST_BEHIND = 1_000

export const events: Pick<ControlHandlers, 'streamEvents'> = {
  async streamEvents(c) {
    const { world } = c.var
    const after = c.req.valid('header')['last-event-id'] ?? c.req.valid('query').after
    const missed = after === undefined ? [] : world.events.since(after)
    if (!missed)
      throw invalid(
        `${JSON.stringify(after)} is no id of an event: send one that the stream gave, or 0 for all that are remembered`,
      )
    const ended = world.budget.begin('streams')
    const headers = {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    }
    // The router's type knows only answers made by its own helpers.
    return new Response(streamOf(world.events, missed, ended), { headers }) as never
  },
}

function streamOf(
  events: Events,
  missed: readonly WorldEvent[],
  ended: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let stop = () => {}
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const write = (text: string) => controller.enqueue(encoder.encode(text))
        const end = () => {
          stop()
          controller.close()
        }
        const send = (event: WorldEvent) => {
          write(eventText(event))
          if ((controller.desiredSize ?? 0) < 0) end()
        }
        const stopListening = events.listen(send, end)
        const stopBeating = repeat(HEARTBEAT, () => write(': still here\n\n'))
        stop = () => {
          stopListening()
          stopBeating()
          ended()
        }
        // Whoever hears of nothing else knows this id, and misses nothing when the line breaks.
        write(`: listening\n${missed.length > 0 ? '' : `id: ${events.lastId}\n`}\n`)
        for (const event of missed) write(eventText(event))
      },
      cancel: () => stop(),
    },
    { highWaterMark: 2 * MOST_BEHIND },
  )
}

function eventText(event: WorldEvent): string {
  const { id, type, at } = event
  const body = JSON.stringify({ id, type, at: wireTime(at), data: event.data() }, redact)
  return `id: ${id}\nevent: ${type}\ndata: ${body}\n\n`
}
