import { createHmac, timingSafeEqual } from 'node:crypto'

/** How old a callback may be, seconds: an old one may have been recorded and sent again by somebody. */
const TOLERANCE = 300

/**
 * Whether a callback is the service's own: its signature is of these very bytes, and it is new.
 * @param body the bytes as they came, before any JSON parser
 */
export function isGenuine({ headers, body }, secret, now = Date.now()) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': sent = '' } = headers
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE)) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const own = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest()
  // While a secret is rotated there are several, separated by spaces.
  return sent.split(' ').some((each) => {
    const given = Buffer.from(each.replace(/^v1,/, ''), 'base64')
    return given.length === own.length && timingSafeEqual(given, own)
  })
}

/**
 * A little shop: it asks for a payment, takes the callback and knows which orders are paid. Where the service is and
 * how to reach it are parameters, as they are in production.
 */
export function createShop({ baseUrl, authorization, callbackUrl, secret, fetch = globalThis.fetch }) {
  const orders = new Map()
  /** The ids of callbacks that were taken: each counts once, however often it comes. */
  const taken = new Set()

  const ask = async (path, body) => {
    const request = new Request(new URL(path, baseUrl), {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const answer = await fetch(request)
    return { status: answer.status, body: await answer.json() }
  }

  /** Final results count once, whichever way and however often they come; one of another amount pays nothing. */
  const take = ({ external_reference, status, amount, currency }) => {
    const order = orders.get(external_reference)
    if (!order || order.state === 'paid' || status === 'queued') return
    if (status === 'success') {
      if (amount !== order.amount || currency !== order.currency) {
        order.state = 'disputed'
        return
      }
      order.state = 'paid'
      order.receipts++
    } else order.state = 'unpaid'
  }

  return {
    order: (id) => orders.get(id),

    async checkout(id, { amount, phone }) {
      orders.set(id, { state: 'waiting', receipts: 0, amount, currency: 'KES' })
      try {
        await ask('/api/v2/payments', {
          amount,
          phone_number: phone,
          provider: 'm-pesa',
          network_code: '63902',
          account_id: 63,
          external_reference: id,
          callback_url: callbackUrl,
        })
      } catch {
        // The answer is lost; the payment may be on its way. Only the service knows.
        await this.ask(id)
      }
    },

    /**
     * What the service posts to `callbackUrl`.
     * @returns the status to answer with
     */
    callback({ headers, body }) {
      if (!isGenuine({ headers, body }, secret)) return 401
      const id = headers['webhook-id']
      if (!taken.has(id)) take(JSON.parse(body))
      taken.add(id)
      return 204
    },

    /** Asks the service what became of an order. */
    async ask(id) {
      const { status, body } = await ask('/api/global/transaction-status', { request_id: id })
      if (status === 200) take(body)
    },
  }
}
