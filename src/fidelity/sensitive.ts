/** Forms of credentials and personal data. */
import { createHash } from 'node:crypto'
import { isSecretName } from '../lib/log/redact.ts'
import { isChecked } from '../service/domain/cards.ts'
import { countries } from '../service/domain/countries/countries.ts'

export type Kind = 'phone' | 'name' | 'email' | 'id' | 'birth' | 'card' | 'account' | 'address' | 'secret'
export type Siblings = Readonly<Record<string, unknown>>

const kinds: readonly (readonly [Kind, RegExp])[] = [
  ['email', /e_?mail/],
  ['birth', /(^|_)(dob|date_of_birth|birth_?date|birthday)$/],
  [
    'id',
    /(^|_)(id_?(number|no)|national_id|passport(_no|_number)?|nin|bvn|tin|kra_pin|nrc|omang|ghana_card|(registration|certificate|licen[cs]e)_(number|no)|tax_(id|number|pin))$/,
  ],
  ['card', /(^|_)(pan|card_?(num|number|no))$/],
  ['phone', /phone|msisdn|mobile(_number)?$|whatsapp|(^|_)(party|telephone)$/],
  [
    'name',
    /^name$|(^|_)(first|last|middle|full|sur|given|family|other|maiden|customer|payer|payee|recipient|beneficiary|contact|account|holder|owner|admin|director|user|business|organization|team|sender)_?names?$/,
  ],
  ['account', /(^|_)(iban|(bank_)?account(_number|_no)?|beneficiary_account)$/],
  [
    'address',
    /(^|_)(address|street|line_?\d|postal_?code|zip(_?code)?|lat(itude)?|lo?ng(itude)?|house)($|_)/,
  ],
]

/** Names of headers and parameters that authorise their holder. */
export const isKey = (name: string) =>
  isSecretName(name) ||
  /^(key|sig|signature|x-api-key|api_?key)$|^(?!www-|proxy-authenticate|author$).*(auth|jwt|assertion|credential)/i.test(
    name,
  )
/** Objects of discovery, whose `name` is no person's. */
const OF_DISCOVERY = ['code', 'network_id', 'network_name', 'provider_id', 'iso2', 'dial_code']

export function kindOf(name: string, siblings: Siblings): Kind | undefined {
  // `phoneNumber` -> `phone_number`.
  const plain = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
  const found = kinds.find(([, pattern]) => pattern.test(plain))?.[0]
  if (plain === 'number' && 'dial_code' in siblings) return 'phone'
  if (found === 'name' && plain === 'name' && OF_DISCOVERY.some((key) => key in siblings)) return undefined
  return found ?? (isKey(name) ? 'secret' : undefined)
}

/** Words of the service's fields and enumerations, which may be parts of names such as `Demo Organization`. */
const VOCABULARY =
  /^(accounts?|admin|bank|business|card|channels?|company|country|customers?|demo|finance|individual|kenya|members?|mobile|money|none|organi[sz]ations?|owner|payments?|payouts?|phone|paybill|provider|role|sandbox|service|status|success|team|test|till|type|users?|viewer|wallet)$/i

export const isVocabulary = (word: string) => VOCABULARY.test(word)

export const digitsOf = (text: string) => text.replace(/\D/g, '')
export const EMAIL = /[\w.%+'-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g
/** Twelve or more digits may be a card, eight or more a phone. */
export const NUMBER = /(?<![\w.+]|[\da-f]{4}-)\+?\d[\d ()-]{6,21}\d(?!\w|-[\da-f]{4})/g
/** Tokens with a known prefix, JSON Web Tokens, and long texts of letters and digits. */
export const TOKENS = [
  /\b(?:sk|pk|rk|whsec|api|key|tok|ghp|xox[a-z])[_-](?:live_|test_)?[\w+/=-]{8,}/g,
  /\beyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?|\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{40,}/g,
]
/** Addresses of the Internet; those of private networks are no one's. */
export const ADDRESS =
  /(?<![\d.])(?!127\.|0\.0|10\.|192\.168\.|\d+\.\d+\.0\.0)(?:\d{1,3}\.){3}\d{1,3}(?![\d.])/g
export const CAPABILITY = /(\/invites\/|[?&]key=|\/checkout\/)([\w.%-]{8,})/g

export const luhnDigit = (digits: string) => [...'0123456789'].find((digit) => isChecked(digits + digit))!

export const isCard = (digits: string) => digits.length >= 13 && digits.length <= 19 && isChecked(digits)

export function looksLikePhone(text: string): boolean {
  const digits = digitsOf(text)
  if (digits.length < 8 || digits.length > 15) return false
  if (text.trim().startsWith('+') || /^0\d{9,10}$/.test(digits)) return true
  return (
    digits.length > 10 && digits.length < 14 && countries.some((each) => digits.startsWith(each.dial_code))
  )
}

export const hashOf = (value: string) => createHash('sha256').update(value).digest('hex').slice(0, 16)

export function replaceDigits(text: string, digits: string): string {
  let n = 0
  return text.replace(/\d/g, () => digits[n++] ?? '')
}

/** Returns an IBAN with its check digits. */
export function ibanOf(country: string, inner: string): string {
  const number = [...`${inner}${country}00`].map((sign) => Number.parseInt(sign, 36)).join('')
  return country + String(98n - (BigInt(number) % 97n)).padStart(2, '0') + inner
}

export function likeCase(model: string, word: string): string {
  if (word.startsWith('[')) return word
  if (model.length > 1 && model === model.toUpperCase()) return word.toUpperCase()
  return model[0] === model[0]?.toUpperCase() ? word[0]!.toUpperCase() + word.slice(1) : word.toLowerCase()
}

export const MOST_KNOWN = 100_000

/** Values that fields contained, by their first word, and their pseudonyms: free text contains the values too. */
export function knownValues() {
  const values = new Map<string, Map<string, string>>()
  let size = 0

  function add(value: string, pseudonym: string): void {
    const start = value.search(/[\p{L}\p{N}]/u)
    if (start < 0 || value.length < 3 || size >= MOST_KNOWN) return
    const plain = value.slice(start).toLowerCase()
    const [first] = plain.match(/[\p{L}\p{N}]+/u)!
    const list = values.get(first) ?? new Map<string, string>()
    if (!list.has(plain)) size += 1
    values.set(first, list.set(plain, pseudonym))
  }

  function replace(text: string): string {
    if (size === 0) return text
    let clean = ''
    let from = 0
    for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
      if (index < from) continue
      // The longest first: a name before its first word.
      const list = [...(values.get(word.toLowerCase()) ?? [])].sort(([a], [b]) => b.length - a.length)
      const found = list.find(([value]) => {
        const end = index + value.length
        const isEqual = text.slice(index, end).toLowerCase() === value
        return isEqual && !/^[\p{L}\p{N}]/u.test(text.slice(end, end + 2))
      })
      if (!found) continue
      const end = index + found[0].length
      clean += text.slice(from, index) + likeCase(text.slice(index, end), found[1])
      from = end
    }
    return clean + text.slice(from)
  }
  return { add, replace }
}
