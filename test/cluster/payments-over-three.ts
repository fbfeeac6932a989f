import assert from 'node:assert/strict'
import { Group } from './group.ts'
import { ask, startReceiver, until } from './processes.ts'

const PAYMENTS = 1_000
/** The most requests that meet a world which changes its owner. */
const REFUSED = 50

/** A thousand payments through three processes, in one world. */
export async function paymentsOverThree(database: string): Promise<string> {
  const receiver = await startReceiver()
  const group = await Group.start(database, receiver.url)
  try {
    const began = performance.now()
    await group.payTimes(PAYMENTS)
    const seconds = (performance.now() - began) / 1_000
    const asked = group.accepted.size + group.unsure.size
    assert.deepEqual(group.refusals, [])
    assert.equal(await group.requireWhole(120), asked)
    await until('all are called back', 60, () => receiver.received.size === asked)
    const twice = receiver.requireOnce()
    // Each was paid, and its status queried once. A request that one process refused and another served is on record twice.
    const statuses = 2 * asked
    const records = await Promise.all(
      group.members.map(async (member) => {
        const { total, requests } = (await ask(member, 'GET', '/sandbox/requests?limit=1'))!.body
        return `${total}, the last ${requests[0].id}`
      }),
    )
    assert.equal(new Set(records).size, 1, records.join('; '))
    const total = parseInt(records[0]!, 10)
    assert.ok(total >= statuses && total <= statuses + REFUSED, `${total} records of ${statuses} requests`)
    return `${asked} payments in ${seconds.toFixed(1)} s, each settled, ${twice} called back more than once, ${total} requests on record`
  } finally {
    await group.end()
    receiver.close()
  }
}
