/** Signs one attempt of a callback; pure but for the number ECDSA draws. */
import type { SigningKeys } from './keys.ts'
import { custom } from './profiles/custom.ts'
import { github } from './profiles/github.ts'
import { hmacSha512 } from './profiles/hmac-sha512.ts'
import { none } from './profiles/none.ts'
import type { CallbackRequest, SignatureHeaders } from './profiles/request.ts'
import { rfc9421 } from './profiles/rfc9421.ts'
import { standard } from './profiles/standard.ts'
import { stripe } from './profiles/stripe.ts'
import { token } from './profiles/token.ts'
import type { Scheme } from './schemes.ts'

/**
 * The headers of one or several schemes together.
 * @param schemes checked by `checkSchemes`: no two write the same header
 * @param keys from `signingKeys`, made once for a world
 */
export function sign(
  request: CallbackRequest,
  schemes: readonly Scheme[],
  keys: SigningKeys,
): SignatureHeaders {
  return Object.assign({}, ...schemes.map((scheme) => signWith(request, scheme, keys)))
}

function signWith(request: CallbackRequest, scheme: Scheme, keys: SigningKeys): SignatureHeaders {
  switch (scheme.profile) {
    case 'standard':
      return standard(request, keys)
    case 'stripe':
      return stripe(request, keys)
    case 'github':
      return github(request, keys)
    case 'hmac-sha512':
      return hmacSha512(request, keys, scheme)
    case 'rfc9421':
      return rfc9421(request, keys, scheme)
    case 'token':
      return token(request, keys, scheme)
    case 'custom':
      return custom(request, keys, scheme)
    case 'none':
      return none()
  }
}
