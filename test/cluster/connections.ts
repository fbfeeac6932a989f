import assert from 'node:assert/strict'
import { Client } from 'pg'
import { PostgresServer } from '../support/postgres-server.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { Group } from './group.ts'
import { pause, startReceiver, until } from './processes.ts'

const CUTS = 40
/** How long connections break after a few kilobytes, milliseconds. */
const FRAYED = 8_000
/** Connections per process, as in docs/several-processes.md. */
const PLANNED = 6

/** Connections are cut during payments, by the server and by the network; none leaks. */
export async function cutConnections(database: string): Promise<string> {
  const receiver = await startReceiver()
  const url = new URL(database)
  url.searchParams.set('application_name', 'cut connections')
  const proxy = await startProxy(url.href)
  const group = await Group.start(proxy.url, receiver.url)
  const admin = await connected(database)
  const query = async (text: string) =>
    (await admin.query(`select ${text} from pg_stat_activity where application_name = 'cut connections'`))
      .rows
  const count = async () => Number((await query('count(*) as n'))[0].n)
  try {
    let isOver = false
    const paying = group.payUntil(() => isOver)
    for (let n = 0; n < CUTS; n += 1) {
      await pause(150)
      if (n % 2) await query('pg_terminate_backend(pid)')
      else proxy.cut()
    }
    proxy.fray(() => 500 + Math.random() * 5_000)
    await pause(FRAYED)
    proxy.fray(undefined)
    await until('it is ready again', 20, () => group.isReady())
    const before = group.accepted.size
    await until('payments are accepted again', 20, () => group.accepted.size > before + 20)
    const most = await count()
    isOver = true
    await paying
    assert.ok(
      most <= PLANNED * group.members.length,
      `${most} connections of ${group.members.length} processes`,
    )
    const there = await group.requireWhole()
    return `${most} connections of ${group.members.length} processes after ${CUTS} cuts and ${FRAYED / 1_000} s in which every connection broke after some kilobytes, ${there} payments there`
  } finally {
    await admin.end()
    await group.end()
    proxy.close()
    receiver.close()
  }
}

const TOO_MANY_CONNECTIONS = '53300'
/** Longer than a process keeps an idle connection, milliseconds. */
const IDLE = 6_500

/** Three processes share a database without a spare connection; no payment is rejected. */
export async function fewConnections(): Promise<string> {
  const [server, receiver] = [await PostgresServer.start(['max_connections = 20']), await startReceiver()]
  const group = await Group.start(server.url, receiver.url)
  const others: Client[] = []
  try {
    await pause(IDLE)
    // The rest: one per process, and one that they share for transactions.
    await until('the processes have ended their idle connections', 30, async () => {
      while (others.length < 16) {
        const other = await connected(server.url).catch((error: { readonly code?: string }) => {
          if (error.code !== TOO_MANY_CONNECTIONS) throw error
          return undefined
        })
        if (!other) return false
        others.push(other)
      }
      return true
    })
    // Each client pays once: all have started when the first gets its response.
    const began = performance.now()
    await group.payUntil(() => group.accepted.size + group.unsure.size > 0, 120)
    const seconds = ((performance.now() - began) / 1_000).toFixed(1)
    assert.deepEqual(group.refusals, [])
    const there = await group.requireWhole()
    return `max_connections=20, of which others have ${others.length}: ${there} payments at once in ${seconds} s, none rejected`
  } finally {
    for (const each of others) await each.end()
    await group.end()
    receiver.close()
    server.remove()
  }
}

async function connected(url: string): Promise<Client> {
  const client = new Client(url)
  await client.connect()
  return client
}
