/** Timers that do not keep the process alive. */

/** Calls `work` after `ms` milliseconds. Returns a function that cancels it. */
export function after(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms)
  release(timer)
  return () => clearTimeout(timer)
}

/** Calls `work` every `ms` milliseconds. Returns a function that stops it. */
export function repeat(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms)
  release(timer)
  return () => clearInterval(timer)
}

/** In browsers, a timer is a number. */
const release = (timer: unknown) => (timer as { unref?(): void }).unref?.()
