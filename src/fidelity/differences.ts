/** Compares recorded messages with those of two twins. What differs between the twins is drawn or dated; the rest is determined. */
import type { FidelityFinding, FidelityReport } from '../generated/control/types.ts'
import { isRecord } from '../lib/objects.ts'
import { type Message, withLeaves } from './messages.ts'
import { hashOf } from './sensitive.ts'

export type Finding = FidelityFinding
export type Report = FidelityReport

/** Where two messages are compared. */
export interface Place {
  readonly operation: string
  /** The sandbox's status, or `callback`. */
  readonly place: string
  /** The index of the entry in the recording. */
  readonly entry: number
}

export interface Difference extends Place {
  readonly kind: Finding['kind']
  /** For example `customer.items[].id`; empty for the message as a whole. */
  readonly field: string
  /** Undefined if the sandbox does not have it. */
  readonly ours: unknown
  readonly theirs: unknown
}

type Id = string | number

const MOST_DIFFERENCES = 20_000
const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d|$)/
const REDACTED = '[redacted'
/** Headers that clients act on; others belong to servers and networks, or to a sandbox that was recorded. */
const ANSWER_HEADERS =
  /^(?!sandbox-)(content-type|location|retry-after|www-authenticate|allow|link|deprecation|sunset|idempotency-.*|.*rate-?limit.*|.*request-id|.*correlation-id|content-disposition)$/
/** Headers that clients and networks set on every message. */
const TRANSPORT =
  /^(host|connection|content-length|transfer-encoding|accept.*|user-agent|date|via|forwarded|x-forwarded-.*|x-real-ip|cf-.*|cdn-loop|traceparent|tracestate|keep-alive|expect|priority|sec-.*|cookie|authorization|te)$/

/** Identifiers of the service, and those that stand for them in each twin. */
function createIds() {
  const ofTwins = [new Map<string, Id>(), new Map<string, Id>()] as const
  const ofService = new Map<string, string>()
  const ours = (theirs: unknown, twin: 0 | 1 = 0) => ofTwins[twin].get(String(theirs))

  /** Replaces the service's identifiers in a text by those of a twin. */
  function inText(text: string, twin: 0 | 1): string {
    const whole = ours(text, twin)
    if (whole !== undefined) return String(whole)
    return text.replace(/\w(?:[\w.-]*\w)?/g, (word) =>
      word.length < 4 || /^\d{1,4}$/.test(word) ? word : String(ours(word, twin) ?? word),
    )
  }

  /** Replaces them in JSON: texts anywhere, numbers in fields of identifiers. */
  function inJson(body: unknown, twin: 0 | 1): unknown {
    return withLeaves(body, (value, name) => {
      if (typeof value === 'string') return inText(value, twin)
      const isId = typeof value === 'number' && /id$|reference|number|code/i.test(name)
      return isId ? (ours(value, twin) ?? value) : value
    })
  }
  return {
    ours,
    theirs: (own: unknown) => ofService.get(String(own)),
    learn(theirs: Id, own: readonly [Id, Id]): void {
      for (const n of [0, 1] as const) ofTwins[n].set(String(theirs), own[n])
      ofService.set(String(own[0]), String(theirs))
    },
    inText,
    inJson,
  }
}

const typeOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value)

const isText = (value: unknown): value is string => typeof value === 'string' && /\s/.test(value.trim())

export type Comparison = ReturnType<typeof createComparison>

/** @param pseudonyms - Hashes of the values that stand for personal data in the recording. */
export function createComparison(pseudonyms: ReadonlySet<string> = new Set()) {
  const ids = createIds()
  const differences: Difference[] = []
  /** Observations by operation, place and field. */
  const seen = new Map<string, number>()
  /** Initial balances are not recorded: what matters is how they change. */
  const offsets = new Map<string, number>()

  function note({ operation, place }: Omit<Place, 'entry'>, field: string): void {
    const key = `${operation}|${place}|${field}`
    seen.set(key, (seen.get(key) ?? 0) + 1)
  }

  function add(at: Place, kind: Finding['kind'], field: string, ours: unknown, theirs: unknown): void {
    const { operation, place, entry } = at
    if (differences.length < MOST_DIFFERENCES)
      differences.push({ operation, place, entry, kind, field, ours, theirs })
  }

  /** Compares body and headers; the caller has compared the statuses. */
  function compareMessages(at: Place, ours: readonly [Message, Message], theirs: Message): void {
    compareHeaders(at, ours, theirs)
    const [a, b] = ours
    if (a.body !== undefined || theirs.body !== undefined) compareValues(at, '', a.body, b.body, theirs.body)
  }

  function compareHeaders(at: Place, [a, b]: readonly [Message, Message], theirs: Message): void {
    // Some tools do not record them.
    if (theirs.headers.size === 0) return
    const matters = (name: string) =>
      at.place === 'callback' ? !TRANSPORT.test(name) : ANSWER_HEADERS.test(name)
    const names = [...new Set([...a.headers.keys(), ...theirs.headers.keys()])].filter(matters)
    for (const name of names) {
      const field = `header ${name}`
      const [x, y, z] = [a, b, theirs].map(({ headers }) => headers.get(name))
      if (at.place === 'callback' || z !== undefined) note(at, field)
      // Parameters such as the character set are spelled in many ways.
      const plain = (value = '') =>
        name === 'content-type' ? value.split(';')[0]!.trim().toLowerCase() : value
      if (x === undefined || z === undefined) add(at, 'header', field, x, z)
      else if (z.includes(REDACTED)) continue
      else if (x === y ? plain(x) !== plain(z) && ids.ours(z) !== x : !isSameForm(z, x, y ?? x))
        add(at, 'header', field, x, z)
    }
  }

  function compareValues(at: Place, field: string, a: unknown, b: unknown, theirs: unknown): void {
    if (theirs === undefined) return add(at, 'missing', field, a, undefined)
    note(at, field)
    if (a === undefined) return add(at, 'extra', field, undefined, theirs)
    if (typeof theirs === 'string' && (theirs.includes(REDACTED) || isPseudonym(theirs, a))) return
    if (typeOf(a) !== typeOf(theirs)) {
      // A value that is null in one twin may be either.
      if (typeOf(a) === typeOf(b)) add(at, 'type', field, a, theirs)
    } else if (Array.isArray(a) && Array.isArray(theirs)) compareLists(at, field, a, b as unknown[], theirs)
    else if (isRecord(a) && isRecord(theirs))
      for (const name of new Set([...Object.keys(a), ...Object.keys(theirs)]))
        compareValues(
          at,
          field === '' ? name : `${field}.${name}`,
          a[name],
          isRecord(b) ? b[name] : undefined,
          theirs[name],
        )
    else if (a === b) compareDetermined(at, field, a, theirs)
    else compareDrawn(at, field, a as Id, b as Id, theirs as Id)
  }

  /** Whether a value stands for another one of the same form. */
  function isPseudonym(theirs: string, ours: unknown): boolean {
    if (ours === theirs || typeof ours !== 'string' || !pseudonyms.has(hashOf(theirs))) return false
    return !/\d/.test(ours) || ours.includes('@') || marksOf(ours) === marksOf(theirs)
  }

  function compareLists(
    at: Place,
    field: string,
    a: readonly unknown[],
    b: readonly unknown[],
    theirs: readonly unknown[],
  ) {
    if (a.length === b.length && a.length !== theirs.length)
      add(at, 'length', `${field}[]`, a.length, theirs.length)
    for (let n = 0; n < Math.min(a.length, theirs.length); n++)
      compareValues(at, `${field}[]`, a[n], b[n], theirs[n])
  }

  function compareDetermined(at: Place, field: string, ours: unknown, theirs: unknown): void {
    if (ours === theirs || ids.ours(theirs) === ours) return
    if (typeof ours === 'number' && typeof theirs === 'number') {
      if (Math.abs(ours - theirs) < 0.005) return
      if (/balance/i.test(field)) {
        const offset = offsets.get(field) ?? theirs - ours
        offsets.set(field, offset)
        if (Math.abs(theirs - ours - offset) < 0.005) return
      }
      return add(at, 'value', field, ours, theirs)
    }
    const same = typeof theirs === 'string' && ids.inText(theirs, 0) === ours
    if (!same) add(at, isText(ours) || isText(theirs) ? 'message' : 'value', field, ours, theirs)
  }

  function compareDrawn(at: Place, field: string, a: Id, b: Id, theirs: Id): void {
    if (isText(a)) {
      const same = isSameTemplate(ids.inText(String(theirs), 0), a, String(b))
      if (!same) add(at, 'message', field, a, theirs)
      return
    }
    const isDated = DATE.test(String(a))
    const known = ids.ours(theirs)
    const other = ids.theirs(a)
    if (!isDated && (known !== undefined || other !== undefined)) {
      if (known !== a) add(at, 'value', field, a, theirs)
      return
    }
    if (typeof theirs === 'string' && !isSameForm(theirs, String(a), String(b)))
      add(at, 'format', field, a, theirs)
    if (!isDated && String(theirs) !== '' && !/balance|amount/i.test(field)) ids.learn(theirs, [a, b])
  }
  return { ids, differences, seen, note, add, messages: compareMessages }
}

/** Whether a text differs from two others only in words in which those differ. */
function isSameTemplate(theirs: string, a: string, b: string): boolean {
  const [words, others, found] = [a.split(' '), b.split(' '), theirs.split(' ')]
  const isFixed = (n: number) => words.length === others.length && words[n] === others[n]
  return (
    found.length === words.length &&
    found.every((word, n) => (isFixed(n) ? word === words[n] : /^\S+$/.test(word)))
  )
}

const segmentsOf = (text: string) =>
  text.split(/[^A-Za-z\d]+/).map((part) => ({
    length: part.length,
    letters: /[A-Za-z]/.test(part),
    lower: /[a-z]/.test(part),
    upper: /[A-Z]/.test(part),
  }))

const marksOf = (text: string) => text.replace(/[A-Za-z\d]+/g, 'a')
const BASE64 = /^(?:v\d,|\w+=)?[\w+/-]{20,}={0,2}$/

/** Whether a drawn text has the form of two others: marks, lengths, letters and digits. */
export function isSameForm(theirs: string, a: string, b: string): boolean {
  // Every service has a host and paths of its own.
  if (/^https?:/.test(a)) return /^https?:/.test(theirs)
  if (BASE64.test(theirs) && BASE64.test(a) && Math.abs(theirs.length - a.length) <= 2) return true
  return [a, b].some((ours) => {
    if (marksOf(ours) !== marksOf(theirs)) return false
    const [x, y] = [segmentsOf(ours), segmentsOf(theirs)]
    return x.every((segment, n) => {
      const other = y[n]!
      if (!segment.letters && !other.letters) return !DATE.test(ours) || segment.length === other.length
      if (other.letters && !segment.letters) return false
      if ((other.lower && !segment.lower) || (other.upper && !segment.upper)) return false
      return segment.length === other.length
    })
  })
}
