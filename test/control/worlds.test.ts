import { describe, expect, it } from 'vitest'
import { collection } from '../support/requests.ts'
import { client, NOON, refused, startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()
const as = ({ username, password }: { username: string; password: string }) =>
  client(sandbox, username, password)

const seed = {
  organizations: [{ id: 7, name: 'Duka', currency: 'KES', admin_id: 5 }],
  users: [{ id: 5, first_name: 'Wanjiru', last_name: 'K', email: 'w@duka.example', organization_ids: [7] }],
  api_keys: [{ username: 'duka', password: 'siri', user_id: 5, default_account_id: 900 }],
  teams: [
    {
      id: 900,
      organization_id: 7,
      name: 'Duka',
      uuid: 'duka',
      currency: 'KES',
      country: 'KE',
      kyc_tier: 1,
      members: { 5: 1 },
      wallet: { KES: 250 },
    },
  ],
}

describe('createWorld', () => {
  it('returns 201 with keys that only work there', async () => {
    const made = await world().post('/sandbox/worlds')
    expect(made.status).toBe(201)
    const { credentials, api_keys, world: view } = made.body
    expect(view).toMatchObject({ disposable: true, transactions: 0, clock: { speed: 0 } })
    expect(api_keys).toHaveLength(2)
    expect((await as(credentials).get('/api/v2/user_profile/1')).status).toBe(200)
    expect((await client(sandbox, credentials.username, 'demo').get('/sandbox/ledger')).status).toBe(401)
    expect((await client(sandbox, 'demo', credentials.password).get('/sandbox/ledger')).status).toBe(401)
  })

  it('returns 429 for a seed with more passwords to hash than the world’s rate allows', async () => {
    const { world: limited } = await startSandbox({ SANDBOX_WORLD_REQUESTS: '100' })
    const w = limited()
    const [key] = seed.api_keys
    const api_keys = Array.from({ length: 20 }, (_, n) => ({ ...key, username: `duka${n}` }))
    const many = { seed: { ...seed, api_keys } }
    expect(await w.post('/sandbox/worlds', many)).toMatchObject(
      refused(429, 'resource_exhausted', /requests/),
    )
    expect((await limited().post('/sandbox/worlds', { seed })).status).toBe(201)
  })

  it('returns 201 with its own seed, settings and clock', async () => {
    const at = '2027-01-01T00:00:00Z'
    const made = await world().post('/sandbox/worlds', {
      seed,
      settings: {
        settle_after: '1m',
        callback_shape: 'nested',
        costs: [{ up_to: 10, cost: 0 }, { cost: 2 }],
      },
      clock: { at },
    })
    expect(made.body).toMatchObject({
      credentials: { username: expect.stringMatching(/^duka\+w-/), password: 'siri' },
      world: {
        clock: { now: at, speed: 0 },
        settings: {
          settle_after: '1m',
          callback_shape: 'nested',
          validation: 'documented',
          costs: [
            { up_to: 10, cost: 0 },
            { up_to: null, cost: 2 },
          ],
        },
      },
    })
    const own = as(made.body.credentials)
    expect((await own.get('/api/v2/account/900')).body.account).toMatchObject({
      name: 'Duka',
      created_at: at,
      updated_at: at,
    })
    expect((await own.get('/api/v2/account/63')).status).toBe(404)
  })

  it.each([
    [{ settings: { settle_after: 'soon' } }, /^settle_after "soon" is not a duration/],
    [{ settings: { costs: [] } }, /^settings\.costs must be at least 1 items long/],
    [{ clock: { speed: -1 } }, /^clock\.speed must be at least 0/],
    [{ seed: { ...seed, teams: [] } }, /^seed\.teams must be at least 1 items long/],
    [
      { seed: { ...seed, api_keys: [{ ...seed.api_keys[0], user_id: 6 }] } },
      'seed.api_keys[0].user_id: there is no user 6; known are 5',
    ],
    [
      { seed: { ...seed, teams: [...seed.teams, ...seed.teams] } },
      /^seed\.teams\[1\]\.id: 900 is not unique; seed\.teams\[1\]\.uuid: duka is not unique$/,
    ],
    [
      { seed: { ...seed, teams: [...seed.teams, { ...seed.teams[0], id: 901, uuid: 'DUKA' }] } },
      'seed.teams[1].uuid: DUKA is not unique',
    ],
    [{ seed: { ...seed, tiers: [] } }, /^seed\.tiers must be at least 1 items long/],
  ])('returns 400 for %o', async (body, message) => {
    expect(await world().post('/sandbox/worlds', body)).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })

  it('returns 429 at the maximum number of worlds', async () => {
    const few = await startSandbox({ SANDBOX_MAX_WORLDS: '2' })
    const w = few.world()
    const message = 'there are 2 worlds already and none is idle; delete one, or raise SANDBOX_MAX_WORLDS'
    expect((await w.get('/sandbox/ledger')).status).toBe(200)
    expect(await w.post('/sandbox/worlds')).toMatchObject(refused(429, 'resource_exhausted', message))
    expect(await few.world().get('/sandbox/ledger')).toMatchObject(
      refused(429, 'resource_exhausted', message),
    )
  })
})

describe('a world among others', () => {
  it('lists itself and the worlds it created', async () => {
    const mine = world()
    const other = world()
    const made = await mine.post('/sandbox/worlds')
    await other.post('/sandbox/worlds')
    const listed = (await mine.get('/sandbox/worlds')).body.worlds.map(({ id }: { id: string }) => id)
    expect(listed).toEqual([mine.world().name, made.body.world.id])
    expect((await mine.get(`/sandbox/worlds/${made.body.world.id}`)).body.parent).toBe(mine.world().name)
    expect(await other.get(`/sandbox/worlds/${made.body.world.id}`)).toMatchObject(
      refused(404, 'resource_not_found', `world ${made.body.world.id} was not found`),
    )
  })

  it('pages newest first, even if one is reset or deleted in the meantime', async () => {
    const w = world()
    await w.get('/sandbox/ledger')
    const made: string[] = []
    for (let n = 0; n < 4; n++) made.push((await w.post('/sandbox/worlds')).body.world.id)
    const page = async (query: string) => {
      const { body } = await w.get(`/sandbox/worlds?${query}`)
      return { ids: body.worlds.map(({ id }: { id: string }) => id), next: body.next_before }
    }
    const first = await page('limit=2')
    expect(first.ids).toEqual(made.slice(2))
    await w.post('/sandbox/reset')
    await w.delete(`/sandbox/worlds/${made[2]}`)
    const second = await page(`limit=2&before=${first.next}`)
    expect(second.ids).toEqual(made.slice(0, 2))
    expect(await page(`limit=2&before=${second.next}`)).toEqual({ ids: [w.world().name], next: null })
  })

  it('has a name of any text, which is found in any case and survives a reset', async () => {
    const w = world()
    await w.get('/sandbox/ledger')
    const label = '<b>QA</b> \u202e "łódź"'
    const made = (await w.post('/sandbox/worlds', { name: label })).body
    await w.post('/sandbox/worlds', { name: 'Staging' })
    expect(made.world).toMatchObject({ name: label, id: made.credentials.username })
    await as(made.credentials).post('/sandbox/reset')
    const { worlds, total } = (await w.get('/sandbox/worlds?search=qa&limit=1')).body
    expect([worlds.map(({ name }: { name: string }) => name), total]).toEqual([[label], 1])
    expect((await w.get('/sandbox/worlds')).body.total).toBe(3)
    const path = `/sandbox/worlds/${made.world.id}`
    expect((await w.patch(path, { name: 'QA 2' })).body.name).toBe('QA 2')
    expect((await w.patch(path, { settle_after: '1s' })).body.name).toBe('QA 2')
    expect((await w.patch(path, { name: '' })).body.name).toBe(null)
    expect((await w.patch(path, { name: 'x'.repeat(65) })).status).toBe(400)
  })

  it('changes its settings at once, and a reset restores the initial ones', async () => {
    const made = await world().post('/sandbox/worlds', { settings: { settle_after: '3s' } })
    const w = as(made.body.credentials)
    const changed = await w.patch('/sandbox/worlds/current', { settle_after: 500, validation: 'lenient' })
    expect(changed.body.settings).toMatchObject({ settle_after: '500ms', validation: 'lenient' })
    const withdrawal = { external_reference: 'a', amount: 10, phone_number: '0712345678', channel: 'phone' }
    expect((await w.post('/api/v2/withdraw', withdrawal)).status).toBe(200)
    await w.post('/sandbox/reset')
    expect((await w.get('/sandbox/worlds/current')).body.settings.settle_after).toBe('3s')
    expect((await w.post('/api/v2/withdraw', withdrawal)).status).toBe(400)
  })

  it('returns 400 for an invalid setting and changes nothing', async () => {
    const w = world()
    expect(await w.patch('/sandbox/worlds/current', { settle_after: '-1s' })).toMatchObject(
      refused(400, 'invalid_argument', /^settle_after "-1s" is not a duration/),
    )
    expect((await w.get('/sandbox/worlds/current')).body.settings.settle_after).toBe('2s')
  })

  it.each([
    [
      { foo: 1 },
      /^the request body changes nothing; give at least one of settle_after, .*, costs, name, got foo$/,
    ],
    [
      { settings: { settle_after: '1m' } },
      /^the request body changes nothing: send its fields at the top level, not within settings; accepted fields are settle_after, /,
    ],
  ])('returns 400 without a setting: %o', async (body, message) => {
    expect(await world().patch('/sandbox/worlds/current', body)).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })

  it.each(['callbacks', 'requests'])(
    'returns 503 at once to a wait for %s when it is reset',
    async (what) => {
      const w = world()
      const waiting = w.get(`/sandbox/${what}/wait?timeout=60s`)
      await w.get('/sandbox/worlds/current')
      await w.post('/sandbox/reset')
      expect(await waiting).toMatchObject(
        refused(503, 'unavailable', 'the world was reset while this request ran; send it again'),
      )
    },
  )

  it.each(['callbacks', 'requests'])(
    'returns 503 at once to a wait for %s when it is deleted',
    async (what) => {
      const w = world()
      const made = await w.post('/sandbox/worlds')
      const waiting = as(made.body.credentials).get(`/sandbox/${what}/wait?timeout=60s`)
      await w.get('/sandbox/worlds/current')
      await w.delete(`/sandbox/worlds/${made.body.world.id}`)
      expect(await waiting).toMatchObject(
        refused(503, 'unavailable', 'the world was removed or moved while this request ran; send it again'),
      )
    },
  )

  it('returns 503 with Retry-After to a payment while it is removed or moved', async () => {
    const w = world()
    await w.get('/sandbox/worlds/current')
    w.world().close('the world was removed or moved while this request ran; send it again')
    const answer = await w.post('/api/v2/payments', collection(w))
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  })

  it('returns 400 for an unknown field next to a setting', async () => {
    const w = world()
    const changed = await w.patch('/sandbox/worlds/current', { settle_after: '7s', foo: 1 })
    expect(changed).toMatchObject(refused(400, 'invalid_argument', /^foo is none of settle_after, /))
    expect((await w.get('/sandbox/worlds/current')).body.settings.settle_after).not.toBe('7s')
  })

  it('is deleted with its keys; the default world cannot be', async () => {
    const w = world()
    const made = await w.post('/sandbox/worlds')
    expect((await w.delete(`/sandbox/worlds/${made.body.world.id}`)).body).toEqual({ deleted: 1 })
    expect((await as(made.body.credentials).get('/sandbox/ledger')).status).toBe(401)
    expect(await client(sandbox, 'demo', 'demo').delete('/sandbox/worlds/demo')).toMatchObject(
      refused(400, 'invalid_argument', /^world demo is the default world and cannot be deleted/),
    )
    expect((await w.delete('/sandbox/worlds/demo')).status).toBe(404)
  })
})

describe('resetWorld', () => {
  it('returns 200: rows, ids, pending jobs and the request log are in their initial state', async () => {
    const w = world()
    const first = await w.post('/api/v2/payments', collection(w))
    await w.advance(60_000)
    await w.post('/api/v2/payments', collection(w))
    const arrived = w.callbacks().length
    const reset = await w.post('/sandbox/reset')
    expect(reset.body).toMatchObject({ cancelled_jobs: 1, now: new Date(NOON).toISOString() })
    expect((await w.get('/sandbox/requests')).body.requests).toEqual([])
    expect(
      (await w.get('/sandbox/ledger')).body.postings.map(({ kind }: { kind: string }) => kind),
    ).not.toContain('collection')
    const again = await w.post('/api/v2/payments', collection(w))
    expect(again.body).toEqual(first.body)
    expect(w.callbacks()).toHaveLength(arrived)
    await w.settle()
    expect(w.callbacks()).toHaveLength(arrived + 1)
  })

  it('does not affect other worlds', async () => {
    const [one, other] = [world(), world()]
    await other.post('/api/v2/payments', collection(other))
    await one.post('/sandbox/reset')
    expect((await other.get('/sandbox/worlds/current')).body).toMatchObject({
      transactions: 1,
      pending_jobs: 1,
    })
  })
})

describe('idle worlds', () => {
  it('are deleted after SANDBOX_WORLD_TTL, unless they have jobs due soon', async () => {
    const time = { now: NOON }
    const few = await startSandbox(
      { SANDBOX_WORLD_TTL: '1h', SANDBOX_SETTLE_AFTER: '90m' },
      { wall: () => time.now, clock: { real_anchor: 0, world_anchor: 0, speed: 1 } },
    )
    const [idle, owing, used] = [few.world(), few.world(), few.world()]
    await idle.get('/sandbox/ledger')
    await owing.post('/api/v2/payments', collection(owing))
    time.now += 3_599_999
    await used.get('/sandbox/ledger')
    expect(await few.sandbox.worlds.dropIdle(3_600_000)).toEqual([])
    time.now += 1
    expect(await few.sandbox.worlds.dropIdle(3_600_000)).toEqual(['demo+t1'])
    expect(few.sandbox.worlds.all().map(({ name }) => name)).toEqual(['demo', 'demo+t2', 'demo+t3'])
  })
})
