import { timeSlice } from '../clock/time-slice.ts'

/** Characters that are sent at once. */
const PIECE = 65_536

/**
 * An answer whose JSON is made piece by piece, as fast as the client takes it: its text is never in memory as a whole, and
 * the event loop is held for a time slice at a time.
 * @param world whose time it is
 * @param text the JSON in parts
 */
export function streamed(world: string, text: Generator<string>, status = 200): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
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
  return new Response(body, { status, headers: { 'content-type': 'application/json' } })
}
