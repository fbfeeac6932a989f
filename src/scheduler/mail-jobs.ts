import type { Wall } from '../lib/clock/clock.ts'
import { isMailStillQueued, type Tx } from '../service/domain/context.ts'
import type { FailedMail, MailJobRow, MailRow } from '../storage/store/rows.ts'
import type { Generation, Store, RowChange } from '../storage/store/change.ts'
import type { World } from '../worlds/world.ts'
import { type Due, DueQueue, WallTimer } from './world-work.ts'
import { failureOf } from './job-performer.ts'
import type { JobOwnership } from './job-ownership.ts'

export interface MailSender {
  /** Sends an e-mail, or returns why it is not sent. @throws the error of the server or the network */
  send(mail: MailRow): Promise<string | void>
  /** @param next_at - When it is retried, milliseconds in real time, or null if it is given up. */
  onFailed(mail: MailRow, error: unknown, next_at: number | null): void
  /** Waits briefly for e-mails that are being sent. */
  close(): Promise<void>
}

interface MailJobsOptions {
  readonly store: Store
  readonly wall: Wall
  readonly world: (name: string) => World | undefined
  readonly ownership: JobOwnership
  readonly sender: MailSender
  readonly onError: (error: unknown) => void
}

interface DueMail extends Due {
  readonly world: string
}

interface PendingMail {
  readonly job: MailJobRow
  readonly generation: Generation
  readonly mail: MailRow | undefined
}

/** Delay of a retry after a result that could not be written, milliseconds. */
const UNWRITTEN_GAP = 60_000

/** Sends e-mails in real time, in worlds that no other process owns. */
export class MailJobs {
  readonly #options: MailJobsOptions
  readonly #queue = new DueQueue<DueMail>()
  readonly #sending = new Map<string, Map<number, Promise<void>>>()
  readonly #timer: WallTimer
  #closed = false

  constructor(options: MailJobsOptions) {
    this.#options = options
    this.#timer = new WallTimer(options.wall, () => this.#ring())
  }

  async load(name: string): Promise<void> {
    const jobs = await this.#options.store.read(name, (rows) =>
      rows.below('mailJobs', { before: Infinity, limit: Infinity }),
    )
    for (const { id, due_at } of jobs) this.#queue.add({ world: name, id, at: due_at })
    this.#arm()
  }

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

  /** Returns when the first e-mail of a world is due, milliseconds in real time, or Infinity if there is none. */
  firstOf(name: string): number {
    return this.#queue.leastOf(({ world }) => world === name)
  }

  isSending(name: string): boolean {
    return this.#sending.has(name)
  }

  /** Waits for e-mails that are being sent; the others stay pending. */
  async close(): Promise<void> {
    this.#closed = true
    this.#timer.close()
    await this.#options.sender.close()
    await Promise.all([...this.#sending.values()].flatMap((sending) => [...sending.values()]))
  }

  #arm(): void {
    if (this.#queue.first) this.#timer.ringAt(this.#queue.first.at)
  }

  #ring(): void {
    const now = this.#options.wall()
    for (let due = this.#queue.takeUntil(now); due; due = this.#queue.takeUntil(now)) this.#begin(due)
    this.#arm()
  }

  #begin(due: DueMail): void {
    const { ownership, onError } = this.#options
    const sending = this.#sending.get(due.world) ?? new Map<number, Promise<void>>()
    if (sending.has(due.id)) return
    this.#sending.set(due.world, sending)
    const ended = this.#perform(due)
      .catch(onError)
      .finally(() => {
        sending.delete(due.id)
        if (sending.size === 0) this.#sending.delete(due.world)
        ownership.yield(due.world)
      })
    sending.set(due.id, ended)
  }

  async #perform(due: DueMail): Promise<void> {
    const { ownership, sender } = this.#options
    const world = this.#options.world(due.world)
    if (!world) return
    if (!ownership.has(world.name)) {
      const { granted, until } = await ownership.claim(world.name)
      if (!granted) return this.#again({ ...due, at: until })
    }
    const pending = await world.read(({ rows }): PendingMail | undefined => {
      const job = rows.get('mailJobs', due.id)
      return job && { job, generation: rows.generation, mail: rows.get('mails', due.id) }
    })
    // A rescheduled e-mail is in the queue again with its new time.
    if (!pending || pending.job.due_at > due.at) return
    let reason: string | void
    try {
      if (pending.mail) reason = await sender.send(pending.mail)
    } catch (error) {
      // If the connection was cut by `close`, the e-mail stays pending.
      if (!this.#closed) await this.#end(world, due, () => this.#fail(world, pending, error))
      return
    }
    await this.#end(world, due, async () =>
      world.change((tx) => {
        if (!isMailStillQueued(tx, pending.job, pending.generation)) return
        tx.rows.delete('mailJobs', pending.job.id)
        noteFailure(tx, pending.job.id, reason === undefined ? undefined : this.#unsent(reason))
      }),
    )
  }

  /** Reschedules a rejected e-mail. If it is given up, it stays in the mailbox only. */
  async #fail(world: World, { job, generation, mail }: PendingMail, error: unknown): Promise<void> {
    const { failed, next_at } = failureOf(job.failed, this.#options.wall(), error)
    this.#options.sender.onFailed(mail!, error, next_at)
    await world.change((tx) => {
      if (!isMailStillQueued(tx, job, generation)) return
      if (next_at === null) tx.rows.delete('mailJobs', job.id)
      else tx.rows.put('mailJobs', { ...job, due_at: next_at, failed })
      noteFailure(tx, job.id, { ...failed, next_at })
    })
  }

  #unsent(error: string): FailedMail {
    return { times: 0, at: this.#options.wall(), error, abandoned: true, next_at: null }
  }

  /** Writes a result. Errors caused by a reset of the world are ignored. */
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

/** Writes to an e-mail why it was not sent. */
function noteFailure({ rows }: Tx, id: number, failed: FailedMail | undefined): void {
  const mail = rows.get('mails', id)
  if (!mail || (!failed && !mail.failed)) return
  const { failed: _, ...sent } = mail
  rows.put('mails', failed ? { ...sent, failed } : sent)
}
