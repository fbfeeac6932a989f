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

export type MailJobs = ReturnType<typeof createMailJobs>

/** Sends e-mails in real time, in worlds that no other process owns. */
export function createMailJobs({ store, wall, world: worldOf, ownership, sender, onError }: MailJobsOptions) {
  const queue = new DueQueue<DueMail>()
  const sendings = new Map<string, Map<number, Promise<void>>>()
  const timer = new WallTimer(wall, ring)
  let closed = false

  function arm(): void {
    if (queue.first) timer.ringAt(queue.first.at)
  }

  function ring(): void {
    const now = wall()
    for (let due = queue.takeUntil(now); due; due = queue.takeUntil(now)) begin(due)
    arm()
  }

  function begin(due: DueMail): void {
    const sending = sendings.get(due.world) ?? new Map<number, Promise<void>>()
    if (sending.has(due.id)) return
    sendings.set(due.world, sending)
    const ended = perform(due)
      .catch(onError)
      .finally(() => {
        sending.delete(due.id)
        if (sending.size === 0) sendings.delete(due.world)
        ownership.yield(due.world)
      })
    sending.set(due.id, ended)
  }

  async function perform(due: DueMail): Promise<void> {
    const world = worldOf(due.world)
    if (!world) return
    if (!ownership.has(world.name)) {
      const { granted, until } = await ownership.claim(world.name)
      if (!granted) return again({ ...due, at: until })
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
      if (!closed) await end(world, due, () => fail(world, pending, error))
      return
    }
    await end(world, due, async () =>
      world.change((tx) => {
        if (!isMailStillQueued(tx, pending.job, pending.generation)) return
        tx.rows.delete('mailJobs', pending.job.id)
        noteFailure(
          tx,
          pending.job.id,
          reason === undefined
            ? undefined
            : { times: 0, at: wall(), error: reason, abandoned: true, next_at: null },
        )
      }),
    )
  }

  /** Reschedules a rejected e-mail. If it is given up, it stays in the mailbox only. */
  async function fail(world: World, { job, generation, mail }: PendingMail, error: unknown): Promise<void> {
    const { failed, next_at } = failureOf(job.failed, wall(), error)
    sender.onFailed(mail!, error, next_at)
    await world.change((tx) => {
      if (!isMailStillQueued(tx, job, generation)) return
      if (next_at === null) tx.rows.delete('mailJobs', job.id)
      else tx.rows.put('mailJobs', { ...job, due_at: next_at, failed })
      noteFailure(tx, job.id, { ...failed, next_at })
    })
  }

  /** Writes a result. Errors caused by a reset of the world are ignored. */
  async function end(world: World, due: DueMail, write: () => Promise<void>): Promise<void> {
    try {
      await write()
    } catch (error) {
      if (world.closed) return
      again({ ...due, at: wall() + UNWRITTEN_GAP })
      throw error
    }
  }

  function again(due: DueMail): void {
    queue.add(due)
    arm()
  }

  return {
    async load(name: string): Promise<void> {
      const jobs = await store.read(name, (rows) =>
        rows.below('mailJobs', { before: Infinity, limit: Infinity }),
      )
      for (const { id, due_at } of jobs) queue.add({ world: name, id, at: due_at })
      arm()
    },
    onWritten(name: string, written: readonly RowChange[]): void {
      let added = false
      for (const { table, row } of written) {
        if (table !== 'mailJobs' || !row) continue
        const { id, due_at } = row as MailJobRow
        queue.add({ world: name, id, at: due_at })
        added = true
      }
      if (added) arm()
    },
    /** Returns when the first e-mail of a world is due, milliseconds in real time, or Infinity if there is none. */
    firstOf: (name: string): number => queue.leastOf(({ world }) => world === name),
    isSending: (name: string): boolean => sendings.has(name),
    /** Waits for e-mails that are being sent; the others stay pending. */
    async close(): Promise<void> {
      closed = true
      timer.close()
      await sender.close()
      await Promise.all([...sendings.values()].flatMap((sending) => [...sending.values()]))
    },
  }
}

/** Writes to an e-mail why it was not sent. */
function noteFailure({ rows }: Tx, id: number, failed: FailedMail | undefined): void {
  const mail = rows.get('mails', id)
  if (!mail || (!failed && !mail.failed)) return
  const { failed: _, ...sent } = mail
  rows.put('mails', failed ? { ...sent, failed } : sent)
}
