/** Reads messages of a recording and of the sandbox. */
import { isRecord } from '../lib/objects.ts'
import { parsedJson } from '../lib/text/parsed-json.ts'
import { reasons, wordings } from '../service/vocabulary/rails.ts'
import type { SettleAfter } from '../service/vocabulary/settle-after.ts'
import { type HarEntry, headerIn } from './har.ts'

/** A message as JSON, or as text. */
export interface Message {
  readonly status?: number | undefined
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: unknown
}

export const messageOf = (
  status: number | undefined,
  headers: Iterable<readonly [string, string]>,
  text: string | undefined,
): Message => ({
  status,
  headers: new Map([...headers].map(([name, value]) => [name.toLowerCase(), value])),
  body: parsedJson(text ?? '') ?? (text === '' ? undefined : text),
})

/** Returns a recorded response. Some tools record its type only with the content. */
export function receivedMessage({ status, headers, content }: HarEntry['response']): Message {
  const isTyped = headers.length === 0 || headerIn(headers, 'content-type') !== undefined
  const typed = isTyped || content.mimeType === '' ? [] : [{ name: 'content-type', value: content.mimeType }]
  const pairs = [...headers, ...typed].map(({ name, value }) => [name, value] as const)
  return messageOf(status, pairs, content.text)
}

/** Paths and values of the leaves of a message. */
export function* leavesOf(value: unknown, path = ''): Generator<readonly [path: string, value: unknown]> {
  if (Array.isArray(value)) for (const each of value) yield* leavesOf(each, `${path}[]`)
  else if (isRecord(value))
    for (const [name, each] of Object.entries(value))
      yield* leavesOf(each, path === '' ? name : `${path}.${name}`)
  else yield [path, value]
}

/** Returns JSON with other leaves. @param change - gets the name of the field, which entries of lists share */
export function withLeaves(
  value: unknown,
  change: (leaf: unknown, name: string) => unknown,
  name = '',
): unknown {
  if (Array.isArray(value)) return value.map((each) => withLeaves(each, change, name))
  if (!isRecord(value)) return change(value, name)
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withLeaves(each, change, key)]))
}

/** Returns the leaves by the last name of their path. */
export const namedLeaves = (value: unknown): ReadonlyMap<string, unknown> =>
  new Map([...leavesOf(value)].map(([path, leaf]) => [path.replace(/.*\./, ''), leaf]))

/** Returns the values that may be identifiers. */
export const idsIn = (body: unknown): readonly string[] =>
  [...leavesOf(body)]
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([, value]) => String(value))
    .filter((value) => value.length >= 4 && !/\s/.test(value))

const REFERENCES =
  'reference TransactionID merchant_reference conversation_id CheckoutRequestID checkout_request_id'.split(
    ' ',
  )

export function referenceIn(body: unknown): string | undefined {
  const named = namedLeaves(body)
  const found = REFERENCES.map((name) => named.get(name)).find((value) => value !== undefined)
  return typeof found === 'string' ? found : undefined
}

const STATUSES = {
  success: /^(success(ful)?|succeeded|completed?|paid|settled)$/i,
  failed: /^(fail(ed|ure)?|rejected|declined|cancel(l)?ed|expired|error)$/i,
  reversed: /^(reversed|refunded|reversal)$/i,
  queued: /^(queued|pending|processing|accepted)$/i,
}
type Status = keyof typeof STATUSES

/** Returns the result in a callback or status response of any shape. */
export function resultIn(body: unknown) {
  const leaves = [...leavesOf(body)]
  const named = (pattern: RegExp) => leaves.find(([path]) => pattern.test(path))?.[1]
  const words = Object.entries(STATUSES) as [Status, RegExp][]
  const statuses = leaves.flatMap(([, value]) =>
    words.filter(([, pattern]) => typeof value === 'string' && pattern.test(value)),
  )
  const flag = leaves.find(([path, value]) => typeof value === 'boolean' && /success|status/i.test(path))?.[1]
  const status: Status | undefined =
    statuses[0]?.[0] ?? (flag === undefined ? undefined : flag ? 'success' : 'failed')
  const code = named(/code$/i)
  return (
    status && {
      status,
      text: String(named(/message|desc/i) ?? ''),
      code: typeof code === 'number' ? code : undefined,
    }
  )
}

/** Returns the usual time of a setting; undefined for times by rail. */
export function medianOf(after: SettleAfter): number | undefined {
  if (typeof after === 'number') return after
  if (after.kind === 'lognormal') return after.median
  return after.kind === 'uniform' ? (after.least + after.most) / 2 : undefined
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

/** Returns the reason with a recorded text or code, or else with the most words in common. */
export function nearestReason(
  { text, code }: { readonly text: string; readonly code: number | undefined },
  taken: ReadonlySet<string>,
): string | undefined {
  const all = Object.entries(reasons)
  const worded = Object.values(wordings).flatMap((each) => Object.entries(each))
  const wordsOf = (value: string) => value.toLowerCase().match(/[a-z]{3,}/g) ?? []
  const wanted = new Set(wordsOf(text))
  const sharedWith = ([name, each]: (typeof all)[number]) =>
    new Set(wordsOf(`${each.text} ${name.replaceAll('_', ' ')}`).filter((word) => wanted.has(word))).size
  const [near] = all
    .filter((each) => !taken.has(each[0]) && sharedWith(each) > 0)
    .toSorted((x, y) => sharedWith(y) - sharedWith(x))
  return (
    all.find(([, each]) => each.text.toLowerCase() === text.toLowerCase())?.[0] ??
    worded.find(([, each]) => each === text)?.[0] ??
    all.find(([, each]) => each.code === code)?.[0] ??
    near?.[0]
  )
}
