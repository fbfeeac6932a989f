/** Measures a large world next to small ones: test/support/with-postgres npx tsx test/cluster/large-world.ts 200000 */
import { openPostgresEngine } from '../../src/storage/engine/postgres/engine.ts'
import type { WorldRows } from '../../src/storage/store/change.ts'
import { emptyDatabase } from '../support/postgres.ts'
import { ask, pause, type Sandbox, startReceiver, startSandbox, until } from './processes.ts'

const [, , size = '200000'] = process.argv
const LARGE = 'demo+large:demo'
const SMALL = 'demo+small:demo'
/** Payments that are made; the others are copies. */
const MADE = 100
/** Milliseconds between two requests of the neighbour. */
const EVERY = 10
/** The longest time of a request, milliseconds. */
const PATIENCE = 180_000

const database = await emptyDatabase()
const receiver = await startReceiver()
const started: Sandbox[] = []
try {
  await fill(Number(size))
  let sandbox = await start()
  await phase('first call after a start', sandbox, () => call(sandbox, 'GET', '/api/v2/account/63'))
  await phase('second call', sandbox, () => call(sandbox, 'GET', '/api/v2/account/63'))
  const { id, rows } = await phase('snapshot', sandbox, () => call(sandbox, 'POST', '/sandbox/snapshots', {}))
  console.log(`${rows} rows`)
  await phase('list of snapshots', sandbox, () => call(sandbox, 'GET', '/sandbox/snapshots'))
  await phase('restore', sandbox, () => call(sandbox, 'POST', `/sandbox/snapshots/${id}/restore`))
  await phase('first call after the restore', sandbox, () => call(sandbox, 'GET', '/api/v2/account/63'))
  await end(sandbox)
  sandbox = await start()
  await phase('first call after a restart', sandbox, () => call(sandbox, 'GET', '/api/v2/account/63'))
} finally {
  for (const each of started) await end(each)
  receiver.close()
}

async function start(): Promise<Sandbox> {
  const sandbox = await startSandbox(database)
  started.push(sandbox)
  await call(sandbox, 'GET', '/api/v2/account/63', undefined, SMALL)
  return sandbox
}

async function end(sandbox: Sandbox): Promise<void> {
  sandbox.signal('SIGTERM')
  await sandbox.ended
}

async function call(sandbox: Sandbox, method: string, path: string, body?: unknown, user = LARGE) {
  for (let tries = 0; ; tries += 1) {
    const answer = await ask(sandbox, method, path, body, user, PATIENCE)
    if (answer && answer.status < 300) return answer.body
    if (tries > 3) throw new Error(`${method} ${path} was answered ${JSON.stringify(answer)}`)
  }
}

/** Runs work while a neighbour calls, and prints how long both took. */
async function phase<T>(name: string, sandbox: Sandbox, work: () => Promise<T>): Promise<T> {
  const times: number[] = []
  let isOver = false
  const neighbour = async () => {
    for (;;) {
      const began = performance.now()
      await call(sandbox, 'GET', '/api/v2/account/63', undefined, SMALL)
      times.push(performance.now() - began)
      if (isOver) return
      await pause(EVERY)
    }
  }
  const calling = neighbour()
  const began = performance.now()
  const result = await work()
  const ms = performance.now() - began
  isOver = true
  await calling
  times.sort((a, b) => a - b)
  const at = (share: number) =>
    Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))]!)
  console.log(
    `${name}: ${Math.round(ms)} ms; neighbour p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`,
  )
  return result
}

/** Fills a world with copies of settled payments. */
async function fill(transactions: number): Promise<void> {
  const sandbox = await start()
  const user = LARGE
  for (let n = 0; n < MADE; n += 1) await call(sandbox, 'POST', '/api/v2/payments', payment(n), user)
  const settled = async () => (await call(sandbox, 'GET', '/sandbox/worlds/current')).pending_jobs === 0
  await until('all payments are settled', 60, settled)
  await end(sandbox)
  const engine = await openPostgresEngine({ url: database })
  const rows = await engine.store.dump('demo+large')
  await engine.store.load('demo+large', copies(rows, Math.ceil(transactions / MADE)))
  await engine.close()
}

function payment(n: number) {
  return {
    amount: 10,
    phone_number: '0712345678',
    provider: 'm-pesa',
    network_code: '63902',
    account_id: 63,
    external_reference: `order-${n}`,
    callback_url: receiver.url,
  }
}

interface PaymentRow {
  readonly id: number
  readonly [field: string]: unknown
}

/** Returns rows in which those of payments are there several times, with other ids. */
function copies(rows: WorldRows, times: number): WorldRows {
  const tables = ['transactions', 'postings', 'accountTransactions', 'callbacks', 'attempts'] as const
  const copied = tables.map((table) => {
    const list = (rows[table] ?? []) as unknown as readonly PaymentRow[]
    const span = Math.max(0, ...list.map(({ id }) => id)) + 1
    const all = Array.from({ length: times }, (_, n) =>
      list.map((row) => ({
        ...row,
        id: row.id + n * span,
        ...moved(row, 'transaction_id', n, spanOf(rows.transactions)),
        ...moved(row, 'callback_id', n, spanOf(rows.callbacks)),
      })),
    ).flat()
    return [table, all]
  })
  return { ...rows, ...(Object.fromEntries(copied) as WorldRows) }
}

function spanOf(list: readonly { readonly id: number }[] = []): number {
  return Math.max(0, ...list.map(({ id }) => id)) + 1
}

function moved(row: PaymentRow, field: string, n: number, span: number) {
  return typeof row[field] === 'number' ? { [field]: row[field] + n * span } : {}
}
