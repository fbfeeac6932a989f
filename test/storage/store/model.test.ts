import { every } from '../../support/rows.ts'
import { expect, test } from 'vitest'
import { createStore } from '../../../src/storage/store/low-store.ts'
import type { TransactionRow } from '../../../src/storage/store/payment-rows.ts'
import type { ChannelRow } from '../../../src/storage/store/rows.ts'
import type { Change } from '../../../src/storage/store/change.ts'
import { bytesOf } from '../../../src/storage/store/world.ts'
import { channel, transaction } from './rows.ts'

/** mulberry32: the same numbers in every run. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** The naive store: two lists in insertion order, searched completely. */
interface Model {
  transactions: TransactionRow[]
  channels: ChannelRow[]
}

function put<Row extends { id: number }>(rows: Row[], row: Row): Row[] {
  return rows.some(({ id }) => id === row.id)
    ? rows.map((each) => (each.id === row.id ? row : each))
    : [...rows, row]
}

function writeBoth(change: Change, model: Model, below: (limit: number) => number): void {
  const id = below(40)
  if (below(4) === 0) {
    change.delete('transactions', id)
    change.delete('channels', id)
    model.transactions = model.transactions.filter((row) => row.id !== id)
    model.channels = model.channels.filter((row) => row.id !== id)
    return
  }
  const moved = channel(id, below(5), 60 + below(3))
  change.put('channels', moved)
  model.channels = put(model.channels, moved)
  const row = transaction(id, {
    status: below(2) ? 'QUEUED' : 'SUCCESS',
    account_id: 60 + below(3),
    reference: `r${below(10)}`,
    checkout_request_id: `r${below(10)}`,
    external_reference: below(2) ? '' : `r${below(10)}`,
  })
  if (model.transactions.some((each) => each.id === id)) change.put('transactions', row)
  else change.insert('transactions', row)
  model.transactions = put(model.transactions, row)
}

function expectEqual(change: Change, model: Model, below: (limit: number) => number): void {
  expect(every(change, 'transactions')).toEqual(model.transactions)
  expect(every(change, 'channels')).toEqual(model.channels)
  for (let i = 0; i < 10; i += 1) {
    const value = `r${i}`
    expect(change.find('transactions', 'identifier', value)).toEqual(
      model.transactions.filter((row) =>
        [row.reference, row.checkout_request_id, row.external_reference].includes(value),
      ),
    )
  }
  for (const team of [60, 61, 62]) {
    expect(change.count('transactions', 'queued', team)).toBe(
      model.transactions.filter((row) => row.status === 'QUEUED' && row.account_id === team).length,
    )
    const group = model.channels
      .filter((row) => row.account_id === team)
      .toSorted((a, b) => a.active_at - b.active_at || a.id - b.id)
    expect(change.count('channels', 'activity', team)).toBe(group.length)
    const page = { offset: below(8), limit: 1 + below(8), newestFirst: below(2) === 1 }
    expect(change.walk('channels', 'activity', team, page)).toEqual(
      (page.newestFirst ? group.toReversed() : group).slice(page.offset, page.offset + page.limit),
    )
  }
}

test.each([1, 2, 3])(
  '1,000 random changes, a third of them undone, agree with a naive store (seed %i)',
  async (seed) => {
    const below = numbersFrom(seed)
    const store = await createStore()
    let model: Model = { transactions: [], channels: [] }
    for (let round = 0; round < 1000; round += 1) {
      const draft = { ...model }
      const fails = below(3) === 0
      const running = store.change('demo', (change) => {
        for (let writes = below(8); writes >= 0; writes -= 1) writeBoth(change, draft, below)
        if (round % 10 === 0) expectEqual(change, draft, below)
        if (fails) throw new Error('undone')
      })
      expect(await Promise.resolve(running).then(undefined, ({ message }: Error) => message)).toBe(
        fails ? 'undone' : undefined,
      )
      if (!fails) model = draft
      expect(store.bytes('demo')).toBe(bytesOf(await store.dump('demo')))
      if (round % 10 === 5) await store.change('demo', (change) => expectEqual(change, model, below))
    }
  },
)
