import { expect, it } from 'vitest'
import { createStore } from '../../../src/storage/store/low-store.ts'
import { valueBytes, type TableName, tables } from '../../../src/storage/store/tables.ts'
import { bytesOf } from '../../../src/storage/store/world.ts'
import { collection } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { job, transaction } from './rows.ts'

const KB = 'x'.repeat(1_000)

it('counts the texts that callers choose, until they are deleted', async () => {
  const store = await createStore()
  await store.change('demo', (change) => change.insert('transactions', transaction(1)))
  const before = store.bytes('demo')
  await store.change('demo', (change) => {
    change.put('transactions', transaction(1, { external_reference: KB, status: 'SUCCESS' }))
    change.insert('jobs', job(1, 5))
    change.insert('mails', { id: 1, to: KB, subject: KB, text: KB, link: '', sent_at: 0 })
  })
  expect(store.bytes('demo')).toBeGreaterThan(before + 2_000)
  await store.change('demo', (change) => {
    change.put('transactions', transaction(1))
    change.delete('jobs', 1)
    change.delete('mails', 1)
  })
  expect(store.bytes('demo')).toBe(before)
})

it('does not count undone changes and dropped worlds', async () => {
  const store = await createStore()
  await store.load('demo', { transactions: [transaction(1)], jobs: [job(1, 5)] })
  const before = store.bytes('demo')
  const failing = store.change('demo', (change) => {
    change.put('transactions', transaction(1, { external_reference: KB }))
    change.insert('transactions', transaction(2))
    change.delete('jobs', 1)
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(store.bytes('demo')).toBe(before)
  expect(bytesOf(await store.dump('demo'))).toBe(before)
  await store.drop('demo')
  expect(store.bytes('demo')).toBe(0)
})

it('counts the bytes of characters beyond Latin-1', () => {
  expect(valueBytes('€'.repeat(1_000))).toBeGreaterThan(2_000)
})

it('does not overflow the stack on deeply nested values', () => {
  const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as unknown
  expect(valueBytes(deep)).toBeGreaterThan(50_000)
})

it('never counts less for a row than its values take', async () => {
  const { world, sandbox } = await startSandbox()
  const w = world()
  const rules = { title: 'Fails', when: { operation: 'createCollection' }, then: { status: 'FAILED' } }
  await w.put('/sandbox/scenarios/fails', rules)
  await w.post('/api/v2/payments', collection(w, { external_reference: KB }))
  await w.post('/api/v2/withdraw', { amount: 10, phone_number: '0712345678', account_id: 63 })
  await w.post('/api/v2/account_invites', {
    organization_id: 1,
    account_id: 63,
    email: 'new@demo.example',
    role_id: 3,
  })
  await w.settle()
  const rows = await sandbox.worlds.dump(w.world().name)
  const short = Object.entries(rows).flatMap(([name, list]) =>
    (list as readonly object[]).filter(
      (row) => tables[name as TableName].bytes(row as never) < valueBytes(row),
    ),
  )
  expect(Object.keys(rows).length).toBeGreaterThan(10)
  expect(short).toEqual([])
})
