import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { browserOf, statusOf, waiting } from '../support/checkout.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const { leadsTo, press, show } = browserOf(sandbox)

describe('an open checkout page', () => {
  it.each([
    ['pay', 'success'],
    ['cancel', 'failed'],
  ])('holds the settlement, and %s afterwards results in %s', async (action, status) => {
    const w = world()
    const { path, reference } = await waiting(w)
    await show(path)
    await w.advance(60_000)
    expect((await statusOf(w, reference)).status).toBe('queued')
    await press(path, `action=${action}`)
    expect((await statusOf(w, reference)).status).toBe(status)
    expect(await leadsTo(path)).toMatch(new RegExp(`&status=${status}$`))
  })

  it('expires ten minutes after it was first opened', async () => {
    const w = world()
    const { path, reference } = await waiting(w)
    expect((await show(path)).text).toContain('<time datetime="2026-06-13T12:10:00.000Z">15:10 GMT+3</time>')
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

  it('has no pending jobs once it has ended', async () => {
    const w = world()
    const { path } = await waiting(w)
    await show(path)
    await press(path, 'action=pay')
    await w.settle()
    const { body } = await w.get('/sandbox/clock')
    expect([body.next, body.now]).toEqual([null, '2026-06-13T12:00:02.000Z'])
  })

  it.each([
    ['pay', 'The balance is insufficient for the transaction.', 'The balance is too low for this payment.'],
    ['cancel', 'Request Cancelled by user.', 'You cancelled the payment.'],
    ['left alone', 'The balance is insufficient for the transaction.', 'The balance is too low'],
  ])('of a payment bound to fail: %s', async (action, message, shown) => {
    const w = world()
    const { path, reference } = await waiting(w, { prefer: 'scenario=insufficient-funds' })
    await show(path)
    if (action === 'left alone') await w.advance(600_000)
    else await press(path, `action=${action}`)
    expect(await statusOf(w, reference)).toMatchObject({ status: 'failed', message })
    expect((await show(path)).text).toContain(shown)
  })

  it('is not settled by status queries, and stays queued if a scenario says so', async () => {
    const w = world()
    const polled = await waiting(w, { prefer: 'scenario=final-at-third-status-query' })
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
    'stays cancelled, whatever %s had planned',
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
  ])('does not exist for %s', async (_, init) => {
    const w = world()
    const { path, reference } = await waiting(w)
    await sandbox.fetch(new Request(`http://sandbox.test${path}`, init))
    await w.settle()
    expect((await statusOf(w, reference)).status).toBe('success')
  })

  it('holds the settlement across restarts and in other processes', async () => {
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
    expect(await page.text()).toContain('15:10 GMT+3')
    await w.settle()
    expect((await statusOf(w, reference)).message).toBe('Transaction has expired')
  })

  it('appears in the timeline and the pending jobs', async () => {
    const w = world()
    const { path, reference } = await waiting(w)
    await show(path)
    const { body } = await w.get(`/sandbox/transactions/${reference}/timeline`)
    expect(body.events.map(({ summary }: { summary: string }) => summary)).toContain(
      'the payer opened the checkout page, which stays open until 2026-06-13T12:10:00.000Z',
    )
    await w.advance(60_000)
    expect((await w.get('/sandbox/clock')).body.next).toEqual({
      kind: 'expire',
      due_at: '2026-06-13T12:10:00.000Z',
      transaction: reference,
      callback: null,
    })
  })
})
