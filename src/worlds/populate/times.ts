import { utcOffset } from '../../service/domain/countries/countries.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** How much is paid in each hour of a day: little at night, most around noon and after work. */
const hours = [2, 1, 1, 1, 1, 3, 8, 18, 34, 48, 55, 60, 66, 62, 55, 52, 54, 62, 66, 55, 38, 22, 11, 5]
/** From Sunday on. */
const weekdays = [0.45, 1, 0.95, 0.95, 1, 1.15, 0.8]

/**
 * So many times from `from` to before `to`, ascending: more by day than by night, more on weekdays, and more from month to month.
 * @param draw a fraction for each time
 */
export function timesBetween(from: number, to: number, count: number, draw: (n: number) => number): number[] {
  const offset = utcOffset('KE')
  const weights: number[] = []
  let sum = 0
  for (let at = from; at < to; at += HOUR) {
    const local = at + offset
    const day = Math.floor(local / DAY)
    const hour = hours[Math.floor((((local % DAY) + DAY) % DAY) / HOUR)]!
    // The first of January 1970 was a Thursday.
    const weekday = weekdays[(((day + 4) % 7) + 7) % 7]!
    const growth = 1 + (0.3 * (at - from)) / (to - from)
    const share = Math.min(1, (to - at) / HOUR)
    weights.push((sum += hour * weekday * growth * share))
  }
  const times: number[] = []
  weights.forEach((weight, slot) => {
    const until = Math.round((count * weight) / sum)
    const own = until - times.length
    const start = from + slot * HOUR
    const length = Math.min(HOUR, to - start)
    for (let n = 0; n < own; n += 1) times.push(Math.floor(start + (length * (n + draw(times.length))) / own))
  })
  return times
}
