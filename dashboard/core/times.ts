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

export type ZoneName = 'here' | 'UTC' | 'Nairobi'

const IANA: { readonly [zone in ZoneName]: string | undefined } = {
  here: undefined,
  UTC: 'UTC',
  Nairobi: 'Africa/Nairobi',
}
/** Kenya has no daylight saving time. */
const NAIROBI = 3 * 3_600_000
const DAY = 86_400_000
const OPENS = 9 * 3_600_000

export const ownZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

export const zones: readonly ZoneName[] = ['here', 'UTC', 'Nairobi']

/** Formats `Sun 22 Nov 2026 12:14:03` the same way in all browsers. */
export const timeIn = (at: number, zone: ZoneName): string =>
  new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZone: IANA[zone],
  })
    .format(at)
    .replaceAll(',', '')

/** `Mon 23 Nov` */
export const dayIn = (at: number, zone: ZoneName): string =>
  new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    timeZone: IANA[zone],
  })
    .format(at)
    .replaceAll(',', '')

/** @param text - a time such as `2026-11-22 12:14`, or a day. @returns undefined if invalid */
export function instantOf(text: string, zone: ZoneName): Date | undefined {
  const [, day, time = '00:00'] = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?))?$/.exec(text.trim()) ?? []
  const date = new Date(`${day}T${time}${{ here: '', UTC: 'Z', Nairobi: '+03:00' }[zone]}`)
  return Number.isNaN(date.getTime()) ? undefined : date
}

/** The next opening of Kenyan banks, Monday to Friday at nine; ignores holidays. */
export function nextBankingDay(at: number): number {
  let day = Math.floor((at + NAIROBI) / DAY)
  do day++
  while ([0, 6].includes(new Date(day * DAY).getUTCDay()))
  return day * DAY + OPENS - NAIROBI
}
