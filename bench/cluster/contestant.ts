import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { emptyDatabase } from '../../test/support/postgres.ts'
import { insideScript } from '../build.ts'
import { type Running, start } from '../processes.ts'
import { createCollection, getAccount } from '../requests.ts'
import { type Effort, here } from '../settings.ts'
import { type Database, heldUp } from './database.ts'

/** Number of processes, and the latency of their database; in memory without a database. */
export interface Setup {
  readonly database: Database | undefined
  readonly processes: number
  readonly worlds: number
  /** Milliseconds of network latency per round trip. */
  readonly away: number
  /** Routes the requests of a world to one process instead of round robin. */
  readonly byWorld: boolean
}

export interface Figures {
  readonly rate: number
  readonly p50: number
  readonly p99: number
  /** CPU microseconds per payment, of the sandboxes and of the database. */
  readonly cpu: number
  readonly databaseCpu: number
  readonly trips: number
  readonly statements: number
  /** Changes per transaction. */
  readonly batch: number
  readonly failed: number
}

export interface Measured {
  /** Payments that are accepted and settle in an hour. */
  readonly accepted: Figures
  /** Payments that settle and call back at once, measured until the last callback. */
  readonly whole: Figures
  /** Payments at an even rate. */
  readonly steady: Figures
}

interface Stats {
  readonly trips: number
  readonly statements: number
  readonly batches: number
  readonly changes: number
}

interface Told {
  readonly rate: number
  readonly total: number
  readonly p50: number
  readonly p99: number
  readonly failed: number
}

const run = promisify(execFile)
/** Milliseconds to wait for all callbacks. */
const PATIENCE = 120_000

/** Starts processes, measures payments in each way, and stops the processes. @param rate - Payments per second and process of the even load */
export async function measure(setup: Setup, effort: Effort, rate: number): Promise<Measured> {
  const { database, away } = setup
  const proxy = database && (await heldUp(await emptyDatabase(database.url), away))
  const env = { SANDBOX_SETTLE_AFTER: '1h', ...(proxy && { SANDBOX_DATABASE_URL: proxy.url }) }
  const members: Running[] = []
  try {
    for (let n = 0; n < setup.processes; n += 1)
      members.push(await start({ args: [insideScript('member')], env }, getAccount.path))
    const meter = meterOf(members, database)
    const seconds = { warm: effort.quick ? 1 : 2, measure: effort.quick ? 2 : 5 }
    const [waiting, settling] = ['later', 'now'].map((kind) =>
      Array.from({ length: setup.worlds }, (_, n) => `demo+${kind}-${n}`),
    ) as [string[], string[]]
    for (const [n, user] of [...waiting, ...settling].entries()) {
      const { port } = members[n % members.length]!
      await change(port, user, settling.includes(user) ? '0' : '1h')
    }
    const connections = effort.connections * 2
    const urls = members.map(({ port }) => `http://127.0.0.1:${port}`)
    const load = (script: string, options: object) =>
      ask(script, { urls, byWorld: setup.byWorld, ...createCollection, ...options })
    await load('load', { users: waiting, seconds: seconds.warm, connections })
    const before = await meter()
    const told = await load('load', { users: waiting, seconds: seconds.measure, connections })
    const accepted = figuresOf(told, before, await meter())
    const first = await meter()
    const even = await load('steady', {
      users: waiting,
      seconds: seconds.measure,
      rate: rate * setup.processes,
    })
    const steady = figuresOf({ ...even, rate: rate * setup.processes }, first, await meter())
    return { accepted, steady, whole: await whole(settling) }

    async function whole(users: readonly string[]): Promise<Figures> {
      const receiver = fork(join(here, 'cluster/receiver.mjs'))
      try {
        const [port] = (await once(receiver, 'message')) as [number]
        const body = { ...createCollection.body, callback_url: `http://127.0.0.1:${port}/callbacks` }
        const first = await meter()
        const from = Date.now()
        const paid = await load('load', { users, body, seconds: seconds.measure, connections })
        const received = async () => {
          receiver.send('count')
          return ((await once(receiver, 'message')) as [{ count: number; last: number }])[0]
        }
        const wanted = paid.total - paid.failed
        for (const end = from + PATIENCE; (await received()).count < wanted && Date.now() < end;)
          await new Promise((resolve) => setTimeout(resolve, 50))
        const { count, last } = await received()
        return figuresOf(
          { ...paid, total: count, rate: (count * 1_000) / (last - from), failed: paid.total - count },
          first,
          await meter(),
        )
      } finally {
        receiver.disconnect()
      }
    }
  } finally {
    for (const member of members) await member.stop()
    proxy?.stop()
  }
}

/** Sets the settlement delay of a world, which creates the world. */
async function change(port: number, user: string, settle_after: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/sandbox/worlds/current`, {
    method: 'PATCH',
    body: JSON.stringify({ settle_after }),
    headers: { authorization: `Basic ${btoa(`${user}:demo`)}`, 'content-type': 'application/json' },
  })
  if (!answer.ok) throw new Error(`${user} was answered ${answer.status}: ${await answer.text()}`)
}

async function ask(script: string, options: object): Promise<Told> {
  const { stdout } = await run(
    process.execPath,
    [join(here, `cluster/${script}.mjs`), JSON.stringify(options)],
    {
      maxBuffer: 1 << 24,
      timeout: 120_000,
    },
  )
  return JSON.parse(stdout) as Told
}

interface Reading extends Stats {
  readonly cpu: number
  readonly databaseCpu: number
}

function meterOf(members: readonly Running[], database: Database | undefined): () => Promise<Reading> {
  return async () => {
    const stats = (await Promise.all(members.map((member) => member.ask('stats')))) as Stats[]
    const sum = (field: keyof Stats) => stats.reduce((total, each) => total + each[field], 0)
    return {
      trips: sum('trips'),
      statements: sum('statements'),
      batches: sum('batches'),
      changes: sum('changes'),
      cpu: members.reduce((total, member) => total + member.cpu(), 0),
      databaseCpu: database?.cpu() ?? Number.NaN,
    }
  }
}

function figuresOf({ rate, total, p50, p99, failed }: Told, before: Reading, after: Reading): Figures {
  const each = (field: keyof Reading) => (after[field] - before[field]) / total
  return {
    rate,
    p50,
    p99,
    failed,
    cpu: each('cpu'),
    databaseCpu: each('databaseCpu'),
    trips: each('trips'),
    statements: each('statements'),
    batch: (after.changes - before.changes) / (after.batches - before.batches),
  }
}
