import { describe, expect, it } from 'vitest'
import { refused, startSandbox } from '../../support/sandbox.ts'

const { world } = await startSandbox()
const path = '/api/v2/account_kycs'
const submission = {
  account_id: 64,
  entity_type: 'business',
  country_code: 'KE',
  country: 'Kenya',
  kyc_tier: 2,
  notes: 'First',
  contact_information: {
    first_name: 'Amina',
    identification_type: 'national_id',
    identification_number: 12345678,
    upload_information: { selfie_image: 'https://files.example/selfie.png' },
  },
  entity_information: { entity_name: 'Demo Ltd', business_type: 'limited_company' },
}

describe('submitKyc', () => {
  it('200 pending with the submitted details', async () => {
    const { status, body } = await world().post(path, submission)
    expect(status).toBe(200)
    expect(body.account_kyc).toEqual({
      ...submission,
      account_information: expect.any(Object),
      id: expect.any(Number),
      status: 'pending',
      created_at: '2026-06-13T12:00:00Z',
      updated_at: '2026-06-13T12:00:00Z',
    })
  })

  it("200 with the Team's account_information by default", async () => {
    const w = world()
    const { body } = await w.post(path, { account_id: 65 })
    expect(body.account_kyc.account_information).toEqual({
      currency: 'TZS',
      organization_id: '1',
      account_name: 'Tanzania Team',
      email: '',
      phone_number: '255754123456',
      kyc_status: 'approved',
      account_status: 'active',
      is_phone_verified: true,
      is_email_verified: false,
    })
    const sent = { account_name: 'Another' }
    const own = await w.post(path, { account_id: 64, account_information: sent })
    expect(own.body.account_kyc.account_information).toEqual(sent)
  })

  it('verifies the Team after ten seconds and sets its tier', async () => {
    const w = world()
    await w.post(path, submission)
    await w.advance(9_999)
    expect((await w.get('/api/v2/account/64')).body.account).toMatchObject({
      kyc_tier: 0,
      kyc_verified: false,
    })
    await w.advance(1)
    expect((await w.get('/api/v2/account/64')).body.account).toMatchObject({
      kyc_tier: 2,
      kyc_verified: true,
    })
  })

  it('200 again after an approval, for a higher tier', async () => {
    const w = world()
    await w.post(path, submission)
    await w.settle()
    expect((await w.post(path, { ...submission, kyc_tier: 3 })).status).toBe(200)
  })

  it('400 while one is open, naming how to amend it', async () => {
    const w = world()
    const { body } = await w.post(path, submission)
    expect(await w.post(path, submission)).toMatchObject(
      refused(
        400,
        'invalid_argument',
        `account_id 64 already has KYC ${body.account_kyc.id}, which is pending; amend it with PUT ${path}/${body.account_kyc.id}`,
      ),
    )
  })

  it.each([
    [{ account_id: undefined }, 'account_id is required'],
    [{ entity_type: 'robot' }, /^entity_type must be one of individual, business/],
    [{ kyc_tier: 7 }, /^kyc_tier/],
    [
      { contact_information: { identification_number: 'x' } },
      /^contact_information.identification_number must be/,
    ],
    [
      { contact_information: { upload_information: { selfie_image: 7 } } },
      /^contact_information.upload_information.selfie_image must be text, got 7$/,
    ],
  ])('400 for %o', async (changes, message) => {
    expect(await world().post(path, { ...submission, ...changes })).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })

  it('404 for a Team that does not exist', async () => {
    expect((await world().post(path, { account_id: 9 })).status).toBe(404)
  })

  it('403 for a viewer', async () => {
    expect((await world().viewer.post(path, submission)).status).toBe(403)
  })
})

describe('amendKyc', () => {
  it('200 with the document added, pending again, and the review starts anew', async () => {
    const w = world()
    const { id } = (await w.post(path, submission)).body.account_kyc
    await w.advance(4_000)
    const { status, body } = await w.put(`${path}/${id}`, {
      id,
      account_id: 64,
      contact_information: { upload_information: { tax_document: 'https://files.example/tax.pdf' } },
    })
    expect(status).toBe(200)
    expect(body.account_kyc).toMatchObject({
      status: 'pending',
      notes: 'First',
      contact_information: {
        first_name: 'Amina',
        upload_information: {
          selfie_image: 'https://files.example/selfie.png',
          tax_document: 'https://files.example/tax.pdf',
        },
      },
    })
    await w.advance(9_999)
    expect((await w.get('/api/v2/account/64')).body.account.kyc_tier).toBe(0)
    await w.advance(1)
    expect((await w.get('/api/v2/account/64')).body.account.kyc_tier).toBe(2)
  })

  it('400 once it is in review or approved', async () => {
    const w = world()
    const { id } = (await w.post(path, submission)).body.account_kyc
    await w.advance(5_000)
    expect(await w.put(`${path}/${id}`, { account_id: 64 })).toMatchObject(
      refused(400, 'invalid_argument', `KYC ${id} is in_review; only pending or rejected KYC can be amended`),
    )
    await w.settle()
    expect((await w.put(`${path}/${id}`, { account_id: 64 })).body.error_message).toMatch(/is approved/)
  })

  it('400 when the ids do not agree', async () => {
    const w = world()
    const { id } = (await w.post(path, submission)).body.account_kyc
    expect((await w.put(`${path}/${id}`, { id: id + 1, account_id: 64 })).status).toBe(400)
    expect((await w.put(`${path}/${id}`, { account_id: 63 })).status).toBe(400)
  })

  it('404 for a missing submission, or a Team that the caller cannot see', async () => {
    const w = world()
    expect((await w.put(`${path}/1`, { account_id: 64 })).status).toBe(404)
    const { id } = (await w.post(path, submission)).body.account_kyc
    await w.delete('/api/v2/account_invites?account_id=64&user_id=2')
    expect(await w.viewer.put(`${path}/${id}`, { account_id: 64 })).toMatchObject(
      refused(404, 'resource_not_found', `KYC ${id} was not found`),
    )
  })

  it('403 for a viewer', async () => {
    const w = world()
    const { id } = (await w.post(path, submission)).body.account_kyc
    expect((await w.viewer.put(`${path}/${id}`, { account_id: 64 })).status).toBe(403)
  })
})

describe("the number that selects the review's outcome", () => {
  const number = (phone_number: string, more: object = {}) => ({
    ...submission,
    ...more,
    contact_information: { ...submission.contact_information, phone_number },
  })
  const statusAfter = async (account_id: number, body: object) => {
    const w = world()
    const { account_kyc } = (await w.post(path, { ...body, account_id })).body
    await w.settle()
    const { status } = (await w.get(`/sandbox/kyc/${account_kyc.id}`)).body
    const { requests } = (await w.get('/sandbox/requests?operation=submitKyc')).body
    const { body: explained } = await w.get(`/sandbox/requests/${requests[0].id}/explain`)
    return [status, explained.scenario]
  }

  it.each([
    ['0700000102', { country_code: 'KE' }],
    ['0700000102', { country_code: undefined, country: undefined }],
    ['254700000102', { country_code: undefined }],
    ['+254 700 000102', { country_code: undefined }],
  ])('%s with %o belongs to a Kenyan Team', async (phone_number, more) => {
    expect(await statusAfter(64, number(phone_number, more))).toEqual(['rejected', 'kyc-rejected'])
  })

  it("is read in the local form of the Team's country", async () => {
    const tanzanian = number('0740000102', { country_code: undefined })
    expect(await statusAfter(65, tanzanian)).toEqual(['rejected', 'kyc-rejected'])
    const kenyan = number('0700000102', { country_code: undefined })
    expect(await statusAfter(65, kenyan)).toEqual(['approved', null])
  })

  it('also works in an amendment', async () => {
    const w = world()
    const { account_kyc } = (await w.post(path, submission)).body
    const { country_code: _, ...amendment } = number('0700000102')
    await w.put(`${path}/${account_kyc.id}`, amendment)
    await w.settle()
    expect((await w.get(`/sandbox/kyc/${account_kyc.id}`)).body.status).toBe('rejected')
  })

  it('stays that of the submission when an amendment does not repeat it', async () => {
    const w = world()
    const { account_kyc } = (await w.post(path, number('0700000102'))).body
    await w.settle()
    await w.put(`${path}/${account_kyc.id}`, { notes: 'Tax document attached' })
    await w.settle()
    expect((await w.get(`/sandbox/kyc/${account_kyc.id}`)).body.status).toBe('rejected')
    const { requests } = (await w.get('/sandbox/requests?operation=amendKyc')).body
    const { body } = await w.get(`/sandbox/requests/${requests[0].id}/explain`)
    expect(body.scenario).toBe('kyc-rejected')
  })
})

describe('the jobs of settle', () => {
  it('do not report a review that did not happen', async () => {
    const w = world()
    const { account_kyc } = (await w.post(path, submission)).body
    await w.put(`${path}/${account_kyc.id}`, { notes: 'Second' })
    const { jobs } = (await w.post('/sandbox/settle')).body
    expect(jobs.map(({ result }: { result: string }) => result)).toEqual([
      'the KYC was amended or reviewed in the meantime',
      'in_review',
      'the KYC was amended or reviewed in the meantime',
      'approved',
    ])
  })
})
