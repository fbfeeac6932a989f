import assert from 'node:assert/strict'
import { Group } from './group.ts'
import { ask, startReceiver, until } from './processes.ts'

const PAYMENTS = 1_000

/** A thousand payments through three processes, in one world. */
export async function paymentsOverThree(database: string): Promise<string> {
  const receiver = await startReceiver()
  const group = await Group.start(database, receiver.url, 3)
  try {
    const began = performance.now()
    await group.payTimes(PAYMENTS)
    const seconds = (performance.now() - began) / 1_000
    const asked = group.accepted.size + group.unsure.size
    assert.deepEqual(group.refusals, [])
    assert.equal(await group.requireWhole(120), asked)
    await until('all are called back', 60, () => receiver.received.size === asked)
    const twice = receiver.requireOnce()
    // Each was paid, and its status queried once.
    const records = await Promise.all(
      group.members.map(async (member) => {
        const { total, requests } = (await ask(member, 'GET', '/sandbox/requests?limit=1'))!.body
        return { total, last: requests[0].id as string }
      }),
    )
    const [{ total, last }] = records as [(typeof records)[number]]
    for (const record of records) assert.deepEqual(record, { total, last })
    // A process that was given up may have answered too, and one that leaves the world may leave ids unused.
    assert.ok(total >= 2 * asked && Number(last.slice('req_'.length)) >= total, `${total}, the last ${last}`)
    return `${asked} payments in ${seconds.toFixed(1)} s, each settled, ${twice} called back more than once, ${total} requests on record`
  } finally {
    await group.end()
    receiver.close()
  }
}
