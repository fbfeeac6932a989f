import { describe, expect, it } from 'vitest'
import { collection, withdrawal } from '../support/requests.ts'
import { refused, startSandbox, type TestWorld } from '../support/sandbox.ts'

const { world, pauses } = await startSandbox()
const pay = (w: TestWorld, headers: Record<string, string>) =>
  w.post('/api/v2/payments', collection(w), headers)

describe('Prefer', () => {
  it.each([
    ['outcome=failed', 'fails (cancelled)', ['failed']],
    ['outcome=success', 'succeeds', ['success']],
    ['outcome=reversed', 'succeeds, then reversed after 0', ['success', 'reversed']],
    ['outcome=queued', 'stays queued', []],
    ['reason=wrong_pin', 'fails (wrong_pin)', ['failed']],
    ['callback=none', 'no callback', []],
    ['callback=duplicate', 'callback 2 times', ['success', 'success']],
    ['callback=drop', 'no callback', []],
    [
      'outcome=reversed, callback=out-of-order',
      'succeeds, then reversed after 0, callback out of order',
      ['reversed', 'success'],
    ],
    ['callback=first', 'callback before the response', ['success']],
    ['scenario=payer-cancels', 'fails (cancelled) after 3s', ['failed']],
    [
      'scenario=payer-cancels, callback=duplicate',
      'fails (cancelled) after 3s, callback 2 times',
      ['failed', 'failed'],
    ],
    ['SCENARIO="payer-cancels"; now=1', 'fails (cancelled) after 3s', ['failed']],
  ])('%s', async (prefer, outcome, callbacks) => {
    const w = world()
    const { status, headers } = await pay(w, { prefer })
    expect([status, headers.get('sandbox-outcome')]).toEqual([201, `header; ${outcome}`])
    await w.settle()
    expect(w.callbacks().map(({ body }) => body.status)).toEqual(callbacks)
  })

  it('callback=nested selects the other shape', async () => {
    const w = world()
    await pay(w, { prefer: 'callback=nested' })
    await w.settle()
    expect(w.callbacks()[0]!.body).toMatchObject({ response: { Status: 'Success' } })
  })

  it('callback=late sends the callback ten minutes after the result', async () => {
    const w = world()
    await pay(w, { prefer: 'callback=late' })
    await w.advance(601_999)
    expect(w.callbacks()).toEqual([])
    await w.advance(1)
    expect(w.callbacks()).toHaveLength(1)
  })

  it('callback=first delivers before the response', async () => {
    const w = world()
    await pay(w, { prefer: 'callback=first' })
    expect(w.callbacks()).toHaveLength(1)
  })

  it('delay=1500 delays the response, and Preference-Applied names what applied', async () => {
    const before = pauses.length
    const { headers } = await pay(world(), { prefer: 'respond-async, delay=1500, colour=red' })
    expect(pauses.slice(before)).toEqual([1500])
    expect(headers.get('preference-applied')).toBe('delay=1500')
  })

  it('code=503 responds with it and does nothing else', async () => {
    const w = world()
    const answer = await pay(w, { prefer: 'code=503' })
    expect(answer).toMatchObject(refused(503, 'unavailable', 'Prefer requested code=503'))
    await w.settle()
    expect(w.callbacks()).toEqual([])
  })

  it('outcome=rejected rejects a review', async () => {
    const w = world()
    const { body } = await w.post('/api/v2/account_kycs', { account_id: 64 }, { prefer: 'outcome=rejected' })
    await w.settle()
    expect((await w.get(`/sandbox/kyc/${body.account_kyc.id}`)).body.status).toBe('rejected')
  })

  it('uses a payout reason for a failed payout', async () => {
    const w = world()
    await w.post('/api/v2/withdraw', withdrawal(w), { prefer: 'outcome=failed' })
    await w.settle()
    expect(w.callbacks()[0]!.body.message).toBe('The recipient could not be found.')
  })

  it('accepts X-Sandbox-Scenario as well', async () => {
    const { headers } = await pay(world(), { 'x-sandbox-scenario': 'wrong-pin' })
    expect(headers.get('sandbox-scenario')).toBe('wrong-pin')
  })

  it('ignores preferences that do not apply to the operation', async () => {
    const { status, headers } = await world().get('/api/v2/account/63', undefined, {
      prefer: 'outcome=failed',
    })
    expect([status, headers.get('preference-applied'), headers.get('sandbox-outcome')]).toEqual([
      200,
      null,
      'default',
    ])
  })

  it('does not report a scenario that does not fit the operation', async () => {
    const { headers } = await pay(world(), { prefer: 'scenario=kyc-approved, delay=5' })
    expect([headers.get('preference-applied'), headers.get('sandbox-scenario')]).toEqual(['delay=5', null])
    const alone = await pay(world(), { prefer: 'scenario=kyc-approved' })
    expect(alone.headers.get('preference-applied')).toBe(null)
  })

  it.each([
    ['scenario=payer-cancel', 'scenario "payer-cancel" is not a scenario (did you mean payer-cancels?)'],
    ['outcome=fail', 'Prefer: outcome=fail: "fail" is not a value of outcome (did you mean failed?)'],
    [
      'reason=canceled',
      'Prefer: reason=canceled: "canceled" is not a value of reason (did you mean cancelled?)',
    ],
    ['fault=reset', /^Prefer: fault=reset: .* \(known are connection-reset, /],
    ['callback=twice', /^Prefer: callback=twice: .* \(known are none, flat, nested, duplicate/],
    ['delay=soon', /^Prefer: delay=soon: "soon" is not a duration such as/],
    ['code=418', /^Prefer: code=418: "418" is not a value of code \(known are 400, 401/],
    ['delay=61m', 'Prefer: delay=61m: "61m" is longer than 1h, the maximum'],
    ['delay=30d', 'Prefer: delay=30d: "30d" is longer than 1h, the maximum'],
    [
      'outcome=success, reason=cancelled',
      'Prefer: reason=cancelled: a reason requires outcome=failed, not success',
    ],
    [
      'reason=recipient_not_found',
      /^Prefer: reason=recipient_not_found: .* is not a value of reason \(known are insufficient_funds, .*wrong_pin\)$/,
    ],
  ])('returns 400 for %s without processing', async (prefer, message) => {
    const w = world()
    expect(await pay(w, { prefer })).toMatchObject(refused(400, 'invalid_argument', message))
    await w.settle()
    expect(w.callbacks()).toEqual([])
  })
})
