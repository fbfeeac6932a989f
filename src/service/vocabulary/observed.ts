/** How the real service was observed to differ, as an overlay that the running sandbox applies. */
import { createHash } from 'node:crypto'
import * as z from 'zod'
import { lazy } from '../../lib/lazy.ts'
import { type Frozen, isRecord } from '../../lib/objects.ts'
import { parseDuration } from '../../lib/text/duration.ts'
import { duration, number, oneOf, text, whole, words } from '../../lib/text/word-schemas.ts'

const timeOf = (value: unknown) => Date.parse(String(value))

/** Other forms of a value that is not null. */
const inForm = {
  text: String,
  number: (value: unknown) => (Number.isNaN(Number(value)) ? value : Number(value)),
  whole: (value: unknown) => Math.round(Number(value)),
  minor: (value: unknown) => Math.round(Number(value) * 100),
  upper: (value: unknown) => String(value).toUpperCase(),
  lower: (value: unknown) => String(value).toLowerCase(),
  epoch: (value: unknown) => Math.floor(timeOf(value) / 1_000),
  date: (value: unknown) => new Date(timeOf(value)).toISOString().slice(0, 10),
} as const
export type Form = keyof typeof inForm
const forms = Object.keys(inForm) as readonly Form[]

const paths = <Value extends z.ZodType>(value: Value) =>
  z.record(text(), value, { error: 'must be a map of fields' })
const list = <Item extends z.ZodType>(item: Item) => z.array(item, { error: 'must be a list' })
const time = () => duration().transform((written) => parseDuration(written))
const seen = () => whole(0).describe('The number of observations.')

/** The schema of an overlay. Durations are written as `9.4s`, and read as milliseconds. */
export const observedSchema = lazy(() => {
  const form = () =>
    text().regex(/^uuid$|[#@*]/, {
      error: 'must be uuid, or contain # (a digit), @ (a letter) or * (either)',
    })
  const headers = () => ({ add: paths(text()).optional(), remove: list(text()).optional() })
  const change = () => ({
    rename: paths(text()).optional().describe('Fields with their new names.'),
    remove: list(text()).optional().describe('Fields that the service does not send.'),
    add: paths(z.unknown())
      .optional()
      .describe('Fields with their values; {reference} stands for a field of the response or the request.'),
    as: paths(oneOf('a form', forms)).optional().describe('Fields in another form.'),
    // `*` of `from` stands for any text, and `{1}` of `to` for the text of the first `*`.
    replace: paths(list(words({ from: z.unknown(), to: z.unknown() })))
      .optional()
      .describe('Fields with other values.'),
    form: paths(form())
      .optional()
      .describe('Fields with drawn texts: # is a digit, @ a letter, * either; uuid is a UUID.'),
    headers: words(headers()).optional(),
    seen: seen(),
  })
  const condition = z.union([
    words({ above: number() }),
    words({ below: number() }),
    words({ missing: z.literal(true) }),
    words({ repeated: z.literal(true) }),
    words({ one_of: list(z.unknown()) }),
  ])
  const status = whole(200, 599)
  const operation = words({
    responses: z
      .record(
        z.string().regex(/^[2-5]\d\d$/, { error: 'must be the status that the sandbox returns' }),
        list(
          words({
            message: words({ from: text(), to: text().optional() }).optional(),
            status: status.optional(),
            ...change(),
          }),
        ),
      )
      .optional(),
    accept: list(words({ message: text(), with: paths(z.unknown()), seen: seen() })).optional(),
    reject: list(words({ when: paths(condition), status, body: z.unknown(), seen: seen() })).optional(),
    query: paths(text()).optional(),
    settle_after: words({ median: time(), p95: time(), seen: seen() }).optional(),
    callback: words({ times: whole(0, 10).optional(), ...change() }).optional(),
  })
  return words({
    observed: z.string().regex(/^\d{4}-\d\d-\d\d$/, { error: 'must be a day such as 2026-11-23, in quotes' }),
    evidence: words({ file: text(), entries: whole(0), sha256: text() }),
    operations: z.record(text(), operation).optional(),
    callbacks: words({
      retries: words({ schedule: list(time()), seen: seen() }).optional(),
      headers: words({ ...headers(), seen: seen() }).optional(),
    }).optional(),
    references: words({
      form: form().regex(/^uuid$|(#.*){6}/, {
        error: 'must be uuid or contain # at least six times, so that references are unique',
      }),
      direction: oneOf('a direction', ['payin', 'payout']).optional().describe('Both if omitted.'),
      seen: seen(),
    }).optional(),
  })
})

export type Observed = Frozen<z.output<ReturnType<typeof observedSchema>>>
export type ObservedOperation = NonNullable<Observed['operations']>[string]
type ResponseChange = NonNullable<ObservedOperation['responses']>[string][number]
export type HeaderChange = NonNullable<ResponseChange['headers']>
type BodyChange = Pick<ResponseChange, 'rename' | 'remove' | 'add' | 'as' | 'replace' | 'form'>

type Fields = Record<string, unknown>

/** Calls `change` with the object that holds the last name of a path; lists are walked. */
function atPath(body: unknown, path: string, change: (holder: Fields, name: string) => void): void {
  const [step = '', ...rest] = path.split('.')
  if (Array.isArray(body)) return body.forEach((each) => atPath(each, path.replace(/^\[\]\.?/, ''), change))
  if (!isRecord(body)) return
  const name = step.replace(/(\[\])+$/, '')
  if (rest.length === 0 && name === step) return change(body as Fields, name)
  atPath(body[name], rest.join('.'), change)
}

/** Whether a text matches a pattern in which `*` stands for any text; returns the texts in its place. */
export function matched(pattern: string, text: string): readonly string[] | undefined {
  const parts = pattern.split('*')
  const found: string[] = []
  let from = parts[0]!.length
  if (!text.startsWith(parts[0]!)) return undefined
  for (const [n, part] of parts.slice(1).entries()) {
    const last = n === parts.length - 2
    const at = last ? text.length - part.length : text.indexOf(part, from)
    if (at < from || text.slice(at, at + part.length) !== part) return undefined
    found.push(text.slice(from, at))
    from = at + part.length
  }
  return from === text.length ? found : undefined
}

/** Writes a text in the place of another: `{1}` stands for the first part. */
const written = (to: string, parts: readonly string[]) =>
  to.replace(/\{(\d)\}/g, (whole, n: string) => parts[Number(n) - 1] ?? whole)

function replaced(value: unknown, list: NonNullable<BodyChange['replace']>[string]): unknown {
  for (const { from, to } of list) {
    if (from === value) return to
    const parts = typeof from === 'string' && typeof value === 'string' ? matched(from, value) : undefined
    if (parts) return typeof to === 'string' ? written(to, parts) : to
  }
  return value
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** Returns a text of a form; the same for the same value. */
export function inPattern(form: string, value: string): string {
  const bytes = createHash('sha256').update(value).digest()
  if (form === 'uuid')
    return bytes.toString('hex').replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, '$1-$2-4$3-a$4-$5')
  let n = 0
  return form.replace(/[#@*]/g, (sign) => {
    const byte = bytes[n++ % bytes.length]!
    if (sign === '#' || (sign === '*' && byte % 2 === 0)) return String(byte % 10)
    return LETTERS[byte % 26]!
  })
}

/** Resolves `{field}` in an added value. A text that is one field keeps its type. */
function filled(value: unknown, sources: readonly unknown[]): unknown {
  if (Array.isArray(value)) return value.map((each) => filled(each, sources))
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, sources)]))
  if (typeof value !== 'string' || !value.includes('{')) return value
  const look = (path: string) => {
    for (const source of sources) {
      let found: unknown
      atPath(source, path, (holder, name) => (found ??= holder[name]))
      if (found !== undefined) return found
    }
    return undefined
  }
  const whole = /^\{([\w.[\]]+)\}$/.exec(value)?.[1]
  if (whole !== undefined) return look(whole) ?? null
  return value.replace(/\{([\w.[\]]+)\}/g, (part, path: string) => String(look(path) ?? part))
}

/** Returns a changed copy of a body. @param request - The fields of the request, for added values. */
export function changedBody(change: BodyChange, original: unknown, request: unknown): unknown {
  const { rename = {}, remove = [], add = {}, as = {}, replace = {}, form = {} } = change
  const body = structuredClone(original)
  /** Changes the fields that exist. */
  const each = <To>(
    paths: Readonly<Record<string, To>>,
    change: (holder: Fields, name: string, to: To) => void,
  ) => {
    for (const [path, to] of Object.entries(paths))
      atPath(body, path, (holder, name) => void (name in holder && change(holder, name, to)))
  }
  each(replace, (holder, name, list) => (holder[name] = replaced(holder[name], list)))
  each(as, (holder, name, kind) => {
    const value = holder[name]
    if (value !== undefined && value !== null) holder[name] = inForm[kind](value)
  })
  each(form, (holder, name, pattern) => {
    const value = holder[name]
    if (value !== undefined && value !== null && value !== '')
      holder[name] = inPattern(pattern, String(value))
  })
  for (const [path, value] of Object.entries(add))
    atPath(body, path, (holder, name) => void (holder[name] = filled(value, [original, request])))
  each(rename, (holder, name, to) => {
    holder[to] = holder[name]
    delete holder[name]
  })
  for (const path of remove) atPath(body, path, (holder, name) => void delete holder[name])
  return body
}

/** Returns changed headers. @param seed - Decides drawn values. */
export function changedHeaders(
  { add = {}, remove = [] }: HeaderChange,
  headers: Readonly<Record<string, string>>,
  seed: string,
): Record<string, string> {
  const gone = new Set(remove.map((name) => name.toLowerCase()))
  const kept = Object.entries(headers).filter(([name]) => !gone.has(name.toLowerCase()))
  const added = Object.entries(add).map(([name, value]) => [
    name,
    /[#@]/.test(value) ? inPattern(value, seed) : value,
  ])
  return Object.fromEntries([...kept, ...added])
}

interface Reply {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Returns a response as the service would give it. */
export function observedReply<R extends Reply>(
  operation: ObservedOperation | undefined,
  reply: R,
  request: unknown,
  seed: string,
): R {
  let changed = reply
  for (const change of operation?.responses?.[String(reply.status)] ?? []) {
    const { message, status, headers } = change
    const text = messageIn(reply.body)
    const parts = message && matched(message.from, text)
    if (message && !parts) continue
    let body = changedBody(change, changed.body, request)
    if (message?.to !== undefined && isRecord(body) && 'error_message' in body)
      body = { ...body, error_message: written(message.to, parts!) }
    changed = {
      ...changed,
      body,
      ...(status !== undefined && { status }),
      ...(headers && { headers: changedHeaders(headers, changed.headers ?? {}, seed) }),
    }
  }
  return changed
}

export const messageIn = (body: unknown): string =>
  isRecord(body) && typeof body['error_message'] === 'string' ? body['error_message'] : ''

/** Returns the rejection that the service would give. @param isRepeated - Whether a payment with this value exists. */
export function observedRejection(
  { reject = [] }: ObservedOperation,
  request: unknown,
  isRepeated: (field: string, value: unknown) => boolean,
): Reply | undefined {
  return reject.find(({ when }) =>
    Object.entries(when).every(([path, condition]) => {
      let value: unknown
      atPath(request, path, (holder, name) => (value = holder[name]))
      if ('missing' in condition) return value === undefined
      if (value === undefined) return false
      if ('above' in condition) return Number(value) > condition.above
      if ('below' in condition) return Number(value) < condition.below
      if ('repeated' in condition) return isRepeated(path, value)
      return condition.one_of.includes(value)
    }),
  )
}

/** Returns the fields with which the sandbox accepts a request that it has rejected. */
export function observedAcceptance(
  { accept = [] }: ObservedOperation,
  message: string,
): Readonly<Record<string, unknown>> | undefined {
  return accept.find((each) => matched(each.message, message) !== undefined)?.with
}

/** Returns fields with others in their place; paths with dots lead into objects. */
export function withFields(body: unknown, fields: Readonly<Record<string, unknown>>): unknown {
  const changed = structuredClone(body)
  for (const [path, value] of Object.entries(fields))
    atPath(changed, path, (holder, name) => void (holder[name] = value))
  return changed
}
