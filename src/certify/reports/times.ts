const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** Such as `13 June 2026, 12:00 UTC`. */
export function dayOf(time: string): string {
  const date = new Date(time)
  const clock = date.toISOString().slice(11, 16)
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}, ${clock} UTC`
}

/** Such as `4.2 s`, or `2 min 5 s`. */
export function lengthOf(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}

/** How long after something: `+0.012 s`. */
export const since = (time: string, began: string): string =>
  `+${((Date.parse(time) - Date.parse(began)) / 1000).toFixed(3)} s`

/** How far a world's clock has come: `+10 min`, `+1 d`; where it stands for nothing. */
export function worldSince(time: string, began: string): string {
  const seconds = Math.round((Date.parse(time) - Date.parse(began)) / 1000)
  if (seconds === 0) return 'at once'
  const units = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
    [1, 's'],
  ] as const
  let left = Math.abs(seconds)
  const parts = units.flatMap(([size, name]) => {
    const many = Math.floor(left / size)
    left %= size
    return many > 0 ? [`${many} ${name}`] : []
  })
  return `${seconds < 0 ? '−' : '+'}${parts.slice(0, 2).join(' ')}`
}
