/** Which profiles a world signs with, and how each is set. */
import type { CustomSettings } from './profiles/custom.ts'
import type { HmacSha512Settings } from './profiles/hmac-sha512.ts'
import type { Rfc9421Settings } from './profiles/rfc9421.ts'
import type { TokenSettings } from './profiles/token.ts'

export type Scheme =
  | { readonly profile: 'standard' }
  | { readonly profile: 'stripe' }
  | { readonly profile: 'github' }
  | ({ readonly profile: 'hmac-sha512' } & HmacSha512Settings)
  | ({ readonly profile: 'rfc9421' } & Rfc9421Settings)
  | ({ readonly profile: 'token' } & TokenSettings)
  | { readonly profile: 'none' }
  | ({ readonly profile: 'custom' } & CustomSettings)

export type ProfileName = Scheme['profile']

/** Every profile that needs no settings of the user, as it is by default. */
export const NAMED_SCHEMES: Readonly<Record<Exclude<ProfileName, 'custom'>, Scheme>> = {
  standard: { profile: 'standard' },
  stripe: { profile: 'stripe' },
  github: { profile: 'github' },
  'hmac-sha512': { profile: 'hmac-sha512', header: 'X-Signature' },
  rfc9421: { profile: 'rfc9421', form: 'raw' },
  token: { profile: 'token', header: 'verif-hash' },
  none: { profile: 'none' },
}

/** The headers a scheme writes, the one that holds the signature first. */
export function schemeHeaders(scheme: Scheme): string[] {
  switch (scheme.profile) {
    case 'standard':
      return ['webhook-signature', 'webhook-id', 'webhook-timestamp']
    case 'stripe':
      return ['Stripe-Signature']
    case 'github':
      return ['X-Hub-Signature-256']
    case 'rfc9421':
      return ['Signature', 'Signature-Input', 'Signature-Date', 'Content-Digest']
    case 'hmac-sha512':
    case 'token':
      return [scheme.header]
    case 'custom':
      return [scheme.header, ...Object.keys(scheme.headers ?? {})]
    case 'none':
      return []
  }
}

/**
 * Reads a list such as `standard,stripe`; `rfc9421:der` and `token:x-my-header`, `hmac-sha512:x-paystack-signature`
 * set the one thing those can be given.
 * @throws Error that names the part refused
 */
export function parseSchemes(text: string): Scheme[] {
  const schemes = text.split(',').map((part) => parseScheme(part.trim()))
  checkSchemes(schemes)
  return schemes
}

function parseScheme(part: string): Scheme {
  const colon = part.indexOf(':')
  const name = colon === -1 ? part : part.slice(0, colon)
  const setting = colon === -1 ? undefined : part.slice(colon + 1)
  const scheme = Object.hasOwn(NAMED_SCHEMES, name)
    ? NAMED_SCHEMES[name as keyof typeof NAMED_SCHEMES]
    : undefined
  if (scheme === undefined) {
    throw new Error(`signature profile "${name}" is not known: use ${Object.keys(NAMED_SCHEMES).join(', ')}`)
  }
  if (setting === undefined) return scheme
  if (scheme.profile === 'rfc9421' && (setting === 'raw' || setting === 'der')) {
    return { profile: 'rfc9421', form: setting }
  }
  if (scheme.profile === 'token' || scheme.profile === 'hmac-sha512') return { ...scheme, header: setting }
  throw new Error(`signature profile "${part}": ${name} cannot be set to "${setting}"`)
}

const PLACEHOLDERS = {
  template: ['id', 'timestamp', 'body', 'method', 'url'],
  format: ['signature', 'id', 'timestamp'],
  headers: ['id', 'timestamp'],
}

/** What the request itself says, which a signature must not say otherwise. */
const OWN_HEADERS = new Set([
  'host',
  'content-type',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'cdn-loop',
  'expect',
  'te',
  'trailer',
])

/**
 * @throws Error when two schemes write the same header, a header's name cannot be one, or a template of `custom`
 * names something it is not given
 */
export function checkSchemes(schemes: readonly Scheme[]): void {
  const taken = new Map<string, string>()
  for (const scheme of schemes) {
    for (const header of schemeHeaders(scheme)) {
      if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(header))
        throw new Error(`"${header}" cannot be the name of a header`)
      if (OWN_HEADERS.has(header.toLowerCase()))
        throw new Error(`the header ${header} belongs to the request itself: give ${scheme.profile} another`)
      const other = taken.get(header.toLowerCase())
      if (other !== undefined) {
        throw new Error(
          `${other} and ${scheme.profile} both write the header ${header}: give one of them another`,
        )
      }
      taken.set(header.toLowerCase(), scheme.profile)
    }
    if (scheme.profile === 'custom') checkCustom(scheme)
  }
}

function checkCustom(settings: CustomSettings): void {
  checkPlaceholders('template', settings.template)
  checkPlaceholders('format', settings.format ?? '{signature}')
  for (const value of Object.values(settings.headers ?? {})) checkPlaceholders('headers', value)
  if (!settings.template.includes('{body}'))
    throw new Error('template has no {body}: nothing would protect the body')
  if (settings.format !== undefined && !settings.format.includes('{signature}')) {
    throw new Error('format has no {signature}: the header would not hold it')
  }
}

function checkPlaceholders(field: keyof typeof PLACEHOLDERS, text: string): void {
  // The template is bytes to be signed; the others are sent as headers.
  if (field !== 'template' && !/^[\t\x20-\x7e]*$/.test(text))
    throw new Error(`${field} has characters that a header cannot hold`)
  for (const [whole, name] of text.matchAll(/\{(\w+)\}/g)) {
    if (!PLACEHOLDERS[field].includes(name ?? '')) {
      const possible = PLACEHOLDERS[field].map((each) => `{${each}}`).join(' ')
      throw new Error(`${field} has ${whole}: it can hold ${possible}`)
    }
  }
}
