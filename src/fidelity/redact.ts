/** Replaces credentials and personal data in recordings. Pseudonyms are stable within a recording and have the same form. */
import { createHmac } from 'node:crypto'
import { isRecord } from '../lib/objects.ts'
import { isUrl } from '../lib/text/is-url.ts'
import { isSecretName, redactText } from '../lib/log/redact.ts'
import { endingOf } from '../service/domain/countries/countries.ts'
import { nubanDigit } from '../service/domain/realism/rules.ts'
import { type HarEntry, jsonIn } from './har.ts'
import {
  kindOf,
  digitsOf,
  EMAIL,
  NUMBER,
  TOKEN,
  PREFIXED,
  ADDRESS,
  CAPABILITY,
  KEYS,
  luhnDigit,
  isLuhn,
  KnownValues,
  MOST_KNOWN,
  looksLikePhone,
  hashOf,
  replaceDigits,
  ibanCheck,
  likeCase,
  decoded,
  type Kind,
} from './sensitive.ts'

const CONSONANTS = 'bdfgjklmnprstvwyz'
const VOWELS = 'aeiou'

export class Redactor {
  readonly #key: string
  readonly #labels = new Map<string, number>()
  readonly #known = new KnownValues()
  #fresh: string[] = []
  /** Hashes of pseudonyms; with `verify`, those of the recording. */
  readonly #made = new Set<string>()
  readonly #found: ((kind: string, value: string) => void) | undefined

  /** @param found - Reports sensitive values instead of replacing them; pseudonyms of the recording are not sensitive. */
  constructor(key: string, found?: (kind: string, value: string) => void) {
    this.#key = key
    this.#found = found
  }

  /** Adds the pseudonyms of a recording that is verified. */
  trust(hashes: readonly string[]): void {
    for (const hash of hashes) this.#made.add(hash)
  }

  /** Returns the entry without credentials and personal data. */
  entry(entry: HarEntry): HarEntry {
    this.#fresh = []
    const { request, response } = entry
    const { postData } = request
    // Fields come first, so that their values are known in messages and headers.
    const post = postData && { ...postData, text: this.#body(postData.text, postData.mimeType) }
    const { content } = response
    const text = content.text === undefined ? {} : { text: this.#body(content.text, content.mimeType) }
    const redacted = {
      ...entry,
      request: {
        ...request,
        headers: this.#headers(request.headers),
        url: this.#url(request.url),
        ...(post && { postData: { ...post, text: this.#known.replace(post.text) } }),
        ...('queryString' in request && { queryString: queryOf(this.#url(request.url)) }),
        ...('cookies' in request && { cookies: [] }),
      },
      response: {
        ...response,
        headers: this.#headers(response.headers),
        content: { ...content, ...(text.text !== undefined && { text: this.#known.replace(text.text) }) },
        ...('redirectURL' in response && { redirectURL: this.#url(String(response['redirectURL'])) }),
        ...('cookies' in response && { cookies: [] }),
      },
    }
    return this.#fresh.length > 0 ? { ...redacted, _pseudonyms: this.#fresh } : redacted
  }

  #headers(headers: HarEntry['request']['headers']) {
    return headers.map(({ name, value }) => ({ name, value: this.#header(name, value) }))
  }

  #header(name: string, value: string): string {
    if (/^(proxy-)?authorization$/i.test(name)) {
      const [scheme = '', ...rest] = value.split(' ')
      if (rest.length === 0) return this.#secret(value)
      const [user = '', ...password] = Buffer.from(rest.join(' '), 'base64').toString('utf8').split(':')
      if (/^basic$/i.test(scheme))
        for (const each of [user, password.join(':')]) this.#remember(each, '[redacted]')
      return `${scheme} ${this.#secret(rest.join(' '))}`
    }
    if (/signature/i.test(name)) return this.#sameForm(value, 'signature')
    if (isSecretName(name) || KEYS.test(name)) return this.#secret(value)
    return this.#text(value)
  }

  #url(url: string): string {
    if (!isUrl(url)) return this.#text(url)
    const parsed = new URL(url)
    parsed.username = ''
    parsed.password = ''
    for (const [name, value] of new URLSearchParams(parsed.search)) {
      const clean = this.#value(name, value, {})
      if (clean !== value) parsed.searchParams.set(name, String(clean))
    }
    const path = parsed.pathname
      .split('/')
      .map((part) => {
        const plain = decoded(part)
        const clean = this.#text(plain)
        return clean === plain ? part : encodeURIComponent(clean)
      })
      .join('/')
    parsed.pathname = path
    return parsed.href.replace(
      CAPABILITY,
      (_, before: string, key: string) => before + encodeURIComponent(this.#secret(key)),
    )
  }

  #body(text: string, type: string): string {
    const json = jsonIn(text)
    if (json !== undefined) return JSON.stringify(this.#walk('', json, {}))
    if (type.includes('x-www-form-urlencoded')) {
      const form = [...new URLSearchParams(text)]
      const siblings = Object.fromEntries(form)
      return new URLSearchParams(
        form.map(([name, value]): [string, string] => [name, String(this.#value(name, value, siblings))]),
      ).toString()
    }
    return this.#loose(text)
  }

  /** Replaces values in text that is no valid JSON, such as a body that was cut. */
  #loose(text: string): string {
    const field = /"([\w.-]{1,200})"(\s*:\s*)("(?:[^"\\]|\\[^])*(?:"|$)|-?[\d.]+)/g
    const replaced = text.replace(field, (whole, name: string, colon: string, value: string) => {
      const quoted = value.startsWith('"')
      const plain = quoted ? value.slice(1).replace(/"$/, '') : value
      const clean = String(this.#value(name, plain, {}))
      return clean === plain ? whole : `"${name}"${colon}${quoted ? JSON.stringify(clean) : clean}`
    })
    const assigned = replaced.replace(
      /\b([\w.-]{1,100})=([^&\s"'<>]+)/g,
      (_, name: string, value: string) => `${name}=${String(this.#value(name, value, {}))}`,
    )
    return this.#text(assigned)
  }

  #walk(name: string, value: unknown, siblings: Readonly<Record<string, unknown>>): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#walk(name, each, siblings))
    if (isRecord(value))
      return Object.fromEntries(
        Object.entries(value).map(([key, each]) => [this.#text(key), this.#walk(key, each, value)]),
      )
    if (typeof value !== 'string' && typeof value !== 'number') return value
    return this.#value(name, value, siblings)
  }

  #value(name: string, value: string | number, siblings: Readonly<Record<string, unknown>>): string | number {
    const text = String(value)
    const kind = text === '' ? undefined : kindOf(name, siblings)
    if (kind === undefined && typeof value === 'number') {
      // An amount has fewer digits than a phone with its dial code.
      const isPhone = Number.isInteger(value) && text.length >= 11 && looksLikePhone(text)
      return isPhone ? Number(this.#pseudonym('phone', text, siblings)) : value
    }
    if (kind === undefined) return /^https?:\/\//.test(text) ? this.#url(text) : this.#text(text)
    const clean = this.#pseudonym(kind, text, siblings)
    if (typeof value === 'string') return clean
    const number = Number(clean)
    return Number.isNaN(number) ? 0 : number
  }

  #pseudonym(kind: Kind, text: string, siblings: Readonly<Record<string, unknown>>): string {
    const digits = digitsOf(text)
    // The sandbox's own test numbers are no one's.
    if (endingOf(digits) !== undefined) return text
    switch (kind) {
      case 'secret':
        return this.#secret(text)
      case 'email':
        return text.replace(EMAIL, (each) => this.#email(each))
      case 'phone':
        return digits.length < 6 ? this.#text(text) : this.#phone(text)
      case 'account':
        if (looksLikePhone(text)) return this.#phone(text)
        return this.#memorable('account', text, this.#account(text, siblings))
      case 'card':
        return digits.length < 12 ? this.#sameForm(text, kind) : this.#card(text)
      case 'birth':
        return this.#keep(
          kind,
          text,
          text.replace(/\d{2}(?=\D*$)|(?<=\D)\d{2}(?=\D)/g, (part) => this.#twoDigits(text, part)),
        )
      case 'name':
        return this.#name(text)
      default:
        return this.#sameForm(text, kind)
    }
  }

  /** Replaces what is recognized by its form, and values that fields contained. */
  #text(text: string): string {
    let clean = this.#found ? text : redactText(text)
    clean = clean.replace(PREFIXED, (each) => this.#secret(each)).replace(TOKEN, (each) => this.#secret(each))
    if (clean.includes('@')) clean = clean.replace(EMAIL, (each) => this.#email(each))
    clean = clean.replace(NUMBER, (each) => this.#number(each))
    clean = clean.replace(ADDRESS, (each) =>
      /^(127\.|0\.0|10\.|192\.168\.|\d+\.\d+\.0\.0)/.test(each)
        ? each
        : this.#keep('address', each, '192.0.2.1'),
    )
    return this.#known.replace(clean)
  }

  #number(text: string): string {
    const digits = digitsOf(text)
    if (endingOf(digits) !== undefined) return text
    if (digits.length >= 13 && digits.length <= 19 && isLuhn(digits)) return this.#card(text)
    return looksLikePhone(text) ? this.#phone(text) : text
  }

  #remember(value: string, pseudonym = this.#label(value)): void {
    if (!this.#found) this.#known.add(value, pseudonym)
  }

  /** Notes a pseudonym, or reports a value that is none. */
  #keep(kind: string, value: string, pseudonym: string): string {
    if (this.#found) {
      if (!this.#made.has(hashOf(value)) && value !== pseudonym) this.#found(kind, value)
      return value
    }
    if (value === pseudonym) return value
    const hash = hashOf(pseudonym)
    if (!this.#made.has(hash)) {
      this.#made.add(hash)
      this.#fresh.push(hash)
    }
    return pseudonym
  }

  #label(value: string): string {
    const number = this.#labels.get(value) ?? this.#labels.size + 1
    if (this.#labels.size < MOST_KNOWN) this.#labels.set(value, number)
    return `[redacted ${number}]`
  }

  #secret(value: string): string {
    if (value.includes('[redacted') || value.includes('%5Bredacted')) return value
    if (this.#found) {
      this.#found('secret', value)
      return value
    }
    if (value.length >= 6) this.#remember(value)
    return this.#label(value)
  }

  #email(text: string): string {
    return this.#keep('email', text, `p${this.#hex(text.toLowerCase(), 8)}@mail.example`)
  }

  /** Keeps the country and the operator's prefix: all but the last six digits. */
  #phone(text: string): string {
    const digits = digitsOf(text)
    return this.#keep(
      'phone',
      text,
      replaceDigits(text, digits.slice(0, -6) + this.#digits(digits.slice(-8), 6)),
    )
  }

  #card(text: string): string {
    const digits = digitsOf(text)
    const serial = digits.slice(0, 6) + this.#digits(digits, digits.length - 7)
    return this.#keep('card', text, replaceDigits(text, serial + luhnDigit(serial)))
  }

  #account(text: string, siblings: Readonly<Record<string, unknown>>): string {
    const iban = /^([A-Z]{2})\d{2}([A-Z\d]{10,30})$/.exec(text.replaceAll(' ', ''))
    if (iban) {
      const inner = this.#scramble(iban[2]!)
      return iban[1]! + ibanCheck(iban[1]!, inner) + inner
    }
    const digits = digitsOf(text)
    const bank = Object.entries(siblings).find(([name]) => /network_code|bank_code/i.test(name))?.[1]
    const banks = [
      String(bank ?? ''),
      ...Object.values(siblings).flatMap((each) => (isRecord(each) ? Object.values(each).map(String) : [])),
    ]
    const nuban = banks.find(
      (code) =>
        /^\d{3}$/.test(code) &&
        digits.length === 10 &&
        nubanDigit(code, digits.slice(0, 9)) === Number(digits[9]),
    )
    if (nuban !== undefined) {
      const serial = digits.slice(0, 2) + this.#digits(digits, 7)
      return replaceDigits(text, serial + nubanDigit(nuban, serial))
    }
    return this.#scramble(text)
  }

  #name(text: string): string {
    const words = text.replace(/[\p{L}][\p{L}'’-]*/gu, (word) => {
      const made = this.#invented(word)
      if (word.length >= 4) this.#remember(word, made)
      return made
    })
    if (words !== text) this.#remember(text, words)
    return this.#keep('name', text, words)
  }

  /** Returns a word that can be pronounced. */
  #invented(word: string): string {
    const hash = this.#hash(`name ${word.toLowerCase()}`)
    const letters = [0, 1, 2].map(
      (n) => CONSONANTS[hash[n]! % CONSONANTS.length]! + VOWELS[hash[n + 3]! % VOWELS.length]!,
    )
    const made = letters.join('') + CONSONANTS[hash[6]! % CONSONANTS.length]!
    // Names with other letters than those of ASCII are cases of their own.
    return likeCase(word, /[^\p{ASCII}]/u.test(word) ? made.replace(/[aeiou]/, 'é') : made)
  }

  #sameForm(text: string, kind: string): string {
    const made = this.#scramble(text)
    return kind === 'signature' ? this.#keep(kind, text, made) : this.#memorable(kind, text, made)
  }

  /** Replaces the value in free text too. */
  #memorable(kind: string, text: string, made: string): string {
    this.#remember(text, made)
    return this.#keep(kind, text, made)
  }

  #scramble(text: string): string {
    const hash = this.#hash(text)
    let n = 0
    return text.replace(/[\p{L}\d]/gu, (sign) => {
      const byte = hash[n % 32]! + Math.floor(n++ / 32)
      if (/\d/.test(sign)) return String((Number(sign) + 1 + (byte % 9)) % 10)
      const letter = String.fromCodePoint(97 + (byte % 26))
      return sign === sign.toLowerCase() ? letter : letter.toUpperCase()
    })
  }

  #twoDigits(text: string, part: string): string {
    return String(1 + (this.#hash(text + part)[0]! % 12)).padStart(2, '0')
  }

  #digits(value: string, count: number): string {
    return [...this.#hash(value)]
      .map((byte) => byte % 10)
      .join('')
      .slice(0, count)
  }

  #hex = (value: string, count: number) => this.#hash(value).toString('hex').slice(0, count)

  #hash(value: string): Buffer {
    return createHmac('sha256', this.#key).update(value).digest()
  }
}

const queryOf = (url: string) =>
  isUrl(url) ? [...new URL(url).searchParams].map(([name, value]) => ({ name, value })) : []

/** A sensitive value that a recording still contains. */
export interface Leak {
  readonly entry: number
  readonly kind: string
  /** The value, shortened. */
  readonly value: string
}

/** Returns every value of a recording that would be replaced. */
export function leaksIn(entries: readonly HarEntry[]): readonly Leak[] {
  const leaks: Leak[] = []
  let entry = 0
  const redactor = new Redactor('verify', (kind, value) => {
    const shown = value.length > 4 ? `${value.slice(0, 2)}…${value.slice(-2)}` : '…'
    leaks.push({ entry, kind, value: `${shown} (${value.length} characters)` })
  })
  redactor.trust(entries.flatMap(({ _pseudonyms = [] }) => _pseudonyms))
  for (const [n, each] of entries.entries()) {
    entry = n
    redactor.entry(each)
  }
  return leaks
}
