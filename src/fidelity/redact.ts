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

/**
 * Creates a function that returns an entry without credentials and personal data.
 * @param found - Reports sensitive values instead of replacing them.
 * @param pseudonyms - Hashes of pseudonyms of the recording, which are not sensitive.
 */
export function createRedactor(
  key: string,
  found?: (kind: string, value: string) => void,
  pseudonyms: readonly string[] = [],
) {
  const labels = new Map<string, number>()
  const known = sensitive.knownValues()
  let fresh: string[] = []
  /** Hashes of pseudonyms; with `found`, those of the recording. */
  const made = new Set(pseudonyms)

  function redact(entry: HarEntry): HarEntry {
    fresh = []
    const { request, response } = entry
    const { postData } = request
    const { content } = response
    // Fields come first, so that their values are known in messages and headers.
    const sent = postData && cleanBody(postData.text, postData.mimeType)
    const received = content.text === undefined ? undefined : cleanBody(content.text, content.mimeType)
    const headers = (of: typeof request.headers) =>
      of.map(({ name, value }) => ({ name, value: cleanHeader(name, value) }))
    const requestHeaders = headers(request.headers)
    const url = cleanUrl(request.url)
    const queryString = [...new URL(url).searchParams].map(([name, value]) => ({ name, value }))
    const redacted = {
      ...entry,
      request: {
        ...request,
        headers: requestHeaders,
        url,
        ...(postData && { postData: { ...postData, text: withoutKnown(sent!) } }),
        ...('queryString' in request && { queryString }),
        ...('cookies' in request && { cookies: [] }),
      },
      response: {
        ...response,
        headers: headers(response.headers),
        content: { ...content, ...(received !== undefined && { text: withoutKnown(received) }) },
        ...('redirectURL' in response && { redirectURL: cleanUrl(String(response['redirectURL'])) }),
        ...('cookies' in response && { cookies: [] }),
      },
    }
    return fresh.length > 0 ? { ...redacted, _pseudonyms: fresh } : redacted
  }

  function cleanHeader(name: string, value: string): string {
    if (/^(proxy-)?authorization$/i.test(name)) {
      const [scheme = '', ...rest] = value.split(' ')
      if (rest.length === 0) return secret(value)
      const [user = '', ...password] = Buffer.from(rest.join(' '), 'base64').toString('utf8').split(':')
      if (/^basic$/i.test(scheme)) for (const each of [user, password.join(':')]) remember(each, '[redacted]')
      return `${scheme} ${secret(rest.join(' '))}`
    }
    if (/signature/i.test(name)) {
      // What is short is the name or version of a scheme, such as `v1`.
      const made = value.replace(/[\w+/-]{16,}/g, (part) => scramble(part))
      return keep('signature', value, made)
    }
    return sensitive.isKey(name) ? secret(value) : cleanText(value)
  }

  function cleanUrl(url: string): string {
    if (!isUrl(url)) return cleanText(url)
    const parsed = new URL(url)
    parsed.username = ''
    parsed.password = ''
    for (const [name, value] of new URLSearchParams(parsed.search)) {
      const clean = cleanValue(name, value, {})
      if (clean !== value) parsed.searchParams.set(name, String(clean))
    }
    parsed.pathname = parsed.pathname.replace(/[^/]+/g, (part) => {
      const plain = decoded(part)
      const clean = cleanText(plain)
      return clean === plain ? part : encodeURIComponent(clean)
    })
    return parsed.href.replace(sensitive.CAPABILITY, (whole, before: string, key: string) =>
      key.includes('redacted') ? whole : before + encodeURIComponent(secret(key)),
    )
  }

  function cleanBody(text: string, type: string): string {
    const json = parsedJson(text)
    if (json !== undefined) return JSON.stringify(walk('', json, {}))
    if (!type.includes('x-www-form-urlencoded')) return loose(text)
    const form = [...new URLSearchParams(text)]
    const siblings = Object.fromEntries(form)
    return new URLSearchParams(
      form.map(([name, value]): [string, string] => [name, String(cleanValue(name, value, siblings))]),
    ).toString()
  }

  /** Replaces values that fields contained. Names of fields, and words such as those of enumerations, stay. */
  function withoutKnown(text: string): string {
    const json = parsedJson(text)
    if (typeof json !== 'object' || json === null) return known.replace(text)
    const clean = (leaf: unknown) =>
      typeof leaf !== 'string' || sensitive.isVocabulary(leaf) ? leaf : knownIn(leaf)
    return JSON.stringify(withLeaves(json, clean))
  }

  /** Replaces values in text that is no valid JSON, such as a body that was cut. */
  function loose(text: string): string {
    const field = /"([\w.-]{1,200})"(\s*:\s*)("(?:[^"\\]|\\[^])*(?:"|$)|-?[\d.]+)/g
    const replaced = text.replace(field, (whole, name: string, colon: string, value: string) => {
      const quoted = value.startsWith('"')
      const plain = quoted ? value.slice(1).replace(/"$/, '') : value
      const clean = String(cleanValue(name, plain, {}))
      return clean === plain ? whole : `"${name}"${colon}${quoted ? JSON.stringify(clean) : clean}`
    })
    const assigned = /\b([\w.-]{1,100})=([^&\s"'<>]+)/g
    return cleanText(
      replaced.replace(
        assigned,
        (_, name: string, value: string) => `${name}=${cleanValue(name, value, {})}`,
      ),
    )
  }

  function walk(name: string, value: unknown, siblings: Siblings): unknown {
    if (Array.isArray(value)) return value.map((each) => walk(name, each, siblings))
    if (isRecord(value))
      return Object.fromEntries(
        Object.entries(value).map(([key, each]) => [withoutForms(key), walk(key, each, value)]),
      )
    return typeof value === 'string' || typeof value === 'number' ? cleanValue(name, value, siblings) : value
  }

  function cleanValue(name: string, value: string | number, siblings: Siblings): string | number {
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
    if (typeof inner === 'object' && inner !== null) return JSON.stringify(walk('', inner, {}))
    if (kind === undefined)
      return typeof value === 'number' ? value : /^https?:\/\//.test(text) ? cleanUrl(text) : cleanText(text)
    const clean = pseudonym(kind, text, siblings)
    return typeof value === 'string' ? clean : Number(clean) || 0
  }

  function pseudonym(kind: Kind, text: string, siblings: Siblings): string {
    const digits = digitsOf(text)
    // The sandbox's own test numbers are no one's.
    if (endingOf(digits) !== undefined) return text
    switch (kind) {
      case 'secret':
        return secret(text)
      case 'email':
        return text.replace(sensitive.EMAIL, (each) => email(each))
      case 'phone':
        return digits.length < 6 ? cleanText(text) : phone(text)
      case 'account':
        if (sensitive.looksLikePhone(text)) return phone(text)
        return memorable(kind, text, account(text, siblings))
      case 'card':
        return digits.length < 12 ? memorable(kind, text, scramble(text)) : card(text)
      case 'birth': {
        const twoDigits = (part: string) => String(1 + (hmac(text + part)[0]! % 12)).padStart(2, '0')
        return keep(kind, text, text.replace(/\d{2}(?=\D*$)|(?<=\D)\d{2}(?=\D)/g, twoDigits))
      }
      case 'name':
        return inventedName(text)
      default:
        return memorable(kind, text, scramble(text))
    }
  }

  /** Replaces what is recognized by its form, and values that fields contained. */
  function cleanText(text: string): string {
    const clean = withoutForms(text)
    return sensitive.isVocabulary(clean) ? clean : knownIn(clean)
  }

  const knownIn = (text: string) => keep('known', text, known.replace(text))

  /** Replaces what is recognized by its form. */
  function withoutForms(text: string): string {
    let clean = found ? text : redactText(text)
    for (const pattern of sensitive.TOKENS) clean = clean.replace(pattern, (each) => secret(each))
    if (clean.includes('@')) clean = clean.replace(sensitive.EMAIL, (each) => email(each))
    clean = clean
      .replace(sensitive.NUMBER, (each) => number(each))
      .replace(sensitive.ADDRESS, (each) => keep('address', each, '192.0.2.1'))
    return clean
  }

  function number(text: string): string {
    const digits = digitsOf(text)
    if (endingOf(digits) !== undefined) return text
    if (sensitive.isCard(digits)) return card(text)
    return sensitive.looksLikePhone(text) ? phone(text) : text
  }

  function remember(value: string, pseudonym: string): void {
    if (!found) known.add(value, pseudonym)
  }

  /** Notes a pseudonym, or reports a value that is none. */
  function keep(kind: string, value: string, pseudonym: string): string {
    if (found) {
      if (!made.has(sensitive.hashOf(value)) && value !== pseudonym) found(kind, value)
      return value
    }
    if (value === pseudonym) return value
    const hash = sensitive.hashOf(pseudonym)
    if (!made.has(hash)) fresh.push(hash)
    made.add(hash)
    return pseudonym
  }

  /** Replaces the value in free text too. */
  function memorable(kind: string, text: string, made: string): string {
    remember(text, made)
    return keep(kind, text, made)
  }

  function secret(value: string): string {
    if (/(\[|%5B)redacted/.test(value)) return value
    if (found) {
      found('secret', value)
      return value
    }
    const number = labels.get(value) ?? labels.size + 1
    if (labels.size < sensitive.MOST_KNOWN) labels.set(value, number)
    const label = `[redacted ${number}]`
    if (value.length >= 6) remember(value, label)
    return label
  }

  function email(text: string): string {
    const hash = hmac(text.toLowerCase()).toString('hex')
    return keep('email', text, `p${hash.slice(0, 8)}@mail.example`)
  }

  /** Keeps the country and the operator's prefix: all but the last six digits. */
  function phone(text: string): string {
    const digits = digitsOf(text)
    const changed = digits.slice(0, -6) + drawnDigits(digits.slice(-8), 6)
    return keep('phone', text, replaceDigits(text, changed))
  }

  function card(text: string): string {
    const digits = digitsOf(text)
    const serial = digits.slice(0, 6) + drawnDigits(digits, digits.length - 7)
    return keep('card', text, replaceDigits(text, serial + sensitive.luhnDigit(serial)))
  }

  function account(text: string, siblings: Siblings): string {
    const [, country, inner] = /^([A-Z]{2})\d{2}([A-Z\d]{10,30})$/.exec(text.replaceAll(' ', '')) ?? []
    if (country !== undefined) return sensitive.ibanOf(country, scramble(inner!))
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
    if (bank === undefined) return scramble(text)
    const serial = digits.slice(0, 2) + drawnDigits(digits, 7)
    return replaceDigits(text, serial + nubanDigit(bank, serial))
  }

  function inventedName(text: string): string {
    const words = text.replace(/[\p{L}][\p{L}'’-]*/gu, (word) => {
      const made = inventedWord(word)
      if (word.length >= 4 && !sensitive.isVocabulary(word)) remember(word, made)
      return made
    })
    if (words !== text) remember(text, words)
    return keep('name', text, words)
  }

  /** Returns a word that can be pronounced. */
  function inventedWord(word: string): string {
    const hash = hmac(`name ${word.toLowerCase()}`)
    const consonant = (n: number) => CONSONANTS[hash[n]! % CONSONANTS.length]!
    const syllables = [0, 1, 2].map((n) => consonant(n) + VOWELS[hash[n + 3]! % VOWELS.length]!)
    const made = syllables.join('') + consonant(6)
    // Names with other letters than those of ASCII are cases of their own.
    return likeCase(word, /[^\p{ASCII}]/u.test(word) ? made.replace(/[aeiou]/, 'é') : made)
  }

  function scramble(text: string): string {
    const hash = hmac(text)
    let n = 0
    return text.replace(/[\p{L}\d]/gu, (sign) => {
      const byte = hash[n % 32]! + Math.floor(n++ / 32)
      if (/\d/.test(sign)) return String((Number(sign) + 1 + (byte % 9)) % 10)
      return likeCase(sign, String.fromCodePoint(97 + (byte % 26)))
    })
  }

  const drawnDigits = (value: string, count: number) =>
    Array.from(hmac(value).subarray(0, count), (byte) => byte % 10).join('')

  const hmac = (value: string) => createHmac('sha256', key).update(value).digest()
  return redact
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
  const redact = createRedactor('verify', found, pseudonyms)
  for (; entry < entries.length; entry++) redact(entries[entry]!)
  return leaks
}
