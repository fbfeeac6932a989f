/** How a receiver is protected in addition to signatures: Basic authentication, headers of a gateway, mutual TLS. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { urlOf } from '../../lib/text/is-url.ts'
import { redacted } from '../../lib/log/redact.ts'

/** Secrets that the sandbox sends to one origin only. Certificates and keys are PEM. */
export interface ReceiverProtection {
  readonly origin?: string | undefined
  /** Such as `shop:password`. */
  readonly credentials?: string | undefined
  /** Such as `X-Gateway-Key: 3f9c`. */
  readonly secret_headers?: readonly string[] | undefined
  readonly certificate?: string | undefined
  readonly private_key?: string | undefined
  /** The authorities of the receiver's certificate, instead of the public ones. */
  readonly authority?: string | undefined
}

export interface Tls {
  readonly cert?: string | undefined
  readonly key?: string | undefined
  readonly ca?: readonly string[] | undefined
}

/** Headers that a callback has itself, that describe its body or connection, or that prove its origin. */
const RESERVED =
  /^(host|connection|keep-alive|content-.*|transfer-encoding|te|trailer|upgrade|expect|proxy-.*|user-agent|cdn-loop|traceparent|tracestate|baggage|webhook-.*|svix-.*|cookie)$/i
const HEADER = /^([\w!#$%&'*+.^`|~-]{1,100}): ?([\x20-\x7e]{1,4096})$/
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Returns a valid protection. @throws {Error} With the field and the remedy, never with a secret. */
export function checkProtection(given: ReceiverProtection): ReceiverProtection {
  const { origin, credentials, secret_headers = [], certificate, private_key, authority } = given
  const parts = [credentials, ...secret_headers, certificate, private_key, authority]
  if (parts.every((each) => each === undefined)) return {}
  const url = origin === undefined ? undefined : urlOf(origin)
  if (url?.origin === undefined || !/^https?:$/.test(url.protocol))
    throw new Error('origin must be the origin of the receiver, such as https://shop.example')
  if (credentials !== undefined && !/^[^:\p{Cc}]+:[^\p{Cc}]+$/u.test(credentials))
    throw new Error(
      'credentials must be a name and a password without control characters, such as shop:password',
    )
  const names = secret_headers.map((each, n) => {
    const [, name] = HEADER.exec(each) ?? []
    if (name === undefined)
      throw new Error(
        `secret_headers[${n}] must be a name and a printable value, such as X-Gateway-Key: 3f9c`,
      )
    if (RESERVED.test(name))
      throw new Error(
        `secret_headers[${n}] has the name ${name}, which callbacks use themselves: choose another name`,
      )
    return name.toLowerCase()
  })
  if (credentials !== undefined && names.includes('authorization'))
    throw new Error('secret_headers has Authorization, which credentials set: keep one of them')
  if ((certificate === undefined) !== (private_key === undefined))
    throw new Error(
      `${certificate === undefined ? 'certificate' : 'private_key'} is missing: mutual TLS needs both`,
    )
  if (certificate !== undefined && url.protocol !== 'https:')
    throw new Error(`certificate needs an origin with https, got ${url.origin}`)
  const [first] = certificatesIn('certificate', certificate)
  certificatesIn('authority', authority)
  if (first && !first.checkPrivateKey(keyOf(private_key!)))
    throw new Error(
      'private_key does not belong to the certificate: send the key with which it was requested',
    )
  return { ...given, origin: url.origin }
}

function certificatesIn(field: string, pem: string | undefined): readonly X509Certificate[] {
  if (pem === undefined) return []
  const blocks = pem.match(PEM) ?? []
  try {
    if (blocks.length > 0) return blocks.map((each) => new X509Certificate(each))
  } catch {
    // The same message as without any block.
  }
  throw new Error(
    `${field} must be certificates in PEM, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----`,
  )
}

function keyOf(pem: string) {
  if (/ENCRYPTED/.test(pem)) throw new Error('private_key is encrypted: remove its passphrase')
  try {
    return createPrivateKey(pem)
  } catch {
    throw new Error('private_key must be a private key in PEM, from -----BEGIN PRIVATE KEY----- to its end')
  }
}

/** Returns the protection in words without secrets, such as `the header X-Gateway-Key`. */
export function protectionTexts(given: ReceiverProtection | undefined): readonly string[] {
  const { credentials, secret_headers = [], certificate, authority } = given ?? {}
  const [first] = certificatesIn('certificate', certificate)
  const subject = first?.subject.replaceAll('\n', ', ')
  return [
    ...(credentials === undefined ? [] : [`Basic authentication as ${credentials.split(':')[0]}`]),
    ...secret_headers.map((each) => `the header ${each.split(':')[0]}`),
    ...(first
      ? [
          `mutual TLS with the certificate ${subject}, valid until ${new Date(first.validTo).toISOString().slice(0, 10)}`,
        ]
      : []),
    ...(authority === undefined ? [] : ['an authority of its own']),
  ]
}

/** Returns the headers and the TLS options for a URL of the protected origin. `hidden` are the headers for records. */
export function protectionFor(given: ReceiverProtection | undefined, url: string) {
  if (given?.origin === undefined || urlOf(url)?.origin !== given.origin) return undefined
  const { credentials, secret_headers = [], certificate: cert, private_key: key, authority } = given
  const headers = Object.fromEntries([
    ...(credentials === undefined
      ? []
      : [['authorization', `Basic ${Buffer.from(credentials).toString('base64')}`]]),
    ...secret_headers.map((each) => HEADER.exec(each)!.slice(1) as [string, string]),
  ]) as Readonly<Record<string, string>>
  const hidden = Object.fromEntries(Object.keys(headers).map((name) => [name, redacted]))
  const ca = authority?.match(PEM) ?? undefined
  const tls: Tls | undefined = cert === undefined && ca === undefined ? undefined : { cert, key, ca }
  return { headers, hidden, tls }
}

/** Returns the texts of a protection that no record or report may contain, the longest first. */
export function protectionSecrets(given: ReceiverProtection | undefined): readonly string[] {
  const values = Object.values(protectionFor(given, given?.origin ?? '')?.headers ?? {})
  const bare = values.flatMap((each) => [each, each.replace(/^\w+ /, '')])
  const password = given?.credentials?.replace(/^[^:]+:/, '')
  const all = [...bare, password, given?.private_key].filter((each) => each !== undefined && each.length >= 4)
  return [...new Set(all as string[])].toSorted((a, b) => b.length - a.length)
}
