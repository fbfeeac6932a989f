import { every } from '../../support/rows.ts'
import { describe, expect, it } from 'vitest'
import { useAllowance, type Movement } from '../../../src/service/domain/wallets.ts'
import { settle } from '../../../src/service/domain/transactions.ts'
import { collection } from '../../support/requests.ts'
import { refused, startSandbox, type TestWorld } from '../../support/sandbox.ts'

const { world } = await startSandbox()
const path = '/api/v2/payments'
const grouped = (amount: number) => amount.toLocaleString('en')

/** From noon, when test worlds begin. */
const TO_MIDNIGHT = 12 * 3_600_000

/** Team 63 may collect KES 5,000,000 a day; what is left of it afterwards is `left`. */
async function collectMost(w: TestWorld, left: number) {
  for (let n = 0; n < 32; n++)
    expect((await w.post(path, collection(w, { amount: 150_000 }))).status).toBe(201)
  await w.post(path, collection(w, { amount: 100_000 }))
  await w.post(path, collection(w, { amount: 100_000 - left }))
}

const overDay = (used: string, amount: string) =>
  refused(
    400,
    'invalid_argument',
    `amount KES ${amount} with KES ${used} already used today is above the limit of KES 5,000,000.00 a day for KYC tier 3 of account 63`,
  )

describe('the limit a day', () => {
  it('allows the exact limit, and resets at midnight UTC', async () => {
    const w = world()
    await collectMost(w, 1000)
    const over = await w.post(path, collection(w, { amount: 1000.01 }))
    expect(over).toMatchObject(overDay('4,999,000.00', '1,000.01'))
    expect((await w.post(path, collection(w, { amount: 1000 }))).status).toBe(201)
    await w.advance(TO_MIDNIGHT - 1)
    const late = await w.post(path, collection(w, { amount: 100 }))
    expect(late).toMatchObject(overDay('5,000,000.00', '100.00'))
    await w.advance(1)
    expect((await w.post(path, collection(w, { amount: 150_000 }))).status).toBe(201)
  })

  it('returns the amount of a failed payment, on the day of its acceptance only', async () => {
    const w = world()
    await collectMost(w, 0)
    const fail = (reference: string) =>
      w.world().change((tx) => {
        const [row] = tx.rows.find('transactions', 'identifier', reference)
        settle(tx, row!.id, 'FAILED', 'cancelled')
      })
    const usage = async () => {
      const rows = await w.world().read((look) => every(look.rows, 'usage'))
      return rows.map(({ amount }) => amount)
    }
    const { reference } = (await w.post('/api/global/transaction-status', { request_id: 'order-1' })).body
    await fail(reference)
    expect(await usage()).toEqual([490_000_000])
    await fail(reference)
    expect(await usage()).toEqual([490_000_000])

    const again = (await w.post(path, collection(w, { amount: 100_000 }))).body
    expect(await usage()).toEqual([500_000_000])
    w.world().clock.set(w.world().clock.now() + TO_MIDNIGHT)
    await w.post(path, collection(w, { amount: 10_000 }))
    await fail(again.reference)
    expect(await usage()).toEqual([1_000_000])
  })

  it('counts a late success towards the day of acceptance', async () => {
    const w = world()
    await collectMost(w, 0)
    const { reference } = (await w.post('/api/global/transaction-status', { request_id: 'order-1' })).body
    const simulate = (outcome: string) => w.post(`/sandbox/transactions/${reference}/simulate`, { outcome })
    await simulate('failed')
    await simulate('success')
    const over = await w.post(path, collection(w, { amount: 100 }))
    expect(over).toMatchObject(overDay('5,000,000.00', '100.00'))
  })

  it('counts a late success on a later day towards no day', async () => {
    const w = world()
    const { reference } = (await w.post(path, collection(w, { amount: 100_000 }))).body
    const simulate = (outcome: string) => w.post(`/sandbox/transactions/${reference}/simulate`, { outcome })
    await simulate('failed')
    await w.advance(TO_MIDNIGHT)
    await w.post(path, collection(w, { amount: 10_000 }))
    await simulate('success')
    const rows = await w.world().read((look) => every(look.rows, 'usage'))
    expect(rows.map(({ amount }) => amount)).toEqual([1_000_000])
  })

  it('does not count a rejected payment', async () => {
    const w = world()
    await w.post(path, collection(w, { amount: 1 }))
    await w.post(path, collection(w, { channel_id: 1505 }))
    expect(await w.world().read((look) => every(look.rows, 'usage'))).toEqual([])
  })

  it('counts payins, payouts and currencies separately', async () => {
    const w = world()
    await w.get('/api/v2/account/63')
    const payin: Movement = { direction: 'payin', amount: 100_000_000, currency: 'KES' }
    await w.world().change((tx) => {
      const team = tx.rows.get('teams', 63)!
      for (let n = 0; n < 5; n++) useAllowance(tx, team, payin)
      useAllowance(tx, team, { ...payin, direction: 'payout' })
      useAllowance(tx, team, { ...payin, currency: 'TZS' })
      expect(() => useAllowance(tx, team, { ...payin, amount: 1 })).toThrow('a day for KYC tier 3')
    })
  })
})

describe('the limit a transaction', () => {
  const tiers = [
    [0, 10_000],
    [1, 50_000],
    [2, 150_000],
    [3, 1_000_000],
    [9, 1_000_000],
  ] as const

  it.each(tiers)('of tier %d is KES %d, or its worth', async (kyc_tier, most) => {
    const w = world()
    await w.get('/api/v2/account/63')
    const movement = (amount: number, currency: string): Movement => ({
      direction: 'payin',
      amount,
      currency,
    })
    await w.world().change((tx) => {
      const team = { ...tx.rows.get('teams', 63)!, kyc_tier }
      useAllowance(tx, team, movement(most * 100, 'KES'), true)
      useAllowance(tx, team, movement(most * 19 * 100, 'TZS'), true)
      useAllowance(tx, team, movement(most * 28, 'UGX'), true)
      expect(() => useAllowance(tx, team, movement(most * 100 + 1, 'KES'), true)).toThrow(
        `amount KES ${grouped(most)}.01 is above the limit of KES ${grouped(most)}.00 a transaction for KYC tier ${kyc_tier}`,
      )
      expect(() => useAllowance(tx, team, movement(most * 28 + 1, 'UGX'), true)).toThrow(
        `above the limit of UGX ${grouped(most * 28)} a transaction`,
      )
    })
  })
})
