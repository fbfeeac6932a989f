import { systemMonotonic } from '../../../lib/clock/clock.ts'
import { systemUuid } from '../../../lib/random/random.ts'
import {
  type DueWorlds,
  type JobClaim,
  type JobQueue,
  OWNERSHIP,
  type LookAgain,
  type Runner,
  type RunnerListener,
} from '../job-queue.ts'
import { type Database, CLOCK, statement } from './database.ts'
import { LEASE, type WorldOwnership } from './ownership.ts'
import type { Replicas } from './replicas.ts'
import type { Signal, Signals } from './signals.ts'

/** A process that answers for a world runs its jobs. */
const UNOWNED = (world: string) =>
  `not exists (select 1 from worlds o join runners r on r.id = o.owner and r.until > statement_timestamp() where o.name = ${world})`

const claim = statement`
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

export class PostgresJobQueue implements JobQueue {
  readonly database: Database
  readonly replicas: Replicas
  readonly ownership: WorldOwnership
  readonly time: 'database' | 'given'
  readonly members = new Set<Member>()
  readonly #signals: Signals

  /** @param time - Whether ownership follows the database's clock or, in tests, the given time. */
  constructor(
    database: Database,
    signals: Signals,
    { replicas, ownership }: { readonly replicas: Replicas; readonly ownership: WorldOwnership },
    time: 'database' | 'given',
  ) {
    this.database = database
    this.#signals = signals
    this.replicas = replicas
    this.ownership = ownership
    this.time = time
    signals.listen((signal) => this.#hear(signal))
  }

  claimed(): readonly string[] {
    return [...this.members].flatMap((member) => [...member.claimed])
  }

  join(listener: RunnerListener): Runner {
    const member = new Member(this, listener)
    this.members.add(member)
    return member
  }

  async tell(kind: 'free' | 'requested' | 'wake', world: string, from: Member): Promise<void> {
    this.#hear({ kind, world }, from)
    await this.#signals.send(kind, world)
  }

  #hear({ kind, world }: Signal, from?: Member): void {
    for (const member of this.members) if (member !== from) member.hear(kind, world)
  }
}

class Member implements Runner {
  readonly #queue: PostgresJobQueue
  readonly #listener: RunnerListener
  readonly #id = systemUuid()
  /** Worlds whose jobs it runs although another process may change them. */
  readonly claimed = new Set<string>()
  /** Worlds that this member could not claim. */
  readonly #refused = new Set<string>()
  /** Worlds of this process that another one waits for. */
  readonly #asked = new Set<string>()

  constructor(queue: PostgresJobQueue, listener: RunnerListener) {
    this.#queue = queue
    this.#listener = listener
    queue.replicas.runners.add(this.#id)
  }

  async claim(world: string, now: number): Promise<JobClaim> {
    const { ownership } = this.#queue
    if (ownership.owns(world)) return { granted: true, until: now + ownership.left }
    if (ownership.takes(world)) {
      const [taken] = await ownership.claim([world])
      if (taken !== undefined) return { granted: true, until: now + ownership.left }
    }
    const time = await this.#time(now)
    const { database } = this.#queue
    const [granted] = await database.query<{ until: number }>(claim, [world, this.#id, time, OWNERSHIP])
    if (granted) {
      this.claimed.add(world)
      this.#refused.delete(world)
      return { granted: true, until: now + granted.until - time }
    }
    this.claimed.delete(world)
    this.#refused.add(world)
    const [owner] = await database.query<{ until: number }>(refuse, [world])
    if (owner) return { granted: false, until: now + owner.until - time }
    return (await ownership.isTaken(world)) ? { granted: false, until: now + LEASE } : this.claim(world, now)
  }

  async claimDue(now: number): Promise<DueWorlds> {
    const before = now - LEFT_ALONE
    const { database, ownership, time } = this.#queue
    const given = time === 'given' ? now : null
    const sent = systemMonotonic()
    const [claimed, [later]] = await Promise.all([
      ownership.isActive
        ? this.#takeDue(before)
        : database.query<{ world: string }>(claimDue, [this.#id, given, OWNERSHIP, before, MOST_DUE]),
      database.query<{ next: number | null; clock: number }>(nextDue, [before]),
    ])
    database.clock.note(sent, systemMonotonic(), later!.clock)
    if (!ownership.isActive) for (const { world } of claimed) this.claimed.add(world)
    const next = claimed.length === MOST_DUE ? now : (later!.next ?? Infinity) + LEFT_ALONE
    return {
      claimed: claimed.map(({ world }) => ({
        world,
        until: now + (ownership.isActive ? ownership.left : OWNERSHIP),
      })),
      next: Math.min(Math.max(next, now + OFTEN), now + SELDOM),
    }
  }

  async #takeDue(before: number) {
    const due = await this.#database.query<{ world: string }>(dueWorlds, [before, MOST_DUE])
    const taken = await this.#queue.ownership.claim(due.map(({ world }) => world))
    return taken.map((world) => ({ world }))
  }

  async release(world: string, again?: LookAgain): Promise<void> {
    const { ownership } = this.#queue
    const place = again && this.#queue.replicas.get(world)
    if (place) {
      const next = again.next === Infinity ? null : again.next
      await this.#database.query(lookAgain, [world, place.life, place.version, next, again.now])
      place.card = undefined
    }
    if (ownership.owns(world)) {
      if (!this.#asked.delete(world)) return
      ownership.share(world)
      return this.#queue.tell('free', world, this)
    }
    this.claimed.delete(world)
    const [gone] = await this.#database.query<{ refused: boolean }>(release, [world, this.#id])
    if (gone?.refused) await this.#queue.tell('free', world, this)
  }

  async request(world: string): Promise<void> {
    this.#refused.add(world)
    if (this.#queue.ownership.owns(world)) return
    const [owner] = await this.#database.query<{ runner: string }>(some, [world])
    if (!owner) {
      const isTaken = await this.#queue.ownership.isTaken(world)
      return isTaken ? this.#queue.tell('requested', world, this) : this.#wake(world)
    }
    if (owner.runner === this.#id) return
    await this.#database.query(refuse, [world])
    await this.#queue.tell('requested', world, this)
  }

  async announce(world: string): Promise<void> {
    await this.#queue.tell('wake', world, this)
  }

  async leave(): Promise<void> {
    this.#queue.members.delete(this)
    this.#queue.replicas.runners.delete(this.#id)
    for (const { world } of await this.#database.query<{ world: string }>(leave, [this.#id]))
      await this.#queue.tell('wake', world, this)
  }

  hear(kind: Signal['kind'], world: string): void {
    if (kind === 'wake') this.#wake(world)
    else if (kind === 'free' && this.#refused.delete(world)) this.#wake(world)
    else if (kind === 'requested') void this.#hearRequest(world)
  }

  async #hearRequest(world: string): Promise<void> {
    if (this.#queue.ownership.owns(world)) {
      this.#asked.add(world)
      return this.#listener.onRequested(world)
    }
    const [own] = await this.#database.query(held, [world, this.#id]).catch(() => [])
    if (own) this.#listener.onRequested(world)
  }

  get #database(): Database {
    return this.#queue.database
  }

  async #time(now: number): Promise<number> {
    if (this.#queue.time === 'given') return now
    const [row] = await this.#database.query<{ now: number }>(clock, [])
    return row!.now
  }

  /** In a microtask, so that the listener is not called during its own call. */
  #wake(world: string): void {
    queueMicrotask(() => this.#listener.onWake(world))
  }
}
