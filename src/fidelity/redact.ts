/** Replaces credentials and personal data in recordings. Pseudonyms are stable within a recording and have the same form. */
import { createHmac } from 'node:crypto'
import { isRecord } from '../lib/objects.ts'
import { isUrl } from '../lib/text/is-url.ts'
import { parsedJson } from '../lib/text/parsed-json.ts'
import { redactText } from '../lib/log/redact.ts'
import { endingOf } from '../service/domain/countries/countries.ts'
import { nubanDigit } from '../service/domain/countries/networks.ts'
import type { HarEntry } from './har.ts'
import { withLeaves } from './messages.ts'
import * as sensitive from './sensitive.ts'
import { digitsOf, type Kind, likeCase, replaceDigits, type Siblings } from './sensitive.ts'

const CONSONANTS = 'bdfgjklmnprstvwyz'
const VOWELS = 'aeiou'

export class Redactor {
  readonly #key: string
  readonly #labels = new Map<string, number>()
  readonly #known = new sensitive.KnownValues()
  #fresh: string[] = []
  /** Hashes of pseudonyms; with `verify`, those of the recording. */
  readonly #made: Set<string>
  readonly #found: ((kind: string, value: string) => void) | undefined

  /**
   * @param found - Reports sensitive values instead of replacing them.
   * @param pseudonyms - Hashes of pseudonyms of the recording, which are not sensitive.
   */
  constructor(
    key: string,
    found?: (kind: string, value: string) => void,
    pseudonyms: readonly string[] = [],
  ) {
    this.#key = key
    this.#found = found
    this.#made = new Set(pseudonyms)
  }

  /** Returns the entry without credentials and personal data. */
  entry(entry: HarEntry): HarEntry {
    this.#fresh = []
    const { request, response } = entry
    const { postData } = request
    const { content } = response
    // Fields come first, so that their values are known in messages and headers.
    const sent = postData && this.#body(postData.text, postData.mimeType)
    const received = content.text === undefined ? undefined : this.#body(content.text, content.mimeType)
    const headers = (of: typeof request.headers) =>
      of.map(({ name, value }) => ({ name, value: this.#header(name, value) }))
    const requestHeaders = headers(request.headers)
    const url = this.#url(request.url)
    const queryString = [...new URL(url).searchParams].map(([name, value]) => ({ name, value }))
    const redacted = {
      ...entry,
      request: {
        ...request,
        headers: requestHeaders,
        url,
        ...(postData && { postData: { ...postData, text: this.#withoutKnown(sent!) } }),
        ...('queryString' in request && { queryString }),
        ...('cookies' in request && { cookies: [] }),
      },
      response: {
        ...response,
        headers: headers(response.headers),
        content: { ...content, ...(received !== undefined && { text: this.#withoutKnown(received) }) },
        ...('redirectURL' in response && { redirectURL: this.#url(String(response['redirectURL'])) }),
        ...('cookies' in response && { cookies: [] }),
      },
    }
    return this.#fresh.length > 0 ? { ...redacted, _pseudonyms: this.#fresh } : redacted
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
    if (/signature/i.test(name)) {
      // What is short is the name or version of a scheme, such as `v1`.
      const made = value.replace(/[\w+/-]{16,}/g, (part) => this.#scramble(part))
      return this.#keep('signature', value, made)
    }
    return sensitive.isKey(name) ? this.#secret(value) : this.#text(value)
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
    parsed.pathname = parsed.pathname.replace(/[^/]+/g, (part) => {
      const plain = decoded(part)
      const clean = this.#text(plain)
      return clean === plain ? part : encodeURIComponent(clean)
    })
    return parsed.href.replace(sensitive.CAPABILITY, (whole, before: string, key: string) =>
      key.includes('redacted') ? whole : before + encodeURIComponent(this.#secret(key)),
    )
  }

  #body(text: string, type: string): string {
    const json = parsedJson(text)
    if (json !== undefined) return JSON.stringify(this.#walk('', json, {}))
    if (!type.includes('x-www-form-urlencoded')) return this.#loose(text)
    const form = [...new URLSearchParams(text)]
    const siblings = Object.fromEntries(form)
    return new URLSearchParams(
      form.map(([name, value]): [string, string] => [name, String(this.#value(name, value, siblings))]),
    ).toString()
  }

  /** Replaces values that fields contained. Names of fields, and words such as those of enumerations, stay. */
  #withoutKnown(text: string): string {
    const json = parsedJson(text)
    if (typeof json !== 'object' || json === null) return this.#known.replace(text)
    const clean = (leaf: unknown) =>
      typeof leaf !== 'string' || sensitive.isVocabulary(leaf) ? leaf : this.#knownIn(leaf)
    return JSON.stringify(withLeaves(json, clean))
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
    const assigned = /\b([\w.-]{1,100})=([^&\s"'<>]+)/g
    return this.#text(
      replaced.replace(
        assigned,
        (_, name: string, value: string) => `${name}=${this.#value(name, value, {})}`,
      ),
    )
  }

  #walk(name: string, value: unknown, siblings: Siblings): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#walk(name, each, siblings))
    if (isRecord(value))
      return Object.fromEntries(
        Object.entries(value).map(([key, each]) => [this.#forms(key), this.#walk(key, each, value)]),
      )
    return typeof value === 'string' || typeof value === 'number' ? this.#value(name, value, siblings) : value
  }

  #value(name: string, value: string | number, siblings: Siblings): string | number {
    const text = String(value)
    let kind = text === '' ? undefined : sensitive.kindOf(name, siblings)
    // An amount has fewer digits than a phone with its dial code.
    if (
      typeof value === 'number' &&
      Number.isInteger(value) &&
      text.length >= 11 &&
      sensitive.looksLikePhone(text)
    )
      kind ??= 'phone'
    const inner = kind === undefined && /^\s*[[{]/.test(text) ? parsedJson(text) : undefined
    if (typeof inner === 'object' && inner !== null) return JSON.stringify(this.#walk('', inner, {}))
    if (kind === undefined)
      return typeof value === 'number'
        ? value
        : /^https?:\/\//.test(text)
          ? this.#url(text)
          : this.#text(text)
    const clean = this.#pseudonym(kind, text, siblings)
    return typeof value === 'string' ? clean : Number(clean) || 0
  }

  #pseudonym(kind: Kind, text: string, siblings: Siblings): string {
    const digits = digitsOf(text)
    // The sandbox's own test numbers are no one's.
    if (endingOf(digits) !== undefined) return text
    switch (kind) {
      case 'secret':
        return this.#secret(text)
      case 'email':
        return text.replace(sensitive.EMAIL, (each) => this.#email(each))
      case 'phone':
        return digits.length < 6 ? this.#text(text) : this.#phone(text)
      case 'account':
        if (sensitive.looksLikePhone(text)) return this.#phone(text)
        return this.#memorable(kind, text, this.#account(text, siblings))
      case 'card':
        return digits.length < 12 ? this.#memorable(kind, text, this.#scramble(text)) : this.#card(text)
      case 'birth': {
        const twoDigits = (part: string) => String(1 + (this.#hash(text + part)[0]! % 12)).padStart(2, '0')
        return this.#keep(kind, text, text.replace(/\d{2}(?=\D*$)|(?<=\D)\d{2}(?=\D)/g, twoDigits))
      }
      case 'name':
        return this.#name(text)
      default:
        return this.#memorable(kind, text, this.#scramble(text))
    }
  }

  /** Replaces what is recognized by its form, and values that fields contained. */
  #text(text: string): string {
    const clean = this.#forms(text)
    return sensitive.isVocabulary(clean) ? clean : this.#knownIn(clean)
  }

  #knownIn = (text: string) => this.#keep('known', text, this.#known.replace(text))

  /** Replaces what is recognized by its form. */
  #forms(text: string): string {
    let clean = this.#found ? text : redactText(text)
    for (const pattern of sensitive.TOKENS) clean = clean.replace(pattern, (each) => this.#secret(each))
    if (clean.includes('@')) clean = clean.replace(sensitive.EMAIL, (each) => this.#email(each))
    clean = clean
      .replace(sensitive.NUMBER, (each) => this.#number(each))
      .replace(sensitive.ADDRESS, (each) => this.#keep('address', each, '192.0.2.1'))
    return clean
  }

  #number(text: string): string {
    const digits = digitsOf(text)
    if (endingOf(digits) !== undefined) return text
    if (sensitive.isCard(digits)) return this.#card(text)
    return sensitive.looksLikePhone(text) ? this.#phone(text) : text
  }

  #remember(value: string, pseudonym: string): void {
    if (!this.#found) this.#known.add(value, pseudonym)
  }

  /** Notes a pseudonym, or reports a value that is none. */
  #keep(kind: string, value: string, pseudonym: string): string {
    if (this.#found) {
      if (!this.#made.has(sensitive.hashOf(value)) && value !== pseudonym) this.#found(kind, value)
      return value
    }
    if (value === pseudonym) return value
    const hash = sensitive.hashOf(pseudonym)
    if (!this.#made.has(hash)) this.#fresh.push(hash)
    this.#made.add(hash)
    return pseudonym
  }

  /** Replaces the value in free text too. */
  #memorable(kind: string, text: string, made: string): string {
    this.#remember(text, made)
    return this.#keep(kind, text, made)
  }

  #secret(value: string): string {
    if (/(\[|%5B)redacted/.test(value)) return value
    if (this.#found) {
      this.#found('secret', value)
      return value
    }
    const number = this.#labels.get(value) ?? this.#labels.size + 1
    if (this.#labels.size < sensitive.MOST_KNOWN) this.#labels.set(value, number)
    const label = `[redacted ${number}]`
    if (value.length >= 6) this.#remember(value, label)
    return label
  }

  #email(text: string): string {
    const hash = this.#hash(text.toLowerCase()).toString('hex')
    return this.#keep('email', text, `p${hash.slice(0, 8)}@mail.example`)
  }

  /** Keeps the country and the operator's prefix: all but the last six digits. */
  #phone(text: string): string {
    const digits = digitsOf(text)
    const changed = digits.slice(0, -6) + this.#digits(digits.slice(-8), 6)
    return this.#keep('phone', text, replaceDigits(text, changed))
  }

  #card(text: string): string {
    const digits = digitsOf(text)
    const serial = digits.slice(0, 6) + this.#digits(digits, digits.length - 7)
    return this.#keep('card', text, replaceDigits(text, serial + sensitive.luhnDigit(serial)))
  }

  #account(text: string, siblings: Siblings): string {
    const [, country, inner] = /^([A-Z]{2})\d{2}([A-Z\d]{10,30})$/.exec(text.replaceAll(' ', '')) ?? []
    if (country !== undefined) return sensitive.ibanOf(country, this.#scramble(inner!))
    const digits = digitsOf(text)
    // Accounts of Nigeria have a digit that checks the number and the bank.
    const bank = Object.values(siblings)
      .flatMap((each) => (isRecord(each) ? Object.values(each) : [each]))
      .map(String)
      .find(
        (code) =>
          /^\d{3}$/.test(code) &&
          digits.length === 10 &&
          nubanDigit(code, digits.slice(0, 9)) === Number(digits[9]),
      )
    if (bank === undefined) return this.#scramble(text)
    const serial = digits.slice(0, 2) + this.#digits(digits, 7)
    return replaceDigits(text, serial + nubanDigit(bank, serial))
  }

  #name(text: string): string {
    const words = text.replace(/[\p{L}][\p{L}'’-]*/gu, (word) => {
      const made = this.#invented(word)
      if (word.length >= 4 && !sensitive.isVocabulary(word)) this.#remember(word, made)
      return made
    })
    if (words !== text) this.#remember(text, words)
    return this.#keep('name', text, words)
  }

  /** Returns a word that can be pronounced. */
  #invented(word: string): string {
    const hash = this.#hash(`name ${word.toLowerCase()}`)
    const consonant = (n: number) => CONSONANTS[hash[n]! % CONSONANTS.length]!
    const syllables = [0, 1, 2].map((n) => consonant(n) + VOWELS[hash[n + 3]! % VOWELS.length]!)
    const made = syllables.join('') + consonant(6)
    // Names with other letters than those of ASCII are cases of their own.
    return likeCase(word, /[^\p{ASCII}]/u.test(word) ? made.replace(/[aeiou]/, 'é') : made)
  }

  #scramble(text: string): string {
    const hash = this.#hash(text)
    let n = 0
    return text.replace(/[\p{L}\d]/gu, (sign) => {
      const byte = hash[n % 32]! + Math.floor(n++ / 32)
      if (/\d/.test(sign)) return String((Number(sign) + 1 + (byte % 9)) % 10)
      return likeCase(sign, String.fromCodePoint(97 + (byte % 26)))
    })
  }

  #digits = (value: string, count: number) =>
    Array.from(this.#hash(value).subarray(0, count), (byte) => byte % 10).join('')

  #hash = (value: string) => createHmac('sha256', this.#key).update(value).digest()
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** A sensitive value that a recording still contains. */
export interface Leak {
  readonly entry: number
  readonly kind: string
  /** The value, shortened. */
  readonly value: string
}

/** Returns every value of a recording that would be replaced. */
export function leaksIn(entries: readonly HarEntry[]): readonly Leak[] {
  const pseudonyms = entries.flatMap(({ _pseudonyms = [] }) => _pseudonyms)
  const leaks: Leak[] = []
  let entry = 0
  const found = (kind: string, value: string) => {
    const shown = value.length > 4 ? `${value.slice(0, 2)}…${value.slice(-2)}` : '…'
    leaks.push({ entry, kind, value: `${shown} (${value.length} characters)` })
  }
  const redactor = new Redactor('verify', found, pseudonyms)
  for (; entry < entries.length; entry++) redactor.entry(entries[entry]!)
  return leaks
}
