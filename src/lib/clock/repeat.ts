/** Calls `work` every so many milliseconds on the wall until stopped by what it returns; keeps no process alive. */
export function repeat(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms)
  timer.unref()
  return () => clearInterval(timer)
}
