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
