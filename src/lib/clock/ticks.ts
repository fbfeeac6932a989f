/** Waiting and measuring on the machine's own clocks; a parameter so that tests can move them. */
export interface Ticks {
  /** Milliseconds since some moment; never goes back. It may stand still while the machine sleeps. */
  monotonic(): number
  /** Milliseconds since the epoch, as the machine believes it to be. */
  wall(): number
  wait(ms: number): Promise<void>
  /** Calls `work` every so many milliseconds until stopped by what it returns; keeps no process alive. */
  every(ms: number, work: () => void): () => void
}

export const systemTicks: Ticks = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  every(ms, work) {
    const timer = setInterval(work, ms)
    timer.unref()
    return () => clearInterval(timer)
  },
}
