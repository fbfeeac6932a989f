import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox, SandboxError, type Sandbox, type WorldClient } from '../../src/index.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await createSandbox({ clock: 'frozen', env: { SANDBOX_PAYER: 'manual' } })
})
afterAll(() => sandbox.close())

async function pay(world: WorldClient, external_reference = 'order-1', more = {}) {
  const answer = await world.fetch('/api/v2/payments', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      amount: 1000,
      phone_number: '0712345678',
      provider: 'm-pesa',
      network_code: '63902',
      external_reference,
      ...more,
    }),
  })
  expect(answer.status).toBe(201)
}

const code = (error: unknown) => (error instanceof SandboxError ? [error.status, error.message] : error)

describe('a phone', () => {
  it('enters a PIN as soon as there is a prompt', async () => {
    const world = await sandbox.world()
    const phone = world.phone('0712345678')
    const typed = phone.pin('1234')
    await pay(world)
    expect((await typed).state).toBe('paid')
    expect(await world.transactions.status('order-1')).toBe('SUCCESS')
    const [receipt] = await phone.messages()
    expect(receipt?.text).toContain('KES 1,000.00 paid to Demo Team, account order-1')
    expect(await phone.balance()).toBe(999_000)
  })

  it('cancels, enters a wrong PIN, and lets a prompt expire', async () => {
    const world = await sandbox.world()
    const phone = world.phone('+254712345678')
    const ends = { one: () => phone.cancel(), two: () => phone.pin('0000'), three: () => phone.ignore() }
    const reasons: unknown[] = []
    for (const [reference, end] of Object.entries(ends)) {
      await pay(world, reference)
      reasons.push((await end()).reason)
    }
    expect(reasons).toEqual(['cancelled', 'wrong_pin', 'expired'])
    expect(await phone.messages()).toHaveLength(1)
  })

  it('switches off and on and has a configurable balance', async () => {
    const world = await sandbox.world()
    const phone = world.phone('0712345678')
    await pay(world)
    expect((await phone.off()).on).toBe(false)
    expect((await world.prompts.get('order-1')).reason).toBe('unreachable')
    expect((await phone.on()).on).toBe(true)
    await phone.change({ balance: 5 })
    expect([await phone.balance(), await phone.balance('UGX')]).toEqual([5, 0])
    await pay(world, 'order-2')
    expect((await phone.pin('1234')).reason).toBe('insufficient_funds')
  })

  it('pays from its menu', async () => {
    const world = await sandbox.world()
    const phone = world.phone('0712345678')
    await pay(world, 'order-1', { is_offline: true })
    const [offer] = (await phone.show()).menu
    const { business_number, account_number, amount } = offer!
    expect((await phone.pay({ business_number, account_number, amount })).status).toBe('success')
  })

  it('explains a timed-out wait and a prompt that settles by itself', async () => {
    const world = await sandbox.world({ settings: { payer: 'automatic' } })
    const phone = world.phone('0712345678')
    expect(code(await phone.pin('1234', { timeout: '0' }).catch((error: unknown) => error))).toEqual([
      504,
      expect.stringMatching(/no prompt waited on phone 254712345678 so far; the phone has had none/),
    ])
    await pay(world)
    await expect(phone.ignore()).rejects.toThrow(/settles by itself: to act as the payer, call configure/)
    await expect(phone.prompt({ patience: 1 } as object)).rejects.toThrow(/patience is not known here/)
  })
})

describe('prompts', () => {
  it('are listed and responded to', async () => {
    const world = await sandbox.world()
    await pay(world)
    const [waiting] = await world.prompts.list({ state: 'waiting' })
    expect((await world.prompts.respond(waiting!.id, { pin: '1234' })).state).toBe('paid')
    const late = await world.prompts.respond(waiting!.id, { cancel: true }).catch((error: unknown) => error)
    expect(code(late)).toEqual([400, expect.stringMatching(/has already ended: it was paid at/)])
    await expect(world.prompts.list({ colour: 'red' } as object)).rejects.toThrow(/colour is not known here/)
  })
})
