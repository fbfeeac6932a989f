/** Every way to sign a callback. What lists profiles lists these. */
import type { SigningKeys } from '../keys.ts'
import type { CallbackRequest, SignatureHeaders, SignatureProfile } from '../profile.ts'
import { custom } from './custom.ts'
import { github } from './github.ts'
import { hmacSha512 } from './hmac-sha512.ts'
import { none } from './none.ts'
import { rfc9421 } from './rfc9421.ts'
import { standard } from './standard.ts'
import { stripe } from './stripe.ts'
import { token } from './token.ts'

const table = [standard, stripe, github, hmacSha512, rfc9421, token, custom, none] as const

type SettingsOf<Profile> = Profile extends SignatureProfile<infer Settings> ? Settings : never

/** One signature that a world writes: the name of a profile, and what it is set to. */
export type SignatureSettings = SettingsOf<(typeof table)[number]>

export type ProfileName = SignatureSettings['profile']

/** In the order in which they are told of. */
export const profiles: readonly SignatureProfile<SignatureSettings>[] = table

const byName = new Map<string, SignatureProfile<SignatureSettings>>(profiles.map((each) => [each.name, each]))

export function profileNamed(name: string): SignatureProfile<SignatureSettings> | undefined {
  return byName.get(name)
}

/** The headers that a signature is written to, the one that holds it first. */
export const headersOf = (settings: SignatureSettings): readonly string[] =>
  byName.get(settings.profile)!.headers(settings)

/**
 * The headers of all signatures of one attempt together. Pure, but for the number that ECDSA draws.
 * @param signatures as `readSignatures` gives them: no two write the same header
 * @param keys from `signingKeys`, made once for a world
 */
export function sign(
  request: CallbackRequest,
  signatures: readonly SignatureSettings[],
  keys: SigningKeys,
): SignatureHeaders {
  return Object.assign(
    {},
    ...signatures.map((settings) => profileNamed(settings.profile)!.sign(request, keys, settings)),
  )
}
