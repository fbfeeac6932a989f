import { every } from '../../support/rows.ts'
import { post } from '../../../src/service/domain/ledger.ts'
import { describe, expect, it } from 'vitest'
import { checkLowBalances } from '../../../src/service/domain/mails.ts'
import { startSandbox, type TestWorld } from '../../support/sandbox.ts'

const { world: newWorld } = await startSandbox()

const notify = (world: TestWorld, notify_amount: number) =>
  world.put('/api/v2/accounts', { account_id: 63, email: 'team@example.com', notify_amount })
const check = (world: TestWorld) => world.world().change(checkLowBalances)

describe('a low service wallet', () => {
  it('sends one mail each time it falls below notify_amount', async () => {
    const world = newWorld()
    await notify(world, 20_000)
    expect([await check(world), await check(world)]).toEqual([1, 0])
    const [mail] = await world.world().read(({ rows }) => every(rows, 'mails'))
    expect(mail).toMatchObject({
      to: 'team@example.com',
      subject: 'Low balance: Demo Team',
      text: 'The service wallet of Demo Team has KES 10,000.00, which is below KES 20,000.00. Top it up to keep paying; in the sandbox with POST /sandbox/teams/63/fund and {"wallet":"service_wallet","amount":20000,"currency":"KES"}.',
    })
    await notify(world, 5_000)
    expect(await check(world)).toBe(0)
    await notify(world, 20_000)
    expect(await check(world)).toBe(1)
  })

  it('sends another mail if it falls again after a top-up', async () => {
    const world = newWorld()
    await notify(world, 20_000)
    await check(world)
    const [mail] = await world.world().read(({ rows }) => every(rows, 'mails'))
    const [, path, body] = /POST (\S+) and (\{.*\})/.exec(mail!.text)!
    expect((await world.post(path!, JSON.parse(body!))).body.balance).toBe(30_000)
    expect(await check(world)).toBe(0)
    await notify(world, 40_000)
    expect(await check(world)).toBe(1)
  })

  it('sends no mail at notify_amount, or without one', async () => {
    const world = newWorld()
    await notify(world, 10_000)
    expect(await check(world)).toBe(0)
    await notify(world, 0)
    expect(await check(world)).toBe(0)
  })
})

it('writes no posting whose lines do not sum to zero', async () => {
  const world = newWorld()
  await world.get('/api/v2/account/63')
  const lines = [{ account: 'team:63:wallet:KES', amount: 100 }]
  const unbalanced = world
    .world()
    .change((tx) => post(tx, { kind: 'collection', currency: 'KES', transaction_id: null, lines }))
  await expect(unbalanced).rejects.toThrow('posting collection does not balance')
})
