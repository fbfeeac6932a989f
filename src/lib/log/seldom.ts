/**
 * For what may happen a thousand times a second and is to be said once a while.
 * @param ms between two lines
 * @param say told how often it has happened since the line before
 */
export function seldom(ms: number, now: () => number, say: (times: number) => void): () => void {
  let next = -Infinity
  let times = 0
  return () => {
    times++
    if (now() < next) return
    next = now() + ms
    say(times)
    times = 0
  }
}
