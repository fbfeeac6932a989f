/** Standard Webhooks 1.0.0, the default. */
import { createHmac } from 'node:crypto'
import type { SigningKeys } from '../keys.ts'
import { secretBytes } from '../secrets.ts'
import { dotted, type CallbackRequest, type SignatureHeaders } from './request.ts'

/** While a rotation overlaps there is one signature for each secret, newest first: a verifier takes any that fits. */
export function standard(request: CallbackRequest, keys: SigningKeys): SignatureHeaders {
  const signed = dotted([request.id, request.timestampSeconds], request.body)
  return {
    'webhook-id': request.id,
    'webhook-timestamp': String(request.timestampSeconds),
    'webhook-signature': keys.secrets
      .map((secret) => `v1,${createHmac('sha256', secretBytes(secret)).update(signed).digest('base64')}`)
      .join(' '),
  }
}
