import { expect, test } from 'vitest'
import { explanationOf } from '../../src/worlds/request-log.ts'
import type { JournalEntry } from '../../src/worlds/request-log.ts'
import { startSandbox } from '../support/sandbox.ts'

test('a logged request is explained in the same way after serialisation', async () => {
  const { sandbox, world } = await startSandbox()
  const w = world()
  await w.post('/api/v2/payments', {
    amount: 13,
    phone_number: '254712345678',
    provider: 'm-pesa',
    network_code: '63902',
    account_id: 63,
  })
  const entry = (await sandbox.worlds.get('demo+t1')!.journal.newest(1))[0]!
  const written = JSON.parse(JSON.stringify(entry)) as JournalEntry
  const explained = explanationOf(entry, sandbox.library())
  expect(explained?.rules.length).toBeGreaterThan(3)
  expect(explanationOf(written, sandbox.library())).toEqual(explained)
})
