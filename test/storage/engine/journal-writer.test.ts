import { expect, it } from 'vitest'
import type { Database } from '../../../src/storage/engine/postgres/database.ts'
import {
  createJournalWriter,
  type JournalWriter,
  type WrittenRecord,
} from '../../../src/storage/engine/postgres/journal-writer.ts'
import type { JournalEntry } from '../../../src/storage/engine/journal.ts'

/** The log of a world with an unwritten request. */
const record = (n: number): WrittenRecord => ({
  world: `demo+${n}`,
  life: 'life',
  wantedIds: 1,
  noteSums() {},
  keepIds() {},
  takeIds: () => undefined,
  takeUnwritten: () => [[n, { entry: { id: `req_${n}`, headers: [] } as unknown as JournalEntry, bytes: 1 }]],
  putBack() {},
  forgetOldest: async () => {},
})

it('a write of the request log ends although other requests end meanwhile', async () => {
  let written = 0
  const others: Promise<void>[] = []
  const query = async () => {
    written += 1
    await new Promise((resolve) => void setImmediate(resolve))
    if (written < 50) others.push(writer.write(record(written)))
    return []
  }
  const writer: JournalWriter = createJournalWriter({ query } as unknown as Database)
  await writer.write(record(0))
  expect(written).toBeLessThan(3)
  while (others.length > 0) await others.shift()
  expect(written).toBe(50)
})
