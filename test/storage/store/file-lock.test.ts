import { readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import {
  create,
  find,
  type Holder,
  isHeld,
  release,
  succeed,
  takeFileLock,
  thisProcess,
} from '../../../src/storage/store/file/file-lock.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { manualTicks } from './ticks.ts'

const lockFile = () => join(temporaryFolder(), 'rows.json.lock')
/** Process 1 of another container, which is not visible from here. */
const foreign = (token: string): Holder => ({
  ...thisProcess(token, Date.parse('2026-06-13T11:00:00Z')),
  pid: 1,
  host: 'other-box',
  pids: 'pid:[7]',
})
const write = (path: string, holder: Holder) => writeFile(path, JSON.stringify(holder))

function options() {
  const clocks = manualTicks()
  const onLost = vi.fn<() => void>()
  const waits: string[] = []
  return { clocks, onLost, waits, ticks: clocks.ticks, onWait: (why: string) => void waits.push(why) }
}

test('reports a live process of another container as the holder', async () => {
  const path = lockFile()
  await write(path, foreign('theirs'))
  const given = options()
  given.clocks.onWait = () => utimes(path, 1, given.ticks.wall() / 1000)
  await expect(takeFileLock(path, given)).rejects.toThrow(
    'process 1 is using it on host other-box since 2026-06-13T11:00:00.000Z: stop that process or choose another file',
  )
  expect(given.waits).toEqual(['process 1 on host other-box may be using it: waiting up to 8 s'])
  expect(await find(path)).toMatchObject({ token: 'theirs' })
})

test('takes over from a silent holder after exactly 8 s', async () => {
  const path = lockFile()
  await write(path, foreign('theirs'))
  const given = options()
  const began = given.ticks.monotonic()
  const lock = await takeFileLock(path, given)
  expect(given.ticks.monotonic() - began).toBe(8_000)
  expect(lock.isTakeover).toBe(true)
  expect(lock.check()).toBeUndefined()
  expect(await readdir(dirname(path))).toEqual([basename(path)])
  await lock.release()
  expect(await readdir(dirname(path))).toEqual([])
})

test('treats a malformed lock file like a silent holder', async () => {
  for (const text of ['', '{"pid":7}', 'null']) {
    const path = lockFile()
    await writeFile(path, text)
    const lock = await takeFileLock(path, options())
    expect(lock.isTakeover).toBe(true)
    await lock.release()
  }
})

test('stops waiting when the holder releases the lock', async () => {
  const path = lockFile()
  const theirs = foreign('theirs')
  await write(path, theirs)
  const given = options()
  given.clocks.onWait = () => release(path, theirs, 'gone')
  const lock = await takeFileLock(path, given)
  expect(lock.isTakeover).toBe(false)
  await lock.release()
})

test('a holder that was asleep detects the takeover before it writes, and at its heartbeat', async () => {
  const path = lockFile()
  const given = options()
  const lock = await takeFileLock(path, given)
  const { token } = JSON.parse(await readFile(path, 'utf8')) as Holder
  expect(lock.check()).toBeUndefined()
  given.clocks.sleep(4_000)
  await lock.check()
  expect(lock.check()).toBeUndefined()

  given.clocks.sleep(60_000)
  const before = (await find(path))!
  expect(before.token).toBe(token)
  expect(await succeed(path, before, foreign('theirs'))).toBe(true)
  await expect(lock.check()).rejects.toThrow(
    /another process may be using the file\. All requests are rejected/,
  )
  expect(() => lock.check()).toThrow('another process may be using the file')
  expect(given.onLost).toHaveBeenCalledTimes(1)
  await lock.release()
  expect(await isHeld(path, 'theirs')).toBe(true)
})

test('a heartbeat during a takeover prevents it', async () => {
  const path = lockFile()
  const given = options()
  const lock = await takeFileLock(path, given)
  const before = (await find(path))!
  given.clocks.sleep(5_000)
  await lock.check()
  expect(await succeed(path, before, foreign('theirs'))).toBe(false)
  given.clocks.sleep(5_000)
  await lock.check()
  expect(given.onLost).not.toHaveBeenCalled()
  await lock.release()
})

test('a removed lock file means that the lock is lost', async () => {
  const path = lockFile()
  const given = options()
  const lock = await takeFileLock(path, given)
  await release(path, JSON.parse(await readFile(path, 'utf8')) as Holder, 'gone')
  given.clocks.repeat()
  await vi.waitFor(() => expect(given.onLost).toHaveBeenCalledTimes(1), 30_000)
  await lock.release()
})

test('only one of several concurrent takeovers succeeds', async () => {
  for (let round = 0; round < 30; round += 1) {
    const path = lockFile()
    await create(path, foreign('dead'))
    // In every other round, another process died during a takeover.
    if (round % 2) await create(`${path}.after-dead`, foreign('dead-too'))
    const found = await Promise.all(Array.from({ length: 6 }, () => find(path)))
    const taken = await Promise.all(found.map((before, n) => succeed(path, before!, foreign(`taker-${n}`))))
    expect(taken.filter(Boolean)).toHaveLength(1)
    expect((await find(path))!.token).toBe(`taker-${taken.indexOf(true)}`)
    expect(await isHeld(path, `taker-${taken.indexOf(true)}`)).toBe(true)
    expect(await readdir(dirname(path))).toEqual([basename(path)])
  }
})

test('a takeover based on an old state fails', async () => {
  const path = lockFile()
  await create(path, foreign('dead'))
  const longAgo = (await find(path))!
  expect(await succeed(path, longAgo, foreign('second'))).toBe(true)
  expect(await succeed(path, longAgo, foreign('third'))).toBe(false)
  expect(await isHeld(path, 'second')).toBe(true)
  expect(await readdir(dirname(path))).toEqual([basename(path)])
})
