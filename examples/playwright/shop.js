import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** How old a callback may be, seconds: an old one may have been recorded and sent again by somebody. */
const TOLERANCE = 300

/**
 * Whether a callback is the service's own: its signature is of these very bytes, and it is new.
 * @param body the bytes as they came, before any JSON parser
 */
function isGenuine({ headers, body }, secret) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': sent = '' } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE)) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const own = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  return sent.split(' ').some((each) => {
    const given = Buffer.from(each.replace(/^v1,/, ''), 'base64')
    return given.length === own.length && timingSafeEqual(given, own)
  })
}

const page = (body) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>Shop</title>${body}</html>`

/**
 * A little shop with pages. A buyer orders and is sent to the page of the service to pay by card; what became of it the shop
 * believes the callback alone, never the address that the buyer comes back to.
 */
export async function startShop({ baseUrl, authorization, secret }) {
  const orders = new Map()

  /** Asks for a payment. @returns where the buyer pays */
  async function startPayment(id, origin) {
    const answer = await fetch(new URL('/api/global/payments', baseUrl), {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', 'user-agent': 'little-shop/1.0' },
      body: JSON.stringify({
        request_type: 'payment',
        transaction_channel: 'card',
        provider: 'hosted_card',
        amount: 2500,
        currency: 'KES',
        country: 'KE',
        reason: `Order ${id}`,
        source: 'api',
        customer: {
          first_name: 'Achieng',
          last_name: 'Odhiambo',
          email: 'achieng@mail.example',
          phone: '254712345678',
          country: 'KE',
        },
        vendor_config: { vendor_id: 63 },
        provider_config: {
          network_id: 'ke-hosted-card-card-visa',
          provider_id: 'ke-hosted-card',
          network_name: 'Visa',
          network_code: 'visa',
          account_type: 'card',
        },
        payment_config: {
          reference: id,
          account_number: '254712345678',
          remark: `Order ${id}`,
          payment_category: 'goods',
          callback_url: `${origin}/callback`,
          redirect_url: `${origin}/orders/${id}`,
        },
      }),
    })
    const body = await answer.json()
    if (!answer.ok) throw new Error(body.error_message)
    return body.provider_response.checkout_url
  }

  /** What a result makes of an order: nothing undoes a reversal, and only a reversal undoes what is paid. A success may come late. */
  function next({ state }, { status, amount, currency }) {
    if (state === 'reversed' || status === 'reversed') return 'reversed'
    if (state === 'paid') return 'paid'
    // Rightly signed, but not what was asked for: somebody has to look at it.
    if (status === 'success') return amount === 2500 && currency === 'KES' ? 'paid' : 'disputed'
    return status === 'failed' ? 'unpaid' : state
  }

  /** @returns the status to answer with */
  async function callback(request) {
    if (request.method !== 'POST') return 405
    if (!request.headers['content-type']?.startsWith('application/json')) return 415
    const body = await buffer(request)
    if (!isGenuine({ headers: request.headers, body }, secret)) return 401
    try {
      const result = JSON.parse(body)
      const order = orders.get(result.external_reference)
      if (order) Object.assign(order, { state: next(order, result), message: result.message })
      return 204
    } catch {
      return 400
    }
  }

  const serve = async (request, response) => {
    const { pathname } = new URL(request.url, 'http://shop')
    const origin = `http://${request.headers.host}`
    const show = (body) => response.setHeader('content-type', 'text/html; charset=utf-8').end(page(body))
    const [, first, id] = pathname.split('/')
    if (pathname === '/')
      return show('<form method="post" action="/buy"><button>Buy for KES 2,500</button></form>')
    if (pathname === '/buy' && request.method === 'POST') {
      const order = `order-${orders.size + 1}`
      orders.set(order, { state: 'waiting' })
      return response.writeHead(303, { location: await startPayment(order, origin) }).end()
    }
    if (pathname === '/callback') return response.writeHead(await callback(request)).end()
    const order = first === 'orders' ? orders.get(id) : undefined
    if (!order) return response.writeHead(404).end()
    // The callback may be on its way: the page looks again until it is there.
    const again = order.state === 'waiting' ? '<meta http-equiv="refresh" content="1">' : ''
    return show(`${again}<h1>${id} is ${order.state}</h1><p>${order.message ?? ''}</p>`)
  }
  // A payment that cannot be asked for ends one request, not the shop.
  const server = createServer((request, response) =>
    serve(request, response).catch(() => response.writeHead(502).end()),
  )
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    order: (id) => orders.get(id),
    close: () => server.close(),
  }
}
