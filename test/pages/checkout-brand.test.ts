import { describe, expect, it } from 'vitest'
import { browserOf, waiting } from '../support/checkout.ts'
import { startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const { show } = browserOf(sandbox)

describe('a Team’s checkout page', () => {
  it('shows the grouped amount, the Team’s note, logo and colour, and the shop’s reference', async () => {
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
    expect(headers.get('content-security-policy')).toContain("img-src 'self' https://cdn.example;")
  })

  it('ignores a colour or logo with a meaning in its style or policy', async () => {
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
    expect(headers.get('content-security-policy')).not.toContain('evil')
  })
})
