/** The checks of test/durability/run; each prints one line. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createRandom } from '../../src/lib/random/random.ts'
import { ask, type Contained, isKept, mountSmallDisk, pay, startContained } from './sandboxes.ts'

const SEED = process.env['DURABILITY_SEED'] ?? '1'
const ROUNDS = Number(process.env['DURABILITY_ROUNDS'] ?? 20)
/** Longest start after a kill, milliseconds: a file lock expires after 8 s, the rest is a margin. */
const PATIENCE = 60_000
const random = createRandom(`durability ${SEED}`)
const folder = mkdtempSync(join(tmpdir(), 'durability-'))
const running = new Set<Contained>()

const start = async (db: string, env?: Record<string, string>, contained?: boolean) => {
  const sandbox = await startContained(db, env, contained)
  running.add(sandbox)
  void sandbox.ended.then(() => running.delete(sandbox))
  return sandbox
}
const kill = async (sandbox: Contained, signal: NodeJS.Signals = 'SIGKILL') => {
  sandbox.signal(signal)
  await sandbox.ended
}
const newFile = (name: string) => {
  mkdirSync(join(folder, name))
  return join(folder, name, 'rows.json')
}

async function secondIsRefused() {
  const db = newFile('two')
  const first = await start(db)
  assert.equal((await pay(first.url, 'one')).status, 201)
  const began = performance.now()
  await assert.rejects(startContained(db), /process 1 is using it on host .* since .*: stop that process/)
  const refusedAfter = performance.now() - began
  // Its heartbeat continues, and so does the sandbox.
  assert.equal((await pay(first.url, 'two')).status, 201)

  await kill(first)
  const killed = performance.now()
  const second = await start(db)
  const startedAfter = performance.now() - killed
  assert.ok(startedAfter < PATIENCE, `the second took ${startedAfter} ms`)
  for (const reference of ['one', 'two']) assert.ok(await isKept(second.url, reference))
  await kill(second, 'SIGTERM')
  assert.ok(!existsSync(`${db}.lock`), 'a lease is given back, so that nobody waits for it')
  const again = performance.now()
  const third = await start(db)
  const thirdAfter = performance.now() - again
  await kill(third, 'SIGTERM')
  return `a second sandbox is refused after ${ms(refusedAfter)}; once the first is killed it is ready after ${ms(startedAfter)}, and a third, once the second has ended, after ${ms(thirdAfter)}`
}

async function sleeperIsFenced() {
  const db = newFile('sleeper')
  const first = await start(db)
  assert.equal((await pay(first.url, 'before')).status, 201)
  first.signal('SIGSTOP')
  const second = await start(db)
  assert.equal((await pay(second.url, 'by-second')).status, 201)
  first.signal('SIGCONT')
  const { status, body } = await pay(first.url, 'by-sleeper')
  assert.equal(status, 503)
  assert.match(String(body['error_message']), /another process may be using the file/)
  assert.equal((await ask(first.url, 'GET', '/readyz')).status, 503)
  assert.match(first.output(), /another process may be using the file/)
  await kill(first, 'SIGTERM')
  assert.equal((await pay(second.url, 'by-second-too')).status, 201)
  await kill(second)
  const third = await start(db)
  for (const reference of ['before', 'by-second', 'by-second-too'])
    assert.ok(await isKept(third.url, reference), reference)
  assert.ok(!(await isKept(third.url, 'by-sleeper')))
  await kill(third, 'SIGTERM')
  return 'a sandbox that slept while another took over accepts nothing when it wakes up'
}

async function oneOfManyWins() {
  const db = newFile('many')
  const stale = {
    token: 'stale',
    pid: 1,
    host: 'gone',
    started: '1',
    boot: 'other',
    pids: 'pid:[7]',
    since: '',
  }
  writeFileSync(`${db}.lock`, JSON.stringify(stale))
  const settled = await Promise.allSettled(Array.from({ length: 4 }, () => start(db)))
  const won = settled.filter((each) => each.status === 'fulfilled')
  assert.equal(won.length, 1)
  for (const each of settled)
    if (each.status === 'rejected') assert.match(String(each.reason), /process 1 is using it/)
  assert.equal((await pay(won[0]!.value.url, 'one')).status, 201)
  await kill(won[0]!.value, 'SIGTERM')
  return 'of four that start at once on the file of one that is gone, one does'
}

async function killsLoseNothing() {
  const db = newFile('kills')
  const accepted: string[] = []
  let slowest = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now()
    // The file lock has to expire only if the next process cannot see that the previous one is dead.
    const sandbox = await start(db, { SANDBOX_DB_SYNC: round % 2 ? 'on' : 'off' }, round % 7 === 0)
    slowest = Math.max(slowest, performance.now() - began)
    for (const reference of accepted.slice(-30)) assert.ok(await isKept(sandbox.url, reference), reference)
    const life = random.fraction('life', round) * 400
    const killed = pause(life).then(() => kill(sandbox))
    let n = 0
    const one = async () => {
      for (;;) {
        const reference = `r${round}-${(n += 1)}`
        const answer = await pay(sandbox.url, reference).catch(() => undefined)
        if (!answer) return
        assert.equal(answer.status, 201)
        accepted.push(reference)
      }
    }
    await Promise.all([killed, ...Array.from({ length: 8 }, one)])
  }
  const last = await start(db)
  const lost = []
  for (const reference of accepted) if (!(await isKept(last.url, reference))) lost.push(reference)
  assert.deepEqual(lost, [])
  const { body } = await ask(last.url, 'GET', '/sandbox/ledger?limit=1')
  assert.equal(body['balanced'], true)
  await kill(last, 'SIGTERM')
  return `${ROUNDS} kills among payments (seed ${SEED}): ${accepted.length} accepted, none lost; ready again after ${ms(slowest)} at most`
}

async function fullDiskRecovers() {
  const small = join(folder, 'small')
  mkdirSync(small)
  let unmount: () => void
  try {
    unmount = mountSmallDisk(small, 2_048)
  } catch (error) {
    return `skipped: a full disk, because no disk may be mounted here (${(error as Error).message.trim()})`
  }
  try {
    const filler = join(small, 'filler')
    writeFileSync(filler, Buffer.alloc(1_536 * 1024))
    const sandbox = await start(join(small, 'rows.json'), { SANDBOX_SETTLE_AFTER: '1h' })
    const accepted: string[] = []
    let refusal: Awaited<ReturnType<typeof pay>> | undefined
    for (let n = 0; !refusal && n < 5_000; n += 1) {
      const answer = await pay(sandbox.url, `p-${n}`)
      if (answer.status === 201) accepted.push(`p-${n}`)
      else refusal = answer
    }
    assert.equal(refusal?.status, 503)
    assert.match(String(refusal.body['error_message']), /ENOSPC/)
    const probe = await ask(sandbox.url, 'GET', '/readyz')
    assert.equal(probe.status, 503)
    assert.match(String(probe.body['reason']), /ENOSPC/)

    rmSync(filler)
    const until = performance.now() + PATIENCE
    while ((await ask(sandbox.url, 'GET', '/readyz')).status !== 200 && performance.now() < until)
      await pause(100)
    for (const reference of accepted) assert.ok(await isKept(sandbox.url, reference), reference)
    assert.ok(!(await isKept(sandbox.url, `p-${accepted.length}`)), 'what was refused is not there')
    assert.equal((await pay(sandbox.url, 'after')).status, 201)
    assert.match(sandbox.output(), /Rows can be stored again/)
    await kill(sandbox)
    const next = await start(join(small, 'rows.json'))
    for (const reference of [...accepted, 'after']) assert.ok(await isKept(next.url, reference), reference)
    await kill(next, 'SIGTERM')
    return `a disk that filled up after ${accepted.length} payments: 503, and on by itself when there was room`
  } finally {
    for (const sandbox of running) sandbox.signal('SIGKILL')
    await Promise.all([...running].map(({ ended }) => ended))
    unmount()
  }
}

const ms = (time: number) => `${Math.round(time)} ms`

try {
  for (const check of [secondIsRefused, sleeperIsFenced, oneOfManyWins, fullDiskRecovers, killsLoseNothing])
    console.log(`ok  ${await check()}`)
} finally {
  for (const sandbox of running) sandbox.signal('SIGKILL')
  await Promise.all([...running].map(({ ended }) => ended))
  rmSync(folder, { recursive: true, force: true })
}
