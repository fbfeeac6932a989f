import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The end of a shop's way, and what it was told there. */
const page = (
  text: string,
) => `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,">
<title>Shop</title><main><h1>Thanks</h1><p>${text}</p></main></html>`

/** A shop on two hosts: `/thanks` of the one leads to the other, as from http to https or from the bare name to www. */
export async function startShop() {
  const server = createServer((request, response) => {
    const { pathname, search, searchParams } = new URL(request.url ?? '/', 'http://shop')
    const { port } = server.address() as AddressInfo
    if (pathname === '/thanks')
      return response.writeHead(302, { location: `http://localhost:${port}/end${search}` }).end()
    response.setHeader('content-type', 'text/html; charset=utf-8')
    return response.end(page(`order 1: ${searchParams.get('status') === 'success' ? 'success' : 'failed'}`))
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo
  return {
    origins: [`http://127.0.0.1:${port}`, `http://localhost:${port}`],
    thanks: `http://127.0.0.1:${port}/thanks?order=1`,
    close: () => server.close(),
  }
}

const rails = {
  card: ['hosted_card', 'ke-hosted-card-card-visa', 'ke-hosted-card', 'Visa', 'visa', '254712345678'],
  momo: ['m-pesa', 'm-pesa', 'ke-m-pesa', 'M-Pesa', 'MPESA', '254712345678'],
  bank: ['kcb', 'ke-kcb-bank-kcb-bank', 'ke-kcb', 'KCB Bank', '01', '1180012345'],
} as const

let made = 0

/** A world of its own and what a shop and a test do in it. */
export function worldOf(origin: string, redirect_url: string) {
  const authorization = `Basic ${btoa(`demo+checkout${++made}:demo`)}`
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(origin + path, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the checks read what a shop sees
    const told = (await answer.json()) as any
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(told)}`)
    return told
  }
  return {
    ask,
    /** The address of the page of a new pay-in. */
    async payin(rail: keyof typeof rails = 'card', reference = 'order-1', amount = 2500): Promise<string> {
      const [provider, network_id, provider_id, network_name, network_code, account_number] = rails[rail]
      const { provider_response } = await ask('POST', '/api/global/payments', {
        request_type: 'payment',
        transaction_channel: rail,
        provider,
        amount,
        currency: 'KES',
        country: 'KE',
        reason: 'Order 1',
        source: 'api',
        customer: {
          first_name: 'Achieng',
          last_name: 'Odhiambo',
          email: 'achieng@mail.example',
          phone: '254712345678',
          dob: '1991-04-17T00:00:00Z',
          country: 'KE',
        },
        vendor_config: { vendor_id: 63 },
        provider_config: { network_id, provider_id, network_name, network_code, account_type: rail },
        payment_config: {
          reference,
          account_number,
          remark: 'Order 1',
          payment_category: 'goods',
          callback_url: `${origin}/sandbox/inbox/default?key=own`,
          redirect_url,
        },
      })
      return provider_response.checkout_url
    },
    advance: (by: string) => ask('POST', '/sandbox/clock/advance', { by }),
    speed: (factor: number) => ask('POST', '/sandbox/clock/speed', { speed: factor }),
    brand: (brand: object) => ask('PUT', '/api/v2/accounts', { account_id: 63, ...brand }),
    setting: (change: object) => ask('PATCH', '/sandbox/worlds/current', change),
  }
}
