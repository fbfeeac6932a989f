/** Calls `work` every `ms` milliseconds. Returns a function that stops it. Does not keep the process alive. */
export function repeat(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms)
  timer.unref()
  return () => clearInterval(timer)
}
