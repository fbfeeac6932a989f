import { AsyncLocalStorage } from 'node:async_hooks'
import { hostname } from 'node:os'
import { pause, systemWall, systemMonotonic } from '../../../lib/clock/clock.ts'
import { repeat } from '../../../lib/clock/after.ts'
import type { OnError } from '../../../lib/listeners.ts'
import { systemSecrets, systemUuid } from '../../../lib/random/random.ts'
import { type Moment, StoreUnavailable } from '../../store/change.ts'
import { type ForwardedRequest, LONGEST_WAIT, type Peer, type WorldOwners } from '../shared-state.ts'
import { type Batch, Batcher } from './client.ts'
import { BEGIN, type Database, statement } from './database.ts'
import type { Replicas } from './replicas.ts'
import type { Signals } from './signals.ts'

/** How long a process keeps its worlds unless it renews its lease, and how often it does, milliseconds. */
export const LEASE = 4_000
const RENEWED_EVERY = 1_000
/** The process itself counts its lease as over this much earlier: clocks run at different speeds. */
const MARGIN = 500
/** How long a world that another process waited for is left to all processes, milliseconds. */
const SHARED_FOR = 10_000
/** How long work may always wait for a world that another process keeps, and pauses between two attempts, milliseconds. */
const SHORTEST_WAIT = 1_000
const PAUSE = 50
/** How often a free world is claimed for a request. */
const CLAIMS = 4

/**
 * A lease that is over is never renewed. Compared with the time at which the statement began, as its snapshot may be as old: a
 * renewal that commits later is not confirmed before the lease is over, so its process counts the lease as lost.
 */
const renew = statement`
  insert into runners(id, address, machine, token, until)
  values ($1, $2, $3, $4, statement_timestamp() + interval '${LEASE} milliseconds')
  on conflict (id) do update set until = excluded.until where runners.until > statement_timestamp() returning id`
/** Locks worlds that no process is writing to. */
const lockIdle = statement`
  select name from worlds where name = any($1::text[]) order by name for update skip locked`
/** Takes worlds that no other process answers for. Their rows are locked: an owner that this snapshot lacks cannot appear. */
const takeWorlds = statement`
  update worlds w set owner = $2
   where w.name = any($1::text[])
     and not exists (select 1 from runners r where r.id = w.owner and r.id <> $2 and r.until > statement_timestamp())
     and not exists (select 1 from job_owners j where j.world = w.name and j.runner <> all($3::text[])
                        and j.until > extract(epoch from statement_timestamp()) * 1000)
  returning w.name`
const leaveWorlds = statement`update worlds set owner = null where name = any($1::text[]) and owner = $2`
const endLease = statement`delete from runners where id = $1`
const forgetLeases = statement`delete from runners where until < statement_timestamp() - interval '1 hour'`
const ownersOf = statement`
  select w.name, r.id::text as id, r.address, r.machine, r.token
    from worlds w left join runners r on r.id = w.owner and r.until > statement_timestamp()
   where w.name = any($1::text[])`

/** A request that another process forwarded, and the moment when this process had taken its world. */
export interface TakenRequest extends ForwardedRequest {
  readonly taken: Moment | undefined
}

/** Of the requests that are being served, in monotonic time. */
const deadlines = new AsyncLocalStorage<number>()

const requestInLog = statement`select 1 from log where world = $1 and request = $2::uuid limit 1`

interface OwnerRow {
  readonly name: string
  readonly id: string | null
  readonly address: string | null
  readonly machine: string
  readonly token: string
}

/**
 * Decides which process answers for a world. A process has one lease for all of its worlds. While it lasts, no other process
 * appends changes to them, so their replicas are current without a look at the database. A change names the owner that it
 * relies on, so a process that slept past the end of its lease changes nothing.
 *
 * A process takes a world with its first change of it, if others can reach the process to forward requests. A process that
 * cannot forward waits until the owner leaves the world to all.
 */
export class WorldOwnership implements WorldOwners {
  readonly #database: Database
  readonly #signals: Signals
  readonly #replicas: Replicas
  readonly #onError: OnError
  readonly #owners: Batcher<void, OwnerRow | undefined>
  readonly #claims = new Batcher<void, void>(async (batch) => {
    await this.claim([...batch.keys()])
    for (const { callers } of batch.values()) for (const { resolve } of callers) resolve()
  })
  /** The moment when each world was taken: reads from then on are current. */
  readonly #worlds = new Map<string, Moment>()
  /** Worlds of which the database may still name this process as the owner. */
  readonly #stale = new Set<string>()
  readonly #leaving = new Set<string>()
  /** Worlds that are left to all processes, and until when, in monotonic time. */
  readonly #shared = new Map<string, number>()
  /** Called when worlds are left to other processes. */
  onLeft: (worlds: readonly string[]) => void = () => {}
  /** Runs work while this process is not changing a world. */
  inTurn: (world: string, work: () => Promise<unknown>) => Promise<unknown> = (_, work) => work()
  readonly #forwarded = new AsyncLocalStorage<TakenRequest>()
  #id = systemUuid()
  #token = systemSecrets()
  #address: string | undefined
  #until = -Infinity
  #wallUntil = -Infinity
  #renewing: Promise<void> | undefined
  #stop: (() => void) | undefined

  constructor(database: Database, signals: Signals, replicas: Replicas, onError: OnError) {
    this.#database = database
    this.#signals = signals
    this.#replicas = replicas
    this.#onError = onError
    this.#owners = new Batcher((batch) => this.#findOwners(batch))
    signals.listen(({ kind, world }) => {
      if (kind === 'wanted') this.share(world)
    })
  }

  /** Whether this process takes the worlds that it changes. */
  get isActive(): boolean {
    return this.#address !== undefined
  }

  get id(): string {
    return this.#id
  }

  /** Milliseconds until the lease is over. */
  get left(): number {
    return this.#until - systemMonotonic()
  }

  async join(address: string, token = this.#token): Promise<string> {
    this.#address = address
    this.#token = token
    await this.#begin()
    return this.#token
  }

  owns(world: string): boolean {
    return this.#worlds.has(world) && this.#isValid()
  }

  /** Whether the replica of a world is current: no other process can have changed it. */
  isCurrent(world: string): boolean {
    const taken = this.#worlds.get(world)
    return taken !== undefined && this.#isValid() && this.#replicas.isFresh(world, taken)
  }

  /** Returns the owner that the next change of a world is to store, or null to leave it to all processes. */
  ownerFor(world: string): string | null {
    if (this.owns(world)) return this.#id
    return this.takes(world) ? this.#id : null
  }

  /** Whether this process takes a world that no process owns. */
  takes(world: string): boolean {
    if (!this.isActive || !this.#isValid()) return false
    const until = this.#shared.get(world)
    if (until === undefined) return true
    if (until > systemMonotonic()) return false
    return this.#shared.delete(world)
  }

  /** Records that a world was taken. @param since - The moment before a read that saw its last change. */
  took(world: string, owner: string, since: Moment): void {
    if (owner !== this.#id || this.#worlds.has(world) || this.#leaving.has(world)) return
    this.#worlds.set(world, since)
    this.#stale.delete(world)
  }

  /** Makes the next change look at the database, which may know another owner. */
  lost(world: string): void {
    if (this.#worlds.delete(world)) this.#stale.add(world)
  }

  /** Takes worlds that no other process owns or writes to. Returns their names. */
  async claim(worlds: readonly string[]): Promise<readonly string[]> {
    if (worlds.length === 0) return []
    if (!this.#isValid()) await this.#begin()
    const owner = this.#id
    const taken = await this.#database.lend(async (client) => {
      const namesIn = (rows: readonly { readonly name: string }[]) => rows.map(({ name }) => name)
      const [, idle] = await Promise.all([
        client.query(BEGIN),
        client.query({ ...lockIdle, values: [worlds] }),
      ])
      const values = [namesIn(idle.rows), owner, [...this.#replicas.runners]]
      const [{ rows }] = await Promise.all([client.query({ ...takeWorlds, values }), client.query('commit')])
      return namesIn(rows)
    })
    const moment = this.#replicas.nextMoment()
    for (const world of taken) this.took(world, owner, moment)
    return taken
  }

  /** When a wait for owners that begins now ends, in monotonic time. */
  get deadline(): number {
    const now = systemMonotonic()
    return Math.max(deadlines.getStore() ?? now + LONGEST_WAIT, now + SHORTEST_WAIT)
  }

  within(deadline: number, work: () => void): void {
    deadlines.run(deadline, work)
  }

  /** Takes a world, and asks its owner for it. @throws {StoreUnavailable} If the owner keeps it. */
  async obtain(world: string, until = this.deadline): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      if (this.owns(world) || (await this.claim([world])).length > 0) return
      if (!(await this.isTaken(world))) return
      if (systemMonotonic() > until)
        throw new StoreUnavailable(
          `Another process answers for the world ${world}, and did not leave it in time; send it again.`,
        )
      // Repeated in case the signal was lost.
      if (tries % 20 === 0) await this.#signals.send('wanted', world)
      await pause(PAUSE)
    }
  }

  /** Leaves a world to all processes for a while. */
  share(world: string): void {
    if (!this.#worlds.has(world) && !this.#stale.has(world)) return
    this.#shared.set(world, systemMonotonic() + SHARED_FOR)
    this.leave([world])
  }

  /** Leaves worlds to other processes. */
  leave(worlds: Iterable<string>): void {
    const left = [...worlds].filter((world) => this.#stale.delete(world) || this.#worlds.delete(world))
    if (left.length === 0) return
    this.onLeft(left)
    for (const world of left) {
      this.#leaving.add(world)
      this.#leaveInTurn(world).catch((error: unknown) => {
        if (!this.#database.unavailable) this.#onError(error, { of: 'owners', world })
      })
    }
  }

  /** A change or claim that is under way may store this process as the owner once more. */
  async #leaveInTurn(world: string): Promise<void> {
    const owner = this.#id
    try {
      await this.inTurn(world, () => this.#database.query(leaveWorlds, [[world], owner]))
    } catch (error) {
      this.#stale.add(world)
      throw error
    } finally {
      this.#leaving.delete(world)
    }
  }

  isOwn(world: string): boolean {
    return this.owns(world)
  }

  async answering(world: string): Promise<Peer | undefined> {
    for (let tries = 0; tries < CLAIMS; tries += 1) {
      const row = await this.#owners.add(world, undefined)
      if (!row) return undefined
      if (row.id !== null) return row.id === this.#id ? undefined : peerOf(row)
      if (!this.takes(world)) return undefined
      await this.#claims.add(world, undefined)
      if (this.owns(world)) return undefined
      // Another process is changing it, and takes it by that.
      await pause(PAUSE)
    }
    return undefined
  }

  asForwarded(request: ForwardedRequest, work: () => void): void {
    this.#forwarded.run({ ...request, taken: this.#worlds.get(request.world) }, work)
  }

  /** The forwarded request that is being served. */
  get forwarded(): TakenRequest | undefined {
    const request = this.#forwarded.getStore()
    return request?.isAnswered() ? undefined : request
  }

  /** Whether a forwarded request may change a world: its sender repeats it once another process took the world. */
  mayChange(world: string, request: TakenRequest | undefined): boolean {
    if (request?.world !== world) return true
    const mayChange = this.owns(world) && this.#worlds.get(world) === request.taken
    if (!mayChange) request.onRefused()
    return mayChange
  }

  async hadEffect(world: string, id: string): Promise<boolean> {
    await this.obtain(world)
    return (await this.#database.query(requestInLog, [world, id])).length > 0
  }

  /** Whether another process answers for a world. */
  async isTaken(world: string): Promise<boolean> {
    const row = await this.#owners.add(world, undefined)
    return row !== undefined && row.id !== null && row.id !== this.#id
  }

  async sweep(): Promise<void> {
    for (const [world, until] of this.#shared) if (until < systemMonotonic()) this.#shared.delete(world)
    await this.#database.query(forgetLeases, [])
  }

  retire(): void {
    this.#address = undefined
    this.leave([...this.#worlds.keys(), ...this.#stale])
  }

  async close(): Promise<void> {
    this.#stop?.()
    await this.#renewing?.catch(() => {})
    if (this.#until === -Infinity) return
    this.#until = -Infinity
    const worlds = [...this.#worlds.keys()]
    this.#worlds.clear()
    await this.#database.query(leaveWorlds, [worlds, this.#id])
    await this.#database.query(endLease, [this.#id])
  }

  /** The machine's clock shows whether it slept. */
  #isValid(): boolean {
    return systemMonotonic() < this.#until && systemWall() < this.#wallUntil
  }

  async #begin(): Promise<void> {
    this.#stop ??= repeat(RENEWED_EVERY, () => {
      this.#renew().catch((error: unknown) => {
        if (!this.#database.unavailable) this.#onError(error, { of: 'lease' })
      })
    })
    await this.#renew()
  }

  #renew(): Promise<void> {
    return (this.#renewing ??= this.#renewOnce().finally(() => (this.#renewing = undefined)))
  }

  async #renewOnce(): Promise<void> {
    if (!this.#isValid()) this.#beginAnew()
    const [sent, wall] = [systemMonotonic(), systemWall()]
    const values = [this.#id, this.#address ?? null, hostname(), this.#token]
    const [renewed] = await this.#database.query(renew, values)
    // Until now another process may have counted the lease as over.
    if (!renewed || (this.#worlds.size > 0 && !this.#isValid())) return this.#beginAnew()
    this.#until = sent + LEASE - MARGIN
    this.#wallUntil = wall + LEASE - MARGIN
  }

  /** After a lost lease: what was sent under its id must have no effect once another process took the world. */
  #beginAnew(): void {
    this.#id = systemUuid()
    this.#until = -Infinity
    const lost = [...this.#worlds.keys()]
    this.#worlds.clear()
    if (lost.length === 0) return
    this.#database.warn(
      `This process did not renew its lease within ${LEASE - MARGIN} ms, so others may answer for its ${lost.length} worlds.`,
    )
    this.onLeft(lost)
  }

  async #findOwners(batch: Batch<void, OwnerRow | undefined>): Promise<void> {
    const rows = await this.#database.query<OwnerRow>(ownersOf, [[...batch.keys()]])
    const byName = new Map(rows.map((row) => [row.name, row]))
    for (const [name, { callers }] of batch) for (const { resolve } of callers) resolve(byName.get(name))
  }
}

/** An address of the same machine leads nowhere from another one. */
const peerOf = ({ id, address, machine, token }: OwnerRow): Peer | undefined =>
  id === null || address === null || (isOfMachine(address) && machine !== hostname())
    ? undefined
    : { id, address, token }

const isOfMachine = (address: string) => /^https?:\/\/(?:127\.|localhost|\[::1\])/.test(address)
