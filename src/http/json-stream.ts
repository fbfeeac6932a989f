import type { Context } from 'hono'
import { timeSlice } from '../clock/time-slice.ts'
import type { World } from '../worlds/world.ts'
import type { Env } from './env.ts'

/** Characters that are sent at once. */
const CHUNK = 65_536

/**
 * An answer of JSON with a long list in it, each item made and written when its turn comes: neither the whole list nor
 * its text is ever in memory, and the event loop is held for a slice at a time.
 * @param around what is answered; the last thing in it, however deep, is the empty list that is to be filled
 * @param view what is written of an item
 */
export function jsonStream<Item>(
  c: Context<Env>,
  around: object,
  items: Iterable<Item>,
  view: (item: Item) => unknown,
  status = 200,
): Response {
  // Below /__admin it is work of no single world.
  const world = (c.get('world') as World | undefined)?.name ?? ''
  const shown = c.get('shown')
  const whole = JSON.stringify(around, shown)
  const end = whole.lastIndexOf('[]') + 1
  const left = items[Symbol.iterator]()
  const encoder = new TextEncoder()
  let text = whole.slice(0, end)
  let separator = ''
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const slice = await timeSlice(world)
      do {
        const next = left.next()
        if (next.done) {
          controller.enqueue(encoder.encode(text + whole.slice(end)))
          return controller.close()
        }
        text += separator + JSON.stringify(view(next.value), shown)
        separator = ','
      } while (text.length < CHUNK && !slice.over)
      controller.enqueue(encoder.encode(text))
      text = ''
    },
  })
  return new Response(body, { status, headers: { 'content-type': 'application/json' } })
}
