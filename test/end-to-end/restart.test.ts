import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { ask, startProcess } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'
import { collection } from '../support/requests.ts'

const keptFile = () => join(temporaryFolder(), 'rows.json')

it('after kill -9 with 200 queued payments, all settle and send callbacks after the restart', async () => {
  const receiver = await startReceiver()
  const env = { SANDBOX_DB: keptFile(), SANDBOX_SETTLE_AFTER: '300ms', LOG_LEVEL: 'warn' }
  const first = await startProcess(env)
  const collect = (n: number) =>
    ask(first, 'POST', '/api/v2/payments', {
      ...collection({ callback_url: receiver.url }),
      external_reference: `order-${n}`,
    })
  const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => collect(n)))
  expect(answers.filter(({ status }) => status !== 201)).toEqual([])
  // In the middle of it: some are settled and called back, some are not.
  await receiver.until('the first callbacks', (all) => all.length >= 20)
  await first.stop('SIGKILL')
  const before = receiver.arrivals.length

  const second = await startProcess(env)
  const references = answers.map(({ body }) => body.reference as string).sort()
  const calledBack = () => [...new Set(receiver.arrivals.map(({ body }) => body.reference as string))].sort()
  await receiver.until('200 different callbacks', () => calledBack().length >= 200)
  expect(calledBack()).toEqual(references)
  expect(before).toBeLessThan(200)
  for (const request_id of references) {
    const { body } = await ask(second, 'POST', '/api/global/transaction-status', { request_id })
    expect(body.status, request_id).toBe('success')
  }
  const { body } = await ask(second, 'GET', '/sandbox/ledger?limit=1')
  expect(body.balanced).toBe(true)
  // 100,000.00 and 200 times 1,000.00 less its cost of 15.00.
  expect(body.balances).toContainEqual(
    expect.objectContaining({ account: 'team:63:wallet:KES', currency: 'KES', balance: 297_000 }),
  )
})

it('after kill -9 while transactions are archived, the ledger balances and no transaction is lost or reported twice', async () => {
  const env = {
    SANDBOX_DB: keptFile(),
    SANDBOX_SETTLE_AFTER: '0',
    SANDBOX_RETENTION: '20',
    SANDBOX_VALIDATION: 'lenient',
    LOG_LEVEL: 'warn',
  }
  const first = await startProcess(env)
  const { callback_url: _, ...payment } = collection({ callback_url: '' })
  const pay = () => ask(first, 'POST', '/api/v2/payments', payment).catch(() => undefined)
  const accepted = (await Promise.all(Array.from({ length: 150 }, pay))).length
  const underWay = Array.from({ length: 50 }, pay)
  await underWay[0]
  await first.stop('SIGKILL')
  await Promise.all(underWay)

  const second = await startProcess(env)
  await ask(second, 'POST', '/sandbox/settle')
  const ledger = (await ask(second, 'GET', '/sandbox/ledger?limit=1')).body
  const world = (await ask(second, 'GET', '/sandbox/worlds/current')).body
  expect(ledger.balanced).toBe(true)
  expect(world.transactions).toBeGreaterThanOrEqual(accepted)
  expect(ledger.carried_forward).toMatchObject({ transactions: world.archived })
  expect(world.retained).toBeLessThanOrEqual(23)
  // 100,000.00, and 1,000.00 less its cost of 15.00 for each.
  const balance = 100_000 + 985 * Number(world.transactions)
  expect(ledger.balances).toContainEqual(
    expect.objectContaining({ account: 'team:63:wallet:KES', currency: 'KES', balance }),
  )
})

it('a callback without a response from a hanging receiver is sent again after a restart', async () => {
  const hanging = { yes: true }
  const receiver = await startReceiver((response) => {
    if (!hanging.yes) response.end()
  })
  const env = { SANDBOX_DB: keptFile(), SANDBOX_SETTLE_AFTER: '0' }
  const first = await startProcess(env)
  await ask(first, 'POST', '/api/v2/payments', collection({ callback_url: receiver.url }))
  await receiver.until('the callback', (all) => all.length === 1)
  expect(await first.stop('SIGTERM')).toMatchObject({ code: 0 })

  hanging.yes = false
  await startProcess(env)
  const [one, two] = await receiver.until('the same callback', (all) => all.length === 2)
  expect(two!.body).toEqual(one!.body)
})

it('a payment that was queued when the sandbox stopped is still queued, and settles, after the restart', async () => {
  const receiver = await startReceiver()
  const db = keptFile()
  const first = await startProcess({ SANDBOX_DB: db, SANDBOX_SETTLE_AFTER: '1s' })
  const { body } = await ask(
    first,
    'POST',
    '/api/v2/payments',
    collection({ callback_url: receiver.url }),
    'demo+kept:demo',
  )
  await first.stop('SIGTERM')
  expect(receiver.arrivals).toEqual([])

  const second = await startProcess({ SANDBOX_DB: db })
  await receiver.until('the callback', (all) => all.length === 1)
  const request = { request_id: body.reference }
  const status = await ask(second, 'POST', '/api/global/transaction-status', request, 'demo+kept:demo')
  expect(status.body).toMatchObject({ status: 'success', reference: body.reference })
})

it('a changed SANDBOX_API_PASSWORD applies to stored worlds', async () => {
  const db = keptFile()
  const path = '/api/v2/account/63'
  const first = await startProcess({ SANDBOX_DB: db })
  for (const user of ['demo', 'demo+kept'])
    expect((await ask(first, 'GET', path, undefined, `${user}:demo`)).status).toBe(200)
  await first.stop('SIGTERM')

  const second = await startProcess({ SANDBOX_DB: db, SANDBOX_API_PASSWORD: 'changed' })
  for (const user of ['demo', 'demo+kept']) {
    expect((await ask(second, 'GET', path, undefined, `${user}:demo`)).status).toBe(401)
    expect((await ask(second, 'GET', path, undefined, `${user}:changed`)).status).toBe(200)
  }
  // So does that of the key that may only read, which follows from it.
  for (const user of ['viewer', 'viewer+kept'])
    expect((await ask(second, 'GET', path, undefined, `${user}:viewer`)).status).toBe(401)
})
