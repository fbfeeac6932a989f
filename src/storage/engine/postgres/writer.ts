import { later, type KeyedMutex, systemMonotonic } from '../../../lib/clock/clock.ts'
import { StoreUnavailable } from '../../store/change.ts'
import { LONGEST_WAIT } from '../shared-state.ts'
import type { Wanted } from './batch.ts'
import { CLOCK, type Statement, statement } from './database.ts'
import type { WorldOwnership } from './ownership.ts'
import { lockWaiting } from './replicas.ts'
import { createCommits, type CommitsOptions } from './commits.ts'

/** Locks the worlds that no other process is writing to, and skips the others. */
const lockFree = statement`
  select name, ${CLOCK} from worlds where name = any($1::text[]) order by name for update skip locked`

interface WriterOptions extends Omit<CommitsOptions, 'take' | 'putBack'> {
  readonly changing: KeyedMutex
  readonly ownership: WorldOwnership
}

/** Maximum number of worlds per transaction. */
const MOST_WORLDS = 64
/** How long a note waits for another change, milliseconds. */
const PATIENCE = 20
/** Maximum number of transactions that wait for a world which another process is writing to, or answers for. */
const MOST_PATIENT = 3

export type Writer = ReturnType<typeof createWriter>

/**
 * Queues changes by world. All waiting changes go into one transaction, except for worlds that another process has locked,
 * which are waited for separately.
 */
export function createWriter({ changing, ...options }: WriterOptions) {
  const { ownership } = options
  const commits = createCommits({
    ...options,
    take,
    putBack: (name, wanted) => {
      again.add(name)
      putBack(name, wanted)
    },
  })
  const queued = new Map<string, Wanted[]>()
  /** Notes, which wait for another change of their world. */
  const patiently = new Map<string, Wanted[]>()
  /** Whether a timer will schedule the notes. Notes of a locked world stay in `patiently`, so their number does not show it. */
  let willHurry = false
  /** Worlds whose changes were not taken yet; later ones go into the next turn. */
  const scheduled = new Set<string>()
  const ready = new Set<string>()
  /** Worlds whose changes were not stored because another process was faster. */
  const again = new Set<string>()
  const locked: string[] = []
  /** A transaction without waiting is running: one at a time, so that later changes go together into the next. */
  let sweeping = false
  let patient = 0

  function hurry(only?: string): void {
    for (const name of only === undefined ? [...patiently.keys()] : [only])
      if (patiently.has(name)) schedule(name)
  }

  function schedule(name: string): void {
    if (scheduled.has(name)) return
    scheduled.add(name)
    const start = () => {
      ready.add(name)
      if (!sweeping) void sweep()
    }
    const held = changing.acquire(name)
    if (held) void held.then(start)
    else start()
  }

  async function sweep(): Promise<void> {
    sweeping = true
    // Changes of the same turn go into the first transaction.
    await undefined
    while (ready.size > 0) {
      const names = [...ready].slice(0, MOST_WORLDS)
      for (const name of names) ready.delete(name)
      locked.push(...(await serve(names, lockFree)))
      while (locked.length > 0 && patient < MOST_PATIENT) void wait()
    }
    sweeping = false
  }

  async function wait(): Promise<void> {
    patient += 1
    for (let name = locked.shift(); name !== undefined; name = locked.shift()) {
      const [still] = await serve([name], lockWaiting)
      if (still !== undefined) await obtain(still)
    }
    patient -= 1
  }

  /** Waits until no other process answers for a world, and makes its changes; rejects those that cannot wait any longer. */
  async function obtain(name: string): Promise<void> {
    const wanted = [...(queued.get(name) ?? []), ...(patiently.get(name) ?? [])]
    try {
      const longest = systemMonotonic() + LONGEST_WAIT
      await ownership.obtain(name, Math.min(longest, ...wanted.map(({ until }) => until)))
    } catch (error) {
      const taken = take(name)
      const now = systemMonotonic()
      // Without any that is late, the error is that of all.
      const left = taken.some(({ until }) => until <= now) ? taken.filter(({ until }) => until > now) : []
      for (const each of taken) if (!left.includes(each)) each.reject(error)
      if (left.length === 0) return changing.release(name)
      putBack(name, left)
    }
    locked.push(name)
  }

  /** Makes the changes of these worlds; returns the worlds that another process has locked, answers for or changed meanwhile. */
  async function serve(names: readonly string[], lock: Statement): Promise<readonly string[]> {
    const own = names.filter((name) => ownership.isCurrent(name))
    const others = names.filter((name) => !own.includes(name))
    const left = await Promise.all([
      attempt(own, () => commits.runOwn(own)),
      attempt(others, () => commits.run(others, lock)),
    ])
    return left.flat()
  }

  async function attempt(
    names: readonly string[],
    run: () => Promise<readonly string[]>,
  ): Promise<readonly string[]> {
    if (names.length === 0) return []
    let left: readonly string[] = []
    try {
      left = await run()
    } catch (error) {
      for (const name of names) for (const { reject } of take(name)) reject(error)
    }
    left = names.filter((name) => again.delete(name) || left.includes(name))
    for (const name of names) if (!left.includes(name)) changing.release(name)
    return left
  }

  /** Puts changes before those that came later. The world must be in the hands of a caller that makes them. */
  function putBack(name: string, wanted: readonly Wanted[]): void {
    scheduled.add(name)
    queued.set(name, [...wanted, ...(queued.get(name) ?? [])])
  }

  function take(name: string): readonly Wanted[] {
    scheduled.delete(name)
    const wanted = [...(queued.get(name) ?? []), ...(patiently.get(name) ?? [])]
    queued.delete(name)
    patiently.delete(name)
    return wanted.filter(({ request, reject }) => {
      const mayChange = ownership.mayChange(name, request)
      if (!mayChange)
        reject(new StoreUnavailable('Another process answers for the world by now; send it again.'))
      return mayChange
    })
  }

  return {
    add(name: string, wanted: Wanted): void {
      const known = queued.get(name)
      const before = patiently.get(name) ?? []
      patiently.delete(name)
      if (known) known.push(...before, wanted)
      else queued.set(name, [...before, wanted])
      schedule(name)
      // Worlds of this process need no lock: their notes go along at no cost.
      for (const other of patiently.keys()) if (ownership.isCurrent(other)) schedule(other)
    },
    /** Adds a change that goes with the next one of the world, or alone after a moment. */
    addPatiently(name: string, wanted: Wanted): void {
      if (!willHurry) {
        willHurry = true
        later(PATIENCE, () => {
          willHurry = false
          hurry()
        })
      }
      const known = patiently.get(name)
      if (known) known.push(wanted)
      else patiently.set(name, [wanted])
    },
    hurry,
  }
}
