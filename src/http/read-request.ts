/** Reads the parts of a request and checks each against its schema. */
import type { z } from 'zod'
import { timeSlice } from '../lib/clock/time-slice.ts'
import { isRecord } from '../lib/objects.ts'
import { type FieldPath, fieldPath } from '../lib/text/field-path.ts'
import { didYouMean, suggest } from '../lib/text/suggest.ts'
import { issuesOf, MOST_TOLD, reporting } from '../lib/text/validation-messages.ts'
import { Faults, invalid } from '../service/domain/errors.ts'
import type { Fields } from '../service/domain/facts.ts'
import { beginningOf, BODY_KEPT } from '../worlds/request-log.ts'
import type { World } from '../worlds/world.ts'
import { isForeign } from './admin-guard.ts'
import { fieldName } from './errors.ts'
import type { Exchange } from './exchange.ts'
import {
  bodyPieces,
  parseJson,
  readText,
  requireNoNul,
  requireShallow,
  requireUncompressed,
} from './read-body.ts'
import type { BodyBinding, Route } from './route-binding.ts'

/** The part of a request that its operation does not have. */
const NOTHING: Fields = Object.freeze({})

/**
 * Reads the parts of a request that its route declares.
 * @throws {ServiceError} 400 that names every field with an invalid form or value; 413
 */
export async function readRequest(exchange: Exchange, route: Route): Promise<void> {
  const { c } = exchange
  const { api, handler } = route
  const faults = new Faults()
  if (route.body && api !== 'admin') exchange.holdBody(route.body.limit)
  const path = route.path ? check(route.path, c.req.param(), faults) : NOTHING
  const query = readQuery(exchange, route, faults)
  const headers = route.headers ? check(route.headers, c.req.header(), faults) : NOTHING
  // Reject the request before reading a long body.
  if (route.body?.reader) faults.throwAny()
  const body = route.body ? await readBody(exchange, route.body, api, faults) : NOTHING
  if (!route.body && api !== 'service') await rejectBody(exchange, faults)
  // Schemas of the service are shallow and drop unknown fields, so its bodies cannot be deep.
  if (api !== 'service' && !route.body?.reader) requireShallow(body)
  exchange.request = { path, query, headers, body }
  if (!faults.any) return
  const rules = 'check' in handler ? handler.check : undefined
  if (rules) await exchange.world.read((look) => rules(look, exchange, faults), exchange.arrived)
  faults.throwAny()
}

/** Unknown parameters are ignored by the service's own operations and rejected by the others. */
function readQuery({ c }: Exchange, { api, query }: Route, faults: Faults): Fields {
  const differences = api === 'service' ? undefined : compare(query, c.req.query())
  if (differences) rejectUnknown(differences, faults)
  if (!query) return NOTHING
  const known = (query as z.ZodObject).shape
  const read: Record<string, string> = {}
  for (const [name, sent] of Object.entries(c.req.queries())) {
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

async function readBody(
  exchange: Exchange,
  body: BodyBinding,
  api: Route['api'],
  faults: Faults,
): Promise<Fields> {
  const { c, entry } = exchange
  if (body.reader)
    return body.reader(bodyPieces(c, body.limit), exchange, (value) => {
      const own = new Faults()
      const fields = check(body.lenient, value, own)
      own.throwAny()
      return fields
    })
  const text = await readText(c, body.limit)
  exchange.text = text
  if (entry) {
    entry.body = beginningOf(text, BODY_KEPT)
    entry.body_length = text.length
  }
  if (text !== '') requireUncompressed(exchange.header('content-encoding'))
  const type = exchange.header('content-type')
  // Handlers parse YAML themselves: their errors name the line.
  if (body.yaml && isYaml(type)) {
    if (NUL_IN_YAML.test(text)) await requireNoNulInYaml(text)
    return {}
  }
  if (type === undefined && text !== '' && isForeign(c)) throw invalid(NO_TYPE)
  if (text.length > LONG) await timeSlice(exchange.worldName)
  const schema = body[(exchange.world as World | undefined)?.settings.validation ?? 'documented']
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
async function rejectBody(exchange: Exchange, faults: Faults): Promise<void> {
  if (!exchange.header('content-type')?.includes('json')) return
  try {
    rejectUnknown(compare(undefined, JSON.parse(await readText(exchange.c))), faults)
  } catch (error) {
    // A body that is not JSON has no fields.
    if (!(error instanceof SyntaxError)) throw error
  }
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
  readonly unknown: { readonly at: FieldPath; readonly name: string; readonly shape: Shape }[]
  /** Paths of optional texts that were sent empty and removed from the value; undefined to leave them in. */
  readonly emptied: FieldPath[] | undefined
}

/**
 * Walks a value along its schema and collects unknown fields, at any depth.
 * @param schema - undefined if no field is allowed; schemas with a `catchall` accept or reject unknown fields themselves
 * @param emptied - collects and removes optional texts that are empty, so that they need not match a format
 */
function compare(
  schema: unknown,
  value: unknown,
  emptied?: FieldPath[],
  at: FieldPath = [],
  unknown: Differences['unknown'] = [],
): Differences {
  const { shape = schema === undefined ? {} : undefined, def } = unwrap(schema)
  if (Array.isArray(value)) {
    if (unwrap(def?.element).shape)
      for (const [n, each] of value.entries()) compare(def!.element, each, undefined, [...at, n], unknown)
  } else if (shape && def?.catchall === undefined && isRecord(value))
    for (const [name, sent] of Object.entries(value)) {
      if (!Object.hasOwn(shape, name)) unknown.push({ at, name, shape })
      else if (emptied && sent === '' && isOptionalText(shape[name])) {
        delete (value as Record<string, unknown>)[name]
        emptied.push([...at, name])
      } else if (typeof sent === 'object') compare(shape[name], sent, emptied, [...at, name], unknown)
    }
  return { unknown, emptied }
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
      ? `the request body changes nothing: its fields stand at the top, not within ${wrapper[0]}; there are ${known.join(', ')}`
      : `the request body changes nothing; give at least one of ${known.join(', ')}${got && `, got ${got}`}`,
  )
}

/** Rejects unknown fields: ignoring them in the sandbox's own API would hide a misspelt setting. */
function rejectUnknown({ unknown }: Differences, faults: Faults): void {
  for (const { at, name, shape } of unknown)
    faults.add(fieldPath([...at, name]), faults.full ? '' : whatIsKnown(name, shape))
}

/** Returns the known names and the one that was probably meant, or the object that the field belongs in. */
function whatIsKnown(name: string, shape: Shape): string {
  const names = Object.keys(shape)
  if (names.length === 0) return 'is not known here: nothing is taken'
  const within = names.find((each) => Object.hasOwn(unwrap(shape[each]).shape ?? {}, name))
  const meant = within === undefined ? didYouMean(name, names) : ` (did you mean ${within}.${name}?)`
  if (names.length === 1) return `is not known here, only ${names[0]} is${meant}`
  return `is none of ${names.join(', ')}${meant}`
}
