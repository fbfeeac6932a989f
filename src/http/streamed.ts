import { sliceOf } from '../clock/time-slice.ts'

/** Characters that are made at a time. */
const PIECE = 1 << 17

/**
 * An answer whose JSON is made piece by piece, as fast as the client takes it, in time slices.
 * @param world whose time it is
 * @param text the JSON in parts
 */
export function streamed(world: string, text: Generator<string>): Response {
  const encoder = new TextEncoder()
  const slice = sliceOf(world)
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (slice.over) await slice.next()
        let piece = ''
        while (piece.length < PIECE) {
          const { value, done } = text.next()
          if (done) {
            if (piece !== '') controller.enqueue(encoder.encode(piece))
            return controller.close()
          }
          piece += value
        }
        controller.enqueue(encoder.encode(piece))
      },
      cancel: () => void text.return(undefined),
    },
    { highWaterMark: 1 },
  )
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}
