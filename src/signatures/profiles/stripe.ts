/** Stripe's form: the whole secret as UTF-8 is the key. */
import { createHmac } from 'node:crypto'
import type { SigningKeys } from '../keys.ts'
import { dotted, type CallbackRequest, type SignatureHeaders } from './request.ts'

/** While a rotation overlaps there is one `v1=` for each secret, newest first: a verifier takes any that fits. */
export function stripe(request: CallbackRequest, keys: SigningKeys): SignatureHeaders {
  const signed = dotted([request.timestampSeconds], request.body)
  const signatures = keys.secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(signed).digest('hex')}`,
  )
  return { 'Stripe-Signature': [`t=${request.timestampSeconds}`, ...signatures].join(',') }
}
