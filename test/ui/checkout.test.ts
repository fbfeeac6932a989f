import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { balance } from '../support/ledger.ts'
import { globalPayment } from '../support/requests.ts'
import { call, refused, startSandbox, type TestWorld } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()

interface Changes {
  readonly redirect_url?: string
  readonly name?: string
}

/** A card pay-in of KES 1,000 that waits for its payer, and the path of its page. */
async function waiting(
  w: TestWorld,
  { redirect_url = 'https://shop.example/thanks?order=1', name }: Changes = {},
) {
  const team =
    name === undefined
      ? 63
      : (
          await w.post('/api/v2/accounts', {
            organization_id: 1,
            name,
            dial_code: '254',
            number: '712345678',
          })
        ).body.account.id
  if (team !== 63)
    await w.world().change(({ rows }) => {
      const row = rows.get('teams', team)!
      rows.put('teams', { ...row, kyc_tier: 3 })
    })
  const request = globalPayment(w, { transaction_channel: 'card', provider: 'hosted_card' })
  const answer = await w.post('/api/global/payments', {
    ...request,
    vendor_config: { vendor_id: team },
    provider_config: {
      network_id: 'ke-hosted-card-card-visa',
      provider_id: 'ke-hosted-card',
      network_name: 'Visa',
      network_code: 'visa',
      account_type: 'card',
    },
    payment_config: { ...request.payment_config, redirect_url },
  })
  expect(answer.body.error_message).toBe(undefined)
  const { checkout_url } = answer.body.provider_response
  return { path: new URL(checkout_url).pathname, reference: answer.body.merchant_reference as string }
}

async function show(path: string) {
  const response = await sandbox.fetch(new Request(`http://sandbox.test${path}`))
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const press = (
  path: string,
  body: string,
  headers = { 'content-type': 'application/x-www-form-urlencoded' },
) => sandbox.fetch(new Request(`http://sandbox.test${path}`, { method: 'POST', headers, body }))

describe('GET of the checkout page', () => {
  it('shows whom to pay, how much and both buttons', async () => {
    const { path, reference } = await waiting(world())
    const { status, headers, text } = await show(path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=UTF-8')
    for (const shown of [
      'Demo Team',
      'KES 1000.00',
      reference,
      'value="pay"',
      'value="cancel"',
      'no money moves',
    ])
      expect(text).toContain(shown)
  })

  it('loads nothing, and its policy lets its own style in', async () => {
    const { path } = await waiting(world())
    const { headers, text } = await show(path)
    const style = /<style>([\s\S]*?)<\/style>/.exec(text)![1]!
    const hash = createHash('sha256').update(style).digest('base64')
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self' https://shop.example; base-uri 'none'; frame-ancestors 'none'`,
    )
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(text).not.toMatch(/<script|<link|<img|style="|src=/)
  })

  it('changes nothing', async () => {
    const w = world()
    const { path, reference } = await waiting(w)
    await show(path)
    const { body } = await w.post('/api/global/transaction-status', { request_id: reference })
    expect(body.status).toBe('queued')
  })

  it("shows a hostile Team's name as text", async () => {
    const w = world()
    await w.get('/api/v2/account/63')
    const { path } = await waiting(w, { name: '</title><script>alert(1)</script>"\'&' })
    const { text } = await show(path)
    expect(text).not.toContain('<script')
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;')
  })

  it('shows what became of it, and a link back with reference and status', async () => {
    const w = world()
    const { path, reference } = await waiting(w)
    await w.settle()
    const { text } = await show(path)
    expect(text).toContain('The service request is processed successfully.')
    expect(text).toContain(
      `href="https://shop.example/thanks?order=1&amp;reference=${reference}&amp;status=success"`,
    )
    expect(text).not.toContain('<button')
  })
})

describe('POST of the checkout page', () => {
  it.each([
    ['pay', 'success', 'The service request is processed successfully.', 100_985],
    ['cancel', 'failed', 'Request Cancelled by user.', 100_000],
  ])(
    '%s settles at once, calls back, and leads to redirect_url: %s',
    async (action, status, message, wallet) => {
      const w = world()
      const { path, reference } = await waiting(w)
      const response = await press(path, `action=${action}`)
      expect(response.status).toBe(303)
      expect(response.headers.get('location')).toBe(
        `https://shop.example/thanks?order=1&reference=${reference}&status=${status}`,
      )
      await w.settle()
      expect(w.callbacks().map(({ body }) => body)).toMatchObject([{ reference, status, message }])
      expect(await balance(w, 'team:63:wallet:KES')).toBe(wallet)
    },
  )

  it('a second press changes nothing and leads to the same place', async () => {
    const w = world()
    const { path } = await waiting(w)
    const first = (await press(path, 'action=pay')).headers.get('location')
    const second = (await press(path, 'action=cancel')).headers.get('location')
    expect(second).toBe(first)
    await w.settle()
    expect(w.callbacks()).toHaveLength(1)
  })

  it.each([
    ['https://shop.example/thanks', 'https://shop.example/thanks?'],
    ['https://shop.example', 'https://shop.example/?'],
    ['https://shop.example/t?a=%20b+c&a=2', 'https://shop.example/t?a=%20b+c&a=2&'],
    [
      'https://shop.example/t?status=mine&reference=mine',
      'https://shop.example/t?status=mine&reference=mine&',
    ],
    ['http://127.0.0.1:3000/t?x#part', 'http://127.0.0.1:3000/t?x&'],
  ])('%s keeps the query it has', async (redirect_url, begins) => {
    const { path, reference } = await waiting(world(), { redirect_url })
    const location = (await press(path, 'action=pay')).headers.get('location')!
    expect(location.replace(/#.*/, '')).toBe(`${begins}reference=${reference}&status=success`)
    expect(new URL(location).hash).toBe(new URL(redirect_url).hash)
  })

  it.each(['javascript:alert(1)', 'data:text/html,x', '//evil.example', 'shop'])(
    'redirect_url %j is refused long before',
    async (redirect_url) => {
      const w = world()
      const request = globalPayment(w)
      const payment_config = { ...request.payment_config, redirect_url }
      const answer = await w.post('/api/global/payments', { ...request, payment_config })
      expect(answer).toMatchObject(
        refused(400, 'invalid_argument', /^payment_config.redirect_url .* must be an http or https URL/),
      )
    },
  )

  it.each([
    "https://shop.example;script-src 'unsafe-inline'",
    'https://shop.example;frame-ancestors/',
    'https://shop,example/',
    "https://shop'example/",
    'https://shop*.example/',
  ])('redirect_url %j is refused, whose host would mean something in a policy', async (redirect_url) => {
    const w = world()
    const request = globalPayment(w)
    const payment_config = { ...request.payment_config, redirect_url }
    expect(await w.post('/api/global/payments', { ...request, payment_config })).toMatchObject(
      refused(400, 'invalid_argument', /^payment_config\.redirect_url /),
    )
  })

  it('a redirect_url that is on record all the same does not widen the policy', async () => {
    const w = world()
    const { path, reference } = await waiting(w)
    await w.world().change(({ rows }) => {
      const [row] = rows.find('transactions', 'identifier', reference)
      rows.put('transactions', { ...row!, redirect_url: 'https://shop.example;script-src/' })
    })
    expect((await show(path)).headers.get('content-security-policy')).not.toContain('script-src')
  })

  it.each([
    'https://münchen.example/',
    'http://127.0.0.1:3000/',
    'http://[::1]:3000/',
    'http://my_shop.test/',
  ])('redirect_url %j is led to', async (redirect_url) => {
    const { path } = await waiting(world(), { redirect_url })
    const { origin } = new URL(redirect_url)
    expect((await show(path)).headers.get('content-security-policy')).toContain(
      `form-action 'self' ${origin};`,
    )
    expect((await press(path, 'action=pay')).headers.get('location')).toMatch(origin)
  })

  it.each(['https://shop.example/\r\nset-cookie: a=b', 'https://shop.example/?a=\nb#\r\nc'])(
    'redirect_url %j cannot begin another header',
    async (redirect_url) => {
      const { path } = await waiting(world(), { redirect_url })
      const { headers } = await press(path, 'action=pay')
      expect(headers.get('set-cookie')).toBeNull()
      expect(headers.get('location')).not.toMatch(/[\r\n]/)
    },
  )

  it('without a redirect_url it leads back to the page, which has no link', async () => {
    const { path } = await waiting(world(), { redirect_url: '' })
    const response = await press(path, 'action=pay')
    expect(response.headers.get('location')).toBe(path)
    const { headers, text } = await show(path)
    expect(text).not.toContain('<a ')
    expect(headers.get('content-security-policy')).toContain("form-action 'self';")
  })

  it('a redirect_url with quotes and brackets stays an address', async () => {
    const w = world()
    const { path } = await waiting(w, {
      redirect_url: `https://shop.example/"><script>alert(1)</script>?'"<b>`,
    })
    await w.settle()
    const { text } = await show(path)
    expect(text).not.toMatch(/<script|<b>/)
  })

  it.each(['', 'action=', 'action=steal', 'pay=action', '{"action":"pay"}'])(
    '400 for %j, and it still waits',
    async (body) => {
      const w = world()
      const { path, reference } = await waiting(w)
      const response = await press(path, body)
      expect(response.status).toBe(400)
      expect(((await response.json()) as { error_message: string }).error_message).toMatch(
        /^action must be one of pay, cancel/,
      )
      const status = await w.post('/api/global/transaction-status', { request_id: reference })
      expect(status.body.status).toBe('queued')
    },
  )

  it('413 for a body over the limit', async () => {
    const { path } = await waiting(world())
    expect((await press(path, 'x'.repeat(2 << 20))).status).toBe(413)
  })
})

describe('a checkout that is not there', () => {
  it('404 for an unknown id, world or reference, and for a payment of another kind', async () => {
    const w = world()
    const { path, reference } = await waiting(w)
    const [, , name, id] = path.split('/')
    const payout = (await w.post('/api/v2/withdraw', { ...withdrawalTo() })).body.checkout_request_id
    for (const wrong of [
      `/checkout/${name}/nothing`,
      `/checkout/demo/${id}`,
      `/checkout/nobody/${id}`,
      `/checkout/${name}/${reference}`,
      `/checkout/${name}/order-1`,
      `/checkout/${name}/${payout}`,
      // The identifier alone, which can be foreseen, and the identifier with another proof.
      `/checkout/${name}/${id!.split('.')[0]}`,
      `/checkout/${name}/${id!.split('.')[0]}.`,
      `/checkout/${name}/${id!.slice(0, -1)}`,
      `/checkout/${name}/${id!.slice(0, -22)}${'A'.repeat(22)}`,
      `/checkout/${name}/${id}A`,
      `/checkout/__proto__/constructor`,
      '/checkout/%E0%A4%A/%ff',
    ]) {
      const answer = await show(wrong)
      expect(answer.status, wrong).toBe(404)
      expect(JSON.parse(answer.text).error_code).toBe('resource_not_found')
      expect((await press(wrong, 'action=pay')).status).toBe(404)
    }
  })

  it('404 for an address of before a reset', async () => {
    const w = world()
    const { path } = await waiting(w)
    await w.post('/sandbox/reset')
    await w.advance(1_000)
    const again = await waiting(w)
    expect((await show(path)).status).toBe(404)
    expect((await show(again.path)).status).toBe(200)
  })

  it('405 for another method', async () => {
    const { path } = await waiting(world())
    const answer = await call(sandbox, 'DELETE', path)
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, POST')
  })
})

const withdrawalTo = () => ({
  external_reference: 'payout-1',
  account_id: 63,
  amount: 500,
  phone_number: '254712345678',
  channel: 'phone',
  recipient_type: 'MSISDN',
})
