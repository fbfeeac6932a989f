import { afterAll, describe, expect, it } from 'vitest'
import { connect, createSandbox, SandboxError, type WorldClient } from '../../src/index.ts'

const sandbox = await createSandbox({ clock: 'frozen' })
const url = await sandbox.listen()
afterAll(() => sandbox.close())

const post = async (world: WorldClient, path: string, body: object) => {
  const answer = await world.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, body: (await answer.json()) as { [field: string]: string } }
}
const pay = async (world: WorldClient, amount: number) =>
  post(world, '/api/v2/payments', {
    amount,
    phone_number: '0712345678',
    provider: 'm-pesa',
    network_code: '63902',
    account_id: 63,
    external_reference: 'order-1',
    callback_url: await world.inbox.url(),
  })

/** What each worker does: the same references and amounts of its own, with its own time and scenarios. */
async function suite(number: number): Promise<void> {
  const world = await connect(url).world({ clock: { at: `20${10 + number}-01-01T00:00:00Z` } })
  const fails = number % 2 === 1
  if (fails) await world.scenario('payer-cancels')
  const { status, body } = await pay(world, 100 + number)
  expect(status).toBe(201)
  await world.clock.advance(`${1 + number}h`)
  const [callback] = await world.callbacks.waitFor({ reference: 'order-1' })
  expect(JSON.parse(callback!.body)).toMatchObject({
    status: fails ? 'failed' : 'success',
    amount: 100 + number,
    reference: body['reference'],
  })
  expect((await world.clock.now()).getUTCFullYear()).toBe(2010 + number)
  expect(await world.requests.count({})).toBe(1)
  expect(await world.inbox.messages()).toHaveLength(1)
  expect(await world.show()).toMatchObject({ transactions: 1 })
  expect((await world.ledger()).balanced).toBe(true)
  await world.reset()
  expect(await world.requests.count({})).toBe(0)
}

describe('fifty worlds on one server at the same time', () => {
  it('run the same suite without affecting each other', async () => {
    const done = await Promise.all(
      Array.from({ length: 50 }, (_, number) => suite(number).then(() => number)),
    )
    expect(done).toHaveLength(50)
  })
})

describe('with every identifier of another world', () => {
  it('another world’s API key reads and changes nothing', async () => {
    const [mine, other] = await Promise.all([connect(url).world(), connect(url).world()])
    // An odd number of payments here, so that the same ids do not stand for the same things there.
    for (let n = 0; n < 3; n++) await pay(mine, 200 + n)
    const paid = await pay(mine, 300)
    const key = await mine.apiKeys.create()
    const invited = { organization_id: 1, account_id: 63, email: 'new@demo.example' }
    await post(mine, '/api/v2/account_invites', invited)
    await mine.settle()
    const snapshot = await mine.snapshots.take()
    const [mail] = await mine.outbox.list()
    const token = mail!.link.split('/').at(-1)!
    const callbacks = await mine.callbacks.list()
    const before = { mine: await mine.show(), ledger: await mine.ledger(), other: await other.show() }

    const identifiers = [paid.body['reference']!, paid.body['CheckoutRequestID']!]
    for (const identifier of identifiers) {
      expect((await post(other, '/api/global/transaction-status', { request_id: identifier })).status).toBe(
        404,
      )
    }
    const paths: [method: string, path: string][] = [
      ...identifiers.flatMap((identifier): [string, string][] => [
        ['GET', `/sandbox/ledger?transaction=${identifier}`],
        ['GET', `/sandbox/transactions/${identifier}/timeline`],
        ['POST', `/sandbox/transactions/${identifier}/simulate`],
      ]),
      ...callbacks.flatMap(({ id }): [string, string][] => [
        ['GET', `/sandbox/callbacks/${id}`],
        ['POST', `/sandbox/callbacks/${id}/resend`],
      ]),
      ['GET', '/sandbox/requests/req_1'],
      ['GET', '/sandbox/requests/req_1/curl'],
      ['GET', '/sandbox/requests/req_1/explain'],
      ['GET', '/sandbox/outbox/1'],
      ['POST', `/sandbox/invites/${token}/accept`],
      ['POST', `/sandbox/invites/${token}/decline`],
      ['POST', `/sandbox/snapshots/${snapshot.id}/restore`],
      ['DELETE', `/sandbox/snapshots/${snapshot.id}`],
      ['DELETE', `/sandbox/api-keys/${encodeURIComponent(key.username)}`],
      ['GET', `/sandbox/worlds/${encodeURIComponent(before.mine.id)}`],
      ['PATCH', `/sandbox/worlds/${encodeURIComponent(before.mine.id)}`],
      ['DELETE', `/sandbox/worlds/${encodeURIComponent(before.mine.id)}`],
    ]
    // The other world has had no request before these, so that none of its own is met.
    await other.requests.clear()
    for (const [method, path] of paths) {
      const body = path.endsWith('simulate')
        ? { outcome: 'reversed' }
        : method === 'PATCH'
          ? { settle_after: '1s' }
          : {}
      const answer = await other.fetch(path, {
        method,
        ...(method !== 'GET' && {
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
      })
      expect([method, path, answer.status]).toEqual([method, path, 404])
    }
    const wrong = [
      { username: before.mine.id, password: other.password },
      { username: other.username, password: mine.password },
      {
        username: key.username.replace(/\+.*/, other.username.replace(/^[^+]*/, '')),
        password: key.password,
      },
    ]
    for (const credentials of wrong)
      await expect(connect(url, credentials).show()).rejects.toThrow(SandboxError)

    // Looking at a world is a use of it, and the wall's clock goes on.
    expect({ ...(await mine.show()), last_used_at: '' }).toEqual({ ...before.mine, last_used_at: '' })
    expect(await mine.ledger()).toEqual(before.ledger)
    expect(await other.show()).toMatchObject({ transactions: 0, pending_jobs: 0 })
  })
})
