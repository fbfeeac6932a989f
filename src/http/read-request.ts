/** Reads the parts of a request and checks each against its schema. */
import type { z } from 'zod'
import { timeSlice } from '../lib/clock/clock.ts'
import { isObject, isRecord } from '../lib/objects.ts'
import { type FieldPath, fieldPath } from '../lib/text/field-path.ts'
import { didYouMean, suggest } from '../lib/text/suggest.ts'
import { issuesOf, MOST_TOLD, reporting } from '../lib/text/validation-messages.ts'
import { Faults, invalid, ServiceError } from '../service/domain/errors.ts'
import type { Fields } from '../service/domain/facts.ts'
import type { World } from '../worlds/world.ts'
import { isForeign } from './admin-guard.ts'
import { fieldName } from './errors.ts'
import type { Exchange } from './exchange.ts'
import type { BodyBinding, Route } from './route-binding.ts'
import type { Context } from 'hono'
import { observedDefaults } from './observed.ts'
import { headerOf, incomingOf } from './caller.ts'

/** The part of a request that its operation does not have. */
const NOTHING: Fields = Object.freeze({})

/**
 * Reads the parts of a request that its route declares.
 * @throws {ServiceError} 400 that names every field with an invalid form or value; 413
 */
export function readRequest(exchange: Exchange, route: Route): void | Promise<void> {
  const { c } = exchange
  const { api, handler } = route
  const faults = new Faults()
  if (route.body && api !== 'admin') exchange.holdBody(route.body.limit ?? BODY_LIMIT)
  const path = route.path ? check(route.path, c.req.param(), faults) : NOTHING
  const query = readQuery(exchange, route, faults)
  const headers = route.headers ? check(route.headers, c.req.header(), faults) : NOTHING
  // Reject the request before reading a long body.
  if (route.body?.reader) faults.throwAny()
  const take = (body: Fields): void | Promise<void> => {
    // Schemas of the service are shallow and drop unknown fields, so its bodies cannot be deep.
    if (api !== 'service' && !route.body?.reader) requireShallow(body)
    exchange.request = { path, query, headers, body }
    if (!faults.any) return
    const rules = 'check' in handler ? handler.check : undefined
    const checked = rules && exchange.world.read((look) => rules(look, exchange, faults), exchange.arrived)
    if (checked) return checked.then(() => faults.throwAny())
    faults.throwAny()
  }
  if (!route.body && api === 'service') return take(NOTHING)
  const body = route.body ? readBody(exchange, route as WithBody, faults) : rejectBody(exchange, faults)
  return body instanceof Promise ? body.then(take) : take(body)
}

/** Unknown parameters are ignored by the service's own operations and rejected by the others. */
function readQuery(exchange: Exchange, { api, query }: Route, faults: Faults): Fields {
  const { c } = exchange
  const differences = api === 'service' ? undefined : compare(query, c.req.query())
  if (differences) rejectUnknown(differences, faults)
  if (!query) return NOTHING
  const known = (query as z.ZodObject).shape
  const read: Record<string, string> = {}
  for (const [name, sent] of Object.entries({ ...observedDefaults(exchange), ...c.req.queries() })) {
    if (sent.length > 1 && Object.hasOwn(known, name))
      faults.add(name, `must be sent once, got ${sent.map((each) => JSON.stringify(each)).join(' and ')}`)
    read[name] = sent[0]!
  }
  return check(query, read, faults, differences)
}

/** Characters above which parsing a body takes as long as many payments of other worlds, so it waits for its turn. */
const LONG = 65_536

/** Browsers send a body without a content type to other sites, with stored credentials and without a preflight request. */
const NO_TYPE = 'content-type is missing; a page of another site has to send application/json'

type WithBody = Route & { readonly body: BodyBinding }

function readBody(exchange: Exchange, route: WithBody, faults: Faults): Fields | Promise<Fields> {
  const { reader, limit = BODY_LIMIT, lenient } = route.body
  if (exchange.isAgain) return checkBody(exchange, route, faults, exchange.header('content-type'))
  if (reader)
    return reader(bodyPieces(exchange.c, limit), exchange, (value) => {
      const own = new Faults()
      const fields = check(lenient, value, own)
      own.throwAny()
      return fields
    })
  const text = readText(exchange.c, limit)
  return typeof text === 'string'
    ? parseBody(exchange, route, faults, text)
    : text.then((read) => parseBody(exchange, route, faults, read))
}

function parseBody(exchange: Exchange, route: WithBody, faults: Faults, text: string) {
  exchange.keepBody(text)
  if (text !== '') requireUncompressed(exchange.header('content-encoding'))
  const type = exchange.header('content-type')
  // Handlers parse YAML themselves: their errors name the line.
  if (route.body.yaml && isYaml(type))
    return NUL_IN_YAML.test(text) ? requireNoNulInYaml(text).then(() => NOTHING) : NOTHING
  if (type === undefined && text !== '' && isForeign(exchange.c)) throw invalid(NO_TYPE)
  const checked = () => checkBody(exchange, route, faults, type)
  return text.length > LONG ? timeSlice(exchange.worldName).then(checked) : checked()
}

function checkBody(
  { world, text }: Exchange,
  { body, api }: WithBody,
  faults: Faults,
  type?: string,
): Fields {
  const schema = body[(world as World | undefined)?.settings.validation ?? 'documented']
  const sent = text === '' && !body.required ? {} : parseJson(text, type)
  const isOwn = api !== 'service'
  // For speed: most payments have no empty text, and their unknown fields matter only in error messages.
  const differences = isOwn || text.includes('""') ? compare(schema, sent, isOwn ? undefined : []) : undefined
  const fields = check(schema, sent, faults, differences)
  if (body.empties && differences?.emptied) restore(differences.emptied, fields)
  if (body.change && !faults.any) requireChange(schema, sent)
  if (isOwn) rejectUnknown(differences!, faults)
  return fields
}

/** Rejects fields sent to an operation without a body: ignoring the `at` of a clock to freeze would freeze it at another time. */
async function rejectBody(exchange: Exchange, faults: Faults): Promise<Fields> {
  if (!exchange.header('content-type')?.includes('json')) return NOTHING
  try {
    rejectUnknown(compare(undefined, JSON.parse(await readText(exchange.c))), faults)
  } catch (error) {
    // A body that is not JSON has no fields.
    if (!(error instanceof SyntaxError)) throw error
  }
  return NOTHING
}

/** Escapes of U+0000 in YAML, and text that looks like one. */
const NUL_IN_YAML = /\\(?:0|x00|u0000|U00000000)/

async function requireNoNulInYaml(text: string): Promise<void> {
  const { parseAllDocuments } = await import('yaml')
  for (const document of parseAllDocuments(text)) if (!('empty' in document)) requireNoNul(document.toJS())
}

const isYaml = (type: string | undefined) => /^(application|text)\/(x-)?yaml *(?:;|$)/i.test(type ?? '')

type Shape = Readonly<Record<string, z.ZodType>>

/** A schema without its wrappers such as `optional`, `nullable` and `default`. */
interface Unwrapped {
  readonly shape?: Shape
  readonly def?: { readonly type?: string; readonly element?: unknown; readonly catchall?: unknown }
}

function unwrap(schema: unknown): Unwrapped {
  const { innerType } = (schema as { readonly def?: { readonly innerType?: unknown } } | undefined)?.def ?? {}
  return innerType === undefined ? ((schema ?? {}) as Unwrapped) : unwrap(innerType)
}

/** The fields of a value that its schema does not describe. */
interface Differences {
  readonly unknown: {
    readonly at: FieldPath
    readonly name: string
    readonly shape: Shape
    /** Whether the schema accepts or rejects unknown fields itself. */
    readonly isOpen: boolean
  }[]
  /** Paths of optional texts that were sent empty and removed from the value; undefined to leave them in. */
  readonly emptied: FieldPath[] | undefined
}

/**
 * Walks a value along its schema and collects unknown fields, at any depth.
 * @param schema - undefined if no field is allowed
 * @param emptied - collects and removes optional texts that are empty, so that they need not match a format
 */
function compare(schema: unknown, value: unknown, emptied?: FieldPath[]): Differences {
  const unknown: Differences['unknown'] = []
  walk(schema, value, [], emptied, false)
  return { unknown, emptied }

  function walk(
    schema: unknown,
    value: unknown,
    at: FieldPath,
    emptied: FieldPath[] | undefined,
    open: boolean,
  ) {
    const { shape = schema === undefined ? {} : undefined, def } = unwrap(schema)
    const isOpen = open || def?.catchall !== undefined
    if (Array.isArray(value)) {
      if (unwrap(def?.element).shape)
        for (const [n, each] of value.entries()) walk(def!.element, each, [...at, n], undefined, isOpen)
    } else if (shape && isRecord(value))
      for (const [name, sent] of Object.entries(value)) {
        if (!Object.hasOwn(shape, name)) unknown.push({ at, name, shape, isOpen })
        else if (emptied && sent === '' && isOptionalText(shape[name])) {
          delete (value as Record<string, unknown>)[name]
          emptied.push([...at, name])
        } else if (typeof sent === 'object') walk(shape[name], sent, [...at, name], emptied, isOpen)
      }
  }
}

function isOptionalText(field: unknown): boolean {
  const { type, innerType } = (field as { readonly def: { type: string; innerType?: Unwrapped } }).def
  return type === 'optional' && ['string', 'enum'].includes(innerType?.def?.type ?? '')
}

/** Puts empty texts back into a change, which empties their fields. An operation that creates treats them as not sent. */
function restore(emptied: readonly FieldPath[], fields: Fields): void {
  for (const path of emptied) {
    let within = fields as Record<PropertyKey, unknown> | undefined
    for (const name of path.slice(0, -1)) within = within?.[name] as typeof within
    if (within) within[path.at(-1)!] = ''
  }
}

/** Returns a part of the request as its schema transforms it. If it is invalid, adds its faults and returns its valid fields. */
function check(schema: z.ZodType, value: unknown, faults: Faults, differences?: Differences): Fields {
  const result = schema.safeParse(value)
  if (result.success) return result.data as Fields
  // For speed: issues that carry values cost more, so only invalid requests are parsed with them.
  const { error } = schema.safeParse(value, reporting)
  const { unknown } = differences ?? compare(schema, value)
  /** Returns the unknown field that was probably meant for a missing one: `ammount` for `amount`. */
  const insteadOf = (path: FieldPath) => {
    const at = fieldPath(path.slice(0, -1))
    const sent = unknown.filter((each) => fieldPath(each.at) === at).map(({ name }) => name)
    return suggest(String(path.at(-1)), sent)
  }
  const { told, more } = issuesOf(error!, { name: fieldName, insteadOf })
  faults.addIssues(told, more)
  return validFields(schema, value)
}

function validFields(schema: z.ZodType, value: unknown): Fields {
  const fields: Record<string, unknown> = {}
  if (!isRecord(value)) return fields
  for (const [name, field] of Object.entries(unwrap(schema).shape ?? {})) {
    const sent = Object.hasOwn(value, name) ? value[name] : undefined
    const result = field.safeParse(sent)
    if (result.success) fields[name] = result.data
    else if (isRecord(sent) && unwrap(field).shape) fields[name] = validFields(field, sent)
  }
  return fields
}

/**
 * Rejects a change without any known field, which would otherwise succeed without an effect.
 * @throws {ServiceError} 400 with the known fields, and the object in which they were sent by mistake
 */
function requireChange(schema: z.ZodType, sent: unknown): void {
  const known = Object.keys(unwrap(schema).shape ?? {})
  const given = Object.entries((sent ?? {}) as object)
  if (known.length === 0 || given.some(([name]) => known.includes(name))) return
  const wrapper = given.find(
    ([, value]) => isRecord(value) && known.some((name) => Object.hasOwn(value, name)),
  )
  const got = given
    .slice(0, MOST_TOLD)
    .map(([name]) => name + didYouMean(name, known))
    .join(', ')
  throw invalid(
    wrapper
      ? `the request body changes nothing: send its fields at the top level, not within ${wrapper[0]}; accepted fields are ${known.join(', ')}`
      : `the request body changes nothing; give at least one of ${known.join(', ')}${got && `, got ${got}`}`,
  )
}

/** Rejects unknown fields: ignoring them in the sandbox's own API would hide a misspelt setting. */
function rejectUnknown({ unknown }: Differences, faults: Faults): void {
  for (const { at, name, shape, isOpen } of unknown)
    if (!isOpen) faults.add(fieldPath([...at, name]), faults.full ? '' : whatIsKnown(name, shape))
}

/** Returns the known names and the one that was probably meant, or the object that the field belongs in. */
function whatIsKnown(name: string, shape: Shape): string {
  const names = Object.keys(shape)
  if (names.length === 0) return 'is not known here: the operation accepts no fields'
  const within = names.find((each) => Object.hasOwn(unwrap(shape[each]).shape ?? {}, name))
  const meant = within === undefined ? didYouMean(name, names) : ` (did you mean ${within}.${name}?)`
  if (names.length === 1) return `is not known here, only ${names[0]} is${meant}`
  return `is none of ${names.join(', ')}${meant}`
}

/**
 * Parses a body as JSON; a missing content type counts as JSON.
 * @throws {ServiceError} 400 for another content type, an empty body or invalid JSON
 */
export function parseJson(text: string, type: string | undefined): unknown {
  requireJson(type)
  if (text.trim() === '') throw invalid(EMPTY)
  try {
    return withoutNul(text)
  } catch (error) {
    throw error instanceof SyntaxError ? notJson(error) : error
  }
}

/** @throws {SyntaxError} for invalid JSON, ServiceError 400 if a text contains U+0000 */
export function withoutNul(json: string, at: FieldPath[number][] = []): unknown {
  const value: unknown = JSON.parse(json)
  // For speed: only few texts contain the escape of U+0000, or what looks like it.
  if (json.includes('\\u0000')) requireNoNul(value, at)
  return value
}

/** PostgreSQL cannot store U+0000. */
const hasNul = (text: string): boolean => text.includes('\0')

export function requireNoNul(value: unknown, at: FieldPath[number][] = []): void {
  if (typeof value === 'string' && hasNul(value)) throw invalid(`${fieldName(at)} ${NO_NUL}`)
  if (!isObject(value)) return
  if (at.length > DEEPEST) throw invalid(TOO_DEEP)
  const isList = Array.isArray(value)
  for (const [name, inner] of Object.entries(value)) {
    if (hasNul(name)) throw invalid(`field names in ${fieldName(at)} ${NO_NUL}`)
    at.push(isList ? Number(name) : name)
    requireNoNul(inner, at)
    at.pop()
  }
}

/** @throws {ServiceError} 400 if a path or its query contains U+0000 */
export function requireNoNulIn(url: string): void {
  if (url.includes('%00')) throw invalid(`the URL of the request ${NO_NUL} (%00)`)
}

const NO_NUL = 'must not contain U+0000'

export const EMPTY = 'the request body is empty; send a JSON object'

export const notJson = ({ message }: Error) => invalid(`the request body is not valid JSON: ${message}`)

export function requireJson(type: string | undefined): void {
  if (type !== undefined && !/^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(type))
    throw invalid(`content-type "${type}" is not accepted; send application/json`)
}

export function requireUncompressed(encoding: string | undefined): void {
  if (encoding === undefined || /^(?:identity)?$/i.test(encoding)) return
  throw invalid(`content-encoding "${encoding}" is not accepted; send the body uncompressed`)
}

/** Maximum size of a body unless its operation has another, bytes (open-points, "General"). */
const BODY_LIMIT = 1_048_576

/** @throws {ServiceError} 400 if the text contains U+0000, 413 over the limit */
export function readText(c: Context, limit = BODY_LIMIT): string | Promise<string> {
  const early = incomingOf(c)?.rawBody
  // Without a byte order mark, as `text()` of a request.
  if (early && early.length <= limit) return withoutNulIn(c, early.toString('utf8').replace(/^\uFEFF/, ''))
  const length = headerOf(c, 'content-length')
  const text = length === undefined || Number(length) > limit ? readPieces(c, limit) : c.req.text()
  return text.then((read) => withoutNulIn(c, read))
}

function withoutNulIn(c: Context, text: string): string {
  if (!hasNul(text)) return text
  // Report the compression instead, if any.
  requireUncompressed(headerOf(c, 'content-encoding'))
  requireNoNul(text)
  return text
}

async function readPieces(c: Context, limit: number): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of bodyPieces(c, limit)) pieces.push(piece)
  return Buffer.concat(pieces).toString('utf8')
}

/** @throws {ServiceError} 413 over the limit */
async function* bodyPieces(c: Context, limit: number): AsyncGenerator<Uint8Array> {
  const length = Number(headerOf(c, 'content-length') ?? 0)
  const most = Math.max(limit, DISCARDED)
  let size = 0
  if (length <= most && c.req.raw.body)
    for await (const piece of c.req.raw.body as unknown as AsyncIterable<Uint8Array>) {
      size += piece.byteLength
      if (size > most) break
      if (size <= limit && length <= limit) yield piece
    }
  if (size > limit || length > limit)
    throw new ServiceError('payload_too_large', `the request body is over the limit of ${limit} bytes`)
}

/** Bytes up to which a body over its limit is read: most clients lose the response if the connection closes earlier. */
const DISCARDED = 16 * 1_048_576

/** Levels of nesting that are accepted in any field; scenario files have the most, a dozen. */
const DEEPEST = 100
const TOO_DEEP = `the request body is nested deeper than ${DEEPEST} levels`

/** @throws {ServiceError} 400 if a value is nested so deep that showing or storing it would overflow the stack */
export function requireShallow(fields: object): void {
  if (isDeeper(fields, DEEPEST)) throw invalid(TOO_DEEP)
}

const isDeeper = (value: unknown, levels: number): boolean =>
  isObject(value) && (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)))
