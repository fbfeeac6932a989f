import { timeSlice } from '../lib/clock/time-slice.ts'
import type { ListOf } from './reply.ts'

/** Characters that are sent at once. */
const PIECE = 65_536

/**
 * The bytes of a text that is made piece by piece, as fast as the client takes it: it is never in memory as a whole, and the
 * event loop is held for a time slice at a time.
 * @param world whose time it is
 */
export function streamed(world: string, text: Generator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const slice = await timeSlice(world)
      let piece = ''
      let over = false
      do {
        const { value, done } = text.next()
        if (done) over = true
        else piece += value
      } while (!over && piece.length < PIECE && !slice.over)
      if (piece !== '') controller.enqueue(encoder.encode(piece))
      if (over) controller.close()
    },
    cancel: () => void text.return(undefined),
  })
}

/** The JSON of what is around a list, with the list's items in it, each made when its turn comes. */
export function* jsonOfList(
  around: unknown,
  { items, view }: ListOf<unknown>,
  textOf: (value: unknown) => string,
): Generator<string> {
  const text = textOf(around)
  const end = text.lastIndexOf('[]') + 1
  yield text.slice(0, end)
  let separator = ''
  for (const item of items) {
    yield separator + textOf(view(item))
    separator = ','
  }
  yield text.slice(end)
}
