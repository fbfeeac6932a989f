import { describe, expect, it } from 'vitest'
import { collection, withdrawal } from '../../support/requests.ts'
import { refused, startSandbox } from '../../support/sandbox.ts'

const { world } = await startSandbox()

describe('an empty optional text', () => {
  it('counts as not sent in a collection', async () => {
    const w = world()
    const body = collection(w, { callback_url: '', external_reference: '' })
    expect(await w.post('/api/v2/payments', body)).toMatchObject({
      status: 201,
      body: { external_reference: '' },
    })
    await w.settle()
    expect(w.callbacks()).toEqual([])
  })

  it('counts as not sent if another field is required instead', async () => {
    const w = world()
    const body = collection(w, { network_code: '', channel_id: undefined })
    expect(await w.post('/api/v2/payments', body)).toMatchObject(
      refused(400, 'invalid_argument', /^one of channel_id .* is required$/),
    )
  })

  it('counts as not sent in a withdrawal, a Team and an invitation', async () => {
    const w = world()
    const payout = withdrawal(w, {
      callback_url: '',
      short_code: '',
      network_code: '',
      recipient_type: 'MSISDN',
    })
    expect(await w.post('/api/v2/withdraw', payout)).toMatchObject({ status: 200 })
    const team = { organization_id: 1, name: 'Kiosk', email: '', username: '', dial_code: '', number: '' }
    const made = await w.post('/api/v2/accounts', team)
    expect(made).toMatchObject({ status: 200, body: { account: { email: '', currency: 'KES' } } })
    const invite = {
      organization_id: 1,
      account_id: 63,
      email: 'a@shop.example',
      phone_number: '',
      base_url: '',
    }
    expect(await w.post('/api/v2/account_invites', invite)).toMatchObject({ status: 200 })
  })

  it('empties the field in a change of a Team', async () => {
    const w = world()
    const full = { email: 'till@shop.example', logo: 'https://shop.example/logo.png', theme_color: '#0B6E4F' }
    await w.put('/api/v2/accounts', { account_id: 63, ...full })
    const emptied = await w.put('/api/v2/accounts', { account_id: 63, email: '', logo: '', theme_color: '' })
    expect(emptied).toMatchObject({
      status: 200,
      body: { account: { email: '', logo: '', theme_color: '' } },
    })
  })

  it('removes an enum value of an amended submission', async () => {
    const w = world()
    const { body } = await w.post('/api/v2/account_kycs', {
      account_id: 64,
      entity_type: 'business',
      notes: 'n',
    })
    const { id } = body.account_kyc
    const amended = await w.put(`/api/v2/account_kycs/${id}`, { entity_type: '', notes: '' })
    expect(amended).toMatchObject({ status: 200, body: { account_kyc: { id, notes: '' } } })
    expect(amended.body.account_kyc).not.toHaveProperty('entity_type')
  })

  it('400 where the text is required', async () => {
    const w = world()
    expect(await w.post('/api/v2/accounts', { organization_id: 1, name: '' })).toMatchObject(
      refused(400, 'invalid_argument', /^name must not be empty/),
    )
  })
})

describe('a blank text', () => {
  it.each([
    ['/api/v2/accounts', { organization_id: 1, name: '   ' }, 'name must not be blank, got "   "'],
    [
      '/api/v2/account_kycs',
      {
        account_id: 63,
        country_code: 'XX',
        contact_information: { upload_information: { selfie_image: 'not a url' } },
      },
      'country_code must be an ISO 3166-1 alpha-2 code, such as KE, got "XX"; contact_information.upload_information.selfie_image must be a URL, such as https://files.example/id.jpg, got "not a url"',
    ],
  ])('400: %s %j', async (path, body, message) => {
    expect(await world().post(path, body)).toMatchObject(refused(400, 'invalid_argument', message))
  })

  it('400 for a blank reference', async () => {
    const w = world()
    const message = 'external_reference must not be blank, got "  "'
    const reference = { external_reference: '  ' }
    const refusal = refused(400, 'invalid_argument', message)
    expect(await w.post('/api/v2/payments', collection(w, reference))).toMatchObject(refusal)
    expect(await w.post('/api/v2/withdraw', withdrawal(w, reference))).toMatchObject(refusal)
  })
})

describe('an e-mail address', () => {
  const invite = { organization_id: 1, account_id: 63 }

  it.each(['a&b@shop.example', 'jürgen@shop.example', 'wanjiru@münchen.de', "o'neil+x@a-b.co.ke"])(
    '200 for %s',
    async (email) => {
      expect(await world().post('/api/v2/account_invites', { ...invite, email })).toMatchObject({
        status: 200,
      })
    },
  )

  it.each([
    'a',
    'a@b',
    'a b@shop.example',
    '.a@shop.example',
    'a@-shop.example',
    'a@@shop.example',
    'a@shop..example',
  ])('400 for %s', async (email) => {
    expect(await world().post('/api/v2/account_invites', { ...invite, email })).toMatchObject(
      refused(400, 'invalid_argument', `email must be an e-mail address, got "${email}"`),
    )
  })
})

describe('a JSON number out of range', () => {
  it('400 with the number', async () => {
    const body = '{"amount":1e400,"phone_number":"0712345678","provider":"m-pesa","network_code":"63902"}'
    expect(await world().post('/api/v2/payments', body)).toMatchObject(
      refused(400, 'invalid_argument', 'amount must be a number, got one above 1.8e308'),
    )
  })
})
