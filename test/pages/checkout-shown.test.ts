import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { browserOf, waiting } from '../support/checkout.ts'
import { startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const { show } = browserOf(sandbox)

describe('GET of the checkout page', () => {
  it('shows the recipient, the amount and both buttons', async () => {
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

  it('loads nothing, under a policy that allows its style', async () => {
    const { path } = await waiting(world())
    const { headers, text } = await show(path)
    const style = /<style>([\s\S]*?)<\/style>/.exec(text)![1]!
    const [hash, script] = [style, /<script>([\s\S]*?)<\/script>/.exec(text)![1]!].map((each) =>
      createHash('sha256').update(each).digest('base64'),
    )
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; script-src 'sha256-${script}'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    )
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(text).not.toMatch(/<link|<img|style="|src=/)
  })

  it('changes nothing', async () => {
    const w = world()
    const { path, reference } = await waiting(w)
    await show(path)
    const { body } = await w.post('/api/global/transaction-status', { request_id: reference })
    expect(body.status).toBe('queued')
  })

  it("escapes the Team's name", async () => {
    const w = world()
    await w.get('/api/v2/account/63')
    const { path } = await waiting(w, { name: '</title><script>alert(1)</script>"\'&' })
    const { text } = await show(path)
    expect(text).not.toContain('<script>alert')
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;')
  })

  it('shows the outcome and a link back with reference and status', async () => {
    const w = world()
    const { path, reference } = await waiting(w)
    await w.settle()
    const { text } = await show(path)
    expect(text).toContain('received your payment.')
    expect(text).toContain(
      `href="https://shop.example/thanks?order=1&amp;reference=${reference}&amp;status=success"`,
    )
    expect(text).not.toContain('<button')
  })
})
