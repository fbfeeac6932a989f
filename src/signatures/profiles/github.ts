/** GitHub's form: no timestamp, so it cannot tell a replay. */
import { createHmac } from 'node:crypto'
import type { SigningKeys } from '../keys.ts'
import type { CallbackRequest, SignatureHeaders } from './request.ts'

/** The header has room for one signature: the newest secret's. */
export function github(request: CallbackRequest, keys: SigningKeys): SignatureHeaders {
  const digest = createHmac('sha256', keys.newest).update(request.body).digest('hex')
  return { 'X-Hub-Signature-256': `sha256=${digest}` }
}
