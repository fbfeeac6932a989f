import { describe, expect, it } from 'vitest'
import { client, NOON, refused, startSandbox } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()

describe('an API key', () => {
  it('works with its role until it is revoked, and returns 401 afterwards', async () => {
    const w = world()
    const made = await w.post('/sandbox/api-keys', { account_id: 64, role_id: 3 })
    expect(made).toMatchObject({ status: 201, body: { roles: { 64: 'finance' }, revoked_at: null } })
    const { username, password } = made.body
    const own = client(sandbox, username, password)
    expect((await own.get('/api/v2/account/64')).status).toBe(200)
    expect((await own.get('/api/v2/account/63')).status).toBe(404)
    expect((await own.put('/api/v2/accounts', { account_id: 64, description: 'x' })).status).toBe(403)
    expect((await own.post('/sandbox/reset')).status).toBe(403)

    expect((await w.delete(`/sandbox/api-keys/${username}`)).body.revoked_at).toBe('2026-06-13T12:00:00Z')
    expect((await own.get('/api/v2/account/64')).status).toBe(401)
    const listed = (await w.get('/sandbox/api-keys')).body.api_keys
    expect(listed).toHaveLength(3)
    expect(JSON.stringify(listed)).not.toContain('password')
  })

  it('is listed with others, a page at a time', async () => {
    const w = world()
    const made = []
    for (let n = 0; n < 3; n++) made.push((await w.post('/sandbox/api-keys')).body.username)
    const names = ({ body }: Awaited<ReturnType<typeof w.get>>) =>
      body.api_keys.map(({ username }: { username: string }) => username)
    const first = await w.get('/sandbox/api-keys?limit=2')
    expect([names(first), first.body.next_before]).toEqual([made.slice(1), made[1]])
    const rest = await w.get(`/sandbox/api-keys?before=${encodeURIComponent(made[1])}`)
    expect([names(rest).at(-1), names(rest).length, rest.body.next_before]).toEqual([made[0], 3, null])
    expect(await w.get('/sandbox/api-keys?before=nobody')).toMatchObject(
      refused(
        400,
        'invalid_argument',
        'before must be the next_before of a page, which is the username of a key, got "nobody"',
      ),
    )
  })

  it('works in its own world only', async () => {
    const [w, other] = [world(), world()]
    const { username, password } = (await w.post('/sandbox/api-keys')).body
    await other.get('/sandbox/ledger')
    const to = other.world().name.replace('demo', '')
    const elsewhere = username.replace(/\+.*/, '')
    expect((await client(sandbox, elsewhere, password).get('/api/v2/account/63')).status).toBe(401)
    expect((await client(sandbox, `${elsewhere}${to}`, password).get('/api/v2/account/63')).status).toBe(401)
    expect((await other.delete(`/sandbox/api-keys/${username}`)).status).toBe(404)
  })

  it('of an existing user keeps the role unless another is given', async () => {
    const w = world()
    expect((await w.post('/sandbox/api-keys', { user_id: 2 })).body.roles[63]).toBe('viewer')
    expect((await w.post('/sandbox/api-keys', { user_id: 2, role_id: 2 })).body.roles[63]).toBe('admin')
  })

  it('is rejected for a user who is not a member, unless a role is given', async () => {
    const w = world()
    const { id } = (await w.post('/api/v2/accounts', { organization_id: 1, name: 'Fourth' })).body.account
    const key = { user_id: 2, account_id: id }
    expect(await w.post('/sandbox/api-keys', key)).toMatchObject(
      refused(
        400,
        'invalid_argument',
        `user_id 2 is not a member of account ${id}; give a role_id to add the user, or another account_id`,
      ),
    )
    const rolesOf2 = async () => (await w.post('/sandbox/api-keys', { user_id: 2 })).body.roles
    expect(await rolesOf2()).toEqual({ 63: 'viewer', 64: 'viewer', 65: 'viewer' })
    expect((await w.post('/sandbox/api-keys', { ...key, role_id: 3 })).body.roles[id]).toBe('finance')
    expect((await rolesOf2())[id]).toBe('finance')
  })

  it('does not remove the last owner of a Team', async () => {
    const w = world()
    expect(await w.post('/sandbox/api-keys', { user_id: 1, role_id: 4 })).toMatchObject(
      refused(400, 'invalid_argument', /^role_id would remove the last owner of account 63/),
    )
    await w.post('/sandbox/api-keys', { user_id: 2, role_id: 1 })
    expect((await w.post('/sandbox/api-keys', { user_id: 1, role_id: 4 })).body.roles[63]).toBe('viewer')
  })

  it.each([
    [{ user_id: 99 }, 404, /^user_id 99 was not found/],
    [{ account_id: 99 }, 404, /^account_id 99 was not found/],
    [{ role_id: 9 }, 400, /^role_id must be at most 4/],
  ])('rejects %o', async (body, status, message) => {
    const code = status === 404 ? 'resource_not_found' : 'invalid_argument'
    expect(await world().post('/sandbox/api-keys', body)).toMatchObject(refused(status, code, message))
  })

  it('returns 400 for its own revocation, 404 for an unknown key', async () => {
    const w = world()
    expect(await w.delete('/sandbox/api-keys/demo+t7')).toMatchObject({ status: 404 })
    const name = (await w.get('/sandbox/worlds/current')).body.id
    expect(await w.delete(`/sandbox/api-keys/${name}`)).toMatchObject(
      refused(400, 'invalid_argument', /is the key of this request/),
    )
  })
})

describe('an API key for several Teams', () => {
  it('has its role in each of them', async () => {
    const w = world()
    const made = await w.post('/sandbox/api-keys', {
      account_id: 63,
      assigned_account_ids: [64, 64],
      role_id: 4,
    })
    expect(made).toMatchObject({ status: 201, body: { roles: { 63: 'viewer', 64: 'viewer' } } })
    const own = client(sandbox, made.body.username, made.body.password)
    const { teams } = (await own.get('/sandbox/teams')).body
    expect(teams.map(({ id }: { id: number }) => id)).toEqual([64, 63])
  })

  it('has the role of its first Team by default', async () => {
    const { body } = await world().post('/sandbox/api-keys', { assigned_account_ids: [64] })
    expect(body.roles).toEqual({ 63: 'viewer', 64: 'viewer' })
  })

  it('returns 404 for an unknown Team and creates no key', async () => {
    const w = world()
    const before = (await w.get('/sandbox/api-keys')).body.api_keys.length
    expect((await w.post('/sandbox/api-keys', { assigned_account_ids: [64, 9999] })).status).toBe(404)
    expect((await w.get('/sandbox/api-keys')).body.api_keys).toHaveLength(before)
  })
})

describe('an API key that expires', () => {
  it('shows its expiry along with its role', async () => {
    const { username, password } = (await world().post('/sandbox/api-keys', { role_id: 1, expires_in: '2h' }))
      .body
    const { key } = (await client(sandbox, username, password).get('/sandbox/worlds/current')).body
    expect(key).toMatchObject({ username, role: 'admin', expires_at: '2026-06-13T14:00:00.000Z' })
  })

  it('returns 401 from that real time on, whatever the clock of its world', async () => {
    let wall = NOON
    const { world: newWorld, sandbox: timed } = await startSandbox({}, { wall: () => wall })
    const w = newWorld()
    const made = await w.post('/sandbox/api-keys', { name: '<b>CI</b>', expires_in: '2h' })
    const about = { name: '<b>CI</b>', expires_at: '2026-06-13T14:00:00.000Z' }
    expect(made).toMatchObject({ status: 201, body: about })
    const own = client(timed, made.body.username, made.body.password)
    await w.advance(7 * 86_400_000)
    wall = NOON + 7_199_999
    expect((await own.get('/sandbox/clock')).status).toBe(200)
    wall = NOON + 7_200_000
    expect((await own.get('/sandbox/clock')).status).toBe(401)
    expect((await w.get('/sandbox/api-keys')).body.api_keys.at(-1)).toMatchObject(about)
  })

  it.each([
    [{ expires_in: '2h', expires_at: '2027-01-01T00:00:00Z' }, /^give either expires_in .* or expires_at/],
    [{ expires_in: 'soon' }, /^expires_in "soon" is not a duration/],
    [{ expires_in: '0' }, /^expires_in "0" is shorter than 1s/],
    [
      { expires_at: '2026-06-13T12:00:00Z' },
      /^expires_at must be later than 2026-06-13T12:00:00.000Z.*got "2026-06-13T12:00:00Z"/,
    ],
  ])('returns 400 for %j', async (body, message) => {
    expect(await world().post('/sandbox/api-keys', body)).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })
})
