/** Possible forms of a body before or after parsing and serialising. */
import { isDeepStrictEqual } from 'node:util'
import { mistake, type Mistake } from './diagnosis.ts'
import { parsedJson } from '../../../lib/text/parsed-json.ts'

interface OtherBody {
  readonly body: string
  readonly mistake: Mistake
}

/** Maximum length of a body for the rewritten forms, because they take time. */
const LONGEST_REWRITTEN = 65_536

/** Returns other forms of a body, with the mistakes that they prove. */
export function otherBodies(body: string, sentBodies: readonly string[] = []): OtherBody[] {
  const forms = [
    ...edges(body),
    ...orNone(() => rewritten(body)),
    ...sentBodies.flatMap((sent) => orNone(() => [ofSent(sent, body)])),
  ]
  return forms.filter((form) => form.body !== body)
}

/** Deeply nested JSON can be parsed, but overflows the stack when serialised. */
function orNone(make: () => OtherBody[]): OtherBody[] {
  try {
    return make()
  } catch (error) {
    if (error instanceof RangeError) return []
    throw error
  }
}

function edges(body: string): OtherBody[] {
  const newline = mistake(
    'trailing-newline',
    'signature and body differ by a newline at the end: sign and verify the bytes as they are, add and trim nothing',
  )
  const mark = mistake(
    'byte-order-mark',
    'signature and body differ by a byte order mark at the start: leave it out',
  )
  const lines = mistake(
    'line-endings',
    'signature and body differ in line endings (\\n, \\r\\n): keep them as they are',
  )
  return [
    ...[`${body}\n`, `${body}\r\n`, body.replace(/\r?\n$/, '')].map((each) => ({
      body: each,
      mistake: newline,
    })),
    ...[`\ufeff${body}`, body.replace(/^\ufeff/, '')].map((each) => ({ body: each, mistake: mark })),
    ...[body.replace(/\r\n/g, '\n'), body.replace(/\r?\n/g, '\r\n')].map((each) => ({
      body: each,
      mistake: lines,
    })),
  ]
}

function rewritten(body: string): OtherBody[] {
  const value = body.length > LONGEST_REWRITTEN ? undefined : parsedJson(body)
  if (value === undefined) return []
  const compact = JSON.stringify(value)
  const sorted = JSON.stringify(sortKeys(value))
  const forms: [string, string][] = [
    ['without white space, as JSON.stringify writes it', compact],
    ['indented by 2', JSON.stringify(value, null, 2)],
    ['indented by 4', JSON.stringify(value, null, 4)],
    ['indented by tabs', JSON.stringify(value, null, '\t')],
    ['with a space after comma and colon, as Python writes it', spaced(value)],
    ['with a space after comma and colon and \\u escapes, as json.dumps writes it', ascii(spaced(value))],
    ['with \\/ and \\u escapes, as json_encode of PHP writes it', ascii(compact).replaceAll('/', '\\/')],
    ['with \\/ escapes', compact.replaceAll('/', '\\/')],
    ['with \\u escapes', ascii(compact)],
    ['with its keys sorted', sorted],
    ['with its keys sorted, as json.dumps(sort_keys=True) writes it', ascii(spaced(sortKeys(value)))],
    ['with its keys sorted and HTML escapes, as Go writes it', htmlEscaped(sorted)],
  ]
  return forms.map(([how, each]) => ({
    body: each,
    mistake: mistake(
      're-serialised',
      `the signature fits the same JSON ${how}: sign and verify the raw bytes of the request, not a body that was parsed and written again`,
    ),
  }))
}

function ofSent(sent: string, body: string): OtherBody {
  const [before, after] = [parsedJson(sent), parsedJson(body)]
  const same = before !== undefined && isDeepStrictEqual(before, after)
  return {
    body: sent,
    mistake: same
      ? mistake(
          're-serialised',
          'the signature fits the body as it was sent, which holds the same JSON in another order or form: verify the raw bytes of the request',
        )
      : mistake('body-changed', 'the signature matches the sent body, but this body has other contents'),
  }
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, each]) => [key, sortKeys(each)]))
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${spaced(each)}`)
  return `{${fields.join(', ')}}`
}

function ascii(text: string): string {
  return text.replace(/[\u0080-\uffff]/g, escaped)
}

function htmlEscaped(text: string): string {
  return text.replace(/[<>&\u2028\u2029]/g, escaped)
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}
