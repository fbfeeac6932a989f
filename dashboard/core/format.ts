const moneys = new Map<string, Intl.NumberFormat>()

/** `KES 1,000.00`, with the decimals that the currency has. */
export function money(amount: number, currency: string): string {
  let format = moneys.get(currency)
  if (!format) {
    format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' })
    moneys.set(currency, format)
  }
  return format.format(amount).replace(' ', ' ')
}

/** `254712345678` in groups, as it is read out. */
export const phone = (party: string): string =>
  /^254\d{9}$/.test(party)
    ? `0${party.slice(3, 6)} ${party.slice(6, 9)} ${party.slice(9)}`
    : /^\d{10,15}$/.test(party)
      ? `+${party.slice(0, 3)} ${party.slice(3, 6)} ${party.slice(6)}`
      : party

const clockTime = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const shortTime = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const dayAndYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })

/** `16:27:46` */
export const timeOf = (at: number | Date): string => clockTime.format(at)
/** `21 Nov`, with the year where it is another than that of `now`. */
export const dayOf = (at: number | Date, now: number): string =>
  (new Date(at).getFullYear() === new Date(now).getFullYear() ? day : dayAndYear).format(at)

/** A time of ours, not of the world: `16:27 today`, `16:27, 22 Nov`. */
export const endOf = (at: string): string => {
  const date = new Date(at)
  const today = date.toDateString() === new Date().toDateString()
  return `${shortTime.format(date)}${today ? ' today' : `, ${dayOf(date, Date.now())}`}`
}

/** A URL short enough for a row: what tells it from others. */
export function shortUrl(url: string): string {
  try {
    const { host, pathname, origin } = new URL(url)
    const inbox = /\/sandbox\/inbox\/([^/]+)$/.exec(pathname)
    if (inbox) return `inbox ${decodeURIComponent(inbox[1]!)}`
    return origin === location.origin ? pathname : host + pathname
  } catch {
    return url
  }
}

/** JSON with its fields below one another; any other text as it is. */
export function laidOut(text: unknown): string {
  if (typeof text !== 'string') return JSON.stringify(text, null, 2) ?? ''
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** `one` or `many`, with how many. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`
