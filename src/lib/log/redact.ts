/** What is never shown: one rule for the log, the record of requests and its copies, events and explanations. */
export const redacted = '[redacted]'

const secretName =
  /authorization|cookie|passw(?:or)?d|passphrase|secret|token|credential|(?:api|private)[-_]?key|card[-_]?num|card[-_]?no$|security[-_]?code|(?:^|[-_])(?:pin|cvv2?|cvc2?|csc|otp|pan)(?:[-_]?(?:code|number|block))?$/i
const secretCamel = /[a-z](?:Pin|Cvv2?|Cvc2?|Csc|Otp|Pan)(?:Code|Number|Block)?$/

/** What was found of a name: lines and bodies bring the same few again and again. */
const known = new Map<string, boolean>()
const MOST_KNOWN = 1_000
/** A longer name is looked at in its beginning and its end. */
const LONGEST_NAME = 200

/** Whether what stands under this name, of a field, a header or a parameter, is a secret. */
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

/** Whether messages keep the value at a path to themselves; of a card nothing is told back, not even in part. */
export const isSecretPath = (path: readonly PropertyKey[]): boolean =>
  path.some((key) => key === 'card' || (typeof key === 'string' && isSecretName(key)))

const isSecret = (name: string) => secretName.test(name) || secretCamel.test(name)

/**
 * The replacer for `JSON.stringify` that keeps secrets out: values under a telling name, and what has the form
 * of a secret inside other text. It also makes errors and bigints, which JSON has no form for, readable.
 */
export function redact(name: string, value: unknown): unknown {
  if (isSecretName(name)) return redacted
  if (typeof value === 'string') return redactText(value)
  if (value instanceof Error) {
    const { message, stack, cause } = value
    return { message, stack, ...(cause === undefined ? {} : { cause }) }
  }
  return typeof value === 'bigint' ? String(value) : value
}

/** Returns the value of a secret header without the secret; the scheme of credentials stays, so that one sees there were some. */
export const hideCredentials = (value: string): string =>
  /^(basic|bearer) /i.test(value) ? `${value.split(' ')[0]} ${redacted}` : redacted

const parameter = /([?&])([^=&?#\s"']{1,200})=([^&#\s"']+)/g

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

/** A field of JSON, also one whose value is broken off, or one of a form. */
const field =
  /"([\w.-]{1,200})"(\s{0,8}:\s{0,8})("(?:[^"\\]|\\[^])*(?:"|\\?$)|[\w.+-]+)|(^|[&\s])([\w.%-]{1,200})=([^&\s"']+)/g

/** The same for what is no JSON, such as a body that was broken off or a form: fields are told by their look. */
export function redactLoose(text: string): string {
  return redactText(text).replace(
    field,
    (whole, name?: string, colon?: string, _value?: string, mark?: string, parameterName?: string) => {
      if (name !== undefined) return isSecretName(name) ? `"${name}"${colon}"${redacted}"` : whole
      return isSecretName(plain(parameterName!)) ? `${mark}${parameterName}=${redacted}` : whole
    },
  )
}

/** Addresses whose holder may do something: answer an invitation, post to an inbox, pay. */
const capability =
  /(\/invites\/)[\w.%-]+|(\/sandbox\/inbox\/[\w.%-]{1,200}\?key=)[^&#\s"'<]+|(\/checkout\/)[^\s"'<]+/g

/** The same as `redact` for who may only read, and so must not be shown what one can do more with. */
export function redactForReaders(name: string, value: unknown): unknown {
  // What is no text stays as it is: an answer keeps its form.
  return typeof value === 'string' ? hideAddresses(redact(name, value) as string) : value
}

/** `text` without what makes an address one that its holder may do something with. */
export const hideAddresses = (text: string) =>
  text.replace(
    capability,
    (_, invite?: string, inbox?: string, pay?: string) => `${invite ?? inbox ?? pay}redacted`,
  )
