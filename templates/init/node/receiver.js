import { createHmac, timingSafeEqual } from 'node:crypto'

/** Seconds that a callback may be old or ahead of time. */
const TOLERANCE = 300
/** Maximum size of a callback in bytes. */
const LIMIT = 65_536

/** Returns whether the sandbox signed these bytes with this secret. */
export function isGenuine(secret, headers, body) {
  const {
    'webhook-id': id,
    'webhook-timestamp': timestamp = '',
    'webhook-signature': signatures = '',
  } = headers
  if (!id || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  // Everyone can sign with an empty key.
  if (key.length === 0) return false
  const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')
  const expected = Buffer.from(`v1,${hmac}`)
  return signatures
    .split(' ')
    .map((each) => Buffer.from(each))
    .some((each) => each.length === expected.length && timingSafeEqual(each, expected))
}

/**
 * Returns a listener for callbacks. In Express: app.post('/callbacks/payments', createReceiver(…)), before express.json(),
 * because the signature covers the raw bytes.
 * @param onPayment - Called once for each callback, however often it is delivered; again if it fails.
 */
export function createReceiver({ secret, onPayment }) {
  // In production, keep the ids in your database, in the transaction that books the payment.
  const booked = new Map()
  const book = async (body) => onPayment(JSON.parse(body.toString()))
  return async (request, response) => {
    const chunks = []
    let size = 0
    for await (const chunk of request) {
      size += chunk.length
      if (size > LIMIT) return response.writeHead(413).end()
      chunks.push(chunk)
    }
    const body = Buffer.concat(chunks)
    if (!isGenuine(secret, request.headers, body)) return response.writeHead(401).end()
    const id = request.headers['webhook-id']
    if (!booked.has(id)) booked.set(id, book(body))
    try {
      await booked.get(id)
    } catch (error) {
      // Otherwise the next attempt would count as a copy, and the payment would be lost.
      booked.delete(id)
      console.error(error)
      return response.writeHead(500).end()
    }
    return response.writeHead(204).end()
  }
}
