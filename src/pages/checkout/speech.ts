/** The language of a payment page, and how it writes amounts, times and reasons. */
import type { Context } from 'hono'
import { utcOffset } from '../../service/domain/countries/countries.ts'
import { digitsOf } from '../../service/domain/money.ts'
import { type Reason, reasons } from '../../service/vocabulary/rails.ts'
import type { TransactionRow } from '../../storage/store/payment-rows.ts'
import { catalogue, type Words } from './words.ts'

/** The texts of a page, and how it writes amounts and times. */
export type Speech = ReturnType<typeof speechOf>

const tags = (header: string) =>
  header
    .split(',', 20)
    .map((entry) => ({
      language: /^[a-z]+/i.exec(entry.trim())?.[0].toLowerCase() ?? '',
      q: Number(/;\s*q=([\d.]+)/.exec(entry)?.[1] ?? 1),
    }))
    .filter(({ language, q }) => language !== '' && q > 0)
    .toSorted((a, b) => b.q - a.q)

/** Returns the reason in the payer's words; rows of imports may have the reason of a payout. */
export const reasonText = (words: Words, reason: Reason | null): string =>
  reason === null
    ? ''
    : ((words.reasons as { readonly [R in Reason]?: string })[reason] ?? reasons[reason].text)

/** Chooses the language by `Accept-Language`, English if none of these is served; without the header by the country of the payment. */
export function speechOf(c: Context, { country }: Pick<TransactionRow, 'country'>) {
  const accepted = tags((c.req.header('accept-language') ?? '').slice(0, 1_000))
  const wanted = accepted.find(({ language }) => Object.hasOwn(catalogue, language))?.language
  const language = (wanted ??
    (country === 'TZ' && accepted.length === 0 ? 'sw' : 'en')) as keyof typeof catalogue
  const locale = `${language}-${country || 'KE'}`
  const hours = utcOffset(country) / 3_600_000
  const zone = { timeZone: `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}` } as const
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...zone, ...options })
  return {
    /** The language with the country of the payment, such as `sw-TZ`. */
    locale,
    words: catalogue[language] as Words,
    /** Formats minor units with the code of the currency. */
    money(minor: number, currency: string): string {
      const digits = digitsOf(currency)
      const amount = new Intl.NumberFormat(locale, {
        style: 'currency',
        currency,
        currencyDisplay: 'code',
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      })
      return amount.format(minor / 10 ** digits).replace(/\u00a0/g, ' ')
    },
    /** Formats a time as hours and minutes with the offset of the country. */
    time: (at: number) =>
      format({ hour: '2-digit', minute: '2-digit', timeZoneName: 'shortOffset' }).format(at),
    /** Formats a day and time of the country. */
    date: (at: number) => format({ dateStyle: 'medium', timeStyle: 'short' }).format(at),
  }
}
