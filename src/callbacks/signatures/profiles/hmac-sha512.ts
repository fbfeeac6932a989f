/** Paystack's form: the hex of an HMAC-SHA512 over the raw body. */
import { createHmac } from 'node:crypto'
import { headerOf } from '../doctor/diagnosis.ts'
import { bodyOnly, checkHmac } from '../doctor/hmac.ts'
import type { SignatureProfile } from '../profile.ts'

export const hmacSha512: SignatureProfile<{ readonly profile: 'hmac-sha512'; readonly header: string }> = {
  name: 'hmac-sha512',
  about: {
    headers: '`X-Signature`, or `hmac-sha512:x-paystack-signature`',
    signed: '`{body}`',
    key: 'the whole secret as text',
    form: 'hex of HMAC-SHA512',
  },
  defaults: { profile: 'hmac-sha512', header: 'X-Signature' },
  alsoUsual: [{ profile: 'hmac-sha512', header: 'x-paystack-signature' }],
  set: (header) => ({ profile: 'hmac-sha512', header }),
  headers: ({ header }) => [header],
  /** The header contains one signature, that of the newest secret. */
  sign: (request, keys, { header }) => ({
    [header]: createHmac('sha512', keys.newest).update(request.body).digest('hex'),
  }),
  check(input, { header }) {
    const received = headerOf(input, header)
    return received === null ? null : checkHmac(bodyOnly('hmac-sha512', header, received, 'sha512'), input)
  },
}
