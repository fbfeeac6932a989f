import { every } from '../../support/rows.ts'
import { appendFile, readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createStore } from '../../../src/storage/store/low-store.ts'
import type { Store } from '../../../src/storage/store/change.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { fillableDisk } from './disk.ts'
import { idsOf, transaction } from './rows.ts'
import { manualTicks } from './ticks.ts'

async function start({ sync = false } = {}) {
  const path = join(temporaryFolder(), 'rows.json')
  // An existing file is opened by its name, not by that of a draft.
  await (await createStore({ path })).close()
  const disk = fillableDisk()
  const clocks = manualTicks()
  const reports: string[] = []
  const gate = { open: () => {} }
  // The test triggers retries.
  clocks.onWait = () => new Promise<void>((resolve) => (gate.open = resolve))
  const store = await createStore({
    path,
    sync,
    ticks: clocks.ticks,
    open: disk.open,
    report: (level, message) => reports.push(`${level}: ${message}`),
  })
  return { path, disk, reports, store, retry: () => gate.open() }
}

const put = (store: Store, id: number, world = 'demo') =>
  store.change(world, (change) => change.put('transactions', transaction(id)))
const ids = async (store: Store) => idsOf(await store.read('demo', (view) => every(view, 'transactions')))
const recovered = (store: Store, retry: () => void) =>
  vi.waitFor(() => {
    retry()
    expect(store.unavailable).toBeUndefined()
  }, 30_000)
const refusal = expect.objectContaining({
  name: 'StoreUnavailable',
  message: expect.stringContaining('ENOSPC'),
})

test('a full disk rejects changes without effect, and the store recovers when there is room', async () => {
  const { path, disk, reports, store, retry } = await start()
  const told = vi.fn<() => void>()
  const heard: unknown[] = []
  store.onRecovered(told)
  store.onCommit((world, written) => heard.push(...written.map(({ key }) => `${world} ${key}`)))
  await put(store, 1)
  disk.fullFor = () => true
  // Concurrent changes, some written together and some waiting for their turn.
  const refused = await Promise.allSettled([
    put(store, 2),
    put(store, 3),
    put(store, 4, 'other'),
    store.load('third', {}),
    store.drop('demo'),
  ])
  for (const each of refused) expect(each).toEqual({ status: 'rejected', reason: refusal })
  expect(store.unavailable).toEqual(refusal)
  await expect(ids(store)).rejects.toEqual(refusal)
  await expect(put(store, 5)).rejects.toEqual(refusal)
  await expect(store.dump('demo')).rejects.toEqual(refusal)
  // Nothing of it is left in the file.
  expect((await readFile(path, 'utf8')).trim().split('\n')).toHaveLength(3)

  retry()
  await vi.waitFor(async () => expect(store.unavailable?.message).toContain('ENOSPC'), 30_000)
  disk.fullFor = () => false
  await recovered(store, retry)
  expect(told).toHaveBeenCalledTimes(1)
  expect(await ids(store)).toEqual([1])
  expect(await store.worlds()).toEqual(['demo'])
  await put(store, 6)
  expect(heard).toEqual(['demo 1', 'demo 6'])
  expect(reports).toEqual([
    expect.stringMatching(/^error: Rows cannot be stored: .*ENOSPC.*keeps trying/),
    'warn: Rows can be stored again; requests rejected in the meantime had no effect.',
  ])
  await store.close()
  const other = await createStore({ path })
  expect(await ids(other)).toEqual([1, 6])
  await other.close()
})

test('rows are not visible before they are stored', async () => {
  const { disk, store } = await start()
  await put(store, 1)
  disk.fullFor = () => true
  const [changed, seen] = await Promise.allSettled([put(store, 2), ids(store), store.dump('demo')])
  expect(changed.status).toBe('rejected')
  expect(seen).toEqual({ status: 'rejected', reason: refusal })
  await store.close()
})

test('closing on a full disk loses nothing that was stored', async () => {
  const { path, disk, store } = await start()
  await put(store, 1)
  disk.fullFor = () => true
  await expect(put(store, 2)).rejects.toEqual(refusal)
  await store.close()
  expect((await readdir(dirname(path))).toSorted()).toEqual(['rows.json'])
  const other = await createStore({ path })
  expect(await ids(other)).toEqual([1])
  await other.close()
})

test('a failed compaction is reported, loses nothing and is repeated', async () => {
  const { path, disk, reports, store, retry } = await start()
  let id = 0
  const mails = async (count: number) => {
    for (const last = id + count; id < last; id += 1) {
      const mail = { id, to: '', subject: '', text: 'x'.repeat(300_000), link: '', sent_at: 0 }
      await store.change('demo', (change) => change.put('mails', mail))
    }
  }
  const kept = async () => (await store.dump('demo')).mails!.length
  // Room for lines, but not for a draft.
  disk.fullFor = (name) => name.includes('rows.json.new')
  while (reports.length < 2) await mails(1)
  const count = id
  expect(reports[0]).toMatch(/^warn: .* could not be rewritten, so it grows: ENOSPC/)
  expect(await readdir(dirname(path))).not.toContainEqual(expect.stringContaining('.new-'))

  disk.fullFor = () => true
  await expect(mails(1)).rejects.toEqual(refusal)
  disk.fullFor = (name) => name.includes('rows.json.new')
  await recovered(store, retry)
  expect(await kept()).toBe(count)
  disk.fullFor = () => false
  await mails(8)
  await store.close()
  const other = await createStore({ path })
  expect((await other.dump('demo')).mails!.map((mail) => mail.id)).toEqual(
    Array.from({ length: count + 8 }, (_, n) => n),
  )
  await other.close()
})

test('waits for the disk only with sync', async () => {
  for (const sync of [true, false]) {
    const { disk, store } = await start({ sync })
    const before = disk.syncs
    await put(store, 1)
    expect(disk.syncs - before).toBe(sync ? 1 : 0)
    // Concurrent changes wait for the same sync.
    await Promise.all(Array.from({ length: 50 }, (_, n) => put(store, n, `world-${n}`)))
    expect(disk.syncs - before).toBe(sync ? 2 : 0)
    await store.close()
  }
})

test('spaces left by a probe are ignored', async () => {
  const { path, store } = await start()
  await put(store, 1)
  const killed = join(dirname(path), `killed-${basename(path)}`)
  await appendFile(killed, await readFile(path))
  await store.close()
  await appendFile(killed, ' '.repeat(5_000))
  const other = await createStore({ path: killed })
  expect(await ids(other)).toEqual([1])
  await other.close()
})
