import { after } from '../clock/after.ts'

/** Writes `bytes` at once, as `writeSync` of `node:fs` does, and returns how many were taken. */
type WriteSync = (bytes: Uint8Array) => number

export interface Output {
  /** Queues text, which is written at the end of this turn of the event loop, or sooner once 64 KiB are queued. */
  write(text: string): void
  /** The same for a line of the log, which is dropped while 16 MiB are unread: a log must not grow without end. */
  writeLine(line: string): void
  /** Writes the queue now. */
  flush(): void
  /** Writes the queue before the process exits, and waits up to a second for a reader that is behind. */
  flushAtExit(): void
  /** Aborted once writing has failed. */
  readonly gone: AbortSignal
  /** Resolves once the queue is written, to the error that writing failed with; EPIPE is none, the reader has left. */
  lost(): Promise<Error | undefined>
}

/** Characters of one turn that are queued at most: a turn may be long. */
const MAX_PER_TURN = 65_536
const MAX_UNREAD = 16 << 20
/** Milliseconds between two tries to write to a full pipe. */
const RETRY = 10
const TRIES_AT_EXIT = 100

/**
 * Gathers the lines of one turn of the event loop into one write. It writes to the descriptor itself: a stream keeps what a
 * pipe does not take at once, and loses it when the process exits. After an error the rest is dropped and the process goes on.
 * @param full waits while the pipe is full, milliseconds
 */
export function createOutput(writeSync: WriteSync, full: (ms: number) => void = sleep): Output {
  let turn = ''
  let queue: Buffer[] = []
  let unread = 0
  let open = true
  let retrying = false
  let failure: Error | undefined
  const gone = new AbortController()
  /** Returns whether all is written. */
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

/** Blocks the thread: no timer fires while the process exits. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
