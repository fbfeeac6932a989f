import { execFileSync } from 'node:child_process'
import { Group } from './group.ts'
import { ask, pause, startReceiver, until } from './processes.ts'

const RESTARTS = 3

/** The database is ended at once and started again, amid payments. */
export async function databaseRestarts(database: string): Promise<string> {
  const folder = process.env['TEST_POSTGRES_FOLDER']
  if (folder === undefined) return 'skipped: TEST_POSTGRES_FOLDER does not say where the database is'
  const receiver = await startReceiver()
  const group = await Group.start(database, receiver.url)
  try {
    let isOver = false
    const paying = group.payUntil(() => isOver)
    for (let n = 0; n < RESTARTS; n += 1) {
      await pause(2_000)
      asOwner('pg_ctl', ['-D', folder, '-m', 'immediate', '-w', 'stop'])
      const isReady = async () => (await fetch(`${group.members[0]!.url}/readyz`)).status === 200
      await until('it says that it is not ready', 10, async () => !(await isReady()))
      asOwner('pg_ctl', ['-D', folder, '-l', `${folder}/../log`, '-w', 'start'])
      await until('it is ready again', 20, isReady)
    }
    await pause(1_000)
    isOver = true
    await paying
    const there = await group.requireWhole()
    const { body } = (await ask(group.members[1]!, 'GET', '/sandbox/ledger?limit=1'))!
    return `${RESTARTS} restarts, ${group.accepted.size} payments accepted and there, ${group.unsure.size} refused or without an answer, of which ${there - group.accepted.size} are there; the ledger ${body.balanced ? 'balances' : 'does not balance'}`
  } finally {
    await group.end()
    receiver.close()
  }
}

/** PostgreSQL does not run as root. */
function asOwner(program: string, words: readonly string[]): void {
  const owner = ['--reuid=postgres', '--regid=postgres', '--clear-groups', program, ...words]
  if (process.getuid?.() === 0) execFileSync('setpriv', owner, { stdio: 'ignore' })
  else execFileSync(program, [...words], { stdio: 'ignore' })
}
