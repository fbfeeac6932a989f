import { createHmac, timingSafeEqual } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** How old a callback may be, seconds: an old one may have been recorded and sent again by somebody. */
const TOLERANCE = 300
/** How often the service is asked what became of a payment: after 2 s, 4 s, 8 s and so on, two hours in all. */
const LOOKS = 12

/**
 * Whether a callback is the service's own: its signature is of these very bytes, and it is new.
 * @param body the bytes as they came, before any JSON parser
 */
export function isGenuine({ headers, body }, secret, now = Date.now()) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': sent = '' } = headers
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE)) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const own = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  // While a secret is rotated there are several, separated by spaces.
  return sent.split(' ').some((each) => {
    const given = Buffer.from(each.replace(/^v1,/, ''), 'base64')
    return given.length === own.length && timingSafeEqual(given, own)
  })
}

/** What a callback tells, whatever else it has; undefined when that is no result. */
function resultOf(body) {
  try {
    const { external_reference, status, amount, currency, reference } = JSON.parse(body)
    if (typeof external_reference !== 'string' || typeof status !== 'string') return undefined
    return { external_reference, status, amount, currency, reference }
  } catch {
    return undefined
  }
}

/** What a result makes of an order: nothing undoes a reversal, and only a reversal undoes what is paid. */
function nextState(order, { status, amount, currency, reference }, own = reference) {
  if (order.state === 'reversed' || status === 'reversed') return 'reversed'
  if (order.state === 'paid') return 'paid'
  // Rightly signed, but not what was asked for, or another payment: somebody has to look at it.
  const isIt = (reference ?? own) === own
  if (status === 'success')
    return isIt && amount === order.amount && currency === order.currency ? 'paid' : 'disputed'
  // A success may still come late. Of other statuses, such as queued and those that are new, nothing follows.
  return status === 'failed' ? 'unpaid' : order.state
}

/**
 * A little shop: it asks for a payment, takes the callback and knows which orders are paid. Where the service is and
 * how to reach it are parameters, as they are in production.
 * @param file what is to be known after a restart; kept nowhere when left out
 */
export function createShop({ baseUrl, authorization, callbackUrl, secret, file, fetch = globalThis.fetch }) {
  const orders = new Map()
  /** The ids of callbacks that were taken: each counts once, however often it comes. */
  const taken = new Set()
  /** How the service calls the payment of each order. */
  const references = new Map()
  /** How often each order was looked up, and when it is next. */
  const looks = new Map()

  const count = ({ order, requested, callback, result }) => {
    if (order) orders.set(order.id, { state: 'waiting', receipts: 0, amount: order.amount, currency: 'KES' })
    if (requested) references.set(requested.id, requested.reference)
    if (callback) taken.add(callback)
    const told = result && orders.get(result.external_reference)
    const state = told && nextState(told, result, references.get(result.external_reference))
    if (!told || state === told.state) return
    told.state = state
    // Here goods are handed out, once.
    if (state === 'paid') told.receipts++
  }
  /** Returns once it is on the disk: a callback that is answered with 2xx does not come again. */
  const keep = (entry) => {
    if (file) appendFileSync(file, `\n${JSON.stringify(entry)}`, { flush: true })
    count(entry)
  }
  for (const line of file && existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []) {
    try {
      count(JSON.parse(line))
    } catch {
      // Cut off by a crash: whoever told it was not answered, and tells it again.
    }
  }

  const ask = async (path, body) => {
    const request = new Request(new URL(path, baseUrl), {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', 'user-agent': 'little-shop/1.0' },
      body: JSON.stringify(body),
    })
    const answer = await fetch(request)
    return { status: answer.status, body: await answer.json() }
  }

  return {
    order: (id) => orders.get(id),

    async checkout(id, { amount, phone }) {
      // A second press of the button must not start a second payment.
      if (orders.has(id)) return
      // Before it is asked for: the callback may come before the answer.
      keep({ order: { id, amount } })
      looks.set(id, { count: 0, at: Date.now() + 2000 })
      try {
        const { status, body } = await ask('/api/v2/payments', {
          amount,
          phone_number: phone,
          provider: 'm-pesa',
          network_code: '63902',
          account_id: 63,
          external_reference: id,
          callback_url: callbackUrl,
        })
        if (status === 201) keep({ requested: { id, reference: body.reference } })
        // Above, the payment may have been made: it is looked up, never asked for again.
        if (status >= 400 && status < 500) keep({ result: { external_reference: id, status: 'failed' } })
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
      const callback = headers['webhook-id']
      const result = resultOf(body)
      if (!result) return 400
      if (!taken.has(callback)) keep({ callback, result })
      return 204
    },

    /** Asks the service what became of an order. */
    async ask(id) {
      const { status, body } = await ask('/api/global/transaction-status', { request_id: id }).catch(
        () => ({}),
      )
      // Not there, or not now: it is asked again, or told by a callback.
      if (status === 200 && orders.get(id).state === 'waiting') keep({ result: body })
    },

    /** Asks for payments of which nobody told, ever more rarely, for callbacks get lost. Called every second or so. */
    async watch(now = Date.now()) {
      for (const [id, { state }] of orders) {
        const look = looks.get(id) ?? { count: 0, at: 0 }
        if (state !== 'waiting' || look.at > now || look.count === LOOKS) continue
        looks.set(id, { count: look.count + 1, at: now + 4000 * 2 ** look.count })
        await this.ask(id)
      }
    },
  }
}
