import { describe, expect, it } from 'vitest'
import { collection } from '../../support/requests.ts'
import { client, refused, startSandbox } from '../../support/sandbox.ts'
import { defaultSeed } from '../../../src/worlds/default-seed.ts'

const { world } = await startSandbox()
const path = '/api/v2/payment_channels'
const ids = (body: { payment_channels: { id: number }[] }) => body.payment_channels.map((each) => each.id)

describe('listPaymentChannels', () => {
  it('200 with the channels of the visible Teams', async () => {
    const { status, body } = await world().get(path)
    expect(status).toBe(200)
    expect(ids(body)).toEqual([1505, 1504, 1503, 1502, 1501])
    expect(body.payment_channels.at(-1)).toEqual({
      id: 1501,
      account_id: 63,
      transaction_type: 'CustomerPayBillOnline',
      channel_type: 'bank',
      short_code: '522522',
      account_number: '1180012345',
      description: 'Main bank account',
      is_active: true,
      created_at: '2026-06-13T12:00:00Z',
      updated_at: '2026-06-13T12:00:00Z',
    })
    expect(body.pagination).toEqual({
      count: 5,
      page: 1,
      per: 20,
      num_pages: 1,
      next_page: null,
      prev_page: null,
    })
  })

  it('404 for a user without a role in any Team', async () => {
    const seed = defaultSeed('demo', 'demo')
    const user = { ...seed.users[0]!, id: 77, email: 'stranger@shop.example' }
    const key = { username: 'stranger', password: 'secret', user_id: user.id, default_account_id: 63 }
    const { sandbox } = await startSandbox(
      {},
      { seed: { ...seed, users: [...seed.users, user], api_keys: [...seed.api_keys, key] } },
    )
    const answer = await client(sandbox, 'stranger', 'secret').get(path)
    expect(answer).toMatchObject(refused(404, 'resource_not_found', /default Team 63/))
  })

  it('lists the channel of the latest collection first', async () => {
    const w = world()
    await w.get(path)
    await w.advance(1_000)
    await w.post('/api/v2/payments', collection(w, { channel_id: 1502 }))
    expect(ids((await w.get(path)).body)).toEqual([1502, 1505, 1504, 1503, 1501])
  })

  it('200 with a page of the requested size', async () => {
    const w = world()
    const { body } = await w.get(`${path}?page=2&per=2`)
    expect(ids(body)).toEqual([1503, 1502])
    expect(body.pagination).toEqual({ count: 5, page: 2, per: 2, num_pages: 3, next_page: 3, prev_page: 1 })
  })

  it('returns an empty page with correct pagination if out of range', async () => {
    const { body } = await world().get(`${path}?page=9&per=2`)
    expect(body).toEqual({
      payment_channels: [],
      pagination: { count: 5, page: 9, per: 2, num_pages: 3, next_page: null, prev_page: 3 },
    })
  })

  it('account_id narrows to one Team', async () => {
    expect((await world().get(`${path}?account_id=64`)).body.payment_channels).toEqual([])
    expect((await world().get(`${path}?account_id=63&per=1`)).body.pagination.count).toBe(5)
  })

  it('unknown parameters are ignored', async () => {
    expect((await world().get(`${path}?sort=name`)).status).toBe(200)
  })

  it.each([
    ['page=0', /^page must be at least 1, got/],
    ['page=-1', /^page must be at least 1/],
    ['page=9007199254740000', /^page must be at most 2147483647, got 9007199254740000/],
    ['page=two', /^page must be a whole number/],
    ['page=', /^page must be a whole number/],
    ['per=0', /^per must be at least 1/],
    ['per=101', /^per must be at most 100/],
    ['account_id=x', /^account_id must be a whole number/],
  ])('400 for ?%s', async (query, message) => {
    expect(await world().get(`${path}?${query}`)).toMatchObject(refused(400, 'invalid_argument', message))
  })

  it('404 for a Team that does not exist', async () => {
    expect((await world().get(`${path}?account_id=5`)).status).toBe(404)
  })

  it('200 for a viewer', async () => {
    expect((await world().viewer.get(path)).status).toBe(200)
  })
})
