import { PostgresServer } from '../support/postgres-server.ts'
import { Group } from './group.ts'
import { ask, pause, startReceiver, until } from './processes.ts'

const RESTARTS = 3

/** The database is killed and restarted during payments. */
export async function databaseRestarts(): Promise<string> {
  const [server, receiver] = [await PostgresServer.start(), await startReceiver()]
  const group = await Group.start(server.url, receiver.url)
  try {
    let isOver = false
    const paying = group.payUntil(() => isOver)
    for (let n = 0; n < RESTARTS; n += 1) {
      await pause(2_000)
      server.kill()
      await until('it says that it is not ready', 30, async () => !(await group.isReady()))
      server.start()
      await until('it is ready again', 30, () => group.isReady())
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
    server.remove()
  }
}
