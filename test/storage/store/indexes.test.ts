import { every } from '../../support/rows.ts'
import { expect, test } from 'vitest'
import { createStore } from '../../../src/storage/store/low-store.ts'
import type { Mark, Store } from '../../../src/storage/store/change.ts'
import { channel, idsOf, job, transaction } from './rows.ts'

const found = async (store: Store, value: string) =>
  idsOf(await store.read('demo', (view) => view.find('transactions', 'identifier', value)))

test('a row is found by each of its values, and not by former ones', async () => {
  const store = await createStore()
  await store.load('demo', { transactions: [transaction(1, { external_reference: 'a' })] })
  expect(await found(store, 'c1')).toEqual([1])
  expect(await found(store, 'a')).toEqual([1])
  await store.change('demo', (change) =>
    change.put('transactions', transaction(1, { external_reference: 'b' })),
  )
  expect(await found(store, 'a')).toEqual([])
  expect(await found(store, 'b')).toEqual([1])
  await store.change('demo', (change) => change.delete('transactions', 1))
  expect(await found(store, 'b')).toEqual([])
  expect(await found(store, 'c1')).toEqual([])
})

test('an empty value is not indexed', async () => {
  const store = await createStore()
  await store.load('demo', { transactions: [transaction(1), transaction(2)] })
  expect(await found(store, '')).toEqual([])
})

test('a row with a repeated value is found once, and not after it is deleted', async () => {
  const store = await createStore()
  await store.load('demo', { transactions: [transaction(1, { external_reference: 'c1' })] })
  expect(await found(store, 'c1')).toEqual([1])
  await store.change('demo', (change) => change.put('transactions', transaction(1)))
  expect(await found(store, 'c1')).toEqual([1])
  await store.change('demo', (change) => change.delete('transactions', 1))
  expect(await found(store, 'c1')).toEqual([])
})

test('rows with the same value are ordered by age, even if an old row gets the value late', async () => {
  const store = await createStore()
  const same = { external_reference: 'same' }
  await store.load('demo', {
    transactions: [
      transaction(5),
      transaction(4, same),
      transaction(3),
      transaction(2, same),
      transaction(1, same),
    ],
  })
  expect(await found(store, 'same')).toEqual([4, 2, 1])
  await store.change('demo', (change) => {
    change.put('transactions', transaction(3, same))
    change.put('transactions', transaction(5, same))
    change.delete('transactions', 2)
    change.insert('transactions', transaction(2, same))
  })
  expect(await found(store, 'same')).toEqual([5, 4, 3, 1, 2])
})

test('an order is by number and then by key, in either direction, page by page', async () => {
  const store = await createStore()
  await store.load('demo', {
    channels: [channel(5, 10), channel(3, 10), channel(4, 20), channel(1, 5), channel(2, 10, 64)],
  })
  const walk = async (offset: number, limit: number, newestFirst = false) =>
    idsOf(
      await store.read('demo', (view) =>
        view.walk('channels', 'activity', 63, { offset, limit, newestFirst }),
      ),
    )
  expect(await walk(0, 9)).toEqual([1, 3, 5, 4])
  expect(await walk(0, 9, true)).toEqual([4, 5, 3, 1])
  expect(await walk(1, 2)).toEqual([3, 5])
  expect(await walk(1, 2, true)).toEqual([5, 3])
  expect(await walk(4, 2)).toEqual([])
  expect(await store.read('demo', (view) => view.count('channels', 'activity', 63))).toBe(4)
  expect(await store.read('demo', (view) => view.count('channels', 'activity', 65))).toBe(0)
})

test('an order follows a row within its group and to another', async () => {
  const store = await createStore()
  await store.load('demo', { channels: [channel(1, 10), channel(2, 20), channel(3, 30)] })
  const walk = async (group: number) =>
    idsOf(
      await store.read('demo', (view) => view.walk('channels', 'activity', group, { offset: 0, limit: 9 })),
    )
  await store.change('demo', (change) => {
    change.put('channels', channel(1, 40))
    change.put('channels', channel(2, 20, 64))
  })
  expect(await walk(63)).toEqual([3, 1])
  expect(await walk(64)).toEqual([2])
})

test('a lookup built at first use contains every row, and is maintained from then on', async () => {
  const store = await createStore()
  await store.load('demo', { transactions: [1, 2, 3].map((id) => transaction(id, { party: 'a' })) })
  await store.change('demo', (change) => {
    change.delete('transactions', 2)
    change.insert('transactions', transaction(4, { party: 'b' }))
  })
  const refused = store.change('demo', (change) => {
    change.insert('transactions', transaction(5, { party: 'a' }))
    change.put('transactions', transaction(3, { party: 'b' }))
    expect(idsOf(change.find('transactions', 'party', 'a'))).toEqual([1, 5])
    expect(idsOf(change.find('transactions', 'party', 'b'))).toEqual([3, 4])
    throw new Error('refused')
  })
  await expect(refused).rejects.toThrow('refused')
  const by = async (party: string) =>
    idsOf(await store.read('demo', (view) => view.find('transactions', 'party', party)))
  expect([await by('a'), await by('b')]).toEqual([[1, 3], [4]])
  await store.change('demo', (change) => {
    change.put('transactions', transaction(4, { party: 'a' }))
    change.delete('transactions', 1)
  })
  expect([await by('a'), await by('b')]).toEqual([[3, 4], []])
})

test('and so does an order with sums', async () => {
  const store = await createStore()
  const wallet = 'team:63:wallet:KES'
  const posting = (id: number, at: number, amount: number) => ({
    id,
    at,
    kind: 'collection',
    currency: 'KES',
    transaction_id: null,
    lines: ['payers:KES', -amount, wallet, amount],
  })
  await store.load('demo', { postings: [posting(1, 30, 5), posting(2, 10, 7), posting(3, 20, 11)] })
  await store.change('demo', (change) => change.delete('postings', 2))
  const refused = store.change('demo', (change) => {
    change.insert('postings', posting(4, 25, 100))
    expect(change.rank('postings', 'account', wallet, { by: 26 })).toEqual({ count: 2, sum: 111 })
    throw new Error('refused')
  })
  await expect(refused).rejects.toThrow('refused')
  await store.change('demo', (change) => change.insert('postings', posting(5, 5, 1)))
  await store.read('demo', (view) => {
    expect(view.rank('postings', 'account', wallet, { by: 30 })).toEqual({ count: 2, sum: 12 })
    expect(view.rank('postings', 'account', wallet, { by: 31 })).toEqual({ count: 3, sum: 17 })
    const walked = view.walk('postings', 'account', wallet, { offset: 0, limit: 9 })
    expect(idsOf(walked)).toEqual([5, 3, 1])
  })
})

test('a table that was empty when read contains later rows, in its own world only', async () => {
  const store = await createStore()
  const jobs = (world: string) =>
    store.read(world, (view) => view.walk('jobs', 'due', 0, { offset: 0, limit: 9 }))
  expect([await jobs('one'), await jobs('other')]).toEqual([[], []])
  await store.change('one', (change) => {
    expect(change.get('jobs', 1)).toBeUndefined()
    expect(change.revision('jobs')).toBe(0)
    change.insert('jobs', job(1, 5))
    expect(idsOf(change.walk('jobs', 'due', 0, { offset: 0, limit: 9 }))).toEqual([1])
    expect(change.revision('jobs')).not.toBe(0)
  })
  expect([idsOf(await jobs('one')), await jobs('other')]).toEqual([[1], []])
})

test('a list of due jobs stays ordered over thousands of insertions and deletions', async () => {
  const store = await createStore()
  await store.change('demo', (change) => {
    for (let id = 1; id <= 5000; id += 1) change.insert('jobs', job(id, (id * 7919) % 1000))
  })
  for (let round = 0; round < 50; round += 1) {
    await store.change('demo', (change) => {
      const due = change.walk('jobs', 'due', 0, { offset: 0, limit: 90 })
      for (const row of due) change.delete('jobs', row.id)
    })
  }
  const left = await store.read('demo', (view) => view.walk('jobs', 'due', 0, { offset: 0, limit: 1000 }))
  const expected = Array.from({ length: 5000 }, (_, i) => job(i + 1, ((i + 1) * 7919) % 1000))
    .toSorted((a, b) => a.due_at - b.due_at || a.id - b.id)
    .slice(50 * 90)
  expect(left).toEqual(expected)
})

test('rows with the same value are paged newest first', async () => {
  const store = await createStore()
  const same = { external_reference: 'same' }
  await store.load('demo', { transactions: [1, 2, 3, 4, 5].map((id) => transaction(id, same)) })
  const page = async (offset: number, limit: number) =>
    idsOf(
      await store.read('demo', (view) =>
        view.newest('transactions', 'identifier', 'same', { offset, limit }),
      ),
    )
  expect(await page(0, 2)).toEqual([5, 4])
  expect(await page(2, 2)).toEqual([3, 2])
  expect(await page(4, 2)).toEqual([1])
  expect(await page(6, 2)).toEqual([])
  expect(await page(0, 99)).toEqual([5, 4, 3, 2, 1])
})

test('rows below a key are paged highest first, despite deletions', async () => {
  const store = await createStore()
  await store.load('demo', { jobs: [1, 2, 3, 5, 8, 13].map((id) => job(id, 0)) })
  const below = async (before: number, limit: number) =>
    idsOf(await store.read('demo', (view) => view.below('jobs', { before, limit })))
  expect(await below(Infinity, 2)).toEqual([13, 8])
  expect(await below(8, 10)).toEqual([5, 3, 2, 1])
  expect(await below(7, 2)).toEqual([5, 3])
  expect(await below(1, 2)).toEqual([])
  await store.change('demo', (change) => {
    for (const id of [1, 5, 13]) change.delete('jobs', id)
    expect(idsOf(change.below('jobs', { before: 8, limit: 10 }))).toEqual([3, 2])
  })
  expect(await below(6, 10)).toEqual([3, 2])
  await store.change('demo', (change) => change.insert('jobs', job(4, 0)))
  expect(await below(Infinity, 10)).toEqual([8, 4, 3, 2])
  expect(await below(4, 1)).toEqual([3])
})

test('a failed change leaves the order of keys unchanged', async () => {
  const store = await createStore()
  await store.load('demo', { jobs: [job(1, 0), job(2, 0)] })
  const refused = store.change('demo', (change) => {
    for (const id of [7, 8, 9]) change.insert('jobs', job(id, 0))
    change.delete('jobs', 1)
    throw new Error('refused')
  })
  await expect(refused).rejects.toThrow('refused')
  await store.change('demo', (change) => change.insert('jobs', job(3, 0)))
  expect(
    idsOf(await store.read('demo', (view) => view.below('jobs', { before: Infinity, limit: 9 }))),
  ).toEqual([3, 2, 1])
})

test('since returns the added rows, or all rows after an older one was changed', async () => {
  const store = await createStore()
  await store.load('demo', { jobs: [job(1, 0), job(2, 0)] })
  const since = (mark?: Mark) => store.read('demo', (view) => view.since('jobs', mark))
  const first = await since()
  expect([idsOf(first.rows), first.anew]).toEqual([[1, 2], true])
  await store.change('demo', (change) => change.insert('jobs', job(3, 0)))
  const refused = store.change('demo', (change) => {
    change.insert('jobs', job(4, 0))
    throw new Error('refused')
  })
  await expect(refused).rejects.toThrow('refused')
  const second = await since(first.mark)
  expect([idsOf(second.rows), second.anew]).toEqual([[3], false])
  await store.change('demo', (change) => change.put('jobs', job(2, 5)))
  const third = await since(second.mark)
  expect([idsOf(third.rows), third.anew]).toEqual([[1, 2, 3], true])
  await store.load('demo', { jobs: [job(1, 0)] })
  expect((await since(third.mark)).anew).toBe(true)
})

test('rows are found by number after many insertions and deletions', async () => {
  const store = await createStore()
  const owed = (id: number, callback_id: number) => ({
    ...job(id, 0),
    task: { kind: 'callback' as const, callback_id },
  })
  const found = async (callback_id: number) =>
    idsOf(await store.read('demo', (view) => view.find('jobs', 'callback', callback_id)))
  for (let id = 1; id <= 3_000; id += 1)
    await store.change('demo', (change) => {
      change.insert('jobs', owed(id, id))
      if (id > 3) change.delete('jobs', id - 1)
    })
  expect([await found(1), await found(2), await found(2_999), await found(3_000)]).toEqual([
    [1],
    [2],
    [],
    [3_000],
  ])
  await store.change('demo', (change) => change.insert('jobs', owed(9_000, 3_000)))
  expect(await found(3_000)).toEqual([3_000, 9_000])
})

test('the oldest and any others of a thousand rows with the same value can be deleted', async () => {
  const store = await createStore()
  const same = { external_reference: 'same' }
  const ids = Array.from({ length: 1_000 }, (_, n) => n + 1)
  await store.load('demo', { transactions: ids.map((id) => transaction(id, same)) })
  await store.change('demo', (change) => {
    for (let id = 1; id <= 700; id += 1) change.delete('transactions', id)
    change.delete('transactions', 800)
    change.insert('transactions', transaction(800, same))
  })
  expect(await found(store, 'same')).toEqual([...ids.slice(700).filter((id) => id !== 800), 800])
  await store.change('demo', (change) => {
    for (let id = 701; id < 1_000; id += 1) change.delete('transactions', id)
  })
  expect(await found(store, 'same')).toEqual([1_000])
})

test('rows stay ordered in a table with endless insertions and deletions', async () => {
  const store = await createStore()
  const stays = (id: number) => id % 300 === 0
  for (let id = 1; id <= 20_000; id += 50)
    await store.change('demo', (change) => {
      for (let n = id; n < id + 50; n += 1) {
        change.insert('transactions', transaction(n, { external_reference: 'same' }))
        if (n > 1_000 && !stays(n - 1_000)) change.delete('transactions', n - 1_000)
      }
    })
  const expected = Array.from({ length: 20_000 }, (_, n) => n + 1).filter((id) => id > 19_000 || stays(id))
  expect(idsOf(await store.read('demo', (view) => every(view, 'transactions')))).toEqual(expected)
  expect(await found(store, 'same')).toEqual(expected)
  const newest = await store.read('demo', (view) =>
    view.newest('transactions', 'identifier', 'same', { offset: 1_000, limit: 2 }),
  )
  expect(idsOf(newest)).toEqual(expected.toReversed().slice(1_000, 1_002))
})
