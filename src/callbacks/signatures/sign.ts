import type { SigningKeys } from './keys.ts'
import type { CallbackRequest, SignatureHeaders } from './profile.ts'
import { profileNamed, type SignatureSettings } from './profiles/profiles.ts'

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
