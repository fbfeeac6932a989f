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
  const isThere = (entry: JournalEntry) => journal.get(entry.id) === entry
  const enough = () => {
    if (seen.length < count) return false
    // Some may be forgotten since, or the record emptied.
    seen = seen.filter(isThere)
    return seen.length >= count
  }
  const look = (request: ReadRequest) => {
    if (test(request)) seen.push(request.entry)
  }
  let looked = () => {}
  const before = journal.all().filter(({ answered }) => answered)
  const stop = journal.onAnswered((request) => {
    look(request)
    looked()
  })
  try {
    const looking = walk(world.name, before, (entry) => look(new ReadRequest(entry)), call.left)
    if (timeout > 0)
      await waitIn<void>(call, worlds, timeout, (found, failed) => {
        looked = () => void (enough() && found())
        looking.then(looked, failed)
        return () => {}
      })
    // The time may be over before the first look is.
    await looking
  } finally {
    stop()
  }
  return seen.filter(isThere).sort((a, b) => numberOf(a) - numberOf(b))
}

const numberOf = ({ id }: JournalEntry) => Number(id.slice('req_'.length))
