import assert from 'node:assert/strict'
import { Group } from './group.ts'
import { ask, type Sandbox, startReceiver, until } from './processes.ts'

const PAYMENTS = 1_000

/** A thousand payments through three processes, in one world. */
export async function paymentsOverThree(database: string): Promise<string> {
  const receiver = await startReceiver()
  const group = await Group.start(database, receiver.url, 3, { SANDBOX_METRICS: 'on' })
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
    const refused = (await Promise.all(group.members.map(refusedBy))).reduce((sum, each) => sum + each, 0)
    assert.ok(
      total >= statuses && total <= statuses + refused,
      `${total} records of ${statuses} requests, of which ${refused} were refused`,
    )
    return `${asked} payments in ${seconds.toFixed(1)} s, each settled, ${twice} called back more than once, ${total} requests on record`
  } finally {
    await group.end()
    receiver.close()
  }
}

/** How many requests this process forwarded to one that lost their world meanwhile. */
async function refusedBy({ url }: Sandbox): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const counts = text.matchAll(/^sandbox_forwarded_requests_total\{outcome="(?:refused|lost)"\} (\d+)$/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}
