const moneys = new Map<string, Intl.NumberFormat>()

/** Formats an amount with the currency's decimals: `KES 1,000.00`. */
export function money(amount: number, currency: string): string {
  let format = moneys.get(currency)
  if (!format) {
    format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' })
    moneys.set(currency, format)
  }
  return format.format(amount).replace(' ', ' ')
}

export const phone = (party: string): string =>
  /^254\d{9}$/.test(party)
    ? `0${party.slice(3, 6)} ${party.slice(6, 9)} ${party.slice(9)}`
    : /^\d{10,15}$/.test(party)
      ? `+${party.slice(0, 3)} ${party.slice(3, 6)} ${party.slice(6)}`
      : party

/** The other party of a payment as its rail writes it: a phone number, an account, the last digits of a card. */
export const partyOf = ({ rail, party }: { readonly rail: string; readonly party: string }): string =>
  rail === 'momo' ? phone(party) : rail === 'card' ? party.replace(/^[\d*•\s]*(?=\S{4}$)/, '•••• ') : party

const clockTime = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const shortTime = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const dayAndYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })

/** `16:27` */
export const shortTimeOf = (at: Date): string => shortTime.format(at)
/** `16:27:46` */
export const timeOf = (at: number | Date): string => clockTime.format(at)
/** Formats a day: `21 Nov`, with the year unless it is that of `now`. */
export const dayOf = (at: number | Date, now: number): string =>
  (new Date(at).getFullYear() === new Date(now).getFullYear() ? day : dayAndYear).format(at)

/** Formats a real time: `16:27 today`, `16:27, 22 Nov`. */
export const endOf = (at: string): string => {
  const date = new Date(at)
  const today = date.toDateString() === new Date().toDateString()
  return `${shortTime.format(date)}${today ? ' today' : `, ${dayOf(date, Date.now())}`}`
}

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

/** Formats JSON; returns other texts unchanged. */
export function laidOut(text: unknown): string {
  if (typeof text !== 'string') return JSON.stringify(text, null, 2) ?? ''
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`
