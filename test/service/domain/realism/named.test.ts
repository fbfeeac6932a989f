import { expect, it } from 'vitest'
import { rules } from '../../../../src/service/domain/realism/rules.ts'
import { collection, withdrawal } from '../../../support/requests.ts'
import { startSandbox, type TestWorld } from '../../../support/sandbox.ts'

const plain = await startSandbox()
const { world } = await startSandbox({ SANDBOX_REALISM: 'realistic' })

const airtel = { phone_number: '0733123456' }
const outcome = ({ headers }: { headers: Headers }) => headers.get('sandbox-outcome')
const pay = async (w: TestWorld, changes: object = {}, headers: Record<string, string> = {}) =>
  outcome(await w.post('/api/v2/payments', collection(w, changes), headers))
const payOut = async (w: TestWorld, changes: object = {}) =>
  outcome(await w.post('/api/v2/withdraw', withdrawal(w, changes)))

it('returns the operator rule that a payment violates', async () => {
  const w = world()
  const told = [
    await pay(w, airtel),
    await payOut(w, { account_number: '0733123456', network_code: '63902' }),
    await pay(w),
    await pay(w, { amount: 200 }),
  ]
  await w.settle()
  told.push(await pay(w))
  expect(told).toEqual([
    'Realism.other_network; fails (prompt_not_sent)',
    'Realism.other_network; fails (not_registered)',
    'default',
    'Realism.prompt_in_flight; fails (subscriber_locked)',
    'Realism.same_amount; fails (rule_limited)',
  ])
  const names = rules.map(({ name }) => `Realism.${name}`)
  for (const each of told) expect([...names, 'default']).toContain(each?.split(';')[0])
})

it('returns the daily limit', async () => {
  const w = world()
  for (const amount of [150_000, 149_999, 149_998, 50_003]) {
    expect(await pay(w, { amount })).toBe('default')
    await w.settle()
  }
  expect(await pay(w, { amount: 60 })).toBe('Realism.amount_per_day; fails (daily_limit)')
})

it("also returns a scenario's decision", async () => {
  expect(await pay(world(), airtel, { prefer: 'callback=none' })).toBe(
    'header; no callback; Realism.other_network; fails (prompt_not_sent)',
  )
})

it('returns rules for errors of the service, and default for plain operators', async () => {
  const w = world()
  const tooMuch = { account_number: '0733123456', network_code: '63902', amount: 149_000 }
  expect(await payOut(w, tooMuch)).toBe('rules')
  expect(await pay(plain.world(), airtel)).toBe('default')
})

it('is omitted along with the other headers of the sandbox', async () => {
  const { world } = await startSandbox({ SANDBOX_REALISM: 'realistic', SANDBOX_HEADERS: 'off' })
  expect(await pay(world(), airtel)).toBeNull()
})
