import { describe, expect, it } from 'vitest'
import { collection, withdrawal } from '../support/requests.ts'
import { balance, balances } from '../support/ledger.ts'
import { client, refused, startSandbox } from '../support/sandbox.ts'

const { world, sandbox, received } = await startSandbox()
const gone = (message: RegExp) => refused(404, 'resource_not_found', message)

describe('another world', () => {
  it('404 for objects of the first world, with all operations', async () => {
    const one = world()
    const two = world()
    const team = (await one.post('/api/v2/accounts', { organization_id: 1, name: 'Only here' })).body.account
      .id
    const kyc = (await one.post('/api/v2/account_kycs', { account_id: team })).body.account_kyc.id
    const { reference, CheckoutRequestID } = (await one.post('/api/v2/payments', collection(one))).body
    expect((await one.get(`/api/v2/account/${team}`)).status).toBe(200)

    const answers = [
      await two.get(`/api/v2/account/${team}`),
      await two.put('/api/v2/accounts', { account_id: team, description: 'Mine' }),
      await two.delete(`/api/v2/accounts/${team}`),
      await two.post('/api/v2/account_invites', {
        organization_id: 1,
        account_id: team,
        email: 'a@b.example',
      }),
      await two.delete(`/api/v2/account_invites?account_id=${team}&user_id=1`),
      await two.post('/api/v2/account_kycs', { account_id: team }),
      await two.put(`/api/v2/account_kycs/${kyc}`, { account_id: 63 }),
      await two.get(`/api/v2/payment_channels?account_id=${team}`),
      await two.post('/api/v2/payments', collection(two, { account_id: team })),
      await two.post('/api/v2/withdraw', withdrawal(two, { account_id: team })),
      ...(await Promise.all(
        [reference, CheckoutRequestID, 'order-1'].map((request_id) =>
          two.post('/api/global/transaction-status', { request_id }),
        ),
      )),
      await two.get(`/sandbox/ledger?transaction=${reference}`),
    ]
    for (const answer of answers) expect(answer).toMatchObject(gone(/was not found$/))
    const { body } = await one.get(`/api/v2/account/${team}`)
    expect(body.account).toMatchObject({ name: 'Only here', description: '' })
  })

  it('has its own balances and callbacks', async () => {
    const one = world()
    const two = world()
    await two.get('/api/v2/account/63')
    await one.post('/api/v2/payments', collection(one))
    await one.settle()
    await two.settle()
    expect(one.callbacks()).toHaveLength(1)
    expect(two.callbacks()).toEqual([])
    expect(await balance(one, 'team:63:wallet:KES')).toBe(100_985)
    expect(await balance(two, 'team:63:wallet:KES')).toBe(100_000)
  })
})

describe('demo+anything', () => {
  const content = async (name: string) => {
    const demo = client(sandbox, name, 'demo')
    return {
      profile: (await demo.get('/api/v2/user_profile/1')).body,
      channels: (await demo.get('/api/v2/payment_channels')).body,
      ledger: (await demo.get('/sandbox/ledger')).body,
    }
  }

  it('starts with the seed of demo, unaffected by its later changes', async () => {
    const fresh = await content('demo+first')
    await client(sandbox, 'demo', 'demo').post('/api/v2/accounts', { organization_id: 1, name: 'Fourth' })
    await client(sandbox, 'demo+first', 'demo').post('/api/v2/payments', {
      ...collection(world()),
      amount: 10,
    })
    expect(await content('demo+second')).toEqual(fresh)
    expect(fresh.profile.user_profile.accounts).toHaveLength(3)
  })

  it('is accessible to the viewer, who sees the changes of the owner', async () => {
    const w = world()
    const { body } = await w.post('/api/v2/payments', collection(w))
    const seen = await w.viewer.post('/api/global/transaction-status', { request_id: body.reference })
    expect(seen.body.reference).toBe(body.reference)
  })

  it('is created once by concurrent first requests', async () => {
    const name = 'demo+crowd'
    const asked = Array.from({ length: 50 }, (_, n) =>
      client(sandbox, name, 'demo').post('/api/v2/accounts', { organization_id: 1, name: `Team ${n}` }),
    )
    const ids = (await Promise.all(asked)).map(({ body }) => body.account.id)
    expect(new Set(ids).size).toBe(50)
    expect(sandbox.worlds.all().filter((each) => each.name === name)).toHaveLength(1)
  })

  it('is not created by the viewer, who has access once the owner has created it', async () => {
    const before = sandbox.worlds.all().length
    const viewer = client(sandbox, 'viewer+later', 'viewer')
    expect(await viewer.get('/api/v2/account/63')).toMatchObject(
      refused(401, 'unauthenticated', /begins with the first request of its owner$/),
    )
    expect(sandbox.worlds.all()).toHaveLength(before)
    expect((await client(sandbox, 'demo+later', 'demo').get('/api/v2/account/63')).status).toBe(200)
    expect((await viewer.get('/api/v2/account/63')).status).toBe(200)
  })

  it.each(['demo+wrong', 'viewer+wrong', 'nobody+wrong', 'demo+', 'demo+a/b'])(
    'is not made for %s with a wrong password',
    async (name) => {
      const before = sandbox.worlds.all().length
      expect((await client(sandbox, name, 'wrong').get('/api/v2/account/63')).status).toBe(401)
      expect(sandbox.worlds.all()).toHaveLength(before)
    },
  )
})

describe('SANDBOX_SEED', () => {
  const drawn = async (env: Record<string, string>, name = 'demo') => {
    const { sandbox } = await startSandbox(env)
    const demo = client(sandbox, name, 'demo')
    const answers = []
    for (let n = 0; n < 3; n++)
      answers.push(
        (await demo.post('/api/v2/payments', collection({ callback_url: 'http://receiver.test/' }))).body,
        (await demo.post('/api/v2/withdraw', withdrawal({ callback_url: 'http://receiver.test/' }))).body,
      )
    await sandbox.scheduler.settle(sandbox.worlds.get(name)!)
    const receipts = []
    for (const { reference, merchant_reference } of answers) {
      const request = { request_id: reference ?? merchant_reference }
      receipts.push((await demo.post('/api/global/transaction-status', request)).body.provider_reference)
    }
    return { answers, receipts }
  }
  const referencesOf = ({ answers }: Awaited<ReturnType<typeof drawn>>) =>
    answers.map(({ reference, merchant_reference }) => reference ?? merchant_reference)

  it('the same seed results in the same ids and data', async () => {
    expect(await drawn({ SANDBOX_SEED: 'a' })).toEqual(await drawn({ SANDBOX_SEED: 'a' }))
    expect(await drawn({})).toEqual(await drawn({}))
  })

  it('another seed results in other ids and data, as does another world', async () => {
    const one = await drawn({ SANDBOX_SEED: 'a' })
    for (const other of [await drawn({ SANDBOX_SEED: 'b' }), await drawn({ SANDBOX_SEED: 'a' }, 'demo+b')]) {
      const shared = referencesOf(one).filter((each) => referencesOf(other).includes(each))
      expect(shared).toEqual([])
      expect(one.receipts.filter((each) => other.receipts.includes(each))).toEqual([])
    }
  })
})

it('callbacks of a world do not contain the name of another', async () => {
  const one = world()
  await one.post('/api/v2/payments', collection(one))
  await one.settle()
  const { body } = one.callbacks()[0]!
  expect(received.filter((each) => each.body.reference === body.reference)).toHaveLength(1)
  expect((await balances(one))['team:63:in_transit:KES'] ?? 0).toBe(0)
})
