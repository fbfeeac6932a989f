import { describe, expect, it } from 'vitest'
import { browserOf, statusOf, waiting } from '../support/checkout.ts'
import { startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const { leadsTo, press, show } = browserOf(sandbox)

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const browser: Record<string, string> = { ...form, accept: 'text/html' }
const card = (number: string, changes: Record<string, string> = {}) =>
  String(new URLSearchParams({ action: 'pay', number, expiry: '12/30', cvc: '123', name: 'Ann', ...changes }))
const send = async (path: string, body: string, headers = browser) => {
  const response = await press(path, body, headers)
  return { status: response.status, location: response.headers.get('location'), text: await response.text() }
}
/** Sends a form and follows the redirect with its cookie, as a browser does. */
const retry = async (path: string, body: string) => {
  const { status, headers } = await press(path, body, browser)
  const [location, cookie] = [headers.get('location')!, headers.get('set-cookie')!]
  const { text, headers: shown } = await show(location, { cookie: cookie.split(';')[0] })
  return { status, location, cookie, text, cleared: shown.get('set-cookie') }
}

describe('the card form', () => {
  it('is recognised by browsers and screen readers', async () => {
    const { path } = await waiting(world())
    const { text } = await show(path)
    for (const autocomplete of ['cc-number', 'cc-exp', 'cc-csc', 'cc-name'])
      expect(text).toContain(`autocomplete="${autocomplete}"`)
    for (const name of ['number', 'expiry', 'cvc', 'name']) expect(text).toContain(`<label for="${name}">`)
    // Return sends the first button of a form.
    expect(text.indexOf('value="pay"')).toBeLessThan(text.indexOf('value="cancel"'))
    expect(text).toContain('<code>4242 4242 4242 4242</code>')
    expect(text).toContain('<code>3782 822463 10005</code>')
  })

  it('pays and shows the charged card', async () => {
    const w = world()
    const { path, reference } = await waiting(w)
    expect(await send(path, card('4242 4242 4242 4242'))).toMatchObject({ status: 303, location: path })
    const { text } = await show(path)
    expect(text).toContain('Visa ending in 4242')
    expect(text).not.toContain('4242 4242')
    expect((await statusOf(w, reference)).status).toBe('success')
  })

  it.each(['action=pay&nummer=4242424242424242&expiry=12/30&cvc=123&name=Ann', 'action=pay&rail=card'])(
    'charges nothing for %j, which has no number',
    async (body) => {
      const w = world()
      const { path, reference } = await waiting(w)
      expect((await retry(path, body)).text).toContain('Card number is required')
      expect((await send(path, body, form)).status).toBe(400)
      expect((await statusOf(w, reference)).status).toBe('queued')
    },
  )

  it('returns 400 for an unknown rail', async () => {
    const { path } = await waiting(world())
    const { status, text } = await send(path, card('4242424242424242', { rail: 'bogus' }), form)
    expect([status, text]).toEqual([400, expect.stringContaining('got \\"bogus\\"')])
  })

  it('redirects to every error at its field with the input, and charges nothing', async () => {
    const w = world()
    const { path, reference } = await waiting(w)
    const { status, location, text } = await retry(
      path,
      card('4242 4242 4242 4241', { expiry: '05/26', cvc: 'abcd', name: ' ' }),
    )
    expect([status, location]).toEqual([303, path])
    for (const fault of [
      'Card number has a wrong check digit: one of its digits is mistyped.',
      'Expiry is in the past: it must be 06/26 or later.',
      'CVC must be 3 or 4 digits.',
      'Name on card is required.',
    ])
      expect(text).toContain(fault)
    expect(text).toContain('4 fields need another look.')
    expect(text).toMatch(
      /id="number"[^>]*aria-describedby="number-fault"[^>]*aria-invalid="true"[^>]*autofocus/,
    )
    expect(text).toMatch(/id="cvc"[^>]*aria-describedby="cvc-hint cvc-fault"/)
    expect(text.match(/autofocus/g)).toHaveLength(1)
    for (const value of ['4242 4242 4242 4241', '05/26', 'abcd']) expect(text).toContain(`value="${value}"`)
    expect((await statusOf(w, reference)).status).toBe('queued')
  })

  it('keeps the input of a declined card in an encrypted cookie of the page, and shows it once', async () => {
    const { path } = await waiting(world())
    const { text, cookie, cleared } = await retry(path, card('4000 0000 0000 9995'))
    expect(text).toContain('was declined')
    expect(text).toContain('value="4000 0000 0000 9995"')
    const [sealed, ...attributes] = cookie.split('; ')
    expect(attributes).toEqual(['Max-Age=60', `Path=${path}`, 'HttpOnly', 'SameSite=Strict'])
    expect(Buffer.from(sealed!.replace('typed=', ''), 'base64url').toString('latin1')).not.toContain('9995')
    expect(cleared).toMatch(/^typed=; Max-Age=0; Path=/)
  })

  it.each(['', 'AAAA', 'x'.repeat(1_000)])('ignores the cookie %j, which it did not set', async (cookie) => {
    const { path } = await waiting(world())
    const { status, text } = await show(path, { cookie: `typed=${cookie}` })
    expect([status, text.includes('aria-invalid="true"')]).toEqual([200, false])
  })

  it('ignores the cookie of another payment', async () => {
    const [one, other] = [await waiting(world()), await waiting(world())]
    const { cookie } = await retry(one.path, card('4000 0000 0000 9995'))
    const { text } = await show(other.path, { cookie: cookie.split(';')[0] })
    expect(text).not.toContain('9995"')
  })

  it('returns all errors in one message to a program', async () => {
    const { path } = await waiting(world())
    const { status, text } = await send(path, card('1', { expiry: '' }), form)
    expect([status, JSON.parse(text).error_message]).toEqual([
      400,
      'number must have 12 to 19 digits, and has 1; expiry is required',
    ])
  })

  it('escapes the typed text', async () => {
    const { path } = await waiting(world())
    const typed = '"><script>alert(1)</script>'
    const { text } = await retry(path, card(typed, { expiry: typed, cvc: typed, name: typed }))
    expect(text).not.toContain('<script>alert')
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"')
  })

  it('names the declined card, the reason and the attempts left, and fails after the third', async () => {
    const { path } = await waiting(world())
    await send(path, card('4000000000000127'))
    const { text } = await show(path)
    expect(text).toContain('Visa ending in 0127 was declined.')
    expect(text).toMatch(/The security code of the card is incorrect\.\s+You can try 2 more cards\./)
    await send(path, card('4000000000000002'))
    expect((await show(path)).text).toContain('You can try one more card.')
    await send(path, card('4100000000000019'))
    const over = (await show(path)).text
    expect(over).toMatch(
      /<strong>Payment failed<\/strong>\s+The bank of the card suspects fraud\. Call the bank\./,
    )
    expect(over).not.toContain('<form')
    expect(await leadsTo(path)).toMatch(/&status=failed$/)
  })

  it('charges once when sent twice, and not at all when late', async () => {
    const w = world()
    const { path } = await waiting(w)
    const both = await Promise.all([
      send(path, card('4242424242424242')),
      send(path, card('4242424242424242')),
    ])
    expect(both.map(({ status }) => status)).toEqual([303, 303])
    const late = await waiting(w, { reference: 'order-2' })
    await show(late.path)
    await w.advance(600_000)
    expect(await send(late.path, card('4242424242424242'))).toMatchObject({
      status: 303,
      location: late.path,
    })
    expect((await statusOf(w, late.reference)).message).toBe('Transaction has expired')
    await w.settle()
    expect(w.callbacks().map(({ body }) => body['status'])).toEqual(['success', 'failed'])
  })

  it('returns 404 after a reset and in another world', async () => {
    const w = world()
    const { path } = await waiting(w)
    const other = path.replace(/\/checkout\/[^/]+/, '/checkout/demo')
    expect((await send(other, card('4242424242424242'))).status).toBe(404)
    await w.post('/sandbox/reset')
    const gone = await send(path, card('4242424242424242'))
    expect([gone.status, gone.text]).toEqual([404, expect.stringContaining('Payment page not found')])
  })
})

describe('the 3-D Secure page', () => {
  const asks = '4000 0025 0000 3155'

  it.each([
    ['pass', 'success', 'Paid'],
    ['fail', 'queued', 'Your bank did not confirm the payment.'],
  ])('%s', async (answer, status, shown) => {
    const w = world()
    const { path, reference } = await waiting(w)
    expect(await send(path, card(asks))).toMatchObject({ status: 303, location: `${path}/bank` })
    const { text, headers } = await show(`${path}/bank`)
    expect(text).toContain('Example Bank')
    expect(text).toContain('Visa ending in 3155')
    expect(text).toContain('KES 1,000.00')
    expect(headers.get('content-security-policy')).toContain("form-action 'self'")
    expect(await send(`${path}/bank`, `action=${answer}`)).toMatchObject({ status: 303, location: path })
    expect((await statusOf(w, reference)).status).toBe(status)
    expect((await show(path)).text).toContain(shown)
  })

  it('can be left and reopened, or abandoned for another card', async () => {
    const w = world()
    const { path, reference } = await waiting(w)
    await send(path, card(asks))
    const { text } = await show(path)
    expect(text).toContain('Confirm this payment with your bank.')
    expect(text).toContain(`href="${path}/bank"`)
    await send(path, card('4242424242424242'))
    expect((await statusOf(w, reference)).status).toBe('success')
    expect(await send(`${path}/bank`, 'action=fail')).toMatchObject({ status: 303, location: path })
    expect((await statusOf(w, reference)).status).toBe('success')
  })

  it('redirects to the checkout page without a challenge', async () => {
    const { path } = await waiting(world())
    const response = await sandbox.fetch(new Request(`http://sandbox.test${path}/bank`))
    expect([response.status, response.headers.get('location')]).toEqual([303, path])
  })

  it('is not skipped by paying without a card', async () => {
    const w = world()
    const { path, reference } = await waiting(w)
    await send(path, card(asks))
    expect((await send(path, 'action=pay')).location).toBe(`${path}/bank`)
    expect((await statusOf(w, reference)).status).toBe('queued')
  })

  it('expires with the payment', async () => {
    const w = world()
    const { path, reference } = await waiting(w)
    await send(path, card(asks))
    await w.settle()
    expect(await send(`${path}/bank`, 'action=pass')).toMatchObject({ status: 303, location: path })
    expect((await statusOf(w, reference)).message).toBe('Transaction has expired')
  })

  it.each(['', 'action=', 'action=pay', 'action=pass&action=fail'])(
    'returns 400 for %j and keeps the challenge',
    async (body) => {
      const w = world()
      const { path, reference } = await waiting(w)
      await send(path, card(asks))
      expect((await send(`${path}/bank`, body, form)).status).toBe(400)
      expect((await w.get(`/sandbox/checkouts/${reference}`)).body.state).toBe('three_d_secure')
    },
  )

  it('returns 404 without the proof, and 405 for another method', async () => {
    const { path } = await waiting(world())
    await send(path, card(asks))
    expect((await send(`${path.slice(0, -22)}${'A'.repeat(22)}/bank`, 'action=pass')).status).toBe(404)
    const answer = await sandbox.fetch(new Request(`http://sandbox.test${path}/bank`, { method: 'PUT' }))
    expect(answer.status).toBe(405)
  })
})

describe('the remaining time', () => {
  const styleOf = (text: string) => /<style>([\s\S]*?)<\/style>/.exec(text)![1]!

  it('is frozen with the clock', async () => {
    const w = world()
    const { path } = await waiting(w)
    const { text } = await show(path)
    expect(styleOf(text)).toContain('.left { --left: 600;  }')
    expect(text).toContain('The clock is frozen.')
    expect(text).not.toContain('http-equiv')
  })

  it('runs at the clock’s speed, and the page reloads at its end', async () => {
    const w = world()
    const { path } = await waiting(w)
    await w.post('/sandbox/clock/speed', { speed: 60 })
    const { text } = await show(path)
    expect(styleOf(text)).toContain('.left { --left: 600; animation: left 10.000s linear forwards; }')
    expect(text).toContain('http-equiv="refresh" content="11"')
  })
})
