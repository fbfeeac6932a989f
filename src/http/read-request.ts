import type { Context } from 'hono'
import type { z } from 'zod'
import { timeSlice } from '../clock/time-slice.ts'
import type { Fields, Sent } from '../domain/facts.ts'
import { invalid } from '../domain/errors.ts'
import { BODY_KEPT, type JournalEntry } from '../worlds/journal.ts'
import { beginningOf } from '../worlds/kept-text.ts'
import { reporting } from '../validation-messages.ts'
import type { World } from '../worlds/world.ts'
import { isForeign } from './admin-guard.ts'
import type { Bound, BoundBody } from './bound.ts'
import type { Env } from './env.ts'
import { headerOf } from './header-in.ts'
import { misspelt } from './misspelt.ts'
import { readQuery } from './query.ts'
import { parseJson, readText, requireUncompressed } from './read-body.ts'
import { validationError } from './validation-error.ts'
import { requireChange } from './require-change.ts'
import { requireShallow } from './require-shallow.ts'

/** What a request has where its operation asks for nothing. */
const NOTHING: Fields = Object.freeze({})

/**
 * The parts of a request, each held against its schema; handlers find them as validated data.
 * @throws ServiceError 400 naming every field at fault of the first part that has any, 413
 */
export async function readRequest(c: Context<Env>, bound: Bound): Promise<Sent> {
  const path = bound.params ? check(bound.params, c.req.param()) : NOTHING
  const query = bound.query ? check(bound.query, readQuery(c, bound.query)) : NOTHING
  c.req.addValidatedData('param', path)
  c.req.addValidatedData('query', query)
  if (bound.headers) c.req.addValidatedData('header', check(bound.headers, c.req.header()))
  const body = bound.body ? await readBody(c, bound.body) : NOTHING
  // The service's own fields have forms that nest nowhere; what it does not know is left out.
  if (bound.kind !== 'service' && !bound.body?.reader) requireShallow(body)
  c.req.addValidatedData('json', body)
  return { path, query, body }
}

/** Characters of a body that waits for its turn among worlds. */
const LONG = 65_536

/** With another type a browser asks first whether it may; without one it sends, with the credentials that it keeps. */
const NO_TYPE = 'content-type is missing; a page of another site has to send application/json'

async function readBody(c: Context<Env>, body: BoundBody): Promise<Fields> {
  if (body.reader) return body.reader(c, body, (value) => check(body.lenient, value))
  const text = await readText(c, body.limit)
  c.set('text', text)
  const entry = c.get('entry') as JournalEntry | undefined
  if (entry) {
    entry.body = beginningOf(text, BODY_KEPT)
    entry.body_length = text.length
  }
  if (text !== '') requireUncompressed(headerOf(c, 'content-encoding'))
  const type = headerOf(c, 'content-type')
  // Text in YAML is read by its handler, which says better where it is wrong.
  if (body.yaml && isYaml(type)) return {}
  const world = c.get('world') as World | undefined
  if (type === undefined && text !== '' && isForeign(c)) throw invalid(NO_TYPE)
  // To take a long one apart takes as long as many payments.
  if (text.length > LONG) await timeSlice(world?.name ?? '')
  const schema = body[world?.settings.validation ?? 'documented']
  const sent = text === '' && !body.required ? {} : parseJson(text, type)
  const fields = check(schema, sent)
  if (body.change) requireChange(schema, sent)
  return fields
}

function check(schema: z.ZodType, value: unknown): Fields {
  const result = schema.safeParse(value)
  if (result.success) return result.data as Fields
  // Only a refusal names the values; to carry them along costs more than a second look at the few that fail.
  const { error } = schema.safeParse(value, reporting)
  throw validationError(error!, (path) => misspelt(schema, value, path))
}

const isYaml = (type: string | undefined) => /^(application|text)\/(x-)?yaml *(?:;|$)/i.test(type ?? '')
