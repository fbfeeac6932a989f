/** Standard Webhooks 1.0.0, the default. */
import { createHmac } from 'node:crypto'
import { type CheckInput, headerOf } from '../doctor/diagnosis.ts'
import { checkHmac, type Claim, missingOf, splitMark } from '../doctor/hmac.ts'
import { dotted, type SignatureProfile } from '../profile.ts'
import { secretBytes } from '../secrets.ts'

export const standard: SignatureProfile<{ readonly profile: 'standard' }> = {
  name: 'standard',
  about: {
    headers: '`webhook-id`, `webhook-timestamp`, `webhook-signature`',
    signed: '`{id}.{timestamp}.{body}`',
    key: 'the bytes behind `whsec_`, base64-decoded',
    form: '`v1,` and base64 of HMAC-SHA256',
  },
  defaults: { profile: 'standard' },
  headers: () => ['webhook-signature', 'webhook-id', 'webhook-timestamp'],
  /** During a rotation there is one signature per secret, newest first. Verifiers accept any of them. */
  sign(request, keys) {
    const signed = dotted([request.id, request.timestampSeconds], request.body)
    return {
      'webhook-id': request.id,
      'webhook-timestamp': String(request.timestampSeconds),
      'webhook-signature': keys.secrets
        .map((secret) => `v1,${createHmac('sha256', secretBytes(secret)).update(signed).digest('base64')}`)
        .join(' '),
    }
  },
  check: (input) => checkHmac(claimOf(input), input),
}

function claimOf(input: CheckInput): Claim | null {
  const [signature, id, timestamp] = ['signature', 'id', 'timestamp'].map(
    (name) => headerOf(input, `webhook-${name}`) ?? headerOf(input, `svix-${name}`),
  ) as [string | null, string | null, string | null]
  if (signature === null && id === null && timestamp === null) return null
  return {
    profile: 'standard',
    header: 'webhook-signature',
    received: signature,
    mark: 'v1,',
    signatures: (signature ?? '')
      .split(' ')
      .filter(Boolean)
      .map(splitMark(/^v1[,=:]/)),
    algorithm: 'sha256',
    encoding: 'base64',
    key: 'base64',
    timestamp,
    id,
    timeChecks: 'both',
    signsTimeAsText: true,
    missing: missingOf({ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }),
    content: (time, body) => dotted([id ?? '', time], body),
    value: (text) => `v1,${text}`,
  }
}
