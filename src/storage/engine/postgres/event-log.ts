import type { Wall } from '../../../lib/clock/clock.ts'
import type { OnError } from '../../../lib/listeners.ts'
import type { RowChange } from '../../store/change.ts'
import type {
  ChangeClock,
  EventLog,
  EventsOfWorld,
  EventView,
  FirstEvents,
  Watcher,
  WorldEvent,
} from '../event-log.ts'
import { EventRing } from '../memory/event-log.ts'
import type { Replica, CommitNotice } from './replicas.ts'
import type { PostgresStore } from './store.ts'
import type { Watchers } from './signals.ts'

/**
 * The events of worlds. Every process derives them from the log of the world, in its order, so that events and ids are the same
 * everywhere: events about rows are derived from changes, others from notes in the log. Nothing is derived until someone reads them.
 */
export function postgresEventLog(
  store: PostgresStore,
  watchers: Watchers,
  wall: Wall,
  onError: OnError,
): EventLog & { drop(world: string): void; heard(): readonly string[] } {
  const open = new Map<string, SharedEvents>()
  store.replicas.entries.add((world, notice) => open.get(world)?.take(notice))
  store.replicas.onLeap = async (world, replica) => open.get(world)?.leap(replica)
  store.describe = describe

  /** Falls back to real time if the world's events are not open, for example while it is closed: all processes must read the same time. */
  function describe(world: string, written: readonly RowChange[]) {
    try {
      return open.get(world)?.describe(written) ?? { time: wall() }
    } catch (error) {
      onError(error, { of: 'event', world })
      return undefined
    }
  }

  return {
    open(world, first) {
      let events = open.get(world)
      if (!events) {
        events = new SharedEvents(store, watchers, world, first, onError)
        open.set(world, events)
      }
      return events
    },
    drop(world) {
      open.delete(world)
    },
    /** Returns the worlds whose events someone here listens to. */
    heard: () => [...open].filter(([, { isHeard }]) => isHeard).map(([world]) => world),
  }
}

class SharedEvents implements EventsOfWorld {
  readonly #store: PostgresStore
  readonly #watchers: Watchers
  readonly #world: string
  readonly #first: FirstEvents
  readonly #onError: OnError
  #clock: ChangeClock = () => 0
  /** The last events, once they are read; follows the log from then on. */
  #ring: EventRing | undefined
  #isShared = false
  #heard = 0
  /** The events before the world exists. */
  #alone: EventRing | undefined
  /** The version of the log up to which events are in the ring. */
  #version = 0

  constructor(store: PostgresStore, watchers: Watchers, world: string, first: FirstEvents, onError: OnError) {
    this.#store = store
    this.#watchers = watchers
    this.#world = world
    this.#first = first
    this.#onError = onError
  }

  get bytes(): number {
    return this.#here?.bytes ?? 0
  }

  /** They are in the log and can be derived again. */
  get spent(): number {
    return 0
  }

  get count(): number {
    return this.#here?.count ?? 0
  }

  get lastId(): string {
    return this.#here?.lastId ?? '0'
  }

  ready(): Promise<void> {
    return this.#store.caughtUp(this.#world, async (replica) => {
      if (!replica || this.#ring) return
      const ring = new EventRing({ ...this.#first, life: lifeOf(replica) })
      const entries = await this.#store.entries(this.#world, 0, replica.version)
      for (const told of entries) this.#tell(ring, told)
      ring.follow(replica.version)
      this.#ring = ring
      this.#version = replica.version
    })
  }

  goBy(clock: ChangeClock): void {
    this.#clock = clock
  }

  describe(written: readonly RowChange[]): { readonly time: number; readonly events: number } {
    let events = 0
    const time = this.#clock(written)
    this.#first.ofRows(written, time, () => (events += 1))
    return { time, events }
  }

  take(told: CommitNotice): void {
    if (!this.#ring || told.version <= this.#version) return
    this.#version = told.version
    this.#tell(this.#ring, told)
  }

  /** Processes all entries up to the replica's version. */
  async leap(replica: Replica): Promise<void> {
    if (!this.#ring || replica.version <= this.#version) return
    for (const told of await this.#store.entries(this.#world, this.#version, replica.version)) this.take(told)
    this.#version = replica.version
  }

  /** The events of an existing world are derived from its log instead. */
  follow(version: number): boolean {
    return this.#isAlone && this.#here!.follow(version)
  }

  publish<Subject>(type: string, at: number, subject: Subject, view: EventView<Subject>, bytes = 0): void {
    if (this.#isAlone) return this.#here!.publish(type, at, subject, view, bytes)
    try {
      this.#store.note(this.#world, { type, at, data: view(subject), bytes })
    } catch (error) {
      this.#onError(error, { of: 'event', type, world: this.#world })
    }
  }

  at(number: number): WorldEvent | undefined {
    return this.#here?.at(number)
  }

  position(id: string): number | undefined {
    return this.#here ? this.#here.position(id) : 0
  }

  watch(): Watcher {
    return this.#watchers.add(this.#world)
  }

  get watched(): boolean {
    return this.#watchers.has(this.#world) || this.#store.replicas.get(this.#world)?.watched === true
  }

  get isHeard(): boolean {
    return this.#heard > 0
  }

  listen(listener: (event: WorldEvent) => void): () => void {
    const stop = this.#here?.listen(listener)
    if (!stop) return () => {}
    this.#heard += 1
    let isOver = false
    return () => {
      stop()
      if (!isOver) this.#heard -= 1
      isOver = true
    }
  }

  /** Whether the world has never existed, so that no other process has events of it. */
  get #isAlone(): boolean {
    this.#isShared ||= this.#store.replicas.isKnown(this.#world)
    return !this.#isShared
  }

  get #here(): EventRing | undefined {
    if (this.#isAlone) return (this.#alone ??= new EventRing(this.#first))
    return this.#ring
  }

  #tell(ring: EventRing, { version, written, note, time }: CommitNotice): void {
    ring.follow(version)
    if (note) ring.publish(note.type, note.at, note.data, asIs, note.bytes)
    else this.#first.ofRows(written, time ?? this.#clock(written), (...event) => ring.publish(...event))
  }
}

/** Distinguishes the events from events of an earlier world of the name. */
const lifeOf = ({ born }: Replica) => born.replaceAll('-', '').slice(0, 12)

const asIs = (data: unknown) => data
