import type { EventEmitter } from 'node:events'

/** The part of a stream that the log needs; `process.stdout` is one. */
export type Stream = Pick<EventEmitter, 'on'> & { write(text: string): unknown }

export interface Output {
  /** Takes text to be written at the end of this turn of the event loop, or as soon as much waits. */
  write(text: string): void
  /** Writes what is waiting now. */
  flush(): void
  /** Aborted once the stream has failed. */
  readonly gone: AbortSignal
  /** Writes what is waiting, and resolves with what the stream failed with, unless it is that its reader went away. */
  lost(): Promise<Error | undefined>
}

/** Characters that wait at most: a turn may be long. */
const MOST_WAITING = 65_536

/**
 * Gathers the lines of one turn of the event loop into one write, since a write costs more than making a line.
 * Call `flush` when the process exits (`process.on('exit', output.flush)`), after a signal too.
 * When the stream fails (its reader has gone) the rest is dropped and the process goes on.
 */
export function createOutput(stream: Stream): Output {
  let waiting = ''
  let open = true
  let failure: Error | undefined
  const gone = new AbortController()
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error?.code !== 'EPIPE') failure = error
    open = false
    waiting = ''
    gone.abort()
  })
  const flush = () => {
    const text = waiting
    waiting = ''
    if (open && text) stream.write(text)
  }
  return {
    write(text) {
      if (!open) return
      if (!waiting) setImmediate(flush)
      waiting += text
      if (waiting.length > MOST_WAITING) flush()
    },
    flush,
    gone: gone.signal,
    async lost() {
      flush()
      // A stream tells of it after the turn in which it was written to.
      await new Promise((resolve) => void setImmediate(resolve))
      return failure
    },
  }
}
