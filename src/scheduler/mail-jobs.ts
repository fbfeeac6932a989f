import type { Wall } from '../lib/clock/clock.ts'
import { isMailStillQueued, type Tx } from '../service/domain/context.ts'
import type { FailedMail, MailJobRow, MailRow } from '../storage/store/rows.ts'
import type { Generation, Store, RowChange } from '../storage/store/store.ts'
import type { World } from '../worlds/world.ts'
import { type Due, DueQueue } from './world-work.ts'
import { failureOf } from './job-performer.ts'
import type { Leases } from './leases.ts'

/** How mails leave. */
export interface MailSender {
  /** Hands a mail to the server, or says why it is kept. @throws what the server or the network said */
  send(mail: MailRow): Promise<string | void>
  /** @param next_at when it is tried again, milliseconds on the wall; null when it is given up */
  onFailed(mail: MailRow, error: unknown, next_at: number | null): void
  /** Lets mails that are on their way arrive for a moment. */
  close(): Promise<void>
}

interface MailJobsOptions {
  readonly store: Store
  readonly wall: Wall
  readonly world: (name: string) => World | undefined
  readonly leases: Leases
  readonly sender: MailSender
  readonly onError: (error: unknown) => void
}

interface DueMail extends Due {
  readonly world: string
}

interface OwedMail {
  readonly job: MailJobRow
  readonly generation: Generation
  /** Undefined when it was deleted. */
  readonly mail: MailRow | undefined
}

/** Longer waits are cut in pieces, so that a leap of the machine's clock is noticed. */
const LONGEST_WAIT = 60_000
/** How long to wait when what came of a mail could not be written, milliseconds. */
const UNWRITTEN_GAP = 60_000

/** Sends the mails that worlds owe, by the wall's time, in worlds whose jobs no other process runs. */
export class MailJobs {
  readonly #options: MailJobsOptions
  readonly #queue = new DueQueue<DueMail>()
  /** Being sent, by world. */
  readonly #sending = new Map<string, Map<number, Promise<void>>>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: MailJobsOptions) {
    this.#options = options
  }

  /** Takes up what a world owes. */
  async load(name: string): Promise<void> {
    const jobs = await this.#options.store.read(name, (rows) =>
      rows.below('mailJobs', { before: Infinity, limit: Infinity }),
    )
    for (const { id, due_at } of jobs) this.#queue.add({ world: name, id, at: due_at })
    this.#arm()
  }

  /** Takes note of mails that a change owes. */
  onWritten(name: string, written: readonly RowChange[]): void {
    let added = false
    for (const { table, row } of written) {
      if (table !== 'mailJobs' || !row) continue
      const { id, due_at } = row as MailJobRow
      this.#queue.add({ world: name, id, at: due_at })
      added = true
    }
    if (added) this.#arm()
  }

  /** When the first mail of a world is due, milliseconds on the wall; Infinity when none is. */
  firstOf(name: string): number {
    return this.#queue.leastOf(({ world }) => world === name)
  }

  isSending(name: string): boolean {
    return this.#sending.has(name)
  }

  /** Begins nothing more, and waits for what is on its way; what has not left stays owed. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#options.sender.close()
    await Promise.all([...this.#sending.values()].flatMap((sending) => [...sending.values()]))
  }

  #arm(): void {
    clearTimeout(this.#timer)
    const { first } = this.#queue
    if (!first || this.#closed) return
    const left = first.at - this.#options.wall()
    this.#timer = setTimeout(() => this.#ring(), Math.min(Math.max(left, 0), LONGEST_WAIT))
  }

  #ring(): void {
    const now = this.#options.wall()
    for (let due = this.#queue.takeUntil(now); due; due = this.#queue.takeUntil(now)) this.#begin(due)
    this.#arm()
  }

  #begin(due: DueMail): void {
    const { leases, onError } = this.#options
    const sending = this.#sending.get(due.world) ?? new Map<number, Promise<void>>()
    // A mail that is queued twice is sent once.
    if (sending.has(due.id)) return
    this.#sending.set(due.world, sending)
    const ended = this.#perform(due)
      .catch(onError)
      .finally(() => {
        sending.delete(due.id)
        if (sending.size === 0) this.#sending.delete(due.world)
        leases.yield(due.world)
      })
    sending.set(due.id, ended)
  }

  async #perform(due: DueMail): Promise<void> {
    const { leases, sender } = this.#options
    const world = this.#options.world(due.world)
    if (!world) return
    if (!leases.has(world.name)) {
      const { granted, until } = await leases.claim(world.name)
      if (!granted) return this.#again({ ...due, at: until })
    }
    const owed = await world.read(({ rows }): OwedMail | undefined => {
      const job = rows.get('mailJobs', due.id)
      return job && { job, generation: rows.generation, mail: rows.get('mails', due.id) }
    })
    // It was planned anew since, and is in the queue for its new time, too.
    if (!owed || owed.job.due_at > due.at) return
    let kept: string | void
    try {
      if (owed.mail) kept = await sender.send(owed.mail)
    } catch (error) {
      // Cut off by our own end: it stays owed.
      if (!this.#closed) await this.#end(world, due, () => this.#fail(world, owed, error))
      return
    }
    await this.#end(world, due, () =>
      world.change((tx) => {
        if (!isMailStillQueued(tx, owed.job, owed.generation)) return
        tx.rows.delete('mailJobs', owed.job.id)
        noteFailure(tx, owed.job.id, kept === undefined ? undefined : this.#kept(kept))
      }),
    )
  }

  /** Plans a mail that was refused anew. One that is given up is owed no more; it stays in the outbox. */
  async #fail(world: World, { job, generation, mail }: OwedMail, error: unknown): Promise<void> {
    const { failed, next_at } = failureOf(job.failed, this.#options.wall(), error)
    this.#options.sender.onFailed(mail!, error, next_at)
    await world.change((tx) => {
      if (!isMailStillQueued(tx, job, generation)) return
      if (next_at === null) tx.rows.delete('mailJobs', job.id)
      else tx.rows.put('mailJobs', { ...job, due_at: next_at, failed })
      noteFailure(tx, job.id, { ...failed, next_at })
    })
  }

  #kept(error: string): FailedMail {
    return { times: 0, at: this.#options.wall(), error, given_up: true, next_at: null }
  }

  /** Writes what came of a mail. What is refused because the world was reset meanwhile is no news. */
  async #end(world: World, due: DueMail, write: () => Promise<void>): Promise<void> {
    try {
      await write()
    } catch (error) {
      if (world.closed) return
      this.#again({ ...due, at: this.#options.wall() + UNWRITTEN_GAP })
      throw error
    }
  }

  #again(due: DueMail): void {
    this.#queue.add(due)
    this.#arm()
  }
}

/** Whoever looks into the outbox sees why a mail has not left. */
function noteFailure({ rows }: Tx, id: number, failed: FailedMail | undefined): void {
  const mail = rows.get('mails', id)
  if (!mail || (!failed && !mail.failed)) return
  const { failed: _, ...sent } = mail
  rows.put('mails', failed ? { ...sent, failed } : sent)
}
