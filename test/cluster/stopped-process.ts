import assert from 'node:assert/strict'
import { Group } from './group.ts'
import { pause, pay, startReceiver, statusOf, until } from './processes.ts'

const ROUNDS = 3
/** How long a process sleeps, beyond its lease, milliseconds. */
const SLEEP = 7_000

/** A process sleeps during changes while it owns worlds; the others continue, and it writes nothing stale when it wakes. */
export async function stoppedProcess(database: string): Promise<string> {
  const receiver = await startReceiver()
  const group = await Group.start(database, receiver.url)
  const slowest = { response: 0, settled: 0 }
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const sleeper = group.members.shift()!
      let isOver = false
      const paying = group.payUntil(() => isOver, 1)
      const busy = Promise.all(
        Array.from({ length: 10 }, (_, n) => pay(sleeper, `sleeper-${round}-${n}`, receiver.url)),
      )
      await pause(150)
      sleeper.signal('SIGSTOP')
      const slept = performance.now()
      const reference = `awake-${round}`
      // Before a client gives up.
      assert.equal((await pay(group.members[0]!, reference, receiver.url))?.status, 201)
      slowest.response = Math.max(slowest.response, performance.now() - slept)
      await until(
        'jobs are taken over',
        30,
        async () => (await statusOf(group.members[1]!, reference)) === 'success',
      )
      slowest.settled = Math.max(slowest.settled, performance.now() - slept)
      await pause(Math.max(0, SLEEP - (performance.now() - slept)))
      sleeper.signal('SIGCONT')
      for (const [n, answer] of (await busy).entries())
        (answer?.status === 201 ? group.accepted : group.unsure).add(`sleeper-${round}-${n}`)
      group.accepted.add(reference)
      isOver = true
      await paying
      group.members.push(sleeper)
    }
    const there = await group.requireWhole()
    return `${ROUNDS} sleeps, ${there} payments; an answer beside it after ${Math.round(slowest.response)} ms, a settlement after ${Math.round(slowest.settled)} ms at most`
  } finally {
    for (const member of group.members) member.signal('SIGCONT')
    await group.end()
    receiver.close()
  }
}
