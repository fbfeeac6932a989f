/**
 * Callbacks to one receiver: 10,000 due at the same time, the same bodies from a bare fetch loop, and 1,000 per second to
 * measure lateness. The receiver measures arrivals.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { requestCollection } from '../../src/service/domain/collections.ts'
import { openSandbox } from './sandbox.ts'

const COUNT = Number(process.argv[2] ?? 10_000)
const EVEN = Number(process.argv[3] ?? 5_000)
const AT_ONCE = 64
const SETTLE_AFTER = 60_000

const receiver = fork(join('bench/inside/receiver.mjs'), [String(COUNT)])
const [port] = (await once(receiver, 'message')) as [number]
const url = `http://127.0.0.1:${port}/callbacks`
const arrivals = async (from: ChildProcess) => {
  const [times] = (await once(from, 'message')) as [Record<string, number>]
  return times
}
const elapsed = (times: Record<string, number>, from: number) =>
  (Math.max(...Object.values(times)) - from) / 1000

const opened = await openSandbox({ SANDBOX_SETTLE_AFTER: `${SETTLE_AFTER}ms` })
const { sandbox, world, caller } = opened
const collect = (n: number, callback_url: string) =>
  world.change((tx) =>
    requestCollection(tx, caller, {
      amount: 2,
      phone_number: '254712345678',
      provider: 'm-pesa',
      network_code: '63902',
      account_id: 63,
      external_reference: `order-${n}`,
      callback_url,
    }),
  )

/** Collects in a world with a frozen clock, so that each callback is due at the given time, then starts the clock. */
async function burst(count: number, gap: number, callback_url: string) {
  const start = world.clock.now()
  for (let n = 0; n < count; n++) {
    world.clock.freeze(start + n * gap)
    await collect(n, callback_url)
  }
  const wall = Date.now() + 300
  world.clock.freeze(start + SETTLE_AFTER - 300)
  world.clock.run(1)
  sandbox.scheduler.clockChanged(world)
  return { due: (n: number) => wall + n * gap, from: wall }
}

async function bareLoop() {
  const body = (n: number) =>
    JSON.stringify({
      success: true,
      status: 'success',
      message: 'The service request is processed successfully.',
      reference: 'UFU003217286.iI',
      external_reference: `order-${n}`,
      amount: 2,
      currency: 'KES',
      provider_reference: 'UFU51A2XO2',
    })
  let next = 0
  const worker = async () => {
    while (next < COUNT) {
      const answer = await fetch(url, {
        method: 'POST',
        body: body(next++),
        headers: { 'content-type': 'application/json' },
      })
      await answer.text()
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

const bareFrom = Date.now()
const bareArrivals = arrivals(receiver)
await bareLoop()
const bare = COUNT / elapsed(await bareArrivals, bareFrom)

const ownArrivals = arrivals(receiver)
const { from } = await burst(COUNT, 0, url)
const own = COUNT / elapsed(await ownArrivals, from)
receiver.disconnect()

const steady = fork(join('bench/inside/receiver.mjs'), [String(EVEN)])
const [steadyPort] = (await once(steady, 'message')) as [number]
const evenArrivals = arrivals(steady)
const { due } = await burst(EVEN, 1, `http://127.0.0.1:${steadyPort}/callbacks`)
const late = Object.entries(await evenArrivals)
  .map(([reference, at]) => at - due(Number(reference.slice('order-'.length))))
  .sort((a, b) => a - b)
steady.disconnect()

process.send?.({
  bare,
  own,
  p50: late[Math.floor(late.length * 0.5)],
  p99: late[Math.floor(late.length * 0.99)],
})
await sandbox.close()
process.exit(0)
