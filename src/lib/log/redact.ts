/** The one rule for secrets in the log, the request log, events and explanations. */
export const redacted = '[redacted]'

const secretName =
  /authorization|cookie|passw(?:or)?d|passphrase|secret|token|credential|(?:api|private)[-_]?key|card[-_]?num|card[-_]?no$|security[-_]?code|(?:^|[-_])(?:pin|cvv2?|cvc2?|csc|otp|pan)(?:[-_]?(?:code|number|block))?$/i
const secretCamel = /[a-z](?:Pin|Cvv2?|Cvc2?|Csc|Otp|Pan)(?:Code|Number|Block)?$/

/** A cache: the same few names occur again and again. */
const known = new Map<string, boolean>()
const MOST_KNOWN = 1_000
/** Of longer names, only the beginning and the end are checked. */
const LONGEST_NAME = 200

/** Returns whether a field, header or parameter of this name is a secret. */
export function isSecretName(name: string): boolean {
  const found = known.get(name)
  if (found !== undefined) return found
  if (name.length > LONGEST_NAME)
    return isSecret(name.slice(0, LONGEST_NAME)) || isSecret(name.slice(-LONGEST_NAME))
  if (known.size >= MOST_KNOWN) known.clear()
  const secret = isSecret(name)
  known.set(name, secret)
  return secret
}

/** Returns whether messages must hide the value at a path; nothing of a card is shown. */
export const isSecretPath = (path: readonly PropertyKey[]): boolean =>
  path.some((key) => key === 'card' || (typeof key === 'string' && isSecretName(key)))

const isSecret = (name: string) => secretName.test(name) || secretCamel.test(name)

/** A replacer for `JSON.stringify` that hides secrets, and makes errors and bigints serializable. */
export function redact(name: string, value: unknown): unknown {
  if (isSecretName(name)) return redacted
  if (typeof value === 'string') return redactText(value)
  if (value instanceof Error) {
    const { message, stack, cause } = value
    return { message, stack, ...(cause === undefined ? {} : { cause }) }
  }
  return typeof value === 'bigint' ? String(value) : value
}

/** Hides the secret in a header's value, except the scheme of credentials. */
export const hideCredentials = (value: string): string =>
  /^(basic|bearer) /i.test(value) ? `${value.split(' ')[0]} ${redacted}` : redacted

const parameter = /([?&])([^=&?#\s"']{1,200})=([^&#\s"']+)/g

/** Hides signing secrets (`whsec_…`), Basic and Bearer credentials, URL credentials and secret query parameters. */
export function redactText(text: string): string {
  let clean = text
  if (clean.includes('whsec_')) clean = clean.replace(/whsec_[\w+/=-]*/g, `whsec_${redacted}`)
  if (clean.includes('asic ') || clean.includes('earer ')) {
    clean = clean.replace(/\b(basic|bearer) +[\w+/=.~-]{4,}/gi, `$1 ${redacted}`)
  }
  if (clean.includes('@')) clean = clean.replace(/(:\/\/)[^/?#\s"']*@/g, `$1${redacted}@`)
  if (clean.includes('?')) clean = clean.replace(parameter, hideParameter)
  return clean
}

function hideParameter(whole: string, mark: string, name: string): string {
  return isSecretName(plain(name)) ? `${mark}${name}=${redacted}` : whole
}

function plain(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** A field of JSON, even if truncated, or of a form. */
const field =
  /"([\w.-]{1,200})"(\s{0,8}:\s{0,8})("(?:[^"\\]|\\[^])*(?:"|\\?$)|[\w.+-]+)|(^|[&\s])([\w.%-]{1,200})=([^&\s"']+)/g

/** Like `redactText`, for text that is not valid JSON, such as truncated bodies and forms. */
export function redactLoose(text: string): string {
  return redactText(text).replace(
    field,
    (whole, name?: string, colon?: string, _value?: string, mark?: string, parameterName?: string) => {
      if (name !== undefined) return isSecretName(name) ? `"${name}"${colon}"${redacted}"` : whole
      return isSecretName(plain(parameterName!)) ? `${mark}${parameterName}=${redacted}` : whole
    },
  )
}

/** URLs that authorise their holder to accept an invitation, post to an inbox or pay. */
const capability =
  /(\/invites\/)[\w.%-]+|(\/sandbox\/inbox\/[\w.%-]{1,200}\?key=)[^&#\s"'<]+|(\/checkout\/)[^\s"'<]+/g

/** Like `redact`, and also hides URLs that authorise their holder, for readers without write access. */
export function redactForReaders(name: string, value: unknown): unknown {
  // Other types stay, so that the response keeps its shape.
  return typeof value === 'string' ? hideAddresses(redact(name, value) as string) : value
}

export const hideAddresses = (text: string) =>
  text.replace(
    capability,
    (_, invite?: string, inbox?: string, pay?: string) => `${invite ?? inbox ?? pay}redacted`,
  )
