import { expect } from 'vitest'
import type { TestWorld } from './sandbox.ts'

/** Every balance of the world's ledger by account, in major units; the ledger is proved to balance on the way. */
export async function balances(world: TestWorld): Promise<Record<string, number>> {
  const { body } = await world.get('/sandbox/ledger?limit=1')
  expect(body.balanced).toBe(true)
  return Object.fromEntries(
    body.balances.map((each: { account: string; balance: number }) => [each.account, each.balance]),
  )
}

export const balance = async (world: TestWorld, account: string) => (await balances(world))[account] ?? 0
