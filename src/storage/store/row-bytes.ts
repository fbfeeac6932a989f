/**
 * How much memory values take, estimated: an upper bound for texts, a fair guess for the rest. Nothing is written to
 * find it out.
 */

/** A field, whatever its value: a number, a reference, or the slot that holds it. */
const SLOT = 8
/** What an object or a list has beside its fields. */
const HEAD = 40
/** Below this a text is counted by its characters: to look at each would cost more than it tells. */
const LOOKED_AT = 256

/** Bytes of a text; of anything else none, since what was imported is not always what it should be. */
export function textBytes(text: unknown): number {
  if (typeof text !== 'string') return 0
  return text.length < LOOKED_AT ? text.length : Buffer.byteLength(text)
}

/** Bytes of a value as JSON has them, however deep it goes. */
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

/** A row's place in its table and under each look-up. */
export const PLACE = 160

/** Returns the bytes of a row of a table that is seldom written, by everything that the row holds. */
export const whole = (row: object) => PLACE + valueBytes(row)

/**
 * How a field counts: its texts and values by their size, or not at all because the row's constant has room for the longest value. A function
 * returns the bytes of a field that has a form of its own.
 */
type Size<Value> = 'text' | 'value' | 'constant' | ((value: Value) => number)

/** The fields of a row whose type sets no limit to their size. */
type Growing<Row> = {
  [Field in keyof Row]-?: IsGrowing<NonNullable<Row[Field]>> extends true ? Field : never
}[keyof Row]
type IsGrowing<Value> = string extends Value ? true : [Extract<Value, object>] extends [never] ? false : true

/** How each growing field of a row counts: a field that is added to a row does not compile until it is named here. */
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

/** How deep the parts of a value are remembered: those of a world's scenarios are its files. */
const REMEMBERED_DEPTH = 2
const remembered = new WeakMap<object, number>()

/**
 * The same for a value that is written again and again with most of its parts as they were: rows are never changed in
 * place, so what a part took it takes still.
 */
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
