/** A static word in a header, as Flutterwave's `verif-hash`: it proves who sends, not what. */
import type { SigningKeys } from '../keys.ts'
import type { CallbackRequest, SignatureHeaders } from './request.ts'

export interface TokenSettings {
  readonly header: string
}

/** The token is the newest secret, as is. */
export function token(
  _request: CallbackRequest,
  keys: SigningKeys,
  { header }: TokenSettings,
): SignatureHeaders {
  return { [header]: keys.newest }
}
