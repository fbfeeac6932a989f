/**
 * A little shop: it asks for a payment, takes the callback and knows which orders are paid. Where the service is and
 * how to reach it are parameters, as they are in production.
 */
export function createShop({ baseUrl, authorization, callbackUrl, fetch = globalThis.fetch }) {
  const orders = new Map()

  const ask = async (path, body) => {
    const request = new Request(new URL(path, baseUrl), {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const answer = await fetch(request)
    return { status: answer.status, body: await answer.json() }
  }

  /** Final results count once, whichever way and however often they come. */
  const take = ({ external_reference, status }) => {
    const order = orders.get(external_reference)
    if (!order || order.state === 'paid' || status === 'queued') return
    if (status === 'success') {
      order.state = 'paid'
      order.receipts++
    } else order.state = 'unpaid'
  }

  return {
    order: (id) => orders.get(id),

    async checkout(id, { amount, phone }) {
      orders.set(id, { state: 'waiting', receipts: 0 })
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

    /** What the service posts to `callbackUrl`. */
    callback: take,

    /** Asks the service what became of an order. */
    async ask(id) {
      const { status, body } = await ask('/api/global/transaction-status', { request_id: id })
      if (status === 200) take(body)
    },
  }
}
