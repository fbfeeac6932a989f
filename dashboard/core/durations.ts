/** Formats a duration with at most two units: `850 ms`, `8.2 s`, `3 min 5 s`. @param ms - milliseconds */
export function lasting(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(ms < 10_000 ? 1 : 0))} s`
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
  ] as const
  let rest = ms
  const parts: string[] = []
  for (const [unit, long] of units) {
    const many = Math.floor(rest / long)
    rest -= many * long
    if (many > 0) parts.push(`${many} ${unit}`)
    else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return parts.join(' ')
}

/** Formats a countdown: `0:59`, `9:05`, `1:00:00`. @param ms - milliseconds */
export function countdown(ms: number): string {
  const left = Math.max(0, Math.ceil(ms / 1_000))
  const two = (many: number) => String(many).padStart(2, '0')
  const [hours, minutes] = [Math.floor(left / 3_600), Math.floor(left / 60) % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(left % 60)}` : `${minutes}:${two(left % 60)}`
}
