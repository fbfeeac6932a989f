import { describe, expect, it } from 'vitest'
import { eventStream } from '../support/event-stream.ts'
import { balances } from '../support/ledger.ts'
import { collection, withdrawal } from '../support/requests.ts'
import { refused, startSandbox, type TestWorld } from '../support/sandbox.ts'

const { world, sandbox } = await startSandbox()

/** A Team as a client makes it, approved. */
async function newTeam(w: TestWorld): Promise<number> {
  const team = { organization_id: 1, name: 'Shop', dial_code: '254', number: '712345678' }
  const { id } = (await w.post('/api/v2/accounts', team)).body.account
  await w.post('/api/v2/account_kycs', { account_id: id, kyc_tier: 2 })
  await w.settle()
  return id
}

const till = (account_id: number) => ({ account_id, channel_type: 'till', short_code: '700100' })

describe('a Team created by the API', () => {
  it('collects into a channel once its service wallet is funded', async () => {
    const w = world()
    const id = await newTeam(w)
    const made = await w.post('/sandbox/channels', till(id))
    expect([made.status, made.body.payment_channel]).toEqual([
      201,
      {
        id: 10_001,
        transaction_type: 'CustomerBuyGoodsOnline',
        channel_type: 'till',
        account_id: id,
        short_code: '700100',
        account_number: '',
        description: '',
        is_active: true,
        created_at: '2026-06-13T12:00:10Z',
        updated_at: '2026-06-13T12:00:10Z',
      },
    ])
    const listed = await w.get(`/api/v2/payment_channels?account_id=${id}`)
    expect(listed.body.payment_channels).toMatchObject([{ id: 10_001 }])
    const payment = { ...collection(w), account_id: id, network_code: undefined, channel_id: 10_001 }
    expect((await w.post('/api/v2/payments', payment)).body.error_message).toMatch(/^insufficient balance/)
    const funding = await w.post(`/sandbox/teams/${id}/fund`, { wallet: 'service_wallet', amount: 500 })
    expect([funding.status, funding.body]).toEqual([
      200,
      {
        account_id: id,
        wallet: 'service_wallet',
        currency: 'KES',
        amount: 500,
        balance: 500,
        posting: expect.any(Number),
      },
    ])
    expect((await w.post('/api/v2/payments', payment)).status).toBe(201)
    await w.settle()
    expect(await balances(w)).toMatchObject({ [`team:${id}:service_wallet:KES`]: 485 })
  })

  it('pays out of a funded wallet', async () => {
    const w = world()
    const id = await newTeam(w)
    await w.post(`/sandbox/teams/${id}/fund`, { wallet: 'wallet', amount: 1_000.5 })
    expect((await w.post('/api/v2/withdraw', withdrawal(w, { account_id: id }))).status).toBe(200)
  })
})

describe('POST /sandbox/teams/{id}/fund', () => {
  it('is a separate posting, and the ledger balances', async () => {
    const w = world()
    const { body } = await w.post('/sandbox/teams/63/fund', {
      wallet: 'wallet',
      amount: 500,
      currency: 'UGX',
    })
    const ledger = (await w.get('/sandbox/ledger?limit=1')).body
    expect([ledger.balanced, ledger.postings]).toEqual([
      true,
      [
        {
          id: body.posting,
          at: '2026-06-13T12:00:00Z',
          kind: 'funding',
          currency: 'UGX',
          transaction: null,
          lines: [
            {
              account: 'outside:UGX',
              team: null,
              wallet: 'outside',
              currency: 'UGX',
              amount: -500,
              minor: -500,
            },
            {
              account: 'team:63:wallet:UGX',
              team: 63,
              wallet: 'wallet',
              currency: 'UGX',
              amount: 500,
              minor: 500,
            },
          ],
        },
      ],
    ])
  })

  const held = 'KES, TZS, ZMW, BWP, NGN, UGX, GHS, RWF'
  it.each([
    [{ wallet: 'wallet', amount: 0 }, /^amount must be/],
    [{ wallet: 'wallet', amount: -5 }, /^amount must be/],
    [{ wallet: 'wallet', amount: 1e15 }, /^amount must be/],
    [{ wallet: 'wallet', amount: '5' }, /^amount must be/],
    [{ wallet: 'wallet', amount: 0.001 }, 'amount must have at most 2 decimals in KES, got 0.001'],
    [{ wallet: 'wallet', amount: 0.5, currency: 'UGX' }, 'amount must be a whole number of UGX, got 0.5'],
    [{ wallet: 'wallet', amount: 5, currency: 'USD' }, `currency must be one of ${held}, got "USD"`],
    [{ wallet: 'service_wallet', amount: 5, currency: 'TZS' }, 'currency must be one of KES, got "TZS"'],
    [{ wallet: 'savings', amount: 5 }, /^wallet must be/],
    [{ amount: 5 }, /^wallet is required/],
    [{ wallet: 'wallet' }, /^amount is required/],
  ])('returns 400 for %o and posts nothing', async (body, message) => {
    const w = world()
    const before = await balances(w)
    expect(await w.post('/sandbox/teams/63/fund', body)).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
    expect(await balances(w)).toEqual(before)
  })

  it('returns 400 when the sum would lose precision', async () => {
    const w = world()
    const most = { wallet: 'wallet', amount: 1_000_000_000 }
    await w.get('/api/v2/account/63')
    await w.world().change(({ rows }) => {
      const outside = rows.get('balances', 'outside:KES')!
      rows.put('balances', { ...outside, amount: -999_999_999_999_900 })
    })
    expect(await w.post('/sandbox/teams/63/fund', most)).toMatchObject(
      refused(400, 'invalid_argument', 'amount must be at most KES 1.00, got 1000000000'),
    )
  })

  it('returns 404 for an unknown Team, 403 for a viewer', async () => {
    const w = world()
    const body = { wallet: 'wallet', amount: 5 }
    expect(await w.post('/sandbox/teams/999/fund', body)).toMatchObject(
      refused(404, 'resource_not_found', 'team 999 was not found'),
    )
    expect((await w.viewer.post('/sandbox/teams/63/fund', body)).status).toBe(403)
  })
})

describe('POST /sandbox/channels', () => {
  it('creates a closed channel that is opened later', async () => {
    const w = world()
    const { id } = (await w.post('/sandbox/channels', { ...till(63), is_active: false })).body.payment_channel
    const payment = { ...collection(w), network_code: undefined, channel_id: id }
    expect((await w.post('/api/v2/payments', payment)).body.error_message).toBe(
      'passed channel is not active',
    )
    await w.patch(`/sandbox/channels/${id}`, { is_active: true })
    expect((await w.post('/api/v2/payments', payment)).status).toBe(201)
  })

  it.each([
    [{ ...till(63), channel_type: 'cash' }, /^channel_type must be one of bank, paybill, till, wallet/],
    [{ ...till(63), short_code: '' }, /^short_code must not be empty/],
    [{ ...till(63), short_code: '  ' }, 'short_code must not be blank, got "  "'],
    [{ ...till(63), channel_type: 'bank' }, 'account_number is required for channel_type bank'],
    [till(65), 'account_id must be a Team that holds KES, got 65, which holds TZS'],
    [{}, /^channel_type is required; short_code is required|^channel_type is required/],
  ])('returns 400 for %o', async (body, message) => {
    expect(await world().post('/sandbox/channels', body)).toMatchObject(
      refused(400, 'invalid_argument', message),
    )
  })

  it('returns 404 for an unknown Team', async () => {
    expect((await world().post('/sandbox/channels', till(999))).status).toBe(404)
  })

  it('publishes events for the channel and for added money', async () => {
    const w = world()
    await w.get('/sandbox/ledger')
    const { read, stop } = await eventStream(sandbox, w.world().name)
    await w.post('/sandbox/channels', till(63))
    await w.post('/sandbox/teams/63/fund', { wallet: 'wallet', amount: 5 })
    const events = await read(2)
    await stop()
    expect(events).toMatchObject([
      { type: 'channel', data: { short_code: '700100' } },
      { type: 'posting', data: { kind: 'funding' } },
    ])
  })
})
