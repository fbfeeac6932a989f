import { every } from '../../support/rows.ts'
import { describe, expect, it } from 'vitest'
import { refused, startSandbox } from '../../support/sandbox.ts'

const { world } = await startSandbox()
const path = '/api/v2/account_invites'
const invitation = { organization_id: 1, account_id: 63, email: 'new@demo.example', role_id: 3 }

describe('inviteMember', () => {
  it('200, and the outbox contains the mail with the link', async () => {
    const w = world()
    const answer = await w.post(path, { ...invitation, base_url: 'https://app.example/' })
    expect(answer).toMatchObject({ status: 200, body: { success: true } })
    const [mail] = await w.world().read(({ rows }) => every(rows, 'mails'))
    expect(mail).toMatchObject({
      to: 'new@demo.example',
      link: expect.stringMatching(/^https:\/\/app\.example\/invites\/[\w-]{22}$/),
    })
  })

  it.each([
    ['https://app.example/join?lang=en', /^https:\/\/app\.example\/join\/invites\/[\w-]{22}\?lang=en$/],
    ['https://app.example/#/team?x=1', /^https:\/\/app\.example\/invites\/[\w-]{22}#\/team\?x=1$/],
  ])('keeps the query of the base_url %s', async (base_url, link) => {
    const w = world()
    await w.post(path, { ...invitation, base_url })
    expect((await w.get('/sandbox/outbox/1')).body.link).toMatch(link)
  })

  it('links to the sandbox without base_url', async () => {
    const w = world()
    await w.post(path, invitation)
    const [mail] = await w.world().read(({ rows }) => every(rows, 'mails'))
    expect(mail?.link).toMatch(/^http:\/\/sandbox\.test\/invites\//)
  })

  it.each([
    [{ organization_id: undefined }, 'organization_id is required'],
    [{ account_id: undefined }, 'account_id is required'],
    [{ email: undefined }, 'email is required'],
    [{ email: 'x' }, /^email must be an e-mail address/],
    [{ role_id: 9 }, 'role_id must be one of 1 (owner), 2 (admin), 3 (finance), 4 (viewer), got 9'],
    [
      { assigned_account_ids: [63, 'x'] },
      /^assigned_account_ids\[1\] must be a whole number|number, got "x"$/,
    ],
    [
      { phone_number: 'abc' },
      'phone_number must be a phone number in E.164 form, such as +254733000222, got "abc"',
    ],
    [{ base_url: 'javascript:alert(1)' }, /^base_url must be an http or https URL/],
  ])('400 for %o', async (changes, message) => {
    expect(await world().post(path, { ...invitation, ...changes })).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })

  it.each([
    [{ organization_id: 5 }, 'organization_id 5 was not found'],
    [{ account_id: 5 }, 'account_id 5 was not found'],
    [{ assigned_account_ids: [63, 5] }, 'assigned_account_ids 5 was not found'],
  ])('404 for %o', async (changes, message) => {
    expect(await world().post(path, { ...invitation, ...changes })).toMatchObject(
      refused(404, 'resource_not_found', message),
    )
  })

  it('403 for a viewer', async () => {
    expect((await world().viewer.post(path, invitation)).status).toBe(403)
  })
})

describe('removeMember', () => {
  it('200 with the two ids; then the user sees the Team no more', async () => {
    const w = world()
    const answer = await w.delete(`${path}?account_id=63&user_id=2`)
    expect(answer).toMatchObject({ status: 200, body: { account_id: 63, user_id: 2 } })
    expect((await w.viewer.get('/api/v2/account/63')).status).toBe(404)
    expect((await w.viewer.get('/api/v2/account/64')).status).toBe(200)
  })

  it('400 for the last owner', async () => {
    expect(await world().delete(`${path}?account_id=63&user_id=1`)).toMatchObject(
      refused(400, 'invalid_argument', 'user_id 1 is the last owner of account 63 and cannot be removed'),
    )
  })

  it.each([
    ['account_id=63', 'user_id is required'],
    ['user_id=2', 'account_id is required'],
    ['account_id=&user_id=2', /^account_id must be a whole number/],
    ['account_id=63&user_id=two', /^user_id must be a whole number/],
  ])('400 for ?%s', async (query, message) => {
    expect(await world().delete(`${path}?${query}`)).toMatchObject(refused(400, 'invalid_argument', message))
  })

  it('404 for a user who is not a member', async () => {
    expect(await world().delete(`${path}?account_id=63&user_id=7`)).toMatchObject(
      refused(404, 'resource_not_found', 'user_id 7 is not a member of account 63'),
    )
  })

  it('403 for a viewer', async () => {
    expect((await world().viewer.delete(`${path}?account_id=63&user_id=1`)).status).toBe(403)
  })
})
