/** Stripe's form, with the whole secret as the key. */
import { createHmac } from 'node:crypto'
import { type CheckInput, headerOf } from '../doctor/diagnosis.ts'
import { bodyOnly, checkHmac, type Claim, missingOf, splitMark } from '../doctor/hmac.ts'
import { dotted, type SignatureProfile } from '../profile.ts'

const HEADER = 'Stripe-Signature'

export const stripe: SignatureProfile<{ readonly profile: 'stripe' }> = {
  name: 'stripe',
  about: {
    headers: '`Stripe-Signature`',
    signed: '`{timestamp}.{body}`',
    key: 'the whole secret as text',
    form: '`t=…,v1=` and hex of HMAC-SHA256',
  },
  defaults: { profile: 'stripe' },
  headers: () => [HEADER],
  /** During a rotation there is one `v1=` per secret, newest first. Verifiers accept any of them. */
  sign(request, keys) {
    const signed = dotted([request.timestampSeconds], request.body)
    const signatures = keys.secrets.map(
      (secret) => `v1=${createHmac('sha256', secret).update(signed).digest('hex')}`,
    )
    return { [HEADER]: [`t=${request.timestampSeconds}`, ...signatures].join(',') }
  },
  check: (input) => checkHmac(claimOf(input), input),
}

function claimOf(input: CheckInput): Claim | null {
  const received = headerOf(input, HEADER)
  if (received === null) return null
  const timestamp = /(?:^|,)\s*t=([^,]*)/.exec(received)?.[1] ?? null
  return {
    ...bodyOnly('stripe', HEADER, received, 'sha256'),
    mark: 'v1=',
    signatures: received
      .replace(/(?:^|,)\s*t=[^,]*/, '')
      .replaceAll('v1,', 'v1:')
      .split(',')
      .filter((part) => part !== '' && !part.startsWith('v0='))
      .map(splitMark(/^v1[:=]/)),
    timestamp,
    timeChecks: 'past',
    missing: missingOf({ 'Stripe-Signature (its part t=)': timestamp }),
    content: (time, body) => dotted([time], body),
    value: (text, time) => `t=${time},v1=${text}`,
  }
}
