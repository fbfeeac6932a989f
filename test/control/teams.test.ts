import { describe, expect, it } from 'vitest'
import { collection, withdrawal } from '../support/requests.ts'
import { client, refused, startSandbox } from '../support/sandbox.ts'

const { world: newWorld, sandbox } = await startSandbox()

const kes = (amount: number) => ({ amount, currency: 'KES', minor: amount * 100 })

describe('GET /sandbox/teams', () => {
  it('returns each Team with its details', async () => {
    const world = newWorld()
    await world.post('/api/v2/payments', collection(world))
    const { body } = await world.get('/sandbox/teams')
    const team = body.teams.find((each: { id: number }) => each.id === 63)
    expect(body.teams.map((each: { id: number }) => each.id)).toEqual(
      body.teams.map((each: { id: number }) => each.id).toSorted((a: number, b: number) => b - a),
    )
    expect(team).toMatchObject({
      owner: { user_id: 1 },
      members: 2,
      queued: 1,
      currency: 'KES',
      costs: [
        { up_to: kes(49), cost: kes(1) },
        { up_to: kes(499), cost: { amount: 4.62, minor: 462 } },
        {},
        {},
        {},
        { up_to: null, cost: kes(40) },
      ],
    })
    expect(team.wallets.slice(0, 2)).toMatchObject([
      { account: 'team:63:wallet:KES', wallet: 'wallet', balance: kes(100_000) },
      { wallet: 'service_wallet', balance: kes(10_000) },
    ])
    expect(team.channels).toHaveLength(team.channels_count)
  })

  it('returns today’s use of its limits', async () => {
    const world = newWorld()
    const limits = async () => (await world.get('/sandbox/teams/63')).body.team.limits
    const before = await limits()
    expect(before.today).toMatchObject([
      { direction: 'payin', used: kes(0), left: before.per_day },
      { direction: 'payout', used: kes(0), left: before.per_day },
    ])
    await world.post('/api/v2/payments', collection(world))
    await world.post('/api/v2/withdraw', withdrawal(world))
    const most = before.per_day.amount
    expect((await limits()).today).toMatchObject([
      { direction: 'payin', used: kes(1_000), left: kes(most - 1_000) },
      { direction: 'payout', used: kes(500), left: kes(most - 500) },
    ])
    await world.advance(86_400_000)
    expect((await limits()).today).toMatchObject([{ used: kes(0) }, { used: kes(0) }])
  })

  it('searches by name, slug and e-mail address, in pages', async () => {
    const world = newWorld()
    const all = (await world.get('/sandbox/teams')).body.teams
    const named = (await world.get(`/sandbox/teams?search=${all[0].name.slice(1, 6).toUpperCase()}`)).body
    expect(named.teams.map((each: { id: number }) => each.id)).toContain(all[0].id)
    expect((await world.get('/sandbox/teams?search=%25')).body.teams).toEqual([])
    const seen = []
    for (let query = '?limit=1'; ;) {
      const { teams, next_before } = (await world.get(`/sandbox/teams${query}`)).body
      seen.push(...teams.map((each: { id: number }) => each.id))
      if (next_before === null) break
      query = `?limit=1&before=${next_before}`
      await world.post('/api/v2/accounts', { organization_id: 1, name: `New ${seen.length}` })
    }
    expect(seen).toEqual(all.map((each: { id: number }) => each.id))
  })

  it('returns a user’s own Teams with their members, and 404 for others', async () => {
    const world = newWorld()
    const { body: key } = await world.post('/sandbox/api-keys', { account_id: 64, role_id: 4 })
    const member = client(sandbox, key.username, key.password)
    expect((await member.get('/sandbox/teams')).body.teams).toMatchObject([{ id: 64 }])
    expect((await member.get('/sandbox/teams/64')).body.members.at(-1)).toMatchObject({
      user_id: key.user_id,
      role: 'viewer',
    })
    expect(await member.get('/sandbox/teams/63')).toMatchObject({ status: 404 })
    expect((await world.get('/sandbox/teams/63')).status).toBe(200)
  })

  it.each(['/sandbox/teams/abc', '/sandbox/teams?before=x', '/sandbox/teams?serach=x'])(
    '400: %s',
    async (path) => {
      expect(await newWorld().get(path)).toMatchObject(refused(400, 'invalid_argument', /./))
    },
  )
})

describe('GET /sandbox/kyc', () => {
  const submission = {
    account_id: 64,
    entity_type: 'business',
    country_code: 'KE',
    kyc_tier: 1,
    notes: '<script>alert(1)</script>',
    contact_information: {
      first_name: 'Wanjiru',
      upload_information: { selfie_image: 'https://files.example/me.jpg', tax_document: '' },
    },
    entity_information: { entity_name: 'Demo', upload_information: { tax_document: 'https://f.example/t' } },
  }

  it('lists the submissions to review', async () => {
    const world = newWorld()
    const { body: made } = await world.post('/api/v2/account_kycs', submission)
    expect(made.error_message).toBe(undefined)
    const { body } = await world.get('/sandbox/kyc?status=pending')
    expect(body).toMatchObject({
      next_before: null,
      kyc: [
        {
          account_id: 64,
          status: 'pending',
          revision: 1,
          kyc_tier: 1,
          submission: { notes: submission.notes, contact_information: { first_name: 'Wanjiru' } },
          limits: { wallet_collections_allowed: true, payouts_allowed: false },
        },
      ],
    })
    const [kyc] = body.kyc
    expect((await world.get('/sandbox/kyc?status=open')).body.kyc).toEqual([kyc])
    expect(kyc.documents.map((each: { of: string; url: string }) => `${each.of} ${each.url}`)).toEqual([
      'contact https://files.example/me.jpg',
      'entity https://f.example/t',
    ])
    expect((await world.get(`/sandbox/kyc/${kyc.id}`)).body).toEqual(kyc)
    await world.post(`/sandbox/kyc/${kyc.id}/review`, { status: 'rejected', reasons: ['Too dark.'] })
    expect((await world.get('/sandbox/kyc?status=pending')).body.kyc).toEqual([])
    expect((await world.get('/sandbox/kyc?status=open')).body.kyc).toEqual([])
    expect((await world.get('/sandbox/kyc?account_id=64')).body.kyc).toMatchObject([
      { status: 'rejected', reasons: ['Too dark.'] },
    ])
    expect((await newWorld().get('/sandbox/kyc')).body.kyc).toEqual([])
  })

  it.each(['?status=done', '?limit=1000', '?account_id=x'])('400: %s', async (query) => {
    expect((await newWorld().get(`/sandbox/kyc${query}`)).status).toBe(400)
  })
})

describe('GET /sandbox/invites', () => {
  const invite = (email: string, account_id = 63) => ({ organization_id: 1, account_id, email, role_id: 3 })

  it('lists them newest first, without acceptance links for read-only keys', async () => {
    const world = newWorld()
    for (const email of ['a@x.example', 'b@x.example', 'c@x.example'])
      await world.post('/api/v2/account_invites', invite(email))
    const { body } = await world.get('/sandbox/invites')
    expect(body.invites.map((each: { email: string }) => each.email)).toEqual([
      'c@x.example',
      'b@x.example',
      'a@x.example',
    ])
    const [newest] = body.invites
    expect(newest).toMatchObject({ role: 'finance', status: 'sent', account_id: 63 })
    await world.post(`/sandbox/invites/${newest.token}/accept`)
    expect((await world.get('/sandbox/invites?status=accepted')).body.invites).toMatchObject([
      { id: newest.id },
    ])
    const told = JSON.stringify((await world.viewer.get('/sandbox/invites')).body)
    for (const { token } of body.invites) expect(told).not.toContain(token)
  })

  it('names the role that a member keeps when it is stronger', async () => {
    const world = newWorld()
    const before = (await world.get('/api/v2/user_profile/1')).body.user_profile
    await world.post('/api/v2/account_invites', { ...invite(before.user.email), role_id: 4 })
    const [{ token }] = (await world.get('/sandbox/invites')).body.invites
    expect((await world.post(`/sandbox/invites/${token}/accept`)).body).toMatchObject({ role: 'owner' })
    expect((await world.get('/api/v2/user_profile/1')).body.user_profile.roles['63']).toBe('owner')
  })

  it('pages consistently while others arrive at the same frozen time', async () => {
    const world = newWorld()
    for (let n = 0; n < 5; n++) await world.post('/api/v2/account_invites', invite(`u${n}@x.example`))
    const seen = []
    for (let query = '?limit=2'; ;) {
      const { invites, next_before } = (await world.get(`/sandbox/invites${query}`)).body
      seen.push(...invites.map((each: { email: string }) => each.email[1]))
      if (next_before === null) break
      query = `?limit=2&before=${next_before}`
      await world.post('/api/v2/account_invites', invite(`late${seen.length}@x.example`))
    }
    expect(seen.join('')).toBe('43210')
  })
})

describe('GET /sandbox/jobs', () => {
  it('lists jobs in the order they fall due', async () => {
    const world = newWorld()
    await world.post('/api/v2/payments', collection(world), { prefer: 'scenario=success-then-reversed' })
    await world.post('/api/v2/account_kycs', { account_id: 64, entity_type: 'individual' })
    await world.patch('/sandbox/channels/1501', { is_active: false, reactivate_after: '1h' })
    const { jobs, total } = (await world.get('/sandbox/jobs')).body
    expect(total).toBe(jobs.length)
    expect(jobs.map((each: { due_in_ms: number }) => each.due_in_ms)).toEqual(
      jobs.map((each: { due_in_ms: number }) => each.due_in_ms).toSorted((a: number, b: number) => a - b),
    )
    expect(jobs).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'settle', due_in_ms: 2_000, outcome: 'SUCCESS', abandoned: false }),
        expect.objectContaining({ kind: 'review', kyc: 501, outcome: 'in_review' }),
        expect.objectContaining({ kind: 'channel', channel: 1501, outcome: 'opened', due_in_ms: 3_600_000 }),
      ]),
    )
    expect((await world.get('/sandbox/jobs?kind=review')).body.jobs).toHaveLength(2)
    expect((await world.get('/sandbox/jobs?until=2026-06-13T12:00:02Z')).body.jobs).toMatchObject([
      { kind: 'settle' },
    ])
    await world.advance(3_000)
    expect((await world.get('/sandbox/jobs?kind=later')).body.jobs).toMatchObject([{ outcome: 'REVERSED' }])
  })

  it('counts the attempts of a callback, and names the one it waits for', async () => {
    const world = newWorld()
    await world.patch('/sandbox/worlds/current', { retry_jitter: 'off' })
    await world.post('/api/v2/payments', collection(world, { callback_url: 'http://receiver.test/down' }))
    await world.world().change(({ rows }) => {
      rows.insert('callbacks', {
        id: 1,
        transaction_id: 1,
        url: 'http://x.test/',
        shape: 'flat',
        body: '{}',
        fault: null,
        state: 'pending',
        created_at: 0,
      })
      rows.insert('callbacks', { ...rows.get('callbacks', 1)!, id: 2 })
      const task = (callback_id: number) => ({ kind: 'callback', callback_id }) as const
      rows.insert('jobs', { id: 901, due_at: 9e12, task: task(1), failed: failure })
      rows.insert('jobs', { id: 902, due_at: 9e12, task: task(2) })
      rows.insert('jobs', { id: 903, due_at: 9e12, task: task(2), failed: { ...failure, abandoned: true } })
    })
    expect((await world.get('/sandbox/jobs?kind=callback')).body.jobs).toMatchObject([
      { id: 901, callback: 1, attempts: 2, error: 'no room', blocked_by: null },
      { id: 902, callback: 2, attempts: 0, error: '', blocked_by: 1 },
    ])
    expect((await world.get('/sandbox/jobs?state=abandoned')).body).toMatchObject({
      total: 1,
      jobs: [{ id: 903, abandoned: true }],
    })
  })

  it('pages without gaps or repetition while jobs run and arrive', async () => {
    const world = newWorld()
    for (let n = 0; n < 6; n++) await world.post('/api/v2/payments', collection(world, { amount: 10 }))
    const ids = (await world.get('/sandbox/jobs')).body.jobs.map((each: { id: number }) => each.id)
    const first = (await world.get('/sandbox/jobs?limit=2')).body
    await world.world().change(({ rows }) => rows.delete('jobs', ids[0]))
    await world.post('/api/v2/payments', collection(world, { amount: 10 }))
    const rest = (await world.get(`/sandbox/jobs?after=${first.next_after}`)).body
    expect([...first.jobs, ...rest.jobs].map((each) => each.id)).toEqual([...ids, ids.at(-1) + 1])
  })

  it.each([
    ['?kind=pay', /^kind must be one of settle, .*got "pay"/],
    ['?kind=callbak', /did you mean callback\?/],
    ['?after=x', /^after must be the next_after of a page/],
    ['?after=99999999999999999999-1', /^after must be/],
    ['?state=done', /^state must be one of/],
  ])('400: %s', async (query, message) => {
    expect(await newWorld().get(`/sandbox/jobs${query}`)).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })
})

const failure = { times: 2, at: 0, error: 'no room', abandoned: false }

describe('GET /sandbox/inboxes', () => {
  it('lists names, message counts and responses', async () => {
    const world = newWorld()
    expect((await world.get('/sandbox/inboxes')).body).toMatchObject({
      inboxes: [{ name: 'default', messages: 0, last_at: null, responses: [200] }],
      next_after: null,
    })
    const { address } = (await world.get('/sandbox/inbox/shop')).body
    await world.put('/sandbox/inbox/shop', { responses: [500, 'timeout', 200] })
    await world.post('/api/v2/payments', collection(world, { callback_url: address }))
    await world.advance(2_000)
    const { inboxes } = (await world.get('/sandbox/inboxes')).body
    expect(inboxes.map((each: { name: string }) => each.name)).toEqual(['default', 'shop'])
    expect(inboxes[1]).toMatchObject({
      address,
      messages: 1,
      last_at: '2026-06-13T12:00:02.000Z',
      last_response_status: 500,
      responses: [500, 'timeout', 200],
      responses_sent: 1,
    })
    expect((await world.get('/sandbox/inboxes?limit=1')).body).toMatchObject({ next_after: 'default' })
    expect((await world.get('/sandbox/inboxes?limit=1&after=default')).body).toMatchObject({
      inboxes: [{ name: 'shop' }],
      next_after: null,
    })
    const told = JSON.stringify((await world.viewer.get('/sandbox/inboxes')).body)
    expect(told).not.toContain(new URL(address).searchParams.get('key'))
  })
})
