/** Paystack's form: the hex of an HMAC-SHA512 over the raw body. */
import { createHmac } from 'node:crypto'
import type { SigningKeys } from '../keys.ts'
import type { CallbackRequest, SignatureHeaders } from './request.ts'

export interface HmacSha512Settings {
  readonly header: string
}

/** The header has room for one signature: the newest secret's. */
export function hmacSha512(
  request: CallbackRequest,
  keys: SigningKeys,
  { header }: HmacSha512Settings,
): SignatureHeaders {
  return { [header]: createHmac('sha512', keys.newest).update(request.body).digest('hex') }
}
