import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { balance } from '../support/ledger.ts'
import { globalPayment } from '../support/requests.ts'
import { call, refused, startSandbox, type TestWorld } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()

interface Changes {
  readonly redirect_url?: string
  readonly name?: string
  /** What the Team has beside. */
  readonly brand?: object
  readonly reference?: string
  readonly amount?: number
  readonly prefer?: string
}

/** A card pay-in of KES 1,000 that waits for its payer, and the path of its page. */
async function waiting(
  w: TestWorld,
  { redirect_url = 'https://shop.example/thanks?order=1', name, brand, prefer, ...changes }: Changes = {},
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
  await w.put('/api/v2/accounts', { account_id: team, ...brand })
  const request = globalPayment(w, { transaction_channel: 'card', provider: 'hosted_card' })
  const payment = {
    ...request,
    ...(changes.amount && { amount: changes.amount }),
    vendor_config: { vendor_id: team },
    provider_config: {
      network_id: 'ke-hosted-card-card-visa',
      provider_id: 'ke-hosted-card',
      network_name: 'Visa',
      network_code: 'visa',
      account_type: 'card',
    },
    payment_config: {
      ...request.payment_config,
      redirect_url,
      ...(changes.reference && { reference: changes.reference }),
    },
  }
  const answer = await w.post('/api/global/payments', payment, prefer ? { prefer } : {})
  expect(answer.body.error_message).toBe(undefined)
  const { checkout_url } = answer.body.provider_response
  return { path: new URL(checkout_url).pathname, reference: answer.body.merchant_reference as string }
}

async function show(path: string, headers = {}) {
  const response = await sandbox.fetch(new Request(`http://sandbox.test${path}`, { headers }))
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Where the page leads by itself, once the payment has ended. */
async function leadsTo(path: string) {
  const { text } = await show(path)
  const url = /http-equiv="refresh" content="3;url=([^"]*)"/.exec(text)?.[1]
  return url?.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'")
}

const press = (
  path: string,
  body: string,
  headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' },
) => sandbox.fetch(new Request(`http://sandbox.test${path}`, { method: 'POST', headers, body }))

describe('GET of the checkout page', () => {
  it('shows whom to pay, how much and both buttons', async () => {
    const { path, reference } = await waiting(world())
    const { status, headers, text } = await show(path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=UTF-8')
    for (const shown of [
      'Demo Team',
      'KES 1,000.00',
      reference,
      'order-1',
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
      `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
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
    '%s settles at once, calls back, and leads by the page to redirect_url: %s',
    async (action, status, message, wallet) => {
      const w = world()
      const { path, reference } = await waiting(w)
      const response = await press(path, `action=${action}`)
      expect(response.status).toBe(303)
      expect(response.headers.get('location')).toBe(path)
      const url = `https://shop.example/thanks?order=1&reference=${reference}&status=${status}`
      expect(await leadsTo(path)).toBe(url)
      expect((await show(path)).text).toContain(`href="${url.replaceAll('&', '&amp;')}"`)
      await w.settle()
      expect(w.callbacks().map(({ body }) => body)).toMatchObject([{ reference, status, message }])
      expect(await balance(w, 'team:63:wallet:KES')).toBe(wallet)
    },
  )

  it('a second press changes nothing, and who cancels what was paid is told so', async () => {
    const w = world()
    const { path, reference } = await waiting(w)
    for (let pressed = 0; pressed < 2; pressed++)
      expect((await press(path, 'action=pay')).headers.get('location')).toBe(path)
    const late = await press(path, 'action=cancel')
    expect([late.status, await late.json()]).toEqual([
      400,
      {
        error_code: 'invalid_argument',
        error_message: `payment ${reference} cannot be cancelled any more: it was paid at 2026-06-13T12:00:00Z`,
        status_code: 400,
      },
    ])
    const page = await press(path, 'action=cancel', {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'text/html',
    })
    expect(await page.text()).toMatch(/cannot be cancelled any more(?![^]*http-equiv="refresh")/)
    await w.settle()
    expect(w.callbacks()).toHaveLength(1)
  })

  it('who pays what was cancelled is shown that it was cancelled', async () => {
    const { path } = await waiting(world())
    await press(path, 'action=cancel')
    expect((await press(path, 'action=pay')).headers.get('location')).toBe(path)
    expect((await show(path)).text).toMatch(/<strong>Cancelled<\/strong>\s+Request Cancelled by user\./)
    expect(await leadsTo(path)).toMatch(/&status=failed$/)
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
    await press(path, 'action=pay')
    const location = (await leadsTo(path))!
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
        refused(400, 'invalid_argument', /^payment_config\.redirect_url must be an http or https URL/),
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

  it('a redirect_url that is on record all the same and is no address of a page is led to by nothing', async () => {
    const w = world()
    const { path, reference } = await waiting(w)
    await w.world().change(({ rows }) => {
      const [row] = rows.find('transactions', 'identifier', reference)
      rows.put('transactions', { ...row!, redirect_url: 'javascript:alert(1)' })
    })
    await press(path, 'action=pay')
    expect((await show(path)).text).not.toMatch(/javascript|http-equiv/)
  })

  it.each([
    'https://münchen.example/',
    'http://127.0.0.1:3000/',
    'http://[::1]:3000/',
    'http://my_shop.test/',
  ])('redirect_url %j is led to', async (redirect_url) => {
    const { path } = await waiting(world(), { redirect_url })
    await press(path, 'action=pay')
    expect(await leadsTo(path)).toMatch(new URL(redirect_url).origin)
    expect((await show(path)).headers.get('content-security-policy')).toContain("form-action 'self';")
  })

  it.each(['https://shop.example/\r\nset-cookie: a=b', 'https://shop.example/?a=\nb#\r\nc'])(
    'redirect_url %j cannot begin another header',
    async (redirect_url) => {
      const { path } = await waiting(world(), { redirect_url })
      const { headers } = await press(path, 'action=pay')
      expect(headers.get('set-cookie')).toBeNull()
      expect(headers.get('location')).toBe(path)
      expect(await leadsTo(path)).not.toMatch(/[\r\n]/)
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
    expect(text).toMatch(/content="3;url=https:[^"]*"/)
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

describe('an open page', () => {
  const statusOf = async (w: TestWorld, request_id: string) =>
    (await w.post('/api/global/transaction-status', { request_id })).body

  it.each([
    ['pay', 'success'],
    ['cancel', 'failed'],
  ])('holds the settlement, and %s after that is %s', async (action, status) => {
    const w = world()
    const { path, reference } = await waiting(w)
    await show(path)
    await w.advance(60_000)
    expect((await statusOf(w, reference)).status).toBe('queued')
    await press(path, `action=${action}`)
    expect((await statusOf(w, reference)).status).toBe(status)
    expect(await leadsTo(path)).toMatch(new RegExp(`&status=${status}$`))
  })

  it('expires after ten minutes of its clock, however often it is opened', async () => {
    const w = world()
    const { path, reference } = await waiting(w)
    expect((await show(path)).text).toContain('<time datetime="2026-06-13T12:10:00.000Z">12:10 UTC</time>')
    await w.advance(599_999)
    await show(path)
    expect((await statusOf(w, reference)).status).toBe('queued')
    await w.advance(1)
    expect(await statusOf(w, reference)).toMatchObject({
      status: 'failed',
      message: 'Transaction has expired',
    })
    expect((await show(path)).text).toContain('<strong>Expired</strong>')
    await press(path, 'action=pay')
    expect(await leadsTo(path)).toMatch(/&status=failed$/)
    await w.settle()
    expect(w.callbacks()).toMatchObject([{ body: { reference, status: 'failed' } }])
  })

  it('owes nothing any more once it has ended', async () => {
    const w = world()
    const { path } = await waiting(w)
    await show(path)
    await press(path, 'action=pay')
    await w.settle()
    const { body } = await w.get('/sandbox/clock')
    expect([body.next, body.now]).toEqual([null, '2026-06-13T12:00:02.000Z'])
  })

  it.each([
    ['pay', 'The balance is insufficient for the transaction.'],
    ['cancel', 'Request Cancelled by user.'],
    ['left alone', 'The balance is insufficient for the transaction.'],
  ])('of a payment that is to fail: %s', async (action, message) => {
    const w = world()
    const { path, reference } = await waiting(w, { prefer: 'scenario=payer-short-of-money' })
    await show(path)
    if (action === 'left alone') await w.advance(600_000)
    else await press(path, `action=${action}`)
    expect(await statusOf(w, reference)).toMatchObject({ status: 'failed', message })
    expect((await show(path)).text).toContain(message)
  })

  it('is not settled by looking up its status, and stays queued where a scenario says for ever', async () => {
    const w = world()
    const polled = await waiting(w, { prefer: 'scenario=final-at-third-look-up' })
    await show(polled.path)
    for (let polls = 0; polls < 6; polls++)
      expect((await statusOf(w, polled.reference)).status).toBe('queued')
    const stuck = await waiting(w, { prefer: 'scenario=stuck-without-callback' })
    expect((await show(stuck.path)).text).not.toContain('<time')
    await w.settle()
    expect((await statusOf(w, polled.reference)).status).toBe('failed')
    expect((await statusOf(w, stuck.reference)).status).toBe('queued')
    await press(stuck.path, 'action=cancel')
    expect((await statusOf(w, stuck.reference)).status).toBe('failed')
  })

  it.each(['late-success', 'callbacks-out-of-order', 'success-then-reversed'])(
    'that is cancelled stays cancelled, whatever %s had planned',
    async (scenario) => {
      const w = world()
      const { path, reference } = await waiting(w, { prefer: `scenario=${scenario}` })
      await show(path)
      await press(path, 'action=cancel')
      await w.settle()
      expect((await statusOf(w, reference)).message).toBe('Request Cancelled by user.')
      expect(w.callbacks().map(({ body }) => body['status'])).toEqual(['failed'])
    },
  )

  it.each([
    ['a look whether it is there', { method: 'HEAD' }],
    ['a browser that fetches it in advance', { headers: { 'sec-purpose': 'prefetch;prerender' } }],
  ])('is none for %s', async (_, init) => {
    const w = world()
    const { path, reference } = await waiting(w)
    await sandbox.fetch(new Request(`http://sandbox.test${path}`, init))
    await w.settle()
    expect((await statusOf(w, reference)).status).toBe('success')
  })

  it('holds the settlement over a restart too, and for whoever else has the world', async () => {
    const env = { SANDBOX_DB: join(temporaryFolder(), 'rows.json') }
    const first = await startSandbox(env)
    const { path, reference } = await waiting(first.world())
    expect((await first.sandbox.fetch(new Request(`http://sandbox.test${path}`))).status).toBe(200)
    await first.sandbox.close()
    const second = await startSandbox(env)
    const w = second.world()
    await w.get('/api/v2/account/63')
    await w.advance(60_000)
    expect((await statusOf(w, reference)).status).toBe('queued')
    const page = await second.sandbox.fetch(new Request(`http://sandbox.test${path}`))
    expect(await page.text()).toContain('12:10 UTC')
    await w.settle()
    expect((await statusOf(w, reference)).message).toBe('Transaction has expired')
  })

  it('is told of by the timeline and by what is owed', async () => {
    const w = world()
    const { path, reference } = await waiting(w)
    await show(path)
    const { body } = await w.get(`/sandbox/transactions/${reference}/timeline`)
    expect(body.events.map(({ summary }: { summary: string }) => summary)).toContain(
      'the payer opened the page; nothing settles by itself, and it waits until 2026-06-13T12:10:00.000Z',
    )
    await w.advance(60_000)
    expect((await w.get('/sandbox/clock')).body.next).toEqual({
      kind: 'expire',
      due_at: '2026-06-13T12:10:00.000Z',
      transaction: reference,
      callback: null,
    })
  })

  it('has an amount in thousands, the note, logo and colour of the Team, and the reference of the shop', async () => {
    const w = world()
    await w.get('/api/v2/account/63')
    const { path } = await waiting(w, {
      amount: 123456.5,
      reference: 'order <7>',
      brand: {
        payment_note: 'Collect at <b>gate 4</b>',
        logo: 'https://cdn.example/logo.png?a=1&b="2"',
        theme_color: '#ffcc00',
      },
    })
    const { text, headers } = await show(path)
    for (const shown of [
      'KES 123,456.50',
      'Collect at &lt;b&gt;gate 4&lt;/b&gt;',
      '<bdi>order &lt;7&gt;</bdi>',
      '<bdi>Demo Team</bdi>',
      '<img class="logo" src="https://cdn.example/logo.png?a=1&amp;b=%222%22" alt=""',
      '--accent: #ffcc00',
      'color: #000;',
    ])
      expect(text).toContain(shown)
    expect(headers.get('content-security-policy')).toContain('img-src https://cdn.example;')
  })

  it('takes no colour or logo that would mean something in its style or policy', async () => {
    const w = world()
    const { path } = await waiting(w)
    await w.world().change(({ rows }) => {
      rows.put('teams', {
        ...rows.get('teams', 63)!,
        theme_color: 'red;}*{x:url(//evil.example)',
        logo: 'https://evil.example;script-src/x.png',
      })
    })
    const { text, headers } = await show(path)
    expect(text).not.toContain('url(')
    expect(headers.get('content-security-policy')).not.toMatch(/evil|img-src|script-src/)
  })

  it.each(['momo', 'bank', 'card'])('is named by the answer on the %s rail', async (rail) => {
    const w = world()
    const networks = { momo: 'm-pesa', bank: 'kcb', card: 'hosted_card' } as const
    const request = globalPayment(w)
    const { provider_config: _, ...rest } = request
    const country = await w.get('/api/global/discovery/payment-world/country?country=KE')
    const provider = networks[rail as 'momo']
    const network = country.body.provider_networks[provider].find(
      ({ account_type }: { account_type: string }) => account_type === rail,
    )
    const { network_id, provider_id, network_name, network_code, account_type } = network
    const answer = await w.post('/api/global/payments', {
      ...rest,
      transaction_channel: rail,
      provider,
      customer: { ...request.customer, dob: '1990-01-01T00:00:00Z' },
      provider_config: { network_id, provider_id, network_name, network_code, account_type },
    })
    expect(answer.body.error_message).toBe(undefined)
    const { pathname } = new URL(answer.body.provider_response.checkout_url)
    expect((await show(pathname)).text).toContain('value="pay"')
  })
})
