import { readFileSync } from 'node:fs'
import { every } from '../support/rows.ts'
import { describe, expect, it } from 'vitest'
import { collection, withdrawal } from '../support/requests.ts'
import { balance, balances } from '../support/ledger.ts'
import { call, refused, startSandbox, type TestWorld } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const pay = (w: TestWorld, changes: object = {}) => w.post('/api/v2/payments', collection(w, changes))
const outcome = ({ headers }: { headers: Headers }) => headers.get('sandbox-outcome')
const notThere = (what: string) => refused(404, 'resource_not_found', new RegExp(`^${what}`))

describe('the scenarios of a world', () => {
  it('returns 200 with all of them, by name', async () => {
    const { body } = await world().get('/sandbox/scenarios')
    const names = body.scenarios.map((each: { name: string }) => each.name)
    expect(names).toEqual([...names].sort())
    expect(body.scenarios.find((each: { name: string }) => each.name === 'payer-cancels')).toEqual({
      name: 'payer-cancels',
      aliases: ['cancelled', 'canceled', 'cancel', 'user-cancels', 'customer-cancels', 'rejected'],
      title: 'The payer cancels the prompt',
      summary: 'The most common failure: the payer presses cancel.',
      source: 'scenarios/payer-cancels.yaml',
      operations: ['createCollection', 'createGlobalPayment'],
      by_name_only: false,
      conditions: ['direction must be payin', 'party must be a test number that ends in 002'],
      ending: '002',
      outcome: 'fails (cancelled) after 3s',
      on: false,
      queued: 0,
    })
  })

  describe('as YAML', () => {
    const text = (w: TestWorld, name: string, accept = 'application/yaml') =>
      w.get(`/sandbox/scenarios/${name}`, undefined, { accept })
    const yaml = { 'content-type': 'application/yaml' }
    const written = '# what the shop asked for\ntitle: Mine\nthen: { settle: { after: 1s } }\n'

    it('are the files of shipped scenarios', async () => {
      const { status, headers, body } = await text(world(), 'payer-cancels')
      expect([status, headers.get('content-type')]).toEqual([200, 'application/yaml; charset=utf-8'])
      expect(body).toBe(readFileSync('scenarios/payer-cancels.yaml', 'utf8'))
    })

    it('return the text that was sent, with comments, in their own world only', async () => {
      const w = world()
      await w.put('/sandbox/scenarios/payer-cancels', written, yaml)
      expect((await text(w, 'payer-cancels', 'text/yaml')).body).toBe(written)
      expect((await text(world(), 'payer-cancels')).body).not.toBe(written)
      await w.delete('/sandbox/scenarios/payer-cancels')
      expect((await text(w, 'payer-cancels')).body).toContain('title: The payer cancels the prompt')
    })

    it('are generated from scenarios sent as JSON, and can be sent again', async () => {
      const w = world()
      await w.put('/sandbox/scenarios/mine', written, yaml)
      await w.put('/sandbox/scenarios/mine', { title: 'Other: <b>', then: { settle: { after: '2s' } } })
      const { body } = await text(w, 'mine')
      expect(body).toBe('title: "Other: <b>"\nthen:\n  settle:\n    after: 2s\n')
      expect((await w.put('/sandbox/scenarios/mine', body, yaml)).status).toBe(200)
    })

    it('return 404 for an unknown scenario', async () => {
      expect(await text(world(), 'payer-cancel')).toMatchObject(notThere('scenario'))
    })
  })

  it('returns 200 for one, and 404 naming the nearest', async () => {
    const w = world()
    expect((await w.get('/sandbox/scenarios/down-under')).body.error_message).toMatch(/was not found/)
    expect((await w.get('/sandbox/scenarios/payer-cancel')).body.error_message).toBe(
      'scenario payer-cancel was not found (did you mean payer-cancels?)',
    )
    expect((await w.get('/sandbox/scenarios/payer-cancels')).body.scenario.ending).toBe('002')
  })

  it('enables and disables one, in this world only', async () => {
    const [w, other] = [world(), world()]
    const on = await w.patch('/sandbox/scenarios/payer-cancels', { on: true })
    expect(on.body.scenario.on).toBe(true)
    expect(outcome(await pay(w))).toBe('enabled; fails (cancelled) after 3s')
    expect(outcome(await pay(other))).toBe('default')
    await w.patch('/sandbox/scenarios/payer-cancels', { on: false })
    expect(outcome(await pay(w))).toBe('default')
  })

  it('queues one for several requests', async () => {
    const w = world()
    expect((await w.post('/sandbox/scenarios/payer-cancels/queue', { times: 2 })).body.scenario.queued).toBe(
      2,
    )
    expect([outcome(await pay(w)), outcome(await pay(w)), outcome(await pay(w))]).toEqual([
      'queue; fails (cancelled) after 3s',
      'queue; fails (cancelled) after 3s',
      'default',
    ])
  })

  it('queues one for the next request without a body', async () => {
    const w = world()
    const queued = await w.post('/sandbox/scenarios/payer-cancels/queue')
    expect([queued.status, queued.body.scenario.queued]).toEqual([200, 1])
    expect([outcome(await pay(w)), outcome(await pay(w))]).toEqual([
      'queue; fails (cancelled) after 3s',
      'default',
    ])
  })

  it.each([
    [
      'JSON',
      JSON.stringify({ title: 'Slow', when: { amount: 77 }, then: { delay: '1s' } }),
      'application/json',
    ],
    ['YAML', 'title: Slow\nwhen: { amount: 77 }\nthen: { delay: 1s }\n', 'application/yaml'],
  ])('applies one sent as %s at once, in this world only', async (_, text, type) => {
    const [w, other] = [world(), world()]
    const { status, body } = await w.put('/sandbox/scenarios/slow', text, { 'content-type': type })
    expect([status, body.scenario.source]).toEqual([200, 'this world'])
    expect(outcome(await pay(w, { amount: 77 }))).toBe('when; delayed 1s')
    expect(outcome(await pay(other, { amount: 77 }))).toBe('default')
  })

  it('replaces a shipped one of the same name', async () => {
    const w = world()
    await w.put('/sandbox/scenarios/payer-cancels', { title: 'Mine', then: { delay: 5 } })
    expect(outcome(await pay(w, { phone_number: '0700000002' }))).toBe('default')
    await w.delete('/sandbox/scenarios')
    expect(outcome(await pay(w, { phone_number: '0700000002' }))).toBe('when; fails (cancelled) after 3s')
  })

  it('returns 400 for an invalid file, with line, column and suggestion', async () => {
    const w = world()
    const put = (text: string) =>
      w.put('/sandbox/scenarios/mine', text, { 'content-type': 'application/yaml' })
    expect(await put('title: T\nthen: { dely: 1s }\n')).toMatchObject(
      refused(400, 'invalid_argument', 'mine:2:9 "dely" is not a known key (did you mean delay?)'),
    )
    expect(await w.put('/sandbox/scenarios/Mine', { title: 'T', then: {} })).toMatchObject(
      refused(400, 'invalid_argument', /the name "Mine" must be lower-case words/),
    )
    expect(await w.put('/sandbox/scenarios/mine', { then: {} })).toMatchObject(
      refused(400, 'invalid_argument', 'title is required'),
    )
    expect(await w.put('/sandbox/scenarios/mine', { TITLE: 'T', then: {} })).toMatchObject(
      refused(400, 'invalid_argument', 'title is required, got TITLE instead'),
    )
  })

  it('reads and sets the step', async () => {
    const w = world()
    const path = '/sandbox/scenarios/provider-fails-once/state'
    const cancelling = { phone_number: '0700000064' }
    expect((await w.get(path)).body).toEqual({ name: 'provider-fails-once', used: 0, step: 1, steps: 2 })
    expect((await pay(w, cancelling)).status).toBe(503)
    expect((await w.get(path)).body).toMatchObject({ used: 1, step: 2 })
    expect((await w.put(path, { step: 1 })).body).toMatchObject({ used: 0, step: 1 })
    expect((await pay(w, cancelling)).status).toBe(503)
    expect(await w.put(path, { step: 3 })).toMatchObject(
      refused(400, 'invalid_argument', 'step must be from 1 to 2, the steps of provider-fails-once, got 3'),
    )
  })

  it('reset forgets enabled, queued, counted and custom scenarios', async () => {
    const w = world()
    await w.patch('/sandbox/scenarios/payer-cancels', { on: true })
    await w.post('/sandbox/scenarios/wrong-pin/queue', {})
    await w.put('/sandbox/scenarios/mine', { title: 'Mine', then: { delay: 5 } })
    const { body } = await w.delete('/sandbox/scenarios')
    expect(body.scenarios.filter((each: { on: boolean; queued: number }) => each.on || each.queued)).toEqual(
      [],
    )
    expect(body.scenarios.map((each: { name: string }) => each.name)).not.toContain('mine')
    expect(outcome(await pay(w))).toBe('default')
  })

  it.each([
    ['patch', '/sandbox/scenarios/nobody', { on: true }],
    ['post', '/sandbox/scenarios/nobody/queue', {}],
    ['get', '/sandbox/scenarios/nobody/state', undefined],
    ['put', '/sandbox/scenarios/nobody/state', { step: 1 }],
  ] as const)('returns 404 for %s %s', async (method, path, body) => {
    expect(await world()[method](path, body)).toMatchObject(notThere('scenario nobody was not found'))
  })

  it.each([
    ['patch', '/sandbox/scenarios/payer-cancels', { on: 'yes' }],
    ['post', '/sandbox/scenarios/payer-cancels/queue', { times: 0 }],
    ['put', '/sandbox/scenarios/payer-cancels/state', {}],
  ] as const)('returns 400 for %s %s with %o', async (method, path, body) => {
    expect((await world()[method](path, body)).status).toBe(400)
  })

  it('returns 200 with the test numbers of every country', async () => {
    const { body } = await world().get('/sandbox/test-numbers')
    const cancels = body.test_numbers.find((each: { ending: string }) => each.ending === '002')
    expect(cancels).toMatchObject({ scenario: 'payer-cancels' })
    expect(cancels.numbers).toContainEqual({ country: 'TZ', number: '255740000002', local: '0740000002' })
  })
})

describe('explain', () => {
  it('returns 200 with the rules tried and what the nearest missed', async () => {
    const w = world()
    await w.patch('/sandbox/scenarios/kyc-approved', { on: true })
    const { headers } = await pay(w, { phone_number: '0712345002' })
    const { status, body } = await w.get(`/sandbox/requests/${headers.get('sandbox-request-id')}/explain`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      operation: 'createCollection',
      status: 201,
      decided_by: 'default',
      scenario: null,
    })
    expect(body.rules[0]).toEqual({
      by: 'enabled',
      scenario: 'kyc-approved',
      matched: false,
      misses: [{ field: 'operation', must: 'must be one of submitKyc, amendKyc', value: 'createCollection' }],
    })
    // No shipped test number is near an ordinary number.
    expect(body.nearest).toMatchObject([{ scenario: 'kyc-approved' }])
    const cancels = body.rules.find((each: { scenario: string }) => each.scenario === 'payer-cancels')
    expect(cancels.misses).toEqual([
      { field: 'party', must: 'must be a test number that ends in 002', value: '254712345002' },
    ])
  })

  it('prefers an own file that nearly matched over test numbers', async () => {
    const w = world()
    await w.put('/sandbox/scenarios/large', {
      title: 'Large',
      when: { operation: 'createCollection', amount: { gt: 5000 } },
      then: { respond: { status: 503 } },
    })
    const { headers } = await pay(w, { amount: 5000 })
    const { body } = await w.get(`/sandbox/requests/${headers.get('sandbox-request-id')}/explain`)
    expect(body.nearest).toEqual([
      {
        by: 'when',
        scenario: 'large',
        matched: false,
        misses: [{ field: 'amount', must: 'must be more than 5000', value: '5000' }],
      },
    ])
  })

  it('reports refused for an invalid request', async () => {
    const w = world()
    const { headers } = await pay(w, { amount: 'x' })
    const { body } = await w.get(`/sandbox/requests/${headers.get('sandbox-request-id')}/explain`)
    expect(body).toMatchObject({ status: 400, decided_by: 'rejected', rules: [] })
  })

  it('returns 404 for a request of another world', async () => {
    const { headers } = await pay(world())
    const w = world()
    const id = headers.get('sandbox-request-id')!
    expect(await w.get(`/sandbox/requests/${id}0/explain`)).toMatchObject(notThere('request'))
  })
})

describe('invitations', () => {
  const invite = async (w: TestWorld, changes: object = {}) => {
    await w.post('/api/v2/account_invites', {
      organization_id: 1,
      account_id: 63,
      email: 'new@demo.example',
      role_id: 3,
      assigned_account_ids: [63, 65],
      ...changes,
    })
    return w.world().read(({ rows }) => every(rows, 'invites').at(-1)!.token)
  }

  it('returns 200 for the invitee, who is created with the role', async () => {
    const w = world()
    const token = await invite(w)
    const { status, body } = await w.post(`/sandbox/invites/${token}/accept`)
    expect([status, body]).toEqual([
      200,
      {
        user_id: 101,
        created: true,
        first_name: expect.stringMatching(/^[A-Z]/),
        last_name: expect.stringMatching(/^[A-Z]/),
        email: 'new@demo.example',
        role_id: 3,
        role: 'finance',
        account_ids: [63, 65],
      },
    ])
    const profile = await w.get('/api/v2/user_profile/101')
    expect(profile.body.user_profile.roles).toEqual({ 63: 'finance', 65: 'finance' })
  })

  it('returns 200 for an existing user, who keeps a stronger role', async () => {
    const w = world()
    const token = await invite(w, { email: 'owner@demo.example' })
    const { body } = await w.post(`/sandbox/invites/${token}/accept`)
    expect(body).toMatchObject({ user_id: 1, created: false })
    expect((await w.get('/api/v2/user_profile/1')).body.user_profile.roles['63']).toBe('owner')
  })

  it('returns 400 for a second response', async () => {
    const w = world()
    const token = await invite(w)
    expect((await w.post(`/sandbox/invites/${token}/decline`)).body).toEqual({ token, status: 'declined' })
    const again = refused(400, 'invalid_argument', `invite ${token} was already declined`)
    expect(await w.post(`/sandbox/invites/${token}/accept`)).toMatchObject(again)
    expect(await w.post(`/sandbox/invites/${token}/decline`)).toMatchObject(again)
  })

  it('returns 400 when the Team was deleted, and creates no user', async () => {
    const w = world()
    const token = await invite(w, { account_id: 64, assigned_account_ids: [] })
    await w.delete('/api/v2/accounts/64')
    expect(await w.post(`/sandbox/invites/${token}/accept`)).toMatchObject(
      refused(400, 'invalid_argument', `invite ${token} is no longer valid: its Team 64 was deleted`),
    )
    expect((await w.get('/api/v2/user_profile/101')).status).toBe(404)
    expect((await w.post(`/sandbox/invites/${token}/decline`)).status).toBe(200)
  })

  it('returns 200 with the remaining Teams after one was deleted', async () => {
    const w = world()
    const token = await invite(w)
    await w.delete('/api/v2/accounts/65')
    expect((await w.post(`/sandbox/invites/${token}/accept`)).body.account_ids).toEqual([63])
  })

  it.each(['accept', 'decline'])('returns 404 to %s an unknown invitation', async (answer) => {
    expect(await world().post(`/sandbox/invites/nothing/${answer}`)).toMatchObject(notThere('invite nothing'))
  })
})

describe('offline payments', () => {
  const collect = async (w: TestWorld) => {
    const { body } = await pay(w, { is_offline: true, network_code: undefined })
    return body.CheckoutRequestID as string
  }
  const send = (w: TestWorld, id: string, changes: object = {}) =>
    w.post('/sandbox/offline-payments', {
      paybill: '756756',
      account: `553125#${id}`,
      amount: 1000,
      ...changes,
    })

  it('returns 200, settles the collection and sends its callback', async () => {
    const w = world()
    const { status, body } = await send(w, await collect(w))
    expect([status, body.status]).toEqual([200, 'success'])
    await w.settle()
    expect(w.callbacks().map((each) => each.body.status)).toEqual(['success'])
    expect(await balance(w, 'team:63:wallet:KES')).toBe(100_985)
  })

  it.each([
    ['another paybill', { paybill: '756757' }, 'paybill must be 756756, got "756757"'],
    [
      'another form of account',
      { account: '29119' },
      'account must be 553125#<CheckoutRequestID>, got "29119"',
    ],
    ['an unknown account', { account: '553125#1' }, 'account "553125#1" belongs to no offline collection'],
    ['another amount', { amount: 999 }, 'amount must be the amount of the collection, KES 1,000.00, got 999'],
  ])('returns 400 for %s', async (_, changes, message) => {
    const w = world()
    expect(await send(w, await collect(w), changes)).toMatchObject(refused(400, 'invalid_argument', message))
  })

  it('returns 400 for a second payment, and for a collection that is not offline', async () => {
    const w = world()
    const id = await collect(w)
    await send(w, id)
    expect(await send(w, id)).toMatchObject(
      refused(
        400,
        'invalid_argument',
        `account "553125#${id}" is of a collection that is SUCCESS; only a QUEUED one can be paid`,
      ),
    )
    const prompt = (await pay(w)).body.CheckoutRequestID
    expect(await send(w, prompt)).toMatchObject(refused(400, 'invalid_argument', /belongs to no offline/))
  })
})

describe('simulate', () => {
  const simulate = (w: TestWorld, reference: string, body: object) =>
    w.post(`/sandbox/transactions/${encodeURIComponent(reference)}/simulate`, body)

  it('returns 200 for success, failure with a reason, late success and reversal, each with a callback', async () => {
    const w = world()
    const { reference } = (await pay(w)).body
    const ends = []
    for (const body of [
      { outcome: 'failed', reason: 'wrong_pin' },
      { outcome: 'success' },
      { outcome: 'reversed' },
    ])
      ends.push((await simulate(w, reference, body)).body.status)
    expect(ends).toEqual(['failed', 'success', 'reversed'])
    await w.settle()
    expect(w.callbacks().map((each) => each.body.status)).toEqual(['failed', 'success', 'reversed'])
    expect(await balance(w, 'team:63:wallet:KES')).toBe(100_000)
    expect(await balance(w, 'fees:KES')).toBe(0)
  })

  it('leaves a payment that succeeded by hand as it is when its late success is due', async () => {
    const w = world()
    const { reference } = (await pay(w, { phone_number: '0700000042' })).body
    await w.advance(60_000)
    await simulate(w, reference, { outcome: 'success' })
    await w.settle()
    expect(w.callbacks().map((each) => each.body.status)).toEqual(['failed', 'success'])
    expect(await balance(w, 'team:63:wallet:KES')).toBe(100_985)
  })

  it('returns 200 by the caller’s reference, for a payout too', async () => {
    const w = world()
    await w.post('/api/v2/withdraw', withdrawal(w))
    expect((await simulate(w, 'payout-1', { outcome: 'success' })).body.status).toBe('success')
    await simulate(w, 'payout-1', { outcome: 'reversed' })
    expect(await balance(w, 'team:63:wallet:KES')).toBe(100_000)
  })

  it('returns the cost of a channel collection to the service wallet when it is reversed', async () => {
    const w = world()
    const before = await balances(w)
    const { reference } = (await pay(w, { channel_id: 1502, network_code: undefined })).body
    await simulate(w, reference, { outcome: 'success' })
    expect(await balances(w)).toEqual({
      ...before,
      'team:63:service_wallet:KES': 9_985,
      'team:63:in_transit:KES': 0,
      'fees:KES': 15,
    })
    expect((await simulate(w, reference, { outcome: 'reversed' })).body.status).toBe('reversed')
    // The payer's money never passed through the service: the reversal moves no wallet but the one that paid the cost.
    expect(await balances(w)).toEqual({ ...before, 'team:63:in_transit:KES': 0, 'fees:KES': 0 })
  })

  it('returns 400 when the state does not allow it, 404 for an unknown transaction', async () => {
    const w = world()
    const { reference } = (await pay(w)).body
    expect(await simulate(w, reference, { outcome: 'reversed' })).toMatchObject(
      refused(400, 'invalid_argument', /is QUEUED; only a SUCCESS can be reversed$/),
    )
    const failed = (await pay(w)).body.reference
    await simulate(w, failed, { outcome: 'failed' })
    expect(await simulate(w, failed, { outcome: 'reversed' })).toMatchObject(
      refused(400, 'invalid_argument', /is FAILED; only a SUCCESS can be reversed$/),
    )
    await simulate(w, reference, { outcome: 'success' })
    expect(await simulate(w, reference, { outcome: 'failed' })).toMatchObject(
      refused(400, 'invalid_argument', /is SUCCESS; it cannot become failed$/),
    )
    expect(await simulate(w, reference, { outcome: 'success', reason: 'expired' })).toMatchObject(
      refused(400, 'invalid_argument', 'reason expired is only for outcome failed'),
    )
    expect(await simulate(w, reference, { outcome: 'lost' })).toMatchObject(
      refused(400, 'invalid_argument', /^outcome/),
    )
    expect(await simulate(w, 'nothing', { outcome: 'success' })).toMatchObject(
      notThere('transaction nothing'),
    )
  })
})

describe('KYC reviews', () => {
  const submit = async (w: TestWorld) =>
    (await w.post('/api/v2/account_kycs', { account_id: 64 })).body.account_kyc.id as number

  it('returns 200 and cancels the planned review', async () => {
    const w = world()
    const id = await submit(w)
    const rejected = { status: 'rejected', reasons: ['The selfie is not legible.'] }
    expect((await w.post(`/sandbox/kyc/${id}/review`, rejected)).body).toMatchObject({ id, ...rejected })
    await w.settle()
    expect((await w.get(`/sandbox/kyc/${id}`)).body).toMatchObject(rejected)
    await w.put(`/api/v2/account_kycs/${id}`, { notes: 'again' })
    expect((await w.get(`/sandbox/kyc/${id}`)).body).toMatchObject({ status: 'pending', reasons: [] })
    await w.post(`/sandbox/kyc/${id}/review`, { status: 'approved' })
    expect((await w.get('/api/v2/account/64')).body.account).toMatchObject({
      kyc_tier: 1,
      kyc_verified: true,
    })
  })

  it.each(['approved', 'rejected'])('returns 400 once it is %s', async (status) => {
    const w = world()
    const id = await submit(w)
    const path = `/sandbox/kyc/${id}/review`
    expect((await w.post(path, { status: 'in_review' })).status).toBe(200)
    expect((await w.post(path, { status })).status).toBe(200)
    const team = (await w.get('/api/v2/account/64')).body.account
    for (const again of ['approved', 'rejected', 'in_review'])
      expect(await w.post(path, { status: again })).toMatchObject(
        refused(
          400,
          'invalid_argument',
          `KYC ${id} is ${status}; only pending or in_review KYC can be reviewed`,
        ),
      )
    expect((await w.get(`/sandbox/kyc/${id}`)).body.status).toBe(status)
    expect((await w.get('/api/v2/account/64')).body.account).toEqual(team)
  })

  it('returns 400 for reasons of an approval and an unknown status, 404 for an unknown review', async () => {
    const w = world()
    const id = await submit(w)
    const path = `/sandbox/kyc/${id}/review`
    expect(await w.post(path, { status: 'approved', reasons: ['x'] })).toMatchObject(
      refused(400, 'invalid_argument', 'reasons are only for status rejected, not approved'),
    )
    expect(await w.post(path, { status: 'fine' })).toMatchObject(refused(400, 'invalid_argument', /^status/))
    expect(await w.post('/sandbox/kyc/1/review', { status: 'approved' })).toMatchObject(notThere('KYC 1'))
    expect(await w.get('/sandbox/kyc/1')).toMatchObject(notThere('KYC 1'))
    expect((await w.get('/sandbox/kyc/one')).status).toBe(400)
  })
})

describe('channels', () => {
  it('returns 200, closes one for a time if given, and opens it', async () => {
    const w = world()
    const path = '/sandbox/channels/1502'
    expect(
      (await w.patch(path, { is_active: false, reactivate_after: '10m' })).body.payment_channel.is_active,
    ).toBe(false)
    expect((await pay(w, { channel_id: 1502 })).status).toBe(400)
    await w.advance(600_000)
    expect((await pay(w, { channel_id: 1502 })).status).toBe(201)
    await w.patch(path, { is_active: false })
    expect((await w.patch(path, { is_active: true })).body.payment_channel.is_active).toBe(true)
  })

  it('returns 400 for an invalid time and for a time to open, 404 for an unknown channel', async () => {
    const w = world()
    const path = '/sandbox/channels/1502'
    expect(await w.patch(path, { is_active: false, reactivate_after: 'soon' })).toMatchObject(
      refused(400, 'invalid_argument', /^reactivate_after "soon" is not a duration such as/),
    )
    expect(await w.patch(path, { is_active: true, reactivate_after: '1s' })).toMatchObject(
      refused(400, 'invalid_argument', 'reactivate_after is only for is_active false'),
    )
    expect(await w.patch(path, {})).toMatchObject(refused(400, 'invalid_argument', 'is_active is required'))
    expect(await w.patch('/sandbox/channels/9', { is_active: true })).toMatchObject(notThere('channel 9'))
  })
})

it('returns 401 without credentials', async () => {
  expect(await call(sandbox, 'GET', '/sandbox/scenarios')).toMatchObject(refused(401, 'unauthenticated', /./))
})
