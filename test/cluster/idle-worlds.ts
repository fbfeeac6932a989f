/** Measures an idle process over many worlds: test/support/with-postgres npx tsx test/cluster/idle-worlds.ts 10 100000 */
import { emptyDatabase } from '../support/postgres.ts'
import { start, watch } from './idle-process.ts'
import { copyWorld } from './many-worlds.ts'
import { ask, startReceiver } from './processes.ts'

const MINUTE = 60_000
const MIB = 1_048_576
const PAYMENT = {
  amount: 10,
  phone_number: '0712345678',
  provider: 'm-pesa',
  network_code: '63902',
  account_id: 63,
}

/** Worlds with a settled payment, and one with a payment that settles in a month. */
async function measured(worlds: number): Promise<string> {
  const database = await emptyDatabase()
  const receiver = await startReceiver()
  const first = await start(database)
  await ask(first.sandbox, 'PATCH', '/sandbox/worlds/current', { settle_after: '720h' }, 'demo+one:demo')
  const payment = { ...PAYMENT, external_reference: 'order', callback_url: receiver.url }
  await ask(first.sandbox, 'POST', '/api/v2/payments', payment, 'demo+one:demo')
  first.sandbox.signal('SIGTERM')
  await first.sandbox.ended
  receiver.close()
  await copyWorld(database, 'demo+one', worlds)
  const { sandbox, seconds } = await start(database)
  const { cpu, memory } = await watch(sandbox, MINUTE)
  const began = performance.now()
  await ask(sandbox, 'GET', '/sandbox/clock', undefined, `demo+f${worlds}:demo`)
  const opened = performance.now() - began
  sandbox.signal('SIGTERM')
  await sandbox.ended
  return `| ${worlds} | ${seconds.toFixed(1)} s | ${cpu.toFixed(2)} s | ${Math.round(memory / MIB)} MiB | ${Math.round(opened)} ms |`
}

console.log('| Worlds | First answer after | Processor time a minute | Memory | First call of a world |')
console.log('| ---: | ---: | ---: | ---: | ---: |')
for (const worlds of process.argv.slice(2).map(Number)) console.log(await measured(worlds))
process.exit(0)
