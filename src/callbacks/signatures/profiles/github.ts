/** GitHub's form. Without a timestamp, it does not prevent replays. */
import { createHmac } from 'node:crypto'
import { headerOf } from '../doctor/diagnosis.ts'
import { bodyOnly, checkHmac, splitMark } from '../doctor/hmac.ts'
import type { SignatureProfile } from '../profile.ts'

const HEADER = 'X-Hub-Signature-256'

export const github: SignatureProfile<{ readonly profile: 'github' }> = {
  name: 'github',
  about: {
    headers: '`X-Hub-Signature-256`',
    signed: '`{body}`',
    key: 'the whole secret as text',
    form: '`sha256=` and hex of HMAC-SHA256',
  },
  defaults: { profile: 'github' },
  headers: () => [HEADER],
  /** The header contains one signature, that of the newest secret. */
  sign: (request, keys) => ({
    [HEADER]: `sha256=${createHmac('sha256', keys.newest).update(request.body).digest('hex')}`,
  }),
  check(input) {
    const received = headerOf(input, HEADER)
    if (received === null) return null
    const claim = {
      ...bodyOnly('github', HEADER, received, 'sha256'),
      mark: 'sha256=',
      signatures: [splitMark(/^sha256[=:,]/)(received)],
      value: (text: string) => `sha256=${text}`,
    }
    return checkHmac(claim, input)
  },
}
