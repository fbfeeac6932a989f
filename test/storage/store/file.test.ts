import { every } from '../../support/rows.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFile,
  chmod,
  copyFile,
  lstat,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { lazy } from '../../../src/lib/lazy.ts'
import { bundledScript } from '../../support/process.ts'
import { Checksums } from '../../../src/storage/store/file/format.ts'
import { createStore } from '../../../src/storage/store/low-store.ts'
import { thisProcess } from '../../../src/storage/store/file/file-lock.ts'
import type { Store } from '../../../src/storage/store/change.ts'
import { channel, idsOf, job, transaction } from './rows.ts'

const writer = lazy(() => bundledScript("import './test/storage/store/writer.ts'"))
let folder = ''
let path = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-'))
  path = join(folder, 'rows.json')
})

afterEach(() => rm(folder, { recursive: true }))

const put = (store: Store, id: number) =>
  store.change('demo', (change) => change.put('transactions', transaction(id)))
/** The fields of a lock file that identify this machine. */
const here = thisProcess('theirs', 0)
const ids = async (store: Store) => idsOf(await store.read('demo', (view) => every(view, 'transactions')))

/** Copies the file as a kill would leave it. */
async function asKilled(): Promise<string> {
  const copy = join(folder, 'killed.json')
  await copyFile(path, copy)
  return copy
}

test('a symbolic link stays one, and shares the lock of its file', async () => {
  const link = join(folder, 'link.json')
  await symlink('rows.json', link)
  const store = await createStore({ path: link })
  await put(store, 1)
  await expect(createStore({ path })).rejects.toThrow(/is using it/)
  await store.close()
  expect((await lstat(link)).isSymbolicLink()).toBe(true)
  const again = await createStore({ path })
  expect(await ids(again)).toEqual([1])
  await again.close()
})

test('a restart reads all rows in their order, with their indexes', async () => {
  const store = await createStore({ path })
  await store.load('demo', { transactions: [transaction(2), transaction(1)], jobs: [job(1, 9)] })
  await store.change('demo', (change) => {
    change.put('transactions', transaction(2, { status: 'SUCCESS', external_reference: 'x' }))
    change.delete('transactions', 1)
    change.insert('transactions', transaction(3, { external_reference: 'x' }))
    change.insert('transactions', transaction(1, { external_reference: 'x' }))
    change.delete('jobs', 1)
    change.insert('channels', channel(1, 5))
    change.insert('channels', channel(2, 4))
  })
  await store.load('gone', { jobs: [job(1, 1)] })
  await store.drop('gone')
  const before = await store.dump('demo')

  const check = async (other: Store) => {
    expect(await other.dump('demo')).toEqual(before)
    expect(await other.worlds()).toEqual(['demo'])
    await other.read('demo', (view) => {
      expect(idsOf(view.find('transactions', 'identifier', 'x'))).toEqual([2, 3, 1])
      expect(idsOf(view.walk('channels', 'activity', 63, { offset: 0, limit: 9 }))).toEqual([2, 1])
    })
    await other.close()
  }
  await check(await createStore({ path: await asKilled() }))
  await store.close()
  await check(await createStore({ path }))
})

const lineOf = (json: string) => JSON.parse(json) as object
const linesIn = async (path: string) => (await readFile(path, 'utf8')).trimEnd().split('\n')

test('after close, the file has the rows of then, without the changes before', async () => {
  const store = await createStore({ path })
  await put(store, 1)
  await put(store, 1)
  await store.close()
  const crc = expect.stringMatching(/^[0-9a-f]{8}$/)
  expect((await linesIn(path)).map(lineOf)).toEqual([
    { crc, format: expect.any(String), version: 3 },
    { crc, world: 'demo', load: {} },
    { crc, world: 'demo', writes: [{ table: 'transactions', row: transaction(1) }] },
    { crc, base: true },
  ])
  expect(await readdir(folder)).toEqual(['rows.json'])
})

test('a failed change is not written to the file', async () => {
  const store = await createStore({ path })
  await put(store, 1)
  const failing = store.change('demo', (change) => {
    change.insert('transactions', transaction(2))
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  const other = await createStore({ path: await asKilled() })
  expect(await ids(other)).toEqual([1])
  await other.close()
  await store.close()
})

test('listeners are called only after a change is in the file', async () => {
  const store = await createStore({ path })
  const heard: Promise<boolean>[] = []
  store.onCommit((_world, written) => {
    heard.push(readFile(path, 'utf8').then((log) => log.includes(JSON.stringify(written[0]!.row))))
  })
  await Promise.all([put(store, 1), put(store, 2), put(store, 3)])
  expect(await Promise.all(heard)).toEqual([true, true, true])
  await store.close()
})

test('kill -9 loses nothing that was acknowledged', { timeout: 240_000 }, async () => {
  // In the longer run the log outgrows the file several times, so some kills come during a compaction.
  for (const enough of [50, 3000, 6000]) {
    const path = join(folder, `killed-after-${enough}.json`)
    const child = spawn(process.execPath, [await writer(), path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const closed = once(child, 'close')
    let printed = ''
    let printedLines = 0
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      printedLines += text.split('\n').length - 1
      if (printedLines >= enough) child.kill('SIGKILL')
    })
    await closed
    const lines = printed.split('\n').slice(0, -1)
    const acknowledged = lines.filter((line) => !line.startsWith('refused')).map(Number)
    expect(acknowledged.length).toBeGreaterThanOrEqual(enough)

    const store = await createStore({ path })
    const rows = await store.dump('demo')
    const kept = new Set(idsOf(rows.transactions!))
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
    expect(idsOf(rows.postings!)).toEqual(idsOf(rows.transactions!))
    expect(rows.counters).toEqual([{ name: 'transaction', value: rows.transactions!.length }])
    await store.close()
  }
})

test('an incomplete last line is removed, and the store continues', async () => {
  const store = await createStore({ path })
  await put(store, 1)
  await put(store, 2)
  const copy = await asKilled()
  await store.close()
  await appendFile(copy, '{"world":"demo","writes":[{"table":"transactions","row":{"id":3,"party":"é')
  let other = await createStore({ path: copy })
  expect(await ids(other)).toEqual([1, 2])
  await put(other, 4)
  const log = (await readFile(copy, 'utf8')).trim().split('\n')
  expect(log.slice(2).map((line) => JSON.parse(line).writes[0].row.id)).toEqual([1, 2, 4])
  await other.close()
  other = await createStore({ path: copy })
  expect(await ids(other)).toEqual([1, 2, 4])
  await other.close()
})

test('any other invalid line stops the start with file, line and remedy', async () => {
  const store = await createStore({ path })
  await put(store, 1)
  await put(store, 2)
  const copy = await asKilled()
  await store.close()
  const log = await readFile(copy, 'utf8')
  const lines = log.split('\n')
  const refused = async (changed: readonly string[], message: string | RegExp) => {
    await writeFile(copy, changed.join('\n'))
    await expect(createStore({ path: copy })).rejects.toThrow(message)
  }
  const flipped = lines[2]!.replace('"id":1', '"id":7')
  await refused(
    lines.with(2, flipped),
    new RegExp(`line 3 is broken: its checksum is .*Restore the file from a copy.*: head -n 2 ${copy}`),
  )
  await refused(lines.with(2, '{"world":"demo"}'), 'line 3 is broken: it must begin with a checksum')
  // A missing or repeated line.
  await refused(lines.toSpliced(2, 1), `${copy} line 3 is broken: its checksum`)
  await refused(lines.toSpliced(2, 0, lines[2]!), `${copy} line 4 is broken: its checksum`)
  await writeFile(copy, log)
  const other = await createStore({ path: copy })
  expect(await ids(other)).toEqual([1, 2])
  await other.close()
})

test('a changed digit or a missing line among the first rows stops the start', async () => {
  const store = await createStore({ path })
  await put(store, 1)
  await put(store, 2)
  await store.close()
  const lines = (await readFile(path, 'utf8')).split('\n')
  const refused = async (changed: readonly string[], message: string) => {
    await writeFile(path, changed.join('\n'))
    await expect(createStore({ path })).rejects.toThrow(message)
  }
  await refused(
    lines.map((line) => line.replace('"id":2', '"id":3')),
    `${path} line 3 is broken: its checksum is`,
  )
  await refused(lines.toSpliced(2, 1), `${path} line 3 is broken`)
  await refused(lines.toSpliced(3, 1), `${path} is cut off`)
  await refused(
    lines.map((line) => line.replace('"version":3', '"version":4')),
    `${path} has version 4; this sandbox reads version 3`,
  )
})

test('rejects a file with a malformed entry, naming its line', async () => {
  const store = await createStore({ path })
  await put(store, 1)
  await store.close()
  const log = (await readFile(path, 'utf8')).trimEnd().split('\n')
  const refused = async (entry: string, message: string) => {
    const sums = new Checksums()
    for (const line of log) sums.errorOf(line)
    await writeFile(path, `${[...log, sums.seal(entry)].join('\n')}\n`)
    await expect(createStore({ path })).rejects.toThrow(`${path} line ${log.length + 1}: ${message}`)
  }
  await refused('{"world":"demo"}', 'an entry must have "writes", "load" or "drop"')
  await refused('{"writes":[]}', 'an entry must name its world')
  await refused('{"world":"demo","writes":[{"table":"coins","key":1}]}', 'There is no table "coins"')
  await refused('{"world":"demo","writes":[{"table":"jobs"}]}', 'jobs: a write must have a row or a key')
})

test(
  'only the owner may read the file, even one that existed before',
  { skip: process.platform === 'win32' },
  async () => {
    const store = await createStore({ path })
    await store.close()
    for (const name of await readdir(folder)) await chmod(join(folder, name), 0o644)
    const other = await createStore({ path })
    await put(other, 1)
    const modes = async (names: readonly string[]) =>
      Promise.all(names.map(async (name) => (await stat(path + name)).mode & 0o777))
    expect(await modes(['', '.lock'])).toEqual([0o600, 0o600])
    await other.close()
    expect(await modes([''])).toEqual([0o600])
  },
)

test('a file that does not belong to this store is rejected and left unchanged', async () => {
  await writeFile(path, '{"name":"my-shop"}\n')
  await expect(createStore({ path })).rejects.toThrow(`${path} line 1`)
  expect(await readFile(path, 'utf8')).toBe('{"name":"my-shop"}\n')
})

test('a file twice as large as its rows is compacted during changes', async () => {
  const store = await createStore({ path })
  const note = 'x'.repeat(20_000)
  const mail = (id: number) => ({ id, to: '', subject: '', text: note, link: '', sent_at: 0 })
  let largest = 0
  let compactions = 0
  // On a slow disk the first compaction may take as long as many changes.
  for (let id = 0; id < 400 || (id < 20_000 && compactions < 2); id += 8) {
    await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        store.change('demo', (change) => {
          change.put('mails', mail((id + i) % 20))
          change.put('counters', { name: 'mail', value: id + i })
        }),
      ),
    )
    const { size } = await stat(path)
    if (size < largest) compactions += 1
    largest = size < largest ? size : Math.max(largest, size)
  }
  const before = await store.dump('demo')
  await store.close()
  expect(compactions).toBeGreaterThan(1)
  expect((await stat(path)).size).toBeLessThan(1 << 20)
  const other = await createStore({ path })
  expect(await other.dump('demo')).toEqual(before)
  await other.close()
})

test('the draft of a process that was killed during a compaction is removed', async () => {
  const store = await createStore({ path })
  await put(store, 1)
  await store.close()
  await copyFile(path, `${path}.new-x`)
  const other = await createStore({ path })
  expect(await ids(other)).toEqual([1])
  await other.close()
  expect(await readdir(folder)).toEqual(['rows.json'])
})

test('a load of many rows is complete or has no effect, whenever the process is killed', async () => {
  const store = await createStore({ path })
  await put(store, 1)
  const many = Array.from({ length: 450 }, (_, n) => transaction(1_000 + n))
  await store.load('demo', { transactions: many, jobs: [job(1, 5)] })
  await put(store, 2_000)
  const copy = await asKilled()
  const lines = (await readFile(copy, 'utf8')).trim().split('\n')
  const parts = lines.map((line) => (JSON.parse(line) as { part?: number }).part ?? '')
  expect(parts).toEqual(['', '', '', 0, 1, 2, 3, 4, 5, '', ''])
  const begun = await readFile(copy)
  const left = async (kept: readonly string[]) => {
    await writeFile(copy, begun)
    const sums = new Checksums()
    const sealed = kept.map((line) => sums.seal(line.replace(/^\{"crc":"\w+",/, '{')))
    await writeFile(copy, sealed.map((line) => `${line}\n`).join(''))
    const other = await createStore({ path: copy })
    const found = await other.dump('demo')
    await other.close()
    return idsOf(found.transactions!)
  }
  const whole = idsOf(many)
  expect(await left(lines)).toEqual([...whole, 2_000])
  expect(await left(lines.slice(0, -1))).toEqual(whole)
  expect(await left(lines.slice(0, -2))).toEqual([1])
  expect(await left(lines.slice(0, 6))).toEqual([1])
  // A later load is not affected by the remains of this one.
  expect(await left([...lines.slice(0, 6), ...lines.slice(3)])).toEqual([...whole, 2_000])
  await expect(left([...lines.slice(0, 4), ...lines.slice(5)])).rejects.toThrow(
    'line 5: part 2 must come after part 1',
  )
  await expect(left([...lines.slice(0, 7), ...lines.slice(9)])).rejects.toThrow(
    'line 8: a load of 6 parts must come after them',
  )
  await store.close()
})

test('changes during a compaction are kept', async () => {
  const store = await createStore({ path })
  const names = Array.from({ length: 40 }, (_, n) => `world-${n}`)
  const many = Array.from({ length: 300 }, (_, n) => transaction(n))
  for (const name of names) await store.load(name, { transactions: many })
  // Enough for a compaction while these run.
  const put = (name: string, id: number) =>
    store.change(name, (change) => {
      change.delete('transactions', id)
      change.insert('transactions', transaction(1_000))
      change.insert('transactions', transaction(id))
      change.delete('transactions', 1_000)
    })
  for (let id = 0; id < 60; id++) await Promise.all(names.map((name) => put(name, id)))
  const before = await Promise.all(names.map((name) => store.dump(name)))
  await store.close()
  const other = await createStore({ path })
  expect(await Promise.all(names.map((name) => other.dump(name)))).toEqual(before)
  await other.close()
})

test('a second store on the same file is rejected', async () => {
  const store = await createStore({ path })
  await expect(createStore({ path })).rejects.toThrow(
    new RegExp(`process ${process.pid} is using it on host .*: stop that process or choose another file\\.`),
  )
  await expect(createStore({ path })).rejects.not.toThrow('a folder that exists')
  await store.close()
  await (await createStore({ path })).close()
})

test('a process that uses the file is named; when it is dead its lock is taken over', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  const dead = once(child, 'exit')
  const lock = JSON.stringify({ ...here, pid: child.pid, started: await startOf(child.pid!) })
  await writeFile(`${path}.lock`, lock)
  await expect(createStore({ path })).rejects.toThrow(`process ${child.pid} is using it`)
  child.kill('SIGKILL')
  await dead
  await (await createStore({ path })).close()
})

test.runIf(process.platform === 'linux')(
  'takes over the lock of a killed process that is still a zombie',
  async () => {
    // The shell becomes a sleep, which never waits for its child.
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'])
    const pid = Number(String((await once(parent.stdout, 'data'))[0]))
    const lock = JSON.stringify({ ...here, pid, started: await startOf(pid) })
    await writeFile(`${path}.lock`, lock)
    await expect(createStore({ path })).rejects.toThrow(`process ${pid} is using it`)
    process.kill(pid, 'SIGKILL')
    await vi.waitFor(async () => expect(await readFile(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) Z /), 30_000)
    await (await createStore({ path })).close()
    parent.kill('SIGKILL')
  },
)

test('takes over the lock of a dead process whose id was reused', async () => {
  for (const pid of [process.ppid, process.pid]) {
    await writeFile(`${path}.lock`, JSON.stringify({ ...here, pid, started: 'before' }))
    const store = await createStore({ path })
    expect(JSON.parse(await readFile(`${path}.lock`, 'utf8'))).toMatchObject({ pid: process.pid })
    await store.close()
  }
})

test('a path that cannot be written stops the start with its name and a remedy', async () => {
  const missing = join(folder, 'missing', 'rows.json')
  await expect(createStore({ path: missing })).rejects.toThrow(
    new RegExp(`Rows cannot be stored in ${missing}: ENOENT.*Use a file in an existing, writable folder`),
  )
  await expect(createStore({ path: folder })).rejects.toThrow(`Rows cannot be stored in ${folder}: EISDIR`)
})

test.runIf(process.platform === 'linux')(
  'after a failed write, that change, all later ones and reads are rejected',
  async () => {
    const limited = ['-c', 'ulimit -f 64; exec "$0" "$@"', process.execPath]
    const child = spawn('bash', [...limited, await writer(), path, '40', '8'])
    let printed = ''
    child.stdout.on('data', (data: Buffer) => (printed += data.toString()))
    await once(child, 'close')
    const lines = printed.trim().split('\n')
    const first = lines.findIndex((line) => line.startsWith('refused'))
    expect(first).toBeGreaterThan(8)
    for (const line of lines.slice(first, -1))
      expect(line).toMatch(/^refused \d+: Rows cannot be stored: .*EFBIG/)
    expect(lines.at(-1)).toMatch(/^unreadable: Rows cannot be stored/)

    const store = await createStore({ path })
    const kept = await ids(store)
    expect(kept).toEqual(lines.slice(0, first).map(Number))
    await store.close()
  },
)

async function startOf(pid: number): Promise<string> {
  if (process.platform !== 'linux') return ''
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]!
}
