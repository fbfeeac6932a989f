/** The parameters and body of a request that the reader edits. */
import type { Field, ShownSheet } from '../../src/pages/embed/sheet.ts'

export interface Draft {
  /** Values by parameter name. Empty ones are not sent. */
  readonly parameters: { readonly [name: string]: string }
  /** Undefined if the operation has no body. */
  readonly body: unknown
}

type Json = { readonly [key: string]: unknown }
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Excludes keys that would change the prototype. */
const isPlain = (key: string) => !['__proto__', 'constructor', 'prototype'].includes(key)

/** Returns the value at a path such as `customer.phone`. */
export const valueAt = (body: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), body)

/** Returns the body with another value at a path, or without the field if the value is undefined. */
export function withValue(body: unknown, path: string, value: unknown): unknown {
  const [key = '', ...rest] = path.split('.')
  const copy: Record<string, unknown> = isObject(body) ? { ...body } : {}
  if (!isPlain(key)) return copy
  const inner = rest.length > 0 ? withValue(copy[key], rest.join('.'), value) : value
  if (inner === undefined || (rest.length > 0 && value === undefined && isEmpty(inner))) delete copy[key]
  else copy[key] = inner
  return copy
}

const isEmpty = (value: unknown) => isObject(value) && Object.keys(value).length === 0

/**
 * Converts typed text to the field's type. Invalid numbers stay text, so that the reader sees the error of
 * the API.
 */
export function valueOf({ type }: Pick<Field, 'type'>, text: string): unknown {
  if (/number|integer/.test(type))
    return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (/array|object/.test(type)) return jsonOr(text)
  return text
}

/** Converts a value back to text. */
export const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

export function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * Returns the initial form: an example, changed by the element's attributes: `body` as JSON, `body-amount` or
 * `body-customer.phone` for a field, `param-account_id` for a parameter.
 */
export function draftOf(sheet: ShownSheet, element: Element): Draft {
  const named = sheet.examples.find(({ name }) => name === element.getAttribute('example'))
  const example = (named ?? sheet.examples[0])?.value
  const whole = jsonOr(element.getAttribute('body') ?? '{}')
  let body: unknown = sheet.body && { ...(isObject(example) && example), ...(isObject(whole) && whole) }
  const parameters = Object.fromEntries(
    sheet.parameters.flatMap(({ name, required, example: value }) =>
      required && value !== undefined ? [[name, textOf(value)]] : [],
    ),
  )
  for (const { name, value } of element.attributes) {
    const [, kind, key] = /^(body|param)-(.+)$/.exec(name) ?? []
    // Attribute names are lower-case.
    const field = (fields: readonly Field[] = []) => fields.find((each) => each.name.toLowerCase() === key)
    if (kind === 'param') parameters[field(sheet.parameters)?.name ?? key!] = value
    const found = kind === 'body' ? field(sheet.body) : undefined
    if (found) body = withValue(body, found.name, valueOf(found, value))
  }
  return { parameters, body }
}

export interface Target {
  readonly method: string
  readonly url: string
  /** JSON, if the request has a body. */
  readonly body: string | undefined
}

/** Returns the address and body that a draft is sent to. */
export function targetOf({ method, path, parameters }: ShownSheet, draft: Draft, server: string): Target {
  const query = new URLSearchParams()
  let filled = path
  for (const each of parameters) {
    const value = draft.parameters[each.name] ?? ''
    if (each.in === 'path') filled = filled.replace(`{${each.name}}`, encodeURIComponent(value))
    else if (value !== '') query.set(each.name, value)
  }
  const search = query.size > 0 ? `?${query}` : ''
  const body = draft.body === undefined ? undefined : JSON.stringify(draft.body, null, 2)
  return { method, url: server + filled + search, body }
}
