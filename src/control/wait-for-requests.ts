import type { JournalEntry } from '../worlds/journal.ts'
import type { RequestTest } from '../worlds/request-conditions.ts'
import type { Worlds } from '../worlds/worlds.ts'
import { ReadRequest } from '../worlds/request-facts.ts'
import { type Waiting, waitIn } from './waiting.ts'
import { walk } from './walk.ts'

/**
 * The answered requests on the record that are meant, oldest first: when there are so many, when the time is over or when
 * the caller has gone. Each request is looked at once: those on the record at the beginning, any other when it is answered.
 * @param timeout milliseconds on the wall
 */
export async function untilSeen(
  call: Waiting,
  worlds: Worlds,
  test: RequestTest,
  count: number,
  timeout: number,
): Promise<readonly JournalEntry[]> {
  const { world } = call
  const { journal } = world
  let seen: JournalEntry[] = []
  // Some may be forgotten since, or the record emptied; others may be seen meanwhile.
  const forget = async () => {
    const ids = seen.map(({ id }) => id)
    const remembered = await journal.remembered(ids)
    const forgotten = new Set(ids.filter((id) => !remembered.has(id)))
    if (forgotten.size > 0) seen = seen.filter(({ id }) => !forgotten.has(id))
  }
  const enough = async () => {
    if (seen.length < count) return false
    await forget()
    return seen.length >= count
  }
  const look = (request: ReadRequest) => {
    if (test(request)) seen.push(request.entry)
  }
  let looked = () => {}
  // Answered while the record is asked for: it may have them, too.
  const meanwhile = new Set<string>()
  let asked = false
  const stop = journal.onAnswered((request) => {
    if (!asked) meanwhile.add(request.entry.id)
    look(request)
    looked()
  })
  try {
    const all = await journal.all()
    asked = true
    const before = all.filter(({ id, answered }) => answered && !meanwhile.has(id))
    const looking = walk(world.name, before, (entry) => look(new ReadRequest(entry)), call.left)
    if (timeout > 0)
      await waitIn<void>(call, worlds, timeout, (found, failed) => {
        looked = () => void enough().then((yes) => yes && found(), failed)
        looking.then(looked, failed)
        return () => {}
      })
    // The time may be over before the first look is.
    await looking
  } finally {
    stop()
  }
  await forget()
  return seen.sort((a, b) => numberOf(a) - numberOf(b))
}

const numberOf = ({ id }: JournalEntry) => Number(id.slice('req_'.length))
