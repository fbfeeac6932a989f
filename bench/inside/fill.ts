import { requestCollection } from '../../src/service/domain/collections.ts'
import type { Opened } from './sandbox.ts'

/** Concurrent changes, enough for the file engine to batch its writes. */
const AT_ONCE = 500

/** Collects and settles `count` transactions by the real rules, each with a unique reference. */
export async function fillTransactions({ sandbox, world, caller }: Opened, count: number): Promise<void> {
  for (let made = 0; made < count;) {
    const batch = Math.min(AT_ONCE, count - made)
    await Promise.all(
      Array.from({ length: batch }, (_, i) =>
        world.change((tx) => requestCollection(tx, caller, collection(made + i))),
      ),
    )
    await sandbox.scheduler.settle(world, batch)
    made += batch
  }
}

const collection = (n: number) => ({
  amount: 2,
  phone_number: `2547${String(10_000_000 + (n % 90_000_000))}`,
  provider: 'm-pesa',
  network_code: '63902',
  account_id: 63,
  external_reference: `order-${n}`,
})

/** Adds channels to the default Team until it has `count`. */
export async function fillChannels({ world }: Opened, count: number): Promise<void> {
  await world.change((tx) => {
    const seeded = tx.rows.find('channels', 'account', 63)
    for (let i = seeded.length; i < count; i++)
      tx.rows.insert('channels', { ...seeded[2]!, id: 100_000 + i, active_at: tx.now - i })
  })
}
