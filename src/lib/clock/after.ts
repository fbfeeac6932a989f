/** Calls `work` once, so many milliseconds on the wall from now, unless stopped by what it returns; keeps no process alive. */
export function after(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms)
  // A browser's is a number.
  const { unref } = timer as unknown as { unref?: (this: unknown) => void }
  unref?.call(timer)
  return () => clearTimeout(timer)
}
