import { describe, expect, it } from 'vitest'
import { browserOf, waiting } from '../support/checkout.ts'
import { globalPayment } from '../support/requests.ts'
import { hosted, refused, startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const { leadsTo, press, show } = browserOf(sandbox)

describe('the way back to the shop', () => {
  it.each([
    ['https://shop.example/thanks', 'https://shop.example/thanks?'],
    ['https://shop.example', 'https://shop.example/?'],
    ['https://shop.example/t?a=%20b+c&a=2', 'https://shop.example/t?a=%20b+c&a=2&'],
    [
      'https://shop.example/t?status=mine&reference=mine',
      'https://shop.example/t?status=mine&reference=mine&',
    ],
    ['http://127.0.0.1:3000/t?x#part', 'http://127.0.0.1:3000/t?x&'],
  ])('keeps the query of %s', async (redirect_url, begins) => {
    const { path, reference } = await waiting(world(), { redirect_url })
    await press(path, 'action=pay')
    const location = (await leadsTo(path))!
    expect(location.replace(/#.*/, '')).toBe(`${begins}reference=${reference}&status=success`)
    expect(new URL(location).hash).toBe(new URL(redirect_url).hash)
  })

  it.each(['javascript:alert(1)', 'data:text/html,x', '//evil.example', 'shop'])(
    'rejects redirect_url %j at creation',
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
  ])('rejects redirect_url %j, whose host has a meaning in a policy', async (redirect_url) => {
    const w = world()
    const request = globalPayment(w)
    const payment_config = { ...request.payment_config, redirect_url }
    expect(await w.post('/api/global/payments', { ...request, payment_config })).toMatchObject(
      refused(400, 'invalid_argument', /^payment_config\.redirect_url /),
    )
  })

  it('does not widen the policy for an imported redirect_url', async () => {
    const w = world()
    const { path, reference } = await waiting(w)
    await w.world().change(({ rows }) => {
      const [row] = rows.find('transactions', 'identifier', reference)
      rows.put('transactions', { ...row!, redirect_url: 'https://shop.example;script-src/' })
    })
    expect((await show(path)).headers.get('content-security-policy')).not.toContain('shop.example')
  })

  it('has no link to an imported redirect_url without a web address', async () => {
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
  ])('accepts redirect_url %j', async (redirect_url) => {
    const { path } = await waiting(world(), { redirect_url })
    await press(path, 'action=pay')
    expect(await leadsTo(path)).toMatch(new URL(redirect_url).origin)
    expect((await show(path)).headers.get('content-security-policy')).toContain("form-action 'self';")
  })

  it.each(['https://shop.example/\r\nset-cookie: a=b', 'https://shop.example/?a=\nb#\r\nc'])(
    'cannot inject a header with redirect_url %j',
    async (redirect_url) => {
      const { path } = await waiting(world(), { redirect_url })
      const { headers } = await press(path, 'action=pay')
      expect(headers.get('set-cookie')).toBeNull()
      expect(headers.get('location')).toBe(path)
      expect(await leadsTo(path)).not.toMatch(/[\r\n]/)
    },
  )

  it('leads back to the page, without a link, if there is no redirect_url', async () => {
    const { path } = await waiting(world(), { redirect_url: '' })
    const response = await press(path, 'action=pay')
    expect(response.headers.get('location')).toBe(path)
    const { headers, text } = await show(path)
    expect(text).not.toContain('<a ')
    expect(headers.get('content-security-policy')).toContain("form-action 'self';")
  })

  it('is a button with the host in hosted mode, without user info', async () => {
    const own = await startSandbox(hosted)
    const { path } = await waiting(own.world(), {
      redirect_url: 'https://bank.example:pin@shop.example/thanks?order=1',
    })
    await browserOf(own.sandbox).press(path, 'action=pay')
    const { text } = await browserOf(own.sandbox).show(path)
    expect(text).not.toMatch(/http-equiv|You are taken/)
    expect(text).toMatch(
      /<a class="button" href="https:\/\/shop\.example\/thanks\?order=1&amp;[^"]*">Continue to <bdi>shop\.example<\/bdi>/,
    )
    expect(text).not.toContain('bank.example')
  })

  it('escapes quotes and brackets in redirect_url', async () => {
    const w = world()
    const { path } = await waiting(w, {
      redirect_url: `https://shop.example/"><script>alert(1)</script>?'"<b>`,
    })
    await w.settle()
    const { text } = await show(path)
    expect(text).not.toMatch(/<script>(?!\/\*\*)|<b>/)
    expect(text).toMatch(/content="3;url=https:[^"]*"/)
  })
})
