/** The fields of a request, as the build extracts them from the description of the API. */
export interface FormSchema {
  readonly kind: 'text' | 'number' | 'boolean' | 'object' | 'rows' | 'list'
  readonly help?: string
  readonly example?: string
  readonly required?: boolean
  readonly nullable?: boolean
  /** The least number, or the shortest text. */
  readonly min?: number
  /** The greatest number, or the longest text. */
  readonly max?: number
  readonly values?: readonly (string | number)[]
  /** Fields of an object, or of each row. */
  readonly fields?: { readonly [name: string]: FormSchema }
}

/**
 * Whether a field of an object takes part. One whose help names a choice, such as "The minimum of `uniform`", only does when that is
 * chosen.
 */
export function takesPart(
  fields: NonNullable<FormSchema['fields']>,
  name: string,
  typed: TypedObject,
): boolean {
  const [, choice] = /\bof `(\w+)`/.exec(fields[name]!.help ?? '') ?? []
  const chooser = Object.entries(fields).find(
    ([, { values }]) => choice !== undefined && values?.includes(choice),
  )
  return chooser === undefined || chooser[0] === name || typed[chooser[0]] === choice
}

export type Typed = string | boolean | undefined | readonly Typed[] | { readonly [name: string]: Typed }
export type TypedObject = { readonly [name: string]: Typed }

export const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const mapped = <From, To>(of: { readonly [name: string]: From }, to: (name: string, value: From) => To) =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [name, to(name, value)]))

/** Returns what the form shows for a value. */
export function typedOf(schema: FormSchema, value: unknown): Typed {
  const { kind, fields = {}, values, required } = schema
  const part = (value ?? {}) as Readonly<Record<string, unknown>>
  switch (kind) {
    case 'boolean':
      return value as boolean | undefined
    case 'object':
      return mapped(fields, (name, each) => typedOf(each, part[name]))
    case 'rows':
      return ((value ?? []) as readonly unknown[]).map((row) => typedOf({ kind: 'object', fields }, row))
    case 'list':
      return ((value ?? []) as readonly unknown[]).join('\n')
    default:
      return String(value ?? (required && values ? values[0] : ''))
  }
}

/**
 * Returns the value to send; undefined if it is omitted.
 * @param isChange - whether an empty text replaces the previous value
 */
export function valueOf(schema: FormSchema, typed: Typed, isChange = false): unknown {
  const { kind, fields = {}, required, nullable } = schema
  const none = nullable && (required || isChange) ? null : undefined
  switch (kind) {
    case 'boolean':
      return typed
    case 'object': {
      const parts = partsOf(fields, typed as TypedObject)
      return required || Object.keys(parts).length > 0 ? parts : none
    }
    case 'rows':
      return (typed as readonly TypedObject[]).map((row) => partsOf(fields, row))
    case 'list': {
      const lines = String(typed ?? '').split('\n')
      const items = lines.map((line) => line.trim()).filter(Boolean)
      return items.length > 0 || required ? items.map(numberIn) : none
    }
    case 'number':
      return String(typed ?? '').trim() === '' ? none : numberIn(String(typed))
    default:
      return typed === '' || typed === undefined ? (none ?? (isChange ? '' : undefined)) : typed
  }
}

/** Whether a value to send is within its schema's limits. */
export const fits = (
  { kind, fields, min = -Infinity, max = Infinity }: FormSchema,
  value: unknown,
): boolean => {
  if (value === undefined || value === null) return true
  if (kind === 'number') return typeof value === 'number' && value >= min && value <= max
  if (kind === 'text') return String(value).length >= min && String(value).length <= max
  return Object.entries(fields ?? {}).every(([name, each]) => fits(each, (value as TypedObject)[name]))
}

/** Invalid numbers are sent as typed, so that the sandbox reports the error. */
const numberIn = (text: string) => (Number.isNaN(Number(text)) ? text : Number(text))

const partsOf = (fields: NonNullable<FormSchema['fields']>, typed: TypedObject) =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => takesPart(fields, name, typed))
      .map(([name, schema]) => [name, valueOf(schema, typed[name])] as const)
      .filter(([, value]) => value !== undefined),
  )

/** Returns the body of a request. @param base - values that need not be sent unless they changed */
export const bodyOf = (schema: FormSchema, typed: TypedObject, base?: TypedObject): object =>
  Object.fromEntries(
    Object.entries(schema.fields!)
      .filter(([name]) => !base || !same(typed[name], base[name]))
      .map(([name, each]) => [name, valueOf(each, typed[name], base !== undefined)])
      .filter(([, value]) => value !== undefined),
  )

/** Keeps typed values when others change the rest. */
export const rebased = (base: TypedObject, typed: TypedObject, fresh: TypedObject): TypedObject =>
  mapped(fresh, (name, value) => (same(base[name], typed[name]) ? value : typed[name]))

/** Splits an error message by field; the key '' has the rest. */
export function faultsIn(message: string, names: readonly string[]): { readonly [field: string]: string } {
  const next = new RegExp(`;\\s+(?=(?:${names.join('|')})\\b)|\\n`)
  const faults: Record<string, string> = {}
  for (const part of message.split(next)) {
    const field = /^[a-z_]+/.exec(part)?.[0] ?? ''
    const place = names.includes(field) ? field : ''
    faults[place] = faults[place] ? `${faults[place]}; ${part}` : part
  }
  return faults
}

const titles: { readonly [name: string]: string } = {
  account_id: 'Team',
  url: 'Address',
  callback_url: 'Callback address',
  pin: 'PIN',
}

/** The label of a field, such as `Short code` of `short_code`. */
export const titleOf = (name: string): string =>
  titles[name] ?? name.charAt(0).toUpperCase() + name.slice(1).replace(/_/g, ' ')

/** Describes what an omitted field means, from its description. */
export function defaultIn(help = ''): string {
  const [, after, before] = /by default,? ([^.;]+)|[;,] ([^.;,]+) by default/i.exec(help) ?? []
  const words = (after ?? before)?.replace(/`/g, '').trim()
  if (!words) return 'not set'
  return words.startsWith('by ') ? words : `by default ${words}`
}
