/** The table of signature profiles, signing with them, and `SANDBOX_SIGNATURES`, which selects them. */
import * as z from 'zod'
import { lazy } from '../../../lib/lazy.ts'
import { fieldPath } from '../../../lib/text/field-path.ts'
import { parsedJson } from '../../../lib/text/parsed-json.ts'
import { issuesText, reporting } from '../../../lib/text/validation-messages.ts'
import { bodyBytes, type CallbackRequest, type SignatureHeaders, type SignatureProfile } from '../profile.ts'
import type { SigningKeys } from '../secrets.ts'
import { custom } from './custom.ts'
import { github } from './github.ts'
import { hmacSha512 } from './hmac-sha512.ts'
import { rfc9421 } from './rfc9421.ts'
import { standard } from './standard.ts'
import { stripe } from './stripe.ts'
import { token } from './token.ts'

/** The specification documents no signature. */
const none: SignatureProfile<{ readonly profile: 'none' }> = {
  name: 'none',
  about: { headers: '–', signed: '–', key: '–', form: '–' },
  defaults: { profile: 'none' },
  headers: () => [],
  sign: () => ({}),
  check: () => null,
}

const table = [standard, stripe, github, hmacSha512, rfc9421, token, custom, none] as const

type SettingsOf<Profile> = Profile extends SignatureProfile<infer Settings> ? Settings : never

/** A signature that a world writes: the name of a profile and its settings. */
export type SignatureSettings = SettingsOf<(typeof table)[number]>

export type ProfileName = SignatureSettings['profile']

/** In the order of the documentation. */
export const profiles: readonly SignatureProfile<SignatureSettings>[] = table

const byName = new Map<string, SignatureProfile<SignatureSettings>>(profiles.map((each) => [each.name, each]))

export function profileNamed(name: string): SignatureProfile<SignatureSettings> | undefined {
  return byName.get(name)
}

/** Returns the headers that a signature writes, beginning with the one that contains it. */
export const headersOf = (settings: SignatureSettings): readonly string[] =>
  byName.get(settings.profile)!.headers(settings)

/** The input of a signature or of a signature fault. */
export interface SigningRequest {
  readonly request: CallbackRequest
  /** No two write the same header. */
  readonly signatures: readonly SignatureSettings[]
  readonly keys: SigningKeys
}

export interface SignedCallback {
  /** The signature headers. The sender adds `content-type` and `content-length`. */
  readonly headers: SignatureHeaders
  /** The whole body, which determines `content-length`. */
  readonly body: Buffer
  /** Number of bytes to write before the connection is cut, or null for all. */
  readonly cutAt: number | null
}

/** Signs a callback. The result is deterministic except for the random number of ECDSA. */
export const signed = ({ request, signatures, keys }: SigningRequest): SignedCallback => ({
  headers: Object.assign(
    {},
    ...signatures.map((settings) => byName.get(settings.profile)!.sign(request, keys, settings)),
  ),
  body: bodyBytes(request.body),
  cutAt: null,
})

const known = new Map<string, readonly SignatureSettings[]>()
/** A world whose settings change all the time must not fill the memory. */
const MOST_KNOWN = 100

/**
 * Parses a list such as `standard,stripe`, with a value for some profiles such as `rfc9421:der` or `token:x-my-header`, or a JSON
 * list of such texts and objects that describe a `custom` signature.
 * @throws Error
 */
export function readSignatures(text: string): readonly SignatureSettings[] {
  const read = known.get(text)
  if (read) return read
  const signatures = readText(text)
  checkSettings(signatures)
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(text, signatures)
  return signatures
}

const readText = (text: string) => (text.trimStart().startsWith('[') ? readJson(text) : readNames(text))

const readNames = (text: string) => text.split(',').map((part) => readName(part.trim()))

function readName(part: string): SignatureSettings {
  const colon = part.indexOf(':')
  const name = colon === -1 ? part : part.slice(0, colon)
  const profile = profileNamed(name)
  if (!profile?.defaults) {
    const possible = profiles.filter(({ defaults }) => defaults !== null).map((each) => each.name)
    throw new Error(`signature profile "${name}" is not known: use ${possible.join(', ')}`)
  }
  if (colon === -1) return profile.defaults
  const value = part.slice(colon + 1)
  const settings = profile.set?.(value)
  if (!settings) throw new Error(`signature profile "${part}": ${name} cannot be set to "${value}"`)
  return settings
}

const described = profiles.flatMap((profile) => profile.described ?? [])

const List = lazy(() => z.array(z.union([z.string(), ...described.map(({ schema }) => schema())])).min(1))

function readJson(text: string): SignatureSettings[] {
  const list = List().safeParse(parsedJson(text), reporting)
  if (list.success) return list.data.flatMap((each) => (typeof each === 'string' ? readText(each) : [each]))
  const examples = described.map(({ example }) => example).join(' or ')
  const issues = issuesText(list.error, { name: (path) => fieldPath(path) || 'it' })
  throw new Error(`a list must be JSON whose entries are profiles' names or ${examples}; ${issues}`)
}

/** Headers of the request itself, which a signature must not overwrite. */
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

/** @throws Error if two signatures write the same header, a header name is invalid, or a profile rejects its settings */
export function checkSettings(signatures: readonly SignatureSettings[]): void {
  const taken = new Map<string, string>()
  for (const settings of signatures) {
    const { profile } = settings
    for (const header of headersOf(settings)) {
      if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(header))
        throw new Error(`"${header}" cannot be the name of a header`)
      if (OWN_HEADERS.has(header.toLowerCase()))
        throw new Error(`the header ${header} belongs to the request itself: give ${profile} another`)
      const other = taken.get(header.toLowerCase())
      if (other !== undefined)
        throw new Error(`${other} and ${profile} both write the header ${header}: give one of them another`)
      taken.set(header.toLowerCase(), profile)
    }
    byName.get(profile)!.requireSound?.(settings)
  }
}
