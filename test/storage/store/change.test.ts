import { every } from '../../support/rows.ts'
import { expect, test } from 'vitest'
import { KeyedMutex } from '../../../src/lib/clock/clock.ts'
import { createStore } from '../../../src/storage/store/low-store.ts'
import { type RowChange, type Store, StoreUnavailable } from '../../../src/storage/store/change.ts'
import { channel, idsOf, job, transaction } from './rows.ts'

const counter = (value: number) => ({ name: 'transaction', value })

test('a change sees its own writes, and so does the next one', async () => {
  const store = await createStore()
  const seen = await store.change('demo', (change) => {
    change.insert('transactions', transaction(1))
    return change.get('transactions', 1)
  })
  expect(seen).toEqual(transaction(1))
  expect(await store.read('demo', (view) => view.get('transactions', 1))).toEqual(transaction(1))
})

test('a change that throws has no effect on rows, lookups or orders, and rejects with its error', async () => {
  const store = await createStore()
  await store.load('demo', {
    transactions: [transaction(1), transaction(2, { external_reference: 'x' })],
    channels: [channel(1, 10), channel(2, 20)],
    jobs: [job(1, 5)],
  })
  const look = () =>
    store.read('demo', (view) => [
      every(view, 'transactions'),
      view.find('transactions', 'identifier', 'x'),
      view.find('transactions', 'identifier', 'new'),
      view.count('transactions', 'queued', 63),
      view.find('channels', 'account', 63),
      view.walk('channels', 'activity', 63, { offset: 0, limit: 9 }),
      view.count('channels', 'activity', 63),
      view.walk('jobs', 'due', 0, { offset: 0, limit: 9 }),
      every(view, 'counters'),
    ])
  const before = await look()
  const failing = store.change('demo', (change) => {
    change.put('transactions', transaction(1, { status: 'SUCCESS', external_reference: 'x' }))
    change.delete('transactions', 2)
    change.insert('transactions', transaction(2, { external_reference: 'new' }))
    change.insert('transactions', transaction(3, { external_reference: 'new' }))
    change.put('transactions', transaction(3, { external_reference: 'x' }))
    change.delete('transactions', 3)
    change.put('channels', channel(1, 30))
    change.put('channels', channel(2, 20, 64))
    change.delete('jobs', 1)
    change.insert('jobs', job(2, 1))
    change.put('counters', counter(3))
    throw new Error('insufficient balance')
  })
  await expect(failing).rejects.toThrow('insufficient balance')
  expect(await look()).toEqual(before)
})

test('a failed change does not create its world', async () => {
  const store = await createStore()
  const failing = store.change('demo', (change) => {
    change.insert('counters', counter(1))
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await store.worlds()).toEqual([])
})

test('changes of one world run one after another, in the order of calls', async () => {
  const store = await createStore()
  const order: number[] = []
  await Promise.all(
    Array.from({ length: 50 }, (_, number) =>
      store.change('demo', (change) => {
        const row = change.get('counters', 'transaction')
        change.put('counters', counter((row?.value ?? 0) + 1))
        order.push(number)
      }),
    ),
  )
  expect(await store.read('demo', (view) => view.get('counters', 'transaction'))).toEqual(counter(50))
  expect(order).toEqual(Array.from({ length: 50 }, (_, number) => number))
})

/** A read in slices that continues on request, with what it saw before and after. */
function longRead(store: Store) {
  let goOn = () => {}
  const waiting = new Promise<void>((resolve) => (goOn = resolve))
  const seen = store.readInSlices('demo', async (view) => {
    const before = every(view, 'counters')
    await waiting
    return [before, every(view, 'counters')]
  })
  return { goOn, seen }
}

test('100,000 changes that wait for one world start in order, in constant time each', async () => {
  const mutex = new KeyedMutex()
  mutex.acquire('demo')
  const started: number[] = []
  const waiting = Array.from({ length: 100_000 }, (_, n) =>
    mutex.acquire('demo')!.then(() => void started.push(n)),
  )
  const began = performance.now()
  for (const _ of waiting) mutex.release('demo')
  // Moving the whole queue for each takes many seconds.
  expect(performance.now() - began).toBeLessThan(1_000)
  await Promise.all(waiting)
  expect(started.every((n, index) => n === index)).toBe(true)
})

test('changes and reads wait for a read in slices, which does not see them', async () => {
  const store = await createStore()
  const { goOn, seen } = longRead(store)
  const order: string[] = []
  const later = [
    store.change('demo', (change) => {
      order.push('first')
      change.put('counters', counter(1))
    }),
    store.read('demo', (view) => order.push(`read ${view.get('counters', 'transaction')?.value}`)),
    store.change('demo', (change) => {
      order.push('second')
      change.put('counters', counter(2))
    }),
  ]
  await store.change('other', () => order.push('other world'))
  goOn()
  expect(await seen).toEqual([[], []])
  await Promise.all(later)
  expect(order).toEqual(['other world', 'first', 'read 1', 'second'])
})

test('a read in slices does not delay other worlds', async () => {
  const store = await createStore()
  const { goOn, seen } = longRead(store)
  expect(await store.read('demo+1', (view) => every(view, 'counters'))).toEqual([])
  goOn()
  await seen
})

test('a read in slices that is used after its end throws', async () => {
  const store = await createStore()
  const late = await store.readInSlices('demo', async (view) => ({ view }))
  expect(() => every(late.view, 'counters')).toThrow('has ended')
})

test('inserting an existing key throws', async () => {
  const store = await createStore()
  await store.load('demo', { transactions: [transaction(1)] })
  await expect(
    store.change('demo', (change) => change.insert('transactions', transaction(1))),
  ).rejects.toThrow('transactions: a row with the key 1 already exists')
})

test('a change that is used after its end throws and writes nothing', async () => {
  const store = await createStore()
  const late = await store.change('demo', (change) => ({ change }))
  expect(() => late.change.put('counters', counter(1))).toThrow('has ended')
  expect(() => late.change.get('counters', 'transaction')).toThrow('has ended')
  expect(await store.read('demo', (view) => every(view, 'counters'))).toEqual([])
})

test('listeners are called once per stored change, in order, with each row', async () => {
  const store = await createStore()
  await store.load('demo', { jobs: [job(1, 5)] })
  const heard: [string, readonly RowChange[]][] = []
  const stop = store.onCommit((world, written) => heard.push([world, written]))
  await store.change('demo', (change) => {
    change.delete('jobs', 1)
    change.insert('jobs', job(2, 7))
    change.put('jobs', job(2, 8))
    change.insert('jobs', job(3, 9))
    change.delete('jobs', 3)
  })
  await store.change('demo', (change) => change.get('jobs', 2))
  await store
    .change('demo', () => {
      throw new Error('no')
    })
    .catch(() => {})
  await store.change('other', (change) => change.put('counters', counter(1)))
  stop()
  await store.change('demo', (change) => change.delete('jobs', 2))
  expect(heard).toEqual([
    [
      'demo',
      [
        { table: 'jobs', key: 1, row: undefined },
        { table: 'jobs', key: 2, row: job(2, 8) },
      ],
    ],
    ['other', [{ table: 'counters', key: 'transaction', row: counter(1) }]],
  ])
})

test('dump returns what load was given; load replaces every row; drop removes the world', async () => {
  const store = await createStore()
  const rows = { transactions: [transaction(2), transaction(1)], channels: [channel(1, 3)] }
  await store.load('demo', { jobs: [job(1, 1)], transactions: [transaction(9)] })
  await store.load('demo', rows)
  expect(await store.dump('demo')).toEqual(rows)
  expect(await store.read('demo', (view) => view.count('transactions', 'queued', 63))).toBe(2)
  expect(await store.worlds()).toEqual(['demo'])
  await store.drop('demo')
  expect(await store.worlds()).toEqual([])
  expect(await store.dump('demo')).toEqual({})
})

test('load rejects two rows with the same key and changes nothing', async () => {
  const store = await createStore()
  await store.load('demo', { transactions: [transaction(1)] })
  await expect(store.load('demo', { transactions: [transaction(2), transaction(2)] })).rejects.toThrow(
    'transactions: the key 2 is there twice',
  )
  expect(idsOf(await store.read('demo', (view) => every(view, 'transactions')))).toEqual([1])
})

test('close waits for running changes and rejects new ones', async () => {
  const store = await createStore()
  let done = false
  const changing = store.change('demo', (change) => {
    change.put('counters', counter(1))
    done = true
  })
  await store.close()
  expect(done).toBe(true)
  await changing
  await expect(store.change('demo', (change) => change.put('counters', counter(2)))).rejects.toThrow('closed')
  // A running request gets the response 503, which is not an error of the sandbox.
  await expect(store.read('demo', (view) => every(view, 'counters'))).rejects.toBeInstanceOf(StoreUnavailable)
})
