import { systemMonotonic } from '../../../lib/clock/clock.ts'
import { systemUuid } from '../../../lib/random/random.ts'
import { type JobClaim, type JobQueue, OWNERSHIP, type Runner, type RunnerListener } from '../job-queue.ts'
import { type Database, CLOCK, statement } from './database.ts'
import { LEASE, type WorldOwnership } from './ownership.ts'
import type { Replicas } from './replicas.ts'
import type { Signal, Signals } from './signals.ts'

/** A process that answers for a world runs its jobs. */
const UNOWNED = (world: string) =>
  `not exists (select 1 from worlds o join runners r on r.id = o.owner and r.until > statement_timestamp() where o.name = ${world})`

const claimWorld = statement`
  insert into job_owners(world, runner, until) select $1, $2, $3::float8 + $4::float8 where ${UNOWNED('$1')}
  on conflict (world) do update
    set runner = excluded.runner, until = excluded.until, refused = job_owners.refused and job_owners.runner = excluded.runner
    where job_owners.runner = excluded.runner or job_owners.until <= $3::float8
  returning until`
/** The given time, or the database's; milliseconds since the epoch. */
const NOW = `coalesce($2::float8, extract(epoch from clock_timestamp())::float8 * 1000)`
/** Claims due worlds without locking them: the first process wins. */
const claimDue = statement`
  with due as (
    select c.world from cards c
     where c.next_due <= $4 and ${UNOWNED('c.world')}
       and not exists (select 1 from job_owners l where l.world = c.world and l.until > ${NOW})
     order by c.next_due limit $5)
  insert into job_owners(world, runner, until) select world, $1, ${NOW} + $3::float8 from due order by world
  on conflict (world) do update
    set runner = excluded.runner, until = excluded.until, refused = false where job_owners.until <= ${NOW}
  returning world`
/** Due worlds that a process which answers for worlds may take. */
const dueWorlds = statement`
  select c.world from cards c
   where c.next_due <= $1 and ${UNOWNED('c.world')}
     and not exists (select 1 from job_owners l where l.world = c.world
                        and l.until > extract(epoch from statement_timestamp()) * 1000)
   order by c.next_due limit $2`
const nextDue = statement`select min(next_due) as next, ${CLOCK} from cards where next_due > $1`
const refuse = statement`update job_owners set refused = true where world = $1 returning until`
const release = statement`delete from job_owners where world = $1 and runner = $2 returning refused`
/** Updates the next due time if the rows are unchanged and have due jobs. */
const lookAgain = statement`
  with w as (select name from worlds where name = $1 and life = $2 and version = $3 for update)
  update cards c set next_due = $4 from w where c.world = w.name and c.next_due <= $5`
const leave = statement`delete from job_owners where runner = $1 returning world`
const held = statement`select world from job_owners where world = $1 and runner = $2`
const some = statement`select runner from job_owners where world = $1`
const clock = statement`select extract(epoch from clock_timestamp())::float8 * 1000 as now`

/** Jobs of open worlds run on time; a world with jobs overdue by this much counts as not open anywhere, milliseconds. */
const LEFT_ALONE = 250
const MOST_DUE = 64
/** Longest and shortest delay until the next look at due worlds, milliseconds. */
const SELDOM = 1_000
const OFTEN = 20

interface Member {
  /** Worlds whose jobs it runs although another process may change them. */
  readonly claimed: ReadonlySet<string>
  hear(kind: Signal['kind'], world: string): void
}

/** @param time - Whether ownership follows the database's clock or, in tests, the given time. */
export function postgresJobQueue(
  database: Database,
  signals: Signals,
  { replicas, ownership }: { readonly replicas: Replicas; readonly ownership: WorldOwnership },
  time: 'database' | 'given',
): JobQueue & { claimed(): readonly string[] } {
  const members = new Map<string, Member>()
  signals.listen((signal) => hear(signal))

  function hear({ kind, world }: Signal, from?: string): void {
    for (const [id, member] of members) if (id !== from) member.hear(kind, world)
  }

  async function tell(kind: 'free' | 'requested' | 'wake', world: string, from: string): Promise<void> {
    hear({ kind, world }, from)
    await signals.send(kind, world)
  }

  function join(listener: RunnerListener): Runner {
    const id = systemUuid()
    const claimed = new Set<string>()
    /** Worlds that this member could not claim. */
    const refusedWorlds = new Set<string>()
    /** Worlds of this process that another one waits for. */
    const asked = new Set<string>()
    replicas.runners.add(id)

    async function claim(world: string, now: number): Promise<JobClaim> {
      if (ownership.owns(world)) return { granted: true, until: now + ownership.left }
      if (ownership.takes(world)) {
        const [taken] = await ownership.claim([world])
        if (taken !== undefined) return { granted: true, until: now + ownership.left }
      }
      const at = await timeAt(now)
      const [granted] = await database.query<{ until: number }>(claimWorld, [world, id, at, OWNERSHIP])
      if (granted) {
        claimed.add(world)
        refusedWorlds.delete(world)
        return { granted: true, until: now + granted.until - at }
      }
      claimed.delete(world)
      refusedWorlds.add(world)
      const [owner] = await database.query<{ until: number }>(refuse, [world])
      if (owner) return { granted: false, until: now + owner.until - at }
      return (await ownership.isTaken(world)) ? { granted: false, until: now + LEASE } : claim(world, now)
    }

    async function takeDue(before: number) {
      const due = await database.query<{ world: string }>(dueWorlds, [before, MOST_DUE])
      const taken = await ownership.claim(due.map(({ world }) => world))
      return taken.map((world) => ({ world }))
    }

    async function hearRequest(world: string): Promise<void> {
      if (ownership.owns(world)) {
        asked.add(world)
        return listener.onRequested(world)
      }
      const [own] = await database.query(held, [world, id]).catch(() => [])
      if (own) listener.onRequested(world)
    }

    async function timeAt(now: number): Promise<number> {
      if (time === 'given') return now
      const [row] = await database.query<{ now: number }>(clock, [])
      return row!.now
    }

    /** In a microtask, so that the listener is not called during its own call. */
    function wake(world: string): void {
      queueMicrotask(() => listener.onWake(world))
    }

    members.set(id, {
      claimed,
      hear(kind, world) {
        if (kind === 'wake') wake(world)
        else if (kind === 'free' && refusedWorlds.delete(world)) wake(world)
        else if (kind === 'requested') void hearRequest(world)
      },
    })
    return {
      claim,
      async claimDue(now) {
        const before = now - LEFT_ALONE
        const given = time === 'given' ? now : null
        const sent = systemMonotonic()
        const [found, [later]] = await Promise.all([
          ownership.isActive
            ? takeDue(before)
            : database.query<{ world: string }>(claimDue, [id, given, OWNERSHIP, before, MOST_DUE]),
          database.query<{ next: number | null; clock: number }>(nextDue, [before]),
        ])
        database.clock.note(sent, systemMonotonic(), later!.clock)
        if (!ownership.isActive) for (const { world } of found) claimed.add(world)
        const next = found.length === MOST_DUE ? now : (later!.next ?? Infinity) + LEFT_ALONE
        return {
          claimed: found.map(({ world }) => ({
            world,
            until: now + (ownership.isActive ? ownership.left : OWNERSHIP),
          })),
          next: Math.min(Math.max(next, now + OFTEN), now + SELDOM),
        }
      },
      async release(world, again) {
        const place = again && replicas.get(world)
        if (place) {
          const next = again.next === Infinity ? null : again.next
          await database.query(lookAgain, [world, place.life, place.version, next, again.now])
          place.card = undefined
        }
        if (ownership.owns(world)) {
          if (!asked.delete(world)) return
          ownership.share(world)
          return tell('free', world, id)
        }
        claimed.delete(world)
        const [gone] = await database.query<{ refused: boolean }>(release, [world, id])
        if (gone?.refused) await tell('free', world, id)
      },
      async request(world) {
        refusedWorlds.add(world)
        if (ownership.owns(world)) return
        const [owner] = await database.query<{ runner: string }>(some, [world])
        if (!owner) {
          const isTaken = await ownership.isTaken(world)
          return isTaken ? tell('requested', world, id) : wake(world)
        }
        if (owner.runner === id) return
        await database.query(refuse, [world])
        await tell('requested', world, id)
      },
      async announce(world) {
        await tell('wake', world, id)
      },
      async leave() {
        members.delete(id)
        replicas.runners.delete(id)
        for (const { world } of await database.query<{ world: string }>(leave, [id]))
          await tell('wake', world, id)
      },
    }
  }

  return {
    claimed: () => [...members.values()].flatMap((member) => [...member.claimed]),
    join,
  }
}
