import { handlers } from './page.ts'
import { after, repeat } from '../lib/clock/after.ts'
import { invalid } from '../service/domain/errors.ts'
import { exactTime } from '../service/domain/wire-time.ts'
import type { EventType } from '../generated/control/types.ts'
import type { Call } from '../http/handler.ts'
import type { World } from '../worlds/world.ts'
import type { Worlds } from '../worlds/registry.ts'
import { redact } from '../lib/log/redact.ts'
import type { Watcher, WorldEvent } from '../storage/engine/event-log.ts'
import { onAccessLost } from './waiting.ts'
import { releasePayments } from '../scheduler/scheduler.ts'

type Replacer = typeof redact

const HEARTBEAT = 15_000
/** Maximum number of bytes buffered for a slow client. Further events stay in the world's event log. */
const BUFFERED = 65_536
const UNREAD = 'the client read the events too slowly; reconnect with the last id'

export const events = handlers(({ worlds }) => ({
  async streamEvents(call) {
    const { world } = call
    const last = call.request.headers['last-event-id'] ?? call.request.query.after
    const ready = world.events.ready()
    if (ready) await ready
    const position = last === undefined ? world.events.count : world.events.position(last)
    if (position === undefined)
      throw invalid(
        `${JSON.stringify(last)} is not an event id: send one from the stream, or 0 for all stored events`,
      )
    const counted = world.budget.begin('streams')
    const watcher = call.request.query.payer === '1' ? world.events.watch() : undefined
    const left = watcher ? leaving(watcher, world, worlds) : () => {}
    const ended = () => {
      counted()
      left()
    }
    try {
      if (watcher?.known) await watcher.known
    } catch (error) {
      ended()
      throw error
    }
    const headers = {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    }
    const { type } = call.request.query
    return { status: 200, stream: streamOf(call, worlds, { position, type }, ended), headers }
  },
}))

/** Grace period in milliseconds of real time, for clients that reload a page or reconnect. */
const AWAY = 5_000

/**
 * Settles payments that wait for a payer once the last client that watches the phones has left. @returns what
 * to call when a client leaves
 */
function leaving(watcher: Watcher, world: World, worlds: Worlds): () => void {
  let gone = false
  return () => {
    if (!gone) watcher.leave()
    gone = true
    if (world.events.watched) return
    after(AWAY, () => {
      const now = worlds.get(world.name)
      // A world that is closing settles them itself when their time is up.
      if (now && !now.events.watched) releasePayments(now).catch(() => {})
    })
  }
}

/**
 * @param from.position - number of the event after which the stream begins
 * @param from.type - only events of this type; all if undefined
 * @param ended - called when the stream is over
 */
function streamOf(
  call: Call<unknown>,
  worlds: Worlds,
  from: { readonly position: number; readonly type: EventType | undefined },
  ended: () => void,
): ReadableStream<Uint8Array> {
  const { events, eventListeners } = call.world
  const shown = call.shown ?? redact
  const { type } = from
  let { position } = from
  const queued = { highWaterMark: BUFFERED, size: ({ byteLength }: Uint8Array) => byteLength }
  let stop = () => {}
  let readOn = () => {}
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const room = () => controller.desiredSize ?? 0
        const write = (text: string) => controller.enqueue(encoder.encode(text))
        let over = false
        let reads = false
        const end = () => {
          if (over) return
          readOn()
          stop()
          controller.close()
        }
        const letGo = () => {
          stop()
          // The client may reconnect. Closing the connection discards its buffer.
          if (!call.endConnection()) controller.error(new Error(UNREAD))
        }
        readOn = () => {
          // Writing may cause another read.
          if (reads || over) return
          reads = true
          let ahead = room()
          const texts: Uint8Array[] = []
          while (position < events.count) {
            const event = events.at(position + 1)
            // A listener that missed an event is disconnected even if it has no room: it continues from its last id.
            if (!event) {
              reads = false
              return letGo()
            }
            if (ahead <= 0) break
            position++
            if (type !== undefined && event.type !== type) continue
            const text = textOf(call.world, event, shown)
            if (text === undefined) continue
            texts.push(text)
            ahead -= text.byteLength
          }
          if (texts.length > 0) controller.enqueue(texts.length === 1 ? texts[0]! : Buffer.concat(texts))
          reads = false
        }
        let left: number | undefined
        const beat = () => {
          if (room() > 0) write(': still here\n\n')
          else if (room() === left) letGo()
          left = room()
        }
        const stops = [
          eventListeners.add(() => inNextTurn(readOn), end),
          repeat(HEARTBEAT, beat),
          onAccessLost(call, worlds, end),
        ]
        stop = () => {
          over = true
          readOn = () => {}
          for (const each of stops) each()
          ended()
        }
        // Lets a client that receives no event reconnect without missing one.
        write(`: listening\n${position < events.count ? '' : `id: ${events.lastId}\n`}\n`)
        readOn()
      },
      pull: () => readOn(),
      cancel: () => stop(),
    },
    queued,
  )
}

/** The streams that have events to write, and the encoded events, which all streams share. */
const waiting = new Set<() => void>()
const texts = new Map<Replacer, Map<WorldEvent, Uint8Array>>()

/** Calls `write` once, at the end of this turn of the event loop. */
function inNextTurn(write: () => void): void {
  if (waiting.size === 0)
    setImmediate(() => {
      const writing = [...waiting]
      waiting.clear()
      for (const each of writing) each()
      texts.clear()
    })
  waiting.add(write)
}

/** Returns undefined if an event cannot be serialised, so that the stream can continue. */
function textOf({ eventListeners }: World, event: WorldEvent, shown: Replacer): Uint8Array | undefined {
  // The encoded events count towards no budget, so they are discarded at the end of the turn.
  if (texts.size === 0) inNextTurn(() => {})
  let known = texts.get(shown)
  if (!known) texts.set(shown, (known = new Map()))
  let text = known.get(event)
  if (text) return text
  try {
    text = encoder.encode(eventText(event, shown))
  } catch (error) {
    eventListeners.failed(error, event)
    return undefined
  }
  known.set(event, text)
  return text
}

const encoder = new TextEncoder()

function eventText(event: WorldEvent, shown: Replacer): string {
  const { id, type, at } = event
  const body = JSON.stringify({ id, type, at: exactTime(at), data: event.data() }, shown)
  return `id: ${id}\nevent: ${type}\ndata: ${body}\n\n`
}
