import type { Client } from 'pg'
import { WorldChange, revokedIn, type Change, type RowChange, StoreUnavailable } from '../../store/change.ts'
import { WorldTables } from '../../store/world.ts'
import { systemMonotonic } from '../../../lib/clock/clock.ts'
import type { Card } from '../worlds.ts'
import { CARD_FIELDS, cardIn, columnsOf, invitesIn, noteInvites } from './world-cards.ts'
import { sendTogether } from './client.ts'
import { BEGIN, type Statement, statement } from './database.ts'
import type { TakenRequest } from './ownership.ts'
import { type Note, Replica, textOf, type CommitNotice } from './replicas.ts'
import { noteRevoked } from './snapshots.ts'

export interface Wanted {
  /** The forwarded request that makes the change. */
  readonly request?: TakenRequest | undefined
  /** Changes rows, or is an event without rows. */
  readonly work: ((change: Change) => unknown) | Note
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
  /** When its wait for the owner of the world ends, in monotonic time. */
  readonly until: number
  /** How often it was made and could not be stored. */
  readonly repeats?: number
}

interface Made extends Wanted {
  readonly change: WorldChange | undefined
  readonly outcome: { readonly result: unknown } | { readonly error: unknown }
}

interface Appended extends CommitNotice {
  readonly text: string
  readonly request?: string | undefined
  /** Number of events of the change, if known. */
  readonly events?: number | undefined
}

/** Returns the time and the number of events of a change, or undefined if that failed. */
export type Describe = (
  world: string,
  written: readonly RowChange[],
) => { readonly time: number; readonly events?: number } | undefined

/** How often a change is made again after another process was faster. */
const MOST_REPEATS = 3

/** Changes of one world that are not committed yet. */
export class WorldBatch {
  readonly name: string
  readonly appended: Appended[] = []
  /** The world before the changes; new if it did not exist. */
  readonly replica: Replica
  readonly isNew: boolean
  /** The stored owner that the changes rely on, and the one that they store. */
  readonly held: string | null
  readonly owner: string | null
  /** Whether this process owned the world, so that no transaction locks it. */
  readonly isOwn: boolean
  readonly #made: Made[] = []
  readonly #describe: Describe
  #card: Card | undefined

  /** @param draw - Returns unique texts. */
  constructor(
    name: string,
    replica: Replica | undefined,
    draw: () => string,
    describe: Describe,
    owners: Pick<WorldBatch, 'held' | 'owner' | 'isOwn'>,
  ) {
    this.name = name
    this.#describe = describe
    this.held = owners.held
    this.owner = owners.owner
    this.isOwn = owners.isOwn
    this.isNew = replica === undefined
    this.replica = replica ?? new Replica({ born: draw(), life: draw(), version: 0 }, new WorldTables())
  }

  get bytes(): number {
    return this.appended.reduce((sum, { text }) => sum + text.length, 0)
  }

  get last(): number {
    return this.appended.at(-1)?.version ?? this.replica.version
  }

  /** After the changes. */
  get card(): Card {
    return (this.#card ??= cardIn(this.replica.tables))
  }

  /** Whether the database may have another card. Only the owner of a world knows that it does not. */
  get hasNewCard(): boolean {
    const { card: known } = this.replica
    if (!this.isOwn || !known) return true
    return CARD_FIELDS.some((field) => known[field] !== this.card[field])
  }

  /** Applies changes one after another; a change that throws has no effect. */
  make(wanted: Iterable<Wanted>): void {
    for (const each of wanted) {
      if (typeof each.work === 'function') this.#change(each, each.work)
      else this.#note(each, each.work)
    }
    this.replica.coming = this.last
  }

  #change(wanted: Wanted, work: (change: Change) => unknown): void {
    const change = new WorldChange(this.replica.tables)
    try {
      const result = work(change)
      const written = change.written()
      if (written.length > 0) this.#append(written, wanted.request?.id)
      this.#made.push({ ...wanted, change, outcome: { result } })
    } catch (error) {
      change.undo()
      this.#made.push({ ...wanted, change, outcome: { error } })
    } finally {
      change.seal()
    }
  }

  #append(written: readonly RowChange[], request: string | undefined): void {
    const about = this.#describe(this.name, written)
    this.appended.push({ version: this.last + 1, written, text: textOf(written), request, ...about })
  }

  /** Ignored in a world that does not exist. */
  #note(wanted: Wanted, note: Note): void {
    if (!this.isNew)
      this.appended.push({ version: this.last + 1, written: [], note, text: JSON.stringify(note), events: 1 })
    this.#made.push({ ...wanted, change: undefined, outcome: { result: undefined } })
  }

  /** Call it after the commit, before any caller is notified. */
  keep(): void {
    for (const { change } of this.#made) change?.end()
    this.replica.card = this.isOwn ? this.card : undefined
    this.replica.version = this.last
    this.replica.logBytes += this.bytes
  }

  /** Restores the rows if the commit failed or its outcome is unknown. */
  undo(): void {
    for (const { change, outcome } of this.#made.toReversed()) if ('result' in outcome) change?.undo()
    for (const { change } of this.#made) change?.end()
    this.replica.coming = this.replica.version
  }

  answer(): void {
    for (const { resolve, reject, outcome } of this.#made)
      if ('result' in outcome) resolve(outcome.result)
      else reject(outcome.error)
  }

  refuse(error: unknown, refused: readonly Wanted[] = this.#made): void {
    for (const { reject, request } of refused) {
      if (this.isOwn) request?.onRefused()
      reject(error)
    }
  }

  /**
   * Refuses what cannot be made again after another process was faster: forwarded requests, which their senders repeat, and changes
   * that were repeated often. Returns the others, of which nothing was stored.
   */
  repeatable(error: unknown): readonly Wanted[] {
    const again: Wanted[] = []
    const refused: Wanted[] = []
    for (const { change: _, outcome: __, ...wanted } of this.#made) {
      const { request, until, repeats = 0 } = wanted
      const isOver = repeats === MOST_REPEATS || systemMonotonic() > until
      if (isOver || request?.world === this.name) refused.push(wanted)
      else again.push({ ...wanted, repeats: repeats + 1 })
    }
    this.refuse(error, refused)
    return again
  }
}

const foundWorld = statement`
  with card as (insert into cards(world) values ($1))
  insert into worlds(name, born, life, version, base, base_bytes, log_bytes) values ($1, $2, $3, 0, 0, 0, 0)`

/** Appends changes to logs. If a world has another version by now, its key contains null, which fails the transaction. */
const appendChanges = statement`
  with moved as (
    update worlds w
       set version = g.next, log_bytes = w.log_bytes + g.bytes, touched = clock_timestamp(), owner = g.owner
      from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $14::uuid[], $15::uuid[])
           as g(name, life, have, next, bytes, held, owner)
     where w.name = g.name and w.life = g.life and w.version = g.have and w.owner is not distinct from g.held
    returning w.name
  ), carded as (
    update cards c
       set next_due = g.next_due, pending = g.pending, failing = g.failing, parent = g.parent, title = g.title,
           guest = g.guest
      from unnest($16::text[], $17::float8[], $18::int[], $19::int[], $20::text[], $21::text[], $22::text[])
           as g(world, next_due, pending, failing, parent, title, guest)
      join moved m on m.name = g.world
     where c.world = g.world
  )
  insert into log(world, life, version, batch, writes, time, events, born, request)
  select e.world, e.life, case when m.name is null then null else e.version end, $6::uuid, e.writes, e.time, e.events,
         e.born, e.request
    from unnest($7::text[], $8::text[], $9::bigint[], $10::text[], $11::float8[], $12::int[], $13::text[], $23::uuid[])
      as e(world, life, version, writes, time, events, born, request)
    left join moved m on m.name = e.world`

/** Appends and commits in one round trip, in a transaction if that is entered or takes several statements. Returns the error. */
export async function appendAll(
  client: Client,
  written: readonly WorldBatch[],
  batch: string,
  isEntered: boolean,
): Promise<unknown> {
  const entries = written.flatMap(({ name, replica, appended }) =>
    appended.map((each) => ({ ...each, name, life: replica.life, born: replica.born })),
  )
  const carded = written.filter(({ hasNewCard }) => hasNewCard)
  const values = [
    written.map(({ name }) => name),
    written.map(({ replica }) => replica.life),
    written.map(({ replica }) => replica.version),
    written.map(({ last }) => last),
    written.map(({ bytes }) => bytes),
    batch,
    entries.map(({ name }) => name),
    entries.map(({ life }) => life),
    entries.map(({ version }) => version),
    entries.map(({ text }) => text),
    entries.map(({ time }) => time),
    entries.map(({ events }) => events),
    entries.map(({ born }) => born),
    written.map(({ held }) => held),
    written.map(({ owner }) => owner),
    carded.map(({ name }) => name),
    ...CARD_FIELDS.map((field) => carded.map(({ card }) => card[field])),
    entries.map(({ request }) => request ?? null),
  ]
  const invites = written.flatMap(({ name, appended }) => invitesIn(name, appended))
  const revoked = written.flatMap(({ name, appended }) => revokedBy(name, appended))
  const before: (Statement & { values: unknown[] })[] = [
    ...written
      .filter(({ isNew }) => isNew)
      .map(({ name, replica }) => ({ ...foundWorld, values: [name, replica.born, replica.life] })),
    ...(invites.length > 0 ? [{ ...noteInvites, values: columnsOf(invites) }] : []),
    ...(revoked.length > 0 ? [{ ...noteRevoked, values: columnsOf(revoked) }] : []),
  ]
  sendTogether(client)
  const append = { ...appendChanges, values }
  if (!isEntered && before.length === 0) return client.query(append).then(() => undefined, errorOf)
  const sent = [
    ...(isEntered ? [] : [client.query(BEGIN)]),
    ...before.map((each) => client.query(each)),
    client.query(append),
    client.query('commit'),
  ]
  const outcomes = await Promise.allSettled(sent)
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) return failed.reason
  const last = outcomes.at(-1) as PromiseFulfilledResult<{ command: string }>
  return last.value.command === 'COMMIT'
    ? undefined
    : new StoreUnavailable('The database did not commit the changes.')
}

const errorOf = (error: unknown) => error

/** Returns the keys that changes revoked, each with the version. */
function revokedBy(world: string, appended: WorldBatch['appended']): readonly (readonly unknown[])[] {
  const last = new Map<string, readonly [at: number, version: number]>()
  for (const { written, version } of appended)
    for (const [username, at] of revokedIn(written)) last.set(username, [at, version])
  return [...last].map(([username, [at, version]]) => [world, username, at, version])
}
