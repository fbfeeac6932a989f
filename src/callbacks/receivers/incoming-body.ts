import type http from 'node:http'
import { finished } from 'node:stream'

/** The body of a request as it comes. */
export interface IncomingBody {
  readonly bytes: ReadableStream<Uint8Array>
  /** Drains an unread body, since the next request follows it on the connection. */
  leave(): void
}

/**
 * Unlike `Readable.toWeb`, which breaks the connection when somebody stops reading: they may answer all the same, as with 413.
 */
export function bodyOf(incoming: http.IncomingMessage): IncomingBody {
  let isOver = false
  const leave = () => {
    isOver = true
    incoming.resume()
  }
  const most = { highWaterMark: incoming.readableHighWaterMark }
  const bytes = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        incoming.on('data', (chunk: Buffer) => {
          if (isOver) return
          controller.enqueue(chunk)
          if ((controller.desiredSize ?? 0) <= 0) incoming.pause()
        })
        incoming.pause()
        finished(incoming, { writable: false }, (error) => {
          if (isOver) return
          isOver = true
          if (error) controller.error(error)
          else controller.close()
        })
      },
      pull: () => void incoming.resume(),
      cancel: leave,
    },
    new ByteLengthQueuingStrategy(most),
  )
  return { bytes, leave }
}
