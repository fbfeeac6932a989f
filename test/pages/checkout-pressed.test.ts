import { describe, expect, it } from 'vitest'
import { browserOf, waiting } from '../support/checkout.ts'
import { balance } from '../support/ledger.ts'
import { startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const { leadsTo, press, show } = browserOf(sandbox)

describe('POST to the checkout page', () => {
  it.each([
    ['pay', 'success', 'The service request is processed successfully.', 100_985],
    ['cancel', 'failed', 'Request Cancelled by user.', 100_000],
  ])(
    '%s settles at once, sends the callback, and leads to redirect_url: %s',
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

  it('ignores a second submission, and reports that the payment is already paid', async () => {
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
    expect([page.status, page.headers.get('location')]).toEqual([303, `${path}?late`])
    expect((await show(`${path}?late`)).text).toContain('You can no longer cancel it.')
    await w.settle()
    expect(w.callbacks()).toHaveLength(1)
  })

  it('shows that the payment was cancelled', async () => {
    const { path } = await waiting(world())
    await press(path, 'action=cancel')
    expect((await press(path, 'action=pay')).headers.get('location')).toBe(path)
    expect((await show(path)).text).toMatch(/<strong>Cancelled<\/strong>\s+You cancelled the payment\./)
    expect(await leadsTo(path)).toMatch(/&status=failed$/)
  })

  it.each(['', 'action=', 'action=steal', 'pay=action', '{"action":"pay"}'])(
    'returns 400 for %j and keeps the payment open',
    async (body) => {
      const w = world()
      const { path, reference } = await waiting(w)
      const response = await press(path, body)
      expect(response.status).toBe(400)
      expect(((await response.json()) as { error_message: string }).error_message).toMatch(
        /^action must be one of pay, continue, cancel/,
      )
      const status = await w.post('/api/global/transaction-status', { request_id: reference })
      expect(status.body.status).toBe('queued')
    },
  )

  it('returns 413 for a body over the limit', async () => {
    const { path } = await waiting(world())
    expect((await press(path, 'x'.repeat(2 << 20))).status).toBe(413)
  })
})
