import { Client } from 'pg'
import { PostgresServer } from '../support/postgres-server.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { Group } from './group.ts'
import { pause, startReceiver, until } from './processes.ts'

/** How long the standby has the address of the primary before its promotion, milliseconds. */
const BETWEEN = 1_500

/** The database is lost during payments, and an up-to-date standby takes its address. */
export async function standbyPromoted(): Promise<string> {
  const [primary, receiver] = [await PostgresServer.start(), await startReceiver()]
  const standby = await primary.startStandby()
  await waitForStandby(primary.url)
  const proxy = await startProxy(primary.url)
  const group = await Group.start(proxy.url, receiver.url)
  try {
    let isOver = false
    const paying = group.payUntil(() => isOver)
    await pause(3_000)
    primary.kill()
    const lost = performance.now()
    proxy.leadTo(standby.url)
    await until('nobody takes a standby for the database', 10, async () => !(await group.isReady()))
    await pause(Math.max(0, BETWEEN - (performance.now() - lost)))
    standby.promote()
    await until('it is ready again', 20, () => group.isReady())
    const away = performance.now() - lost
    const before = group.accepted.size
    await until('payments are accepted again', 20, () => group.accepted.size > before + 50)
    isOver = true
    await paying
    const there = await group.requireWhole()
    return `a standby promoted, ready after ${Math.round(away)} ms, ${group.accepted.size} payments accepted and there, ${group.unsure.size} refused or without an answer, of which ${there - group.accepted.size} are there`
  } finally {
    await group.end()
    proxy.close()
    receiver.close()
    standby.remove()
    primary.remove()
  }
}

/** Makes commits wait for the standby. */
async function waitForStandby(url: string): Promise<void> {
  const client = new Client(url)
  await client.connect()
  try {
    await client.query("alter system set synchronous_standby_names = '*'")
    await client.query('select pg_reload_conf()')
    const states = async () =>
      (await client.query('select sync_state from pg_stat_replication')).rows as { sync_state: string }[]
    await until('the standby follows', 20, async () => (await states())[0]?.sync_state === 'sync')
  } finally {
    await client.end()
  }
}
