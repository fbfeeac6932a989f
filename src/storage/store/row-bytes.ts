/** Estimates how much memory values take: an upper bound for texts, a fair guess for the rest. */

/** A field of any value: a number, a reference or a slot. */
const SLOT = 8
/** Overhead of an object or list. */
const HEAD = 40
/** Shorter texts count by characters, which is faster than encoding them. */
const ENCODED_FROM = 256

/** Returns the bytes of a text, 0 for other values: imported rows are not always valid. */
export function textBytes(text: unknown): number {
  if (typeof text !== 'string') return 0
  return text.length < ENCODED_FROM ? text.length : Buffer.byteLength(text)
}

export function valueBytes(value: unknown): number {
  let bytes = 0
  const left = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next === 'string') bytes += SLOT + textBytes(next)
    else if (typeof next !== 'object' || next === null) bytes += SLOT
    else if (Array.isArray(next)) {
      bytes += HEAD
      for (const each of next) left.push(each)
    } else {
      bytes += HEAD
      for (const name in next) {
        bytes += textBytes(name)
        left.push((next as { [name: string]: unknown })[name])
      }
    }
  }
  return bytes
}

/** Overhead of a row for its place in the table and in each index. */
export const PLACE = 160

/** Returns the bytes of a row of a rarely written table, by all of its fields. */
export const whole = (row: object) => PLACE + valueBytes(row)

/**
 * How a field counts: by the size of its text or value, not at all because the row's constant covers its longest value, or by
 * a separate function.
 */
type Size<Value> = 'text' | 'value' | 'constant' | ((value: Value) => number)

/** The fields of a row with unlimited size. */
type Growing<Row> = {
  [Field in keyof Row]-?: IsGrowing<NonNullable<Row[Field]>> extends true ? Field : never
}[keyof Row]
type IsGrowing<Value> = string extends Value ? true : [Extract<Value, object>] extends [never] ? false : true

/** The size of each growing field: a new field does not compile until it is listed. */
type Sizes<Row> = { readonly [Field in Growing<Row>]: Size<Row[Field]> }

/** Returns the count of a row of a table that is written with every payment, without a look at fields of fixed size. */
export function counted<Row extends object>(constant: number, sizes: Sizes<Row>): (row: Row) => number {
  type Fields = { readonly [field: string]: unknown }
  const fieldsOf = (size: Size<never>) =>
    Object.keys(sizes).filter((field) => (sizes as Fields)[field] === size)
  const texts = fieldsOf('text')
  const values = fieldsOf('value')
  const others = Object.entries<unknown>(sizes).filter(([, size]) => typeof size === 'function') as [
    string,
    (value: unknown) => number,
  ][]
  return (row) => {
    let bytes = constant
    for (const field of texts) bytes += textBytes((row as Fields)[field])
    for (const field of values) {
      const value = (row as Fields)[field]
      if (value) bytes += valueBytes(value)
    }
    for (const [field, bytesOf] of others) bytes += bytesOf((row as Fields)[field])
    return bytes
  }
}

const REMEMBERED_DEPTH = 2
const remembered = new WeakMap<object, number>()

/** Returns the same as `valueBytes` for a value whose parts rarely change: rows are immutable, so sizes can be cached. */
export function changingBytes(value: unknown, depth = REMEMBERED_DEPTH): number {
  if (typeof value !== 'object' || value === null) return valueBytes(value)
  const known = remembered.get(value)
  if (known !== undefined) return known
  let bytes = HEAD
  if (depth === 0 || Array.isArray(value)) bytes = valueBytes(value)
  else
    for (const [name, part] of Object.entries(value))
      bytes += textBytes(name) + changingBytes(part, depth - 1)
  remembered.set(value, bytes)
  return bytes
}
