import { systemMonotonic } from '../../../lib/clock/steady.ts'
import { systemUuid } from '../../../lib/random/random.ts'
import {
  type DueWorlds,
  type JobClaim,
  type JobQueue,
  LEASE,
  type LookAgain,
  type Runner,
  type RunnerListener,
} from '../job-queue.ts'
import type { Database } from './database.ts'
import type { Signal, Signals } from './signals.ts'
import { CLOCK, statement } from './database.ts'

const claim = statement(
  'claim',
  `insert into leases(world, runner, until) values ($1, $2, $3::float8 + $4::float8)
   on conflict (world) do update
     set runner = excluded.runner, until = excluded.until, refused = leases.refused and leases.runner = excluded.runner
     where leases.runner = excluded.runner or leases.until <= $3::float8
   returning until`,
)
/** Milliseconds since the epoch: those that are given, or on the database's clock. */
const NOW = `coalesce($2::float8, extract(epoch from clock_timestamp())::float8 * 1000)`
/** Whoever comes first has a lease, so that no world need be locked for it. */
const claimDue = statement(
  'claim_due',
  `with due as (
     select w.name from worlds w
      where w.next_due <= $4
        and not exists (select 1 from leases l where l.world = w.name and l.until > ${NOW})
      order by w.next_due limit $5)
   insert into leases(world, runner, until) select name, $1, ${NOW} + $3::float8 from due order by name
   on conflict (world) do update
     set runner = excluded.runner, until = excluded.until, refused = false where leases.until <= ${NOW}
   returning world`,
)
const nextDue = statement(
  'next_due',
  `select min(next_due) as next, ${CLOCK} from worlds where next_due > $1`,
)
const refuse = statement('refuse', 'update leases set refused = true where world = $1 returning until')
const release = statement('release', 'delete from leases where world = $1 and runner = $2 returning refused')
/** Where its rows are of that life and version still, and say that something is due. */
const lookAgain = statement(
  'look_again',
  'update worlds set next_due = $4 where name = $1 and life = $2 and version = $3 and next_due <= $5',
)
const leave = statement('leave', 'delete from leases where runner = $1 returning world')
const held = statement('held', 'select world from leases where world = $1 and runner = $2')
const some = statement('lease_of', 'select runner from leases where world = $1')
const clock = statement('clock', 'select extract(epoch from clock_timestamp())::float8 * 1000 as now')

/** Who has a world open does its jobs on time; a world is taken for one that nobody has open after so long, milliseconds. */
const LEFT_ALONE = 250
/** Worlds that are claimed at a time. */
const MOST_DUE = 64
/** Until it is asked again what is due, milliseconds. */
const SELDOM = 1_000
const OFTEN = 20

export interface JobQueueOptions {
  readonly database: Database
  /** How far this process knows the rows of a world. */
  readonly placeOf: (world: string) => { readonly life: string; readonly version: number } | undefined
  readonly signals: Signals
  /** Leases go by the database's clock, since those of machines differ; by the time that is given where there is only one. */
  readonly time: 'database' | 'given'
}

/** The leases of all processes on a database. */
export class PostgresJobQueue implements JobQueue {
  readonly options: JobQueueOptions
  readonly members = new Set<Member>()

  constructor(options: JobQueueOptions) {
    this.options = options
    options.signals.listen((signal) => this.#hear(signal))
  }

  join(listener: RunnerListener): Runner {
    const member = new Member(this, listener)
    this.members.add(member)
    return member
  }

  /** Tells the members of this process, and those of others. */
  async tell(kind: 'free' | 'requested' | 'wake', world: string, from: Member): Promise<void> {
    this.#hear({ kind, world }, from)
    await this.options.signals.send(kind, world)
  }

  #hear({ kind, world }: Signal, from?: Member): void {
    for (const member of this.members) if (member !== from) member.hear(kind, world)
  }
}

class Member implements Runner {
  readonly #queue: PostgresJobQueue
  readonly #listener: RunnerListener
  readonly #id = systemUuid()
  /** Worlds that were refused to it. */
  readonly #refused = new Set<string>()

  constructor(queue: PostgresJobQueue, listener: RunnerListener) {
    this.#queue = queue
    this.#listener = listener
  }

  async claim(world: string, now: number): Promise<JobClaim> {
    const time = await this.#time(now)
    const { database } = this.#queue.options
    const [granted] = await database.query<{ until: number }>(claim, [world, this.#id, time, LEASE])
    if (granted) {
      this.#refused.delete(world)
      return { granted: true, until: now + granted.until - time }
    }
    this.#refused.add(world)
    const [lease] = await database.query<{ until: number }>(refuse, [world])
    // It was given back just now.
    if (!lease) return this.claim(world, now)
    return { granted: false, until: now + lease.until - time }
  }

  async claimDue(now: number): Promise<DueWorlds> {
    const before = now - LEFT_ALONE
    const { database, time } = this.#queue.options
    const given = time === 'given' ? now : null
    const sent = systemMonotonic()
    const [claimed, [later]] = await Promise.all([
      database.query<{ world: string }>(claimDue, [this.#id, given, LEASE, before, MOST_DUE]),
      database.query<{ next: number | null; clock: number }>(nextDue, [before]),
    ])
    database.clock.note(sent, systemMonotonic(), later!.clock)
    const next = claimed.length === MOST_DUE ? now : (later!.next ?? Infinity) + LEFT_ALONE
    return {
      claimed: claimed.map(({ world }) => ({ world, until: now + LEASE })),
      next: Math.min(Math.max(next, now + OFTEN), now + SELDOM),
    }
  }

  async release(world: string, again?: LookAgain): Promise<void> {
    const place = again && this.#queue.options.placeOf(world)
    if (place) {
      const next = again.next === Infinity ? null : again.next
      await this.#database.query(lookAgain, [world, place.life, place.version, next, again.now])
    }
    const [gone] = await this.#database.query<{ refused: boolean }>(release, [world, this.#id])
    if (gone?.refused) await this.#queue.tell('free', world, this)
  }

  async request(world: string): Promise<void> {
    this.#refused.add(world)
    const [lease] = await this.#database.query<{ runner: string }>(some, [world])
    if (!lease) return this.#wake(world)
    if (lease.runner === this.#id) return
    await this.#database.query(refuse, [world])
    await this.#queue.tell('requested', world, this)
  }

  async announce(world: string): Promise<void> {
    await this.#queue.tell('wake', world, this)
  }

  async leave(): Promise<void> {
    this.#queue.members.delete(this)
    for (const { world } of await this.#database.query<{ world: string }>(leave, [this.#id]))
      await this.#queue.tell('wake', world, this)
  }

  /** Takes note of what others told. */
  hear(kind: Signal['kind'], world: string): void {
    if (kind === 'wake') this.#wake(world)
    else if (kind === 'free' && this.#refused.delete(world)) this.#wake(world)
    else if (kind === 'requested') void this.#asked(world)
  }

  async #asked(world: string): Promise<void> {
    const [own] = await this.#database.query(held, [world, this.#id]).catch(() => [])
    if (own) this.#listener.onRequested(world)
  }

  get #database(): Database {
    return this.#queue.options.database
  }

  async #time(now: number): Promise<number> {
    if (this.#queue.options.time === 'given') return now
    const [row] = await this.#database.query<{ now: number }>(clock, [])
    return row!.now
  }

  /** In a turn of its own: it is in no call of its own then. */
  #wake(world: string): void {
    queueMicrotask(() => this.#listener.onWake(world))
  }
}
