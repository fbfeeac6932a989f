import assert from 'node:assert/strict'
import { Balancer } from './balancer.ts'
import { Group } from './group.ts'
import { pause, startReceiver, until } from './processes.ts'

/** How long a process keeps responding: many readiness checks, which may be late on a busy machine. */
const ENV = { SANDBOX_SHUTDOWN_DELAY: '5s' }

/** One process after another is stopped and replaced, behind a load balancer and during payments. */
export async function rollingUpdate(database: string): Promise<string> {
  const [receiver, balancer] = [await startReceiver(), await Balancer.start()]
  const group = await Group.start(database, receiver.url, 3, () => ENV)
  const led = () => balancer.lead(group.members.map(({ url }) => url))
  try {
    await led()
    let isOver = false
    const paying = group.payUntil(() => isOver, 8, balancer)
    for (let n = 0; n < group.members.length; n += 1) {
      await pause(500)
      assert.equal(await group.renew(n), 0)
      await led()
    }
    await pause(500)
    isOver = true
    await paying
    assert.deepEqual([balancer.broken, group.refusals], [[], []])
    const there = await group.requireWhole()
    await until('all are called back', 60, () => receiver.received.size === there)
    const twice = receiver.requireOnce()
    return `${group.members.length} processes renewed, ${there} payments, every one answered 201 at once, settled and called back, ${twice} of them more than once`
  } finally {
    await group.end()
    balancer.close()
    receiver.close()
  }
}
