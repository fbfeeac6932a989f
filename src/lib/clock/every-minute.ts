const MINUTE = 60_000
/** A timer may go off so long before its time, milliseconds. */
const EARLY = 1_000

const minuteAt = (time: number) => Math.floor(time / MINUTE) * MINUTE

/**
 * Runs on each minute of the wall but while it still runs; keeps no process alive.
 * @param run gets the minute, milliseconds on the wall; never throws
 * @returns how to stop
 */
export function everyMinute(run: (minute: number) => Promise<void>): () => void {
  let timer: NodeJS.Timeout
  let runs = false
  const once = async (minute: number) => {
    if (runs) return
    runs = true
    await run(minute)
    runs = false
  }
  const wait = (next: number) => {
    timer = setTimeout(() => {
      const minute = minuteAt(Date.now() + EARLY)
      wait(minute + MINUTE)
      void once(minute)
    }, next - Date.now())
    timer.unref()
  }
  wait(minuteAt(Date.now()) + MINUTE)
  return () => clearTimeout(timer)
}
