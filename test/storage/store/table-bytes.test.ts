import { describe, expect, it } from 'vitest'
import { valueBytes, tables, type TableName } from '../../../src/storage/store/tables.ts'
import { collection } from '../../support/requests.ts'
import { NOON, startSandbox } from '../../support/sandbox.ts'

const counted = (table: TableName, row: object) => tables[table].bytes(row as never)
const LARGE = 1_000_000_000_000
const code = 'x'.repeat(16)

/** Rows with every field, as large as possible. */
const largest: readonly (readonly [TableName, object])[] = [
  ['carried', { account: `team:${LARGE}:savings:${code}`, currency: code, amount: -LARGE }],
  ['balances', { account: `team:${LARGE}:savings:${code}`, currency: code, amount: -LARGE }],
  ['usage', { id: `${LARGE}:payout:${code}`, day: 100_000, amount: LARGE }],
]

describe('the size of a row', async () => {
  const { world, sandbox } = await startSandbox()

  it.each(largest)('%s: is at least the size of its fields', (table, row) => {
    expect(counted(table, row)).toBeGreaterThanOrEqual(valueBytes(row))
  })

  it('is at least the size of the fields in every row that the service writes', async () => {
    const w = world()
    for (const external_reference of ['a', 'é'.repeat(250)]) {
      const callback_url = `${w.callback_url}?${'x'.repeat(1_900)}`
      await w.post('/api/v2/payments', collection(w, { external_reference, callback_url }))
    }
    await w.settle()
    const dump = await sandbox.worlds.dump(w.world().name)
    const { transactions = [] } = dump
    const [settled] = transactions
    const past = { at: NOON, status: 'SUCCESS', reason: null, rejection_reason: 'x'.repeat(5_000) }
    const rows = {
      ...dump,
      transactions: [...transactions, { ...settled, kept_from: NOON, polls: 9, history: [past, past] }],
    }
    expect(transactions).toHaveLength(2)
    for (const [table, some] of Object.entries(rows))
      for (const row of some as readonly object[])
        expect({ table, row, fits: counted(table as TableName, row) >= valueBytes(row) }).toMatchObject({
          fits: true,
        })
  })

  it('grows with the stored password of a key', () => {
    const key = { username: 'demo', user_id: 1, default_account_id: 63, revoked_at: null }
    const hash = 'x'.repeat(200)
    expect(counted('apiKeys', { ...key, password_hash: hash })).toBeGreaterThanOrEqual(
      counted('apiKeys', key) + hash.length,
    )
  })
})
