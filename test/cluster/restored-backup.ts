import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { PostgresServer } from '../support/postgres-server.ts'
import { Group } from './group.ts'
import { ask, pay, statusOf, startReceiver, until } from './processes.ts'

const run = promisify(execFile)
/** Payments after the restore. */
const MORE = 20

/** The database is dumped during payments and restored as another one, which processes then use. */
export async function restoredBackup(): Promise<string> {
  const [server, receiver] = [await PostgresServer.start(), await startReceiver()]
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-backup-'))
  const dump = join(folder, 'sandbox.dump')
  const groups = [await Group.start(server.url, receiver.url, 2)]
  try {
    const [before] = groups
    let isOver = false
    const paying = before!.payUntil(() => isOver)
    await until('payments', 60, async () => before!.accepted.size >= 50)
    const known = [...before!.accepted]
    await run('pg_dump', ['--format=custom', `--file=${dump}`, server.url])
    isOver = true
    await paying
    await before!.end()

    await emptyCopy(server.url)
    const restored = server.url.replace(/[^/]+$/, 'restored')
    await run('pg_restore', ['--no-owner', `--dbname=${restored}`, dump])
    const after = await Group.start(restored, receiver.url, 2)
    groups.push(after)
    const [one, other] = after.members
    const current = async () => (await ask(one!, 'GET', '/sandbox/worlds/current'))!.body
    await until('all jobs are done', 60, async () => (await current()).pending_jobs === 0)
    for (const reference of known)
      assert.equal(await statusOf(other!, reference), 'success', `${reference}, accepted before the backup`)
    for (let n = 0; n < MORE; n += 1)
      assert.equal((await pay(after.members[n % 2]!, `after-${n}`, receiver.url))?.status, 201)
    const { body } = (await ask(other!, 'GET', '/sandbox/ledger?limit=1'))!
    assert.equal(body.balanced, true)
    return `${known.length} payments accepted before the backup are there, ${MORE} more were taken; the ledger balances`
  } finally {
    for (const group of groups) await group.end()
    receiver.close()
    server.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function emptyCopy(url: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  await client.query('create database restored')
  await client.end()
}
