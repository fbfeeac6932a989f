import { describe, expect, it } from 'vitest'
import { collection, globalPayment } from '../../support/requests.ts'
import { refused, startSandbox } from '../../support/sandbox.ts'

const { world } = await startSandbox()
const newTeam = { organization_id: 1, name: 'Branch Two' }

describe('createAccount', () => {
  it('200 with the currency of the phone number and initial values', async () => {
    const w = world()
    const { status, body } = await w.post('/api/v2/accounts', {
      ...newTeam,
      description: 'Second branch',
      email: 'two@demo.example',
      dial_code: '+260',
      number: '0971234567',
    })
    expect(status).toBe(200)
    expect(body.account).toEqual({
      id: expect.any(Number),
      organization_id: 1,
      name: 'Branch Two',
      description: 'Second branch',
      currency: 'ZMW',
      number: '260971234567',
      email: 'two@demo.example',
      status: 'active',
      account_type: 'prepaid',
      kyc_tier: 0,
      kyc_verified: false,
      service_wallet_balance: 0,
      logo: '',
      theme_color: '',
      notify_amount: 0,
      created_at: '2026-06-13T12:00:00Z',
      updated_at: '2026-06-13T12:00:00Z',
    })
    const again = await w.get(`/api/v2/account/${body.account.id}`)
    expect(again.body).toEqual(body)
  })

  it.each([
    ['254', '712345678', 'KES'],
    ['254', '0712345678', 'KES'],
    ['+255', '754123456', 'TZS'],
    ['267', '71234567', 'BWP'],
    ['234', '08031234567', 'NGN'],
    ['256', '772123456', 'UGX'],
    ['233', '241234567', 'GHS'],
    ['250', '788123456', 'RWF'],
  ])('dial code %s with %s gives %s', async (dial_code, number, currency) => {
    const w = world()
    const { body } = await w.post('/api/v2/accounts', { ...newTeam, dial_code, number })
    expect(body.account.currency).toBe(currency)
  })

  it("uses the organization's currency without a number", async () => {
    const { body } = await world().post('/api/v2/accounts', newTeam)
    expect(body.account).toMatchObject({ currency: 'KES', number: '' })
  })

  it('makes the creator its owner, and username its uuid in the profile', async () => {
    const w = world()
    const { body } = await w.post('/api/v2/accounts', { ...newTeam, user_id: 2, username: 'branch-2' })
    const profile = (await w.get('/api/v2/user_profile/2')).body.user_profile
    expect(profile.roles).toMatchObject({ [body.account.id]: 'owner', 63: 'viewer' })
    expect(profile.accounts.map((each: { uuid: string }) => each.uuid)).toContain('branch-2')
  })

  it('derives different slugs from the same name', async () => {
    const w = world()
    await w.post('/api/v2/accounts', newTeam)
    await w.post('/api/v2/accounts', newTeam)
    const { accounts } = (await w.get('/api/v2/user_profile/1')).body.user_profile
    const slugs = accounts.map((each: { uuid: string }) => each.uuid)
    expect(new Set(slugs).size).toBe(slugs.length)
  })

  it('never shares a slug, even if another Team chose the derived one', async () => {
    const w = world()
    const shop = { organization_id: 1, name: 'Shop' }
    for (const username of ['shop', 'Shop-1001', 'shop-1002'])
      expect((await w.post('/api/v2/accounts', { organization_id: 1, name: 'Other', username })).status).toBe(
        200,
      )
    for (let made = 0; made < 5; made++) await w.post('/api/v2/accounts', shop)
    const { accounts } = (await w.get('/api/v2/user_profile/1')).body.user_profile
    const slugs = accounts.map(({ uuid }: { uuid: string }) => uuid.toLowerCase())
    expect(new Set(slugs).size).toBe(slugs.length)
  })

  it.each([
    [{ organization_id: undefined }, 'organization_id is required'],
    [{ name: undefined }, 'name is required'],
    [{ name: '' }, 'name must not be empty, got ""'],
    [{ dial_code: '254' }, 'number is required together with dial_code'],
    [{ number: '712345678' }, 'dial_code is required together with number'],
    [{ dial_code: '254', number: '12' }, 'number must be a valid phone number for dial_code 254, got "12"'],
    [{ dial_code: 'x', number: '712345678' }, /^dial_code must be a country dial code, .*, got "x"$/],
    [
      { dial_code: '1', number: '4155552671' },
      /^dial_code must be the dial code of one of KE, .*, got "1", which belongs to US$/,
    ],
    [{ username: '../Has Space/<b>' }, /^username must have only letters, digits.*got "..\/Has Space\/<b>"$/],
    [{ username: 'demo-team' }, 'username "demo-team" is taken'],
    [{ username: 'DEMO-Team' }, 'username "DEMO-Team" is taken'],
    [{ email: 'nobody' }, /^email must be an e-mail address, got "nobody"$/],
    [{ email: null }, 'email must be text, got null'],
    [{ organization_id: 'one' }, /^organization_id must be a/],
  ])('400 for %o', async (changes, message) => {
    expect(await world().post('/api/v2/accounts', { ...newTeam, ...changes })).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })

  it.each([
    [{ organization_id: 2 }, 'organization_id 2 was not found'],
    [{ user_id: 99 }, 'user_id 99 was not found'],
  ])('404 for %o', async (changes, message) => {
    expect(await world().post('/api/v2/accounts', { ...newTeam, ...changes })).toMatchObject(
      refused(404, 'resource_not_found', message),
    )
  })

  it('403 for a viewer', async () => {
    expect(await world().viewer.post('/api/v2/accounts', newTeam)).toMatchObject(
      refused(403, 'permission_denied', 'role viewer may not change organization 1'),
    )
  })
})

describe('getAccount', () => {
  it('200 for an owner and for a viewer', async () => {
    const w = world()
    const { body } = await w.get('/api/v2/account/63')
    expect(body.account).toMatchObject({
      id: 63,
      name: 'Demo Team',
      service_wallet_balance: 10_000,
      kyc_tier: 3,
    })
    expect((await w.viewer.get('/api/v2/account/63')).body).toEqual(body)
  })

  it.each(['abc', '1.5', '0x3f', ' 63', '63abc', '1e3'])('400 for the id "%s"', async (id) => {
    expect(await world().get(`/api/v2/account/${encodeURIComponent(id)}`)).toMatchObject(
      refused(400, 'invalid_argument', /^account_id must be a whole number/),
    )
  })

  it.each(['9999', '-1', '0'])('404 for the id %s', async (id) => {
    expect(await world().get(`/api/v2/account/${id}`)).toMatchObject(
      refused(404, 'resource_not_found', `account_id ${id} was not found`),
    )
  })

  it('404 for a Team of another world', async () => {
    const { body } = await world().post('/api/v2/accounts', newTeam)
    expect((await world().get(`/api/v2/account/${body.account.id}`)).status).toBe(404)
  })
})

describe('updateAccount', () => {
  it('200 with only the sent fields changed', async () => {
    const w = world()
    const before = (await w.get('/api/v2/account/63')).body.account
    await w.advance(1_000)
    const { status, body } = await w.put('/api/v2/accounts', {
      account_id: 63,
      logo: 'https://demo.example/logo.png',
      theme_color: '#0a6e4f',
      payment_note: 'Thank you',
      notify_amount: 500.5,
    })
    expect(status).toBe(200)
    expect(body.account).toEqual({
      ...before,
      logo: 'https://demo.example/logo.png',
      theme_color: '#0a6e4f',
      notify_amount: 500,
      updated_at: '2026-06-13T12:00:01Z',
    })
  })

  it.each([
    [{ account_id: undefined }, 'account_id is required'],
    [
      { theme_color: 'green' },
      'theme_color must be a hex colour of three or six digits, such as #0B6E4F, got "green"',
    ],
    [{ logo: 'logo.png' }, /^logo must be an http or https URL/],
    [{ notify_amount: '5' }, /^notify_amount must be a number/],
    [{ notify_amount: 0.001 }, /^notify_amount must have at most 2 decimals in KES, got 0.001$/],
  ])('400 for %o', async (changes, message) => {
    expect(await world().put('/api/v2/accounts', { account_id: 63, ...changes })).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })

  it('404 for a Team that does not exist', async () => {
    expect((await world().put('/api/v2/accounts', { account_id: 9 })).status).toBe(404)
  })

  it('403 for a viewer', async () => {
    expect((await world().viewer.put('/api/v2/accounts', { account_id: 63 })).status).toBe(403)
  })
})

describe('deleteAccount', () => {
  it('200 with the Team as it last was; then it is gone, with its channels and roles', async () => {
    const w = world()
    const { status, body } = await w.delete('/api/v2/accounts/63')
    expect(status).toBe(200)
    expect(body.account).toMatchObject({ id: 63, name: 'Demo Team', status: 'deleted' })
    expect((await w.get('/api/v2/account/63')).status).toBe(404)
    expect((await w.get('/api/v2/payment_channels')).body.pagination.count).toBe(0)
    const profile = (await w.get('/api/v2/user_profile/1')).body.user_profile
    expect(Object.keys(profile.roles)).toEqual(['64', '65'])
  })

  it('400 while transactions are queued, 200 when they are final', async () => {
    const w = world()
    await w.post('/api/v2/payments', collection(w))
    expect(await w.delete('/api/v2/accounts/63')).toMatchObject(
      refused(
        400,
        'invalid_argument',
        'account_id 63 has 1 queued transaction; it can be deleted when all are final',
      ),
    )
    await w.settle()
    expect((await w.delete('/api/v2/accounts/63')).status).toBe(200)
  })

  it('400 for an id that is not a number', async () => {
    expect((await world().delete('/api/v2/accounts/x')).status).toBe(400)
  })

  it('keeps the ledger of a deleted default Team', async () => {
    const w = world()
    await w.delete('/api/v2/accounts/63')
    expect(await w.get('/sandbox/ledger')).toMatchObject({ status: 200, body: { balanced: true } })
  })

  it('404 that names the deleted default Team for a payment without account_id', async () => {
    const w = world()
    await w.delete('/api/v2/accounts/63')
    const gone = "is missing, and the API key's default Team 63 was not found"
    expect(await w.post('/api/v2/payments', collection(w, { account_id: undefined }))).toMatchObject(
      refused(404, 'resource_not_found', `account_id ${gone}`),
    )
    expect(
      await w.post('/api/global/payments', globalPayment(w, { vendor_config: undefined })),
    ).toMatchObject(refused(404, 'resource_not_found', `vendor_config.vendor_id ${gone}`))
  })

  it('404 the second time', async () => {
    const w = world()
    await w.delete('/api/v2/accounts/64')
    expect((await w.delete('/api/v2/accounts/64')).status).toBe(404)
  })

  it('403 for a viewer', async () => {
    expect((await world().viewer.delete('/api/v2/accounts/63')).status).toBe(403)
  })
})

describe('getUserProfile', () => {
  it('200 with Teams, roles and organizations', async () => {
    const { status, body } = await world().get('/api/v2/user_profile/1')
    expect(status).toBe(200)
    expect(body.user_profile).toMatchObject({
      user: { id: 1, is_admin: true, status: 'active' },
      roles: { 63: 'owner', 64: 'owner', 65: 'owner' },
      organizations: [{ id: 1, currency: 'KES' }],
    })
    expect(body.user_profile.accounts.map((each: { id: number }) => each.id)).toEqual([63, 64, 65])
  })

  it('200 for another user of the organization', async () => {
    expect((await world().viewer.get('/api/v2/user_profile/1')).status).toBe(200)
  })

  it('400 for an id that is not a number', async () => {
    expect((await world().get('/api/v2/user_profile/me')).status).toBe(400)
  })

  it('404 for a user that does not exist', async () => {
    expect(await world().get('/api/v2/user_profile/77')).toMatchObject(
      refused(404, 'resource_not_found', 'user_id 77 was not found'),
    )
  })
})
