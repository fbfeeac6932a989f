import { after } from '../clock/after.ts'

/** Writes synchronously, like `writeSync` of `node:fs`, and returns the number of bytes written. */
type WriteSync = (bytes: Uint8Array) => number

export interface Output {
  /** Queues text to be written at the end of this turn of the event loop, or once 64 KiB are queued. */
  write(text: string): void
  /** Like `write`, but drops the line while 16 MiB are unread. */
  writeLine(line: string): void
  flush(): void
  /** Writes the queue before the process exits, waiting up to a second for a slow reader. */
  flushAtExit(): void
  readonly gone: AbortSignal
  /** Resolves when the queue is written, to the write error, if any; EPIPE is not an error, the reader has left. */
  lost(): Promise<Error | undefined>
}

/** Maximum number of characters queued in one turn. */
const MAX_PER_TURN = 65_536
const MAX_UNREAD = 16 << 20
const RETRY = 10
const TRIES_AT_EXIT = 100

/**
 * Writes the lines of one turn of the event loop together. Writes to the descriptor itself: a stream would lose its buffer when the
 * process exits. After an error, further output is dropped.
 * @param full - Blocks for some milliseconds while the pipe is full.
 */
export function createOutput(writeSync: WriteSync, full: (ms: number) => void = sleep): Output {
  let turn = ''
  let queue: Buffer[] = []
  let unread = 0
  let open = true
  let retrying = false
  let failure: Error | undefined
  const gone = new AbortController()
  const drain = () => {
    while (open && unread > 0)
      try {
        const first = queue[0]!
        const taken = writeSync(first)
        unread -= taken
        if (taken === first.length) queue.shift()
        else queue[0] = first.subarray(taken)
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code === 'EAGAIN') return false
        if (code !== 'EPIPE') failure = error as Error
        open = false
        queue = []
        unread = 0
        gone.abort()
      }
    return true
  }
  const retry = () => {
    retrying = false
    if (drain() || retrying) return
    retrying = true
    after(RETRY, retry)
  }
  const flush = () => {
    if (!open || !turn) return
    const bytes = Buffer.from(turn)
    queue.push(bytes)
    unread += bytes.length
    turn = ''
    if (!retrying) retry()
  }
  const write = (text: string) => {
    if (!open) return
    if (!turn) setImmediate(flush)
    turn += text
    if (turn.length > MAX_PER_TURN) flush()
  }
  return {
    write,
    writeLine(line) {
      if (unread < MAX_UNREAD) write(line)
    },
    flush,
    flushAtExit() {
      flush()
      for (let n = 0; n < TRIES_AT_EXIT && !drain(); n++) full(RETRY)
    },
    gone: gone.signal,
    async lost() {
      flush()
      while (!drain()) {
        await new Promise((resolve) => void setImmediate(resolve))
        full(RETRY)
      }
      return failure
    },
  }
}

/** Blocks the thread, because no timer fires while the process exits. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
