import assert from 'node:assert/strict'
import { start, watch } from './idle-process.ts'
import { copyWorld, rowsTouched } from './many-worlds.ts'
import { ask, pause, startReceiver, until } from './processes.ts'

const WORLDS = 10_000
/** How long an idle process is observed, milliseconds. */
const WATCHED = 4_000
const MIB = 1_048_576
const PAYMENT = {
  amount: 10,
  phone_number: '0712345678',
  provider: 'm-pesa',
  network_code: '63902',
  account_id: 63,
}

/** Ten thousand worlds with stopped clocks and a job each: no statement touches them, and no process opens them. */
export async function frozenWorlds(database: string): Promise<string> {
  const receiver = await startReceiver()
  const few = await start(database)
  const running = [few.sandbox]
  try {
    for (const name of ['demo+frozen', 'demo+going']) {
      if (name === 'demo+frozen') await ask(few.sandbox, 'POST', '/sandbox/clock/freeze', {}, `${name}:demo`)
      const payment = { ...PAYMENT, external_reference: 'order', callback_url: receiver.url }
      const paid = await ask(few.sandbox, 'POST', '/api/v2/payments', payment, `${name}:demo`)
      assert.equal(paid?.status, 201)
    }
    const before = await watch(few.sandbox, WATCHED)
    await copyWorld(database, 'demo+frozen', WORLDS)

    const many = await start(database)
    running.push(many.sandbox)
    await pause(1_500)
    const touched = await rowsTouched(database)
    await pause(WATCHED)
    const rows = (await rowsTouched(database)) - touched
    const after = await watch(many.sandbox, WATCHED)

    // Reading each of them once would be 10,000 rows.
    assert.ok(rows < WORLDS / 20, `${rows} rows were touched while nobody called`)
    assert.ok(many.seconds < 2 * few.seconds + 2, `ready after ${many.seconds} s, not ${few.seconds} s`)
    assert.ok(after.cpu < before.cpu + 0.5, `${after.cpu} s of the processor, not ${before.cpu} s`)
    assert.ok(after.memory < before.memory + 48 * MIB, `${after.memory} bytes, not ${before.memory}`)

    const one = 'demo+f77:demo'
    const { body: clock } = (await ask(many.sandbox, 'GET', '/sandbox/clock', undefined, one))!
    assert.deepEqual([clock.frozen, clock.scheduled], [true, 1])
    await ask(few.sandbox, 'POST', '/sandbox/clock/resume', {}, one)
    await until('it settles once its clock goes', 20, async () => {
      const order = { request_id: 'order' }
      return (
        (await ask(many.sandbox, 'POST', '/api/global/transaction-status', order, one))?.body.status ===
        'success'
      )
    })
    const { body: health } = (await ask(many.sandbox, 'GET', '/__admin/health'))!
    assert.equal(health.worlds, WORLDS + 3)
    return `${WORLDS} frozen worlds with a job each: ${rows} rows touched in ${WATCHED / 1_000} s by two processes; ready in ${many.seconds.toFixed(1)} s (over 3 worlds in ${few.seconds.toFixed(1)} s), ${percent(after.cpu)} of a processor (${percent(before.cpu)}), ${Math.round(after.memory / MIB)} MiB (${Math.round(before.memory / MIB)} MiB)`
  } finally {
    for (const each of running) each.signal('SIGKILL')
    await Promise.all(running.map(({ ended }) => ended))
    receiver.close()
  }
}

const percent = (seconds: number) => `${((100_000 * seconds) / WATCHED).toFixed(1)} %`
