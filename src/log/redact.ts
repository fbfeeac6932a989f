const redacted = '[redacted]'

/** Field names whose values are never logged, at any depth. */
const secretName = /authorization|cookie|password|secret|token|api[-_]?key/i

/**
 * The replacer for `JSON.stringify` that keeps secrets out: values under a telling name, and what has the form
 * of a secret inside other text. It also makes errors and bigints, which JSON has no form for, readable.
 */
export function redact(name: string, value: unknown): unknown {
  if (secretName.test(name)) return redacted
  if (typeof value === 'string') return redactText(value)
  if (value instanceof Error) {
    const { message, stack, cause } = value
    return { message, stack, ...(cause === undefined ? {} : { cause }) }
  }
  return typeof value === 'bigint' ? String(value) : value
}

const secretParameter = /([?&][\w.-]{0,40}(?:password|secret|token|api[-_]?key)[\w.-]{0,40}=)[^&#\s"']*/gi

/**
 * `text` without signing secrets (`whsec_…`), Basic and Bearer credentials, the user and password of an
 * address and the values of its telling query parameters.
 */
export function redactText(text: string): string {
  let clean = text
  if (clean.includes('whsec_')) clean = clean.replace(/whsec_[\w+/=-]*/g, `whsec_${redacted}`)
  if (clean.includes('asic ') || clean.includes('earer ')) {
    clean = clean.replace(/\b(basic|bearer) +[\w+/=.~-]{4,}/gi, `$1 ${redacted}`)
  }
  if (clean.includes('@')) clean = clean.replace(/(:\/\/)[^/?#\s"']*@/g, `$1${redacted}@`)
  if (clean.includes('?')) clean = clean.replace(secretParameter, `$1${redacted}`)
  return clean
}
