/**
 * The beginning of a text, as a text of its own: a slice is a view that keeps all of what it was cut from in memory.
 * A pair of surrogates that the cut parts becomes U+FFFD.
 */
export const beginningOf = (text: string, length: number): string =>
  text.length <= length ? text : Buffer.from(text.slice(0, length)).toString()
