/** Calls `work` after `ms` milliseconds. Returns a function that cancels it. Does not keep the process alive. */
export function after(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms)
  // In browsers, a timer is a number.
  const { unref } = timer as unknown as { unref?: (this: unknown) => void }
  unref?.call(timer)
  return () => clearTimeout(timer)
}
