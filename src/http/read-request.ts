/** Reads the parts of a request and checks each against its schema. */
import type { z } from 'zod'
import { timeSlice } from '../lib/clock/time-slice.ts'
import { isRecord } from '../lib/objects.ts'
import { type FieldPath, fieldPath } from '../lib/text/field-path.ts'
import { didYouMean, suggest } from '../lib/text/suggest.ts'
import { issuesOf, MOST_TOLD, reporting } from '../lib/text/validation-messages.ts'
import { shapeOf } from '../scenarios/operations.ts'
import { Faults, invalid } from '../service/domain/errors.ts'
import type { Fields } from '../service/domain/facts.ts'
import { beginningOf, BODY_KEPT } from '../worlds/journal.ts'
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

/** What a request has where its operation asks for nothing. */
const NOTHING: Fields = Object.freeze({})

/**
 * Reads what a route asks for.
 * @throws ServiceError 400 naming every field at fault, those too whose value the rules refuse; 413
 */
export async function readRequest(exchange: Exchange, route: Route): Promise<void> {
  const { c } = exchange
  const faults = new Faults()
  if (route.body && route.api !== 'admin') exchange.holdBody(route.body.limit)
  const path = route.path ? check(route.path, c.req.param(), faults) : NOTHING
  const query = readQuery(exchange, route, faults)
  const headers = route.headers ? check(route.headers, c.req.header(), faults) : NOTHING
  // A long body is not read when the rest of the request is refused already.
  if (route.body?.reader) faults.throwAny()
  const body = route.body ? await readBody(exchange, route.body, route.api, faults) : NOTHING
  if (!route.body && route.api !== 'service') await refuseFields(exchange, faults)
  // Operations of the service need no such look: their schemas are shallow, and drop what they do not know.
  if (route.api !== 'service' && !route.body?.reader) requireShallow(body)
  exchange.request = { path, query, headers, body }
  if (faults.any) await refuseAll(exchange, route, faults)
}

/** @throws ServiceError 400 with what is wrong with the form of a request, and with the values of what can be read of it */
async function refuseAll(exchange: Exchange, { handler }: Route, faults: Faults): Promise<void> {
  const check = 'check' in handler ? handler.check : undefined
  if (check) await exchange.world.read((look) => check(look, exchange, faults), exchange.arrived)
  faults.throwAny()
}

function readQuery(exchange: Exchange, { api, query }: Route, faults: Faults): Fields {
  // Of the service's own operations, those that it does not know are ignored (open-points, "Payment channels").
  if (api !== 'service') refuseUnknown(faults, query, exchange.c.req.query())
  return query ? check(query, queryOf(exchange, query, faults), faults) : NOTHING
}

/** The parameters of the query. One that the operation knows must be there once: which of several is meant cannot be told. */
function queryOf({ c }: Exchange, schema: z.ZodType, faults: Faults): Record<string, string> {
  const known = (schema as z.ZodObject).shape
  const read: Record<string, string> = {}
  for (const [name, sent] of Object.entries(c.req.queries())) {
    if (sent.length > 1 && Object.hasOwn(known, name))
      faults.add(name, `must be sent once, got ${sent.map((each) => JSON.stringify(each)).join(' and ')}`)
    read[name] = sent[0]!
  }
  return read
}

/** A body of more characters is parsed when it is its world's turn on the event loop. */
const LONG = 65_536

/** A browser sends a body without a type to another site without asking first, and adds the credentials that it keeps. */
const NO_TYPE = 'content-type is missing; a page of another site has to send application/json'

async function readBody(
  exchange: Exchange,
  body: BodyBinding,
  api: Route['api'],
  faults: Faults,
): Promise<Fields> {
  const { c } = exchange
  if (body.reader)
    return body.reader(bodyPieces(c, body.limit), exchange, (value) => checkAlone(body.lenient, value))
  const text = await readText(c, body.limit)
  keepText(exchange, text)
  if (text !== '') requireUncompressed(exchange.header('content-encoding'))
  const type = exchange.header('content-type')
  // Text in YAML is read by its handler, which says better where it is wrong.
  if (body.yaml && isYaml(type)) {
    if (NUL_IN_YAML.test(text)) await requireNoNulInYaml(text)
    return {}
  }
  if (type === undefined && text !== '' && isForeign(c)) throw invalid(NO_TYPE)
  // To parse a long one takes as long as many payments of other worlds.
  if (text.length > LONG) await timeSlice(exchange.worldName)
  const schema = body[(exchange.world as World | undefined)?.settings.validation ?? 'documented']
  const sent = text === '' && !body.required ? {} : parseJson(text, type)
  const taken = api === 'service' ? takeEmptyTexts(schema, sent, text) : []
  const fields = check(schema, sent, faults)
  if (body.empties) putEmptyTexts(taken, fields)
  if (body.change && !faults.any) requireChange(schema, sent)
  if (api !== 'service') refuseUnknown(faults, schema, sent)
  return fields
}

/** Fields that are sent to an operation without a body: whoever freezes a clock `at` a time would find it frozen at another. */
async function refuseFields(exchange: Exchange, faults: Faults): Promise<void> {
  if (!exchange.header('content-type')?.includes('json')) return
  try {
    refuseUnknown(faults, undefined, JSON.parse(await readText(exchange.c)))
  } catch (error) {
    // What is not JSON has no fields.
    if (!(error instanceof SyntaxError)) throw error
  }
}

function keepText(exchange: Exchange, text: string): void {
  exchange.text = text
  const { entry } = exchange
  if (!entry) return
  entry.body = beginningOf(text, BODY_KEPT)
  entry.body_length = text.length
}

/** Escapes of U+0000 in YAML, and texts that look like one. */
const NUL_IN_YAML = /\\(?:0|x00|u0000|U00000000)/

/** @throws ServiceError 400 */
async function requireNoNulInYaml(text: string): Promise<void> {
  const { parseAllDocuments } = await import('yaml')
  for (const document of parseAllDocuments(text)) if (!('empty' in document)) requireNoNul(document.toJS())
}

const isYaml = (type: string | undefined) => /^(application|text)\/(x-)?yaml *(?:;|$)/i.test(type ?? '')

/** A part of the request as its schema has it; of one at fault, which is added to `faults`, what can be read. */
function check(schema: z.ZodType, value: unknown, faults: Faults): Fields {
  const result = schema.safeParse(value)
  if (result.success) return result.data as Fields
  // For speed: issues that carry the values cost more, so the few requests that fail are parsed a second time.
  const { error } = schema.safeParse(value, reporting)
  const insteadOf = (path: FieldPath) => misspelt(schema, value, path)
  const { told, more } = issuesOf(error!, { name: fieldName, insteadOf })
  faults.addIssues(told, more)
  return readable(schema, value)
}

/** @throws ServiceError 400 */
function checkAlone(schema: z.ZodType, value: unknown): Fields {
  const faults = new Faults()
  const fields = check(schema, value, faults)
  faults.throwAny()
  return fields
}

/** The fields that are as their schema has them, where the whole is not. */
function readable(schema: z.ZodType, value: unknown): Fields {
  const fields: Record<string, unknown> = {}
  if (!isRecord(value)) return fields
  for (const [name, field] of Object.entries(shapeOf(schema) ?? {})) {
    const sent = Object.hasOwn(value, name) ? value[name] : undefined
    const result = field.safeParse(sent)
    if (result.success) fields[name] = result.data
    else if (isRecord(sent) && shapeOf(field)) fields[name] = readable(field, sent)
  }
  return fields
}

/**
 * A field that was sent, that nobody knows, and that was probably meant for the one that is missing: `ammount` for
 * `amount`, `accountId` for `account_id`. Unknown fields are no fault by themselves.
 * @param path of the missing field
 */
function misspelt(schema: z.ZodType, sent: unknown, path: readonly PropertyKey[]): string | undefined {
  let shape = shapeOf(schema)
  let value = sent
  for (const name of path.slice(0, -1)) {
    shape = shapeOf(shape?.[String(name)])
    value = (value as Record<PropertyKey, unknown> | null | undefined)?.[name]
  }
  if (!shape || typeof value !== 'object' || value === null) return undefined
  const known = shape
  const missing = String(path.at(-1))
  return suggest(
    missing,
    Object.keys(value).filter((name) => !Object.hasOwn(known, name)),
  )
}

/**
 * Looks at a change: one that gives none of the fields there are would be answered as if it had been made.
 * @throws ServiceError 400 with the fields there are, and with what was sent one level too deep
 */
function requireChange(schema: z.ZodType, sent: unknown): void {
  const known = Object.keys(shapeOf(schema) ?? {})
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

type Shape = NonNullable<ReturnType<typeof shapeOf>>

/**
 * Refuses every field that the schema of a request does not have, at any depth, unless the schema takes any: the sandbox's own API
 * would ignore a misspelt setting.
 * @param schema undefined where nothing is taken
 */
function refuseUnknown(faults: Faults, schema: unknown, value: unknown, at: FieldPath = []): void {
  const shape = shapeOf(schema) ?? (schema === undefined ? {} : undefined)
  if (Array.isArray(value)) {
    const item = itemOf(schema)
    if (shapeOf(item)) for (const [n, each] of value.entries()) refuseUnknown(faults, item, each, [...at, n])
    return
  }
  if (!shape || !isRecord(value) || isOpen(schema)) return
  for (const [name, sent] of Object.entries(value)) {
    const path = [...at, name]
    if (Object.hasOwn(shape, name)) refuseUnknown(faults, shape[name], sent, path)
    else faults.add(fieldPath(path), faults.full ? '' : told(name, shape))
  }
}

/** The names there are, and the one that was meant: the nearest, or the same where it should stand. */
function told(name: string, shape: Shape): string {
  const names = Object.keys(shape)
  if (names.length === 0) return 'is not known here: nothing is taken'
  const within = names.find((each) => Object.hasOwn(shapeOf(shape[each]) ?? {}, name))
  const meant = within === undefined ? didYouMean(name, names) : ` (did you mean ${within}.${name}?)`
  if (names.length === 1) return `is not known here, only ${names[0]} is${meant}`
  return `is none of ${names.join(', ')}${meant}`
}

interface Def {
  readonly type?: string
  readonly innerType?: unknown
  readonly element?: unknown
  readonly catchall?: unknown
}

const defOf = (schema: unknown): Def => (schema as { readonly def?: Def } | undefined)?.def ?? {}

/** What the items of a list are held against. */
function itemOf(schema: unknown): unknown {
  const { element, innerType } = defOf(schema)
  return element ?? (innerType === undefined ? undefined : itemOf(innerType))
}

/** Whether a schema takes any field, or refuses those that it does not know by itself. */
function isOpen(schema: unknown): boolean {
  const { catchall, innerType } = defOf(schema)
  return catchall !== undefined || (innerType !== undefined && isOpen(innerType))
}

/**
 * Where an optional text was sent empty (open-points, "Second look"): an operation that creates takes it for not sent, one that
 * changes empties the field.
 */
type EmptyTexts = readonly (readonly string[])[]

const NONE: EmptyTexts = []

/**
 * Takes the optional texts that are empty out of a body, so that no form is asked of them.
 * @param text the body as it was sent: most have no empty text, and are not looked through
 */
function takeEmptyTexts(schema: unknown, body: unknown, text: string): EmptyTexts {
  if (!text.includes('""')) return NONE
  const taken: string[][] = []
  takeFrom(schema, body, [], taken)
  return taken
}

function takeFrom(schema: unknown, value: unknown, at: readonly string[], taken: string[][]): void {
  if (!isRecord(value)) return
  for (const [name, field] of Object.entries(shapeOf(schema) ?? {})) {
    const sent = Object.hasOwn(value, name) ? value[name] : undefined
    if (sent === '' && isOptionalText(field)) {
      delete (value as Record<string, unknown>)[name]
      taken.push([...at, name])
    } else if (isRecord(sent)) takeFrom(field, sent, [...at, name], taken)
  }
}

/** Puts them back into what a change was read as: the fields that it empties. */
function putEmptyTexts(taken: EmptyTexts, fields: object): void {
  for (const path of taken) {
    let within = fields as Record<string, unknown> | undefined
    for (const name of path.slice(0, -1)) within = within?.[name] as Record<string, unknown> | undefined
    if (within) within[path.at(-1)!] = ''
  }
}

function isOptionalText(field: unknown): boolean {
  const { type, innerType } = defOf(field)
  return type === 'optional' && ['string', 'enum'].includes(defOf(innerType).type ?? '')
}
