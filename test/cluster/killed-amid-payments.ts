import { Group } from './group.ts'
import { pause, startReceiver } from './processes.ts'

const SECONDS = 30
const EVERY = 2_000

/** One process after another is killed during payments and replaced. */
export async function killedAmidPayments(database: string): Promise<string> {
  const receiver = await startReceiver()
  const group = await Group.start(database, receiver.url)
  try {
    const end = performance.now() + SECONDS * 1_000
    const paying = group.payUntil(() => performance.now() > end)
    let kills = 0
    while (performance.now() < end) {
      await pause(EVERY)
      await group.replace(kills++ % group.members.length)
    }
    await paying
    const there = await group.requireWhole()
    return `${kills} kills, ${group.accepted.size} payments accepted and there, ${group.unsure.size} without an answer, of which ${there - group.accepted.size} are there, once`
  } finally {
    await group.end()
    receiver.close()
  }
}
