import { createHmac, timingSafeEqual } from 'node:crypto'

/** How old a callback may be, or how far ahead of the clock, seconds: an old one may have been recorded. */
export const TOLERANCE = 300

/** The headers of a signature, and the bytes that are signed. */
export interface Signed {
  readonly id: string
  readonly timestamp: string
  readonly signatures: readonly string[]
  /** As they came, before any parser. */
  readonly body: Uint8Array
}

/** Reads what is there of a signature; nothing where there is none. */
export function signedOf(headers: Headers, body: Uint8Array): Signed | undefined {
  const id = headers.get('webhook-id')
  const timestamp = headers.get('webhook-timestamp')
  const signatures = headers.get('webhook-signature')
  if (!id || !timestamp || !signatures || !/^\d{1,12}$/.test(timestamp)) return undefined
  return { id, timestamp, signatures: signatures.split(' '), body }
}

export const isFresh = ({ timestamp }: Signed, now: number): boolean =>
  Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE

/** Whether one of the signatures is of these bytes, with that secret. */
export function isSignedWith(secret: string, { id, timestamp, signatures, body }: Signed): boolean {
  const own = createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest()
  return signatures.some((each) => {
    const given = Buffer.from(each.replace(/^v1,/, ''), 'base64')
    return each.startsWith('v1,') && given.length === own.length && timingSafeEqual(given, own)
  })
}
