/** Reads messages of a recording and of the sandbox. */
import type { SettleAfter } from '../service/vocabulary/settle-after.ts'
import { leavesOf, type Message } from './differences.ts'
import { type HarEntry, jsonIn } from './har.ts'
import type { Reply } from './twin.ts'

export const isId = (value: unknown) =>
  (typeof value === 'string' || typeof value === 'number') &&
  String(value).length >= 4 &&
  !/\s/.test(String(value))

export function referenceIn(body: unknown): string | undefined {
  const named = new Map(
    [...leavesOf(body)].map(([path, value]) => [path.toLowerCase().replace(/.*\./, ''), value]),
  )
  const found =
    named.get('reference') ??
    named.get('merchant_reference') ??
    named.get('conversation_id') ??
    named.get('checkoutrequestid') ??
    named.get('checkout_request_id')
  return typeof found === 'string' ? found : undefined
}

const STATUSES: readonly (readonly [string, RegExp])[] = [
  ['success', /^(success(ful)?|succeeded|completed?|paid|settled)$/i],
  ['failed', /^(fail(ed|ure)?|rejected|declined|cancel(l)?ed|expired|error)$/i],
  ['reversed', /^(reversed|refunded|reversal)$/i],
  ['queued', /^(queued|pending|processing|accepted)$/i],
]

/** Returns the result in a callback or status response of any shape. */
export function resultIn(body: unknown) {
  const leaves = [...leavesOf(body)]
  const status = leaves.flatMap(([, value]) =>
    STATUSES.filter(([, words]) => typeof value === 'string' && words.test(value)),
  )[0]?.[0]
  const flag = leaves.find(([path, value]) => typeof value === 'boolean' && /success|status/i.test(path))?.[1]
  const named = (pattern: RegExp) => leaves.find(([path]) => pattern.test(path))?.[1]
  const text = String(named(/message|desc/i) ?? '')
  const code = named(/code$/i)
  const word = status ?? (flag === undefined ? undefined : flag ? 'success' : 'failed')
  return word === undefined
    ? undefined
    : { status: word, text, code: typeof code === 'number' ? code : undefined }
}

export const headersOf = (pairs: Iterable<readonly [string, string]>) =>
  new Map([...pairs].map(([name, value]) => [name.toLowerCase(), value]))

export const messageOf = (
  status: number | undefined,
  headers: HarEntry['request']['headers'],
  text: string | undefined,
): Message => ({
  ...(status !== undefined && { status }),
  headers: headersOf(headers.map(({ name, value }) => [name, value])),
  body: jsonIn(text) ?? (text === '' ? undefined : text),
})

export const replyOf = ({ status, headers, text }: Reply): Message => ({
  status,
  headers: headersOf(headers),
  body: jsonIn(text) ?? (text === '' ? undefined : text),
})

export const queryOf = (path: string) => Object.fromEntries(new URL(path, 'http://x').searchParams)

/** Returns the usual time of a setting; undefined for times by rail. */
export function medianOf(after: SettleAfter): number | undefined {
  if (typeof after === 'number') return after
  if (after.kind === 'lognormal') return after.median
  return after.kind === 'uniform' ? (after.least + after.most) / 2 : undefined
}
