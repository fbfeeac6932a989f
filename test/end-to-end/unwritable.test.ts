import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { createLog } from '../../src/lib/log/log.ts'
import { thisProcess } from '../../src/storage/store/file/file-lock.ts'
import { fillableDisk } from '../storage/store/disk.ts'
import { manualTicks } from '../storage/store/ticks.ts'
import { temporaryFolder } from '../support/folder.ts'
import { collection } from '../support/requests.ts'
import { NOON, refused, startSandbox } from '../support/sandbox.ts'

async function start() {
  const path = join(temporaryFolder(), 'rows.json')
  const disk = fillableDisk()
  const clocks = manualTicks()
  const retries: (() => void)[] = []
  clocks.onWait = () => new Promise((resolve) => retries.push(resolve))
  const lines: string[] = []
  const log = createLog({
    level: 'warn',
    write: (line) => lines.push(line),
    terminal: false,
    now: () => NOON,
  })
  const given = await startSandbox(
    { SANDBOX_DB: path },
    { log, storeParts: { ticks: clocks.ticks, open: disk.open } },
  )
  const ready = async (probe = '/readyz') => {
    const answer = await given.sandbox.fetch(new Request(`http://sandbox.test${probe}`))
    return { status: answer.status, body: (await answer.json()) as object }
  }
  const recovered = () =>
    vi.waitFor(async () => {
      for (const retry of retries.splice(0)) retry()
      expect((await ready()).status).toBe(200)
    }, 30_000)
  return { ...given, path, disk, clocks, lines, ready, recovered }
}

it('503 on a full disk, also from /readyz; it recovers by itself, and nothing is half written', async () => {
  const { world, disk, lines, ready, recovered } = await start()
  const own = world()
  const { get, post, settle, callbacks } = own
  const pay = (external_reference: string) =>
    post('/api/v2/payments', { ...collection(own), external_reference })
  const statusOf = async (request_id: string) =>
    (await post('/api/global/transaction-status', { request_id })).body.status
  const { body: kept } = await pay('kept')
  const key = { account_id: 63, role_id: 3 }
  expect(await ready()).toMatchObject({ status: 200, body: { status: 'ok' } })

  disk.fullFor = () => true
  const unavailable = refused(503, 'unavailable', /^Rows cannot be stored: .*ENOSPC.*keeps trying/)
  const [first, second] = await Promise.all([pay('lost'), post('/sandbox/api-keys', key)])
  expect(first).toMatchObject(unavailable)
  expect(second).toMatchObject(unavailable)
  expect(await pay('later')).toMatchObject(unavailable)
  expect(await get('/api/v2/account/63')).toMatchObject(unavailable)
  expect(await post('/sandbox/reset')).toMatchObject(unavailable)
  expect(await ready()).toMatchObject({
    status: 503,
    body: { status: 'unavailable', reason: expect.stringContaining('ENOSPC') },
  })
  expect((await ready('/livez')).status).toBe(200)

  disk.fullFor = () => false
  await recovered()
  expect((await get('/sandbox/api-keys')).body.api_keys).toHaveLength(2)
  expect((await post('/api/global/transaction-status', { request_id: 'lost' })).status).toBe(404)
  expect(await statusOf(kept.reference)).toBe('queued')
  // What was owed is still done.
  await settle()
  expect(await statusOf(kept.reference)).toBe('success')
  expect(callbacks()).toHaveLength(1)
  expect((await pay('lost')).status).toBe(201)
  expect(lines.filter((line) => line.includes('rows file'))).toEqual([
    expect.stringMatching(/error.*ENOSPC/),
    expect.stringMatching(/warn.*Rows can be stored again/),
  ])
})

it('a reset, import or deletion that fails on a full disk does not change the world', async () => {
  const { world, disk, recovered, sandbox } = await start()
  const own = world()
  const { post } = own
  const { body: kept } = await post('/api/v2/payments', collection(own))
  const name = 'demo+t1'
  for (const attempt of [
    () => sandbox.worlds.reset(name),
    () => sandbox.worlds.replace(name, {}),
    () => sandbox.worlds.drop(name),
  ]) {
    disk.fullFor = () => true
    await expect(attempt()).rejects.toThrow('ENOSPC')
    disk.fullFor = () => false
    await recovered()
    const { status } = await post('/api/global/transaction-status', { request_id: kept.reference })
    expect(status).toBe(200)
  }
  expect((await post('/sandbox/reset')).status).toBe(200)
})

it('a clock whose change fails on a full disk stays where it was', async () => {
  const { world, disk, recovered } = await start()
  const { get, post } = world()
  await post('/sandbox/clock/freeze')
  const { body: before } = await get('/sandbox/clock')
  for (const [path, body] of [
    ['/sandbox/clock/advance', { by: '1h' }],
    ['/sandbox/clock/resume', undefined],
  ] as const) {
    disk.fullFor = () => true
    expect((await post(path, body)).status).toBe(503)
    disk.fullFor = () => false
    await recovered()
    expect((await get('/sandbox/clock')).body).toMatchObject({ now: before.now, frozen: true })
  }
  await post('/sandbox/clock/advance', { by: '1h' })
  const { body: after } = await get('/sandbox/clock')
  expect(Date.parse(after.now) - Date.parse(before.now)).toBe(3_600_000)
})

it('503 once another process has taken over the file of a suspended one, with a log line and an unready /readyz', async () => {
  const { world, path, clocks, lines, ready } = await start()
  const own = world()
  const { post } = own
  expect((await post('/api/v2/payments', collection(own))).status).toBe(201)
  const before = await readFile(path, 'utf8')

  clocks.sleep(60_000)
  await writeFile(`${path}.lock`, JSON.stringify({ ...thisProcess('theirs', 0), pid: 1, pids: 'pid:[7]' }))
  const unavailable = refused(503, 'unavailable', /this process has lost .*, so another process may be using/)
  expect(await post('/api/v2/payments', collection(own))).toMatchObject(unavailable)
  expect(await post('/api/v2/payments', collection(own))).toMatchObject(unavailable)
  expect(await readFile(path, 'utf8')).toBe(before)
  expect(await ready()).toMatchObject({
    status: 503,
    body: { status: 'unavailable', reason: expect.stringContaining('another process may be using the file') },
  })
  expect(lines.filter((line) => line.includes('rows file'))).toEqual([
    expect.stringContaining('another process may be using the file'),
  ])
})
