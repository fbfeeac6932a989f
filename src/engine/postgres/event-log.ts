import type { EventLog, EventsOfWorld, EventView, FirstEvents, WorldEvent } from '../event-log.ts'
import { MemoryEventLog } from '../memory/event-log.ts'
import type { Note } from './replica.ts'
import type { PostgresStore } from './store.ts'

/**
 * The events of worlds. Every process makes them of the log of the world, in its order, so that their ids are alike
 * everywhere: those of rows as the change is told of, and others of notes in the log, which whoever tells one puts there.
 */
export class PostgresEventLog implements EventLog {
  readonly #store: PostgresStore
  readonly #rings = new MemoryEventLog()
  readonly #open = new Map<string, SharedEvents>()

  constructor(store: PostgresStore) {
    this.#store = store
    store.onNote((world, version, note) => this.#open.get(world)?.told(version, note))
  }

  open(world: string, first: FirstEvents): EventsOfWorld {
    let events = this.#open.get(world)
    if (!events) {
      const life = this.#store.bornOf(world)?.replaceAll('-', '').slice(0, 12) ?? first.life
      events = new SharedEvents(this.#store, world, this.#rings.open(world, { ...first, life }))
      this.#open.set(world, events)
    }
    return events
  }

  /** Forgets a world. */
  drop(world: string): void {
    this.#open.delete(world)
    this.#rings.drop(world)
  }
}

class SharedEvents implements EventsOfWorld {
  readonly #store: PostgresStore
  readonly #world: string
  readonly #ring: EventsOfWorld

  constructor(store: PostgresStore, world: string, ring: EventsOfWorld) {
    this.#store = store
    this.#world = world
    this.#ring = ring
  }

  get bytes(): number {
    return this.#ring.bytes
  }

  get count(): number {
    return this.#ring.count
  }

  get lastId(): string {
    return this.#ring.lastId
  }

  follow(version: number): boolean {
    return this.#ring.follow(version)
  }

  publish<Subject>(type: string, at: number, subject: Subject, view: EventView<Subject>, bytes = 0): void {
    // What a change wrote is told of by every process; and in a world without rows there is nobody else.
    if (this.#store.isTelling || this.#store.bornOf(this.#world) === undefined)
      return this.#ring.publish(type, at, subject, view, bytes)
    this.#store.note(this.#world, { type, at, data: view(subject), bytes })
  }

  /** Takes over a note of the log. */
  told(version: number, { type, at, data, bytes }: Note): void {
    if (this.#ring.follow(version)) this.#ring.publish(type, at, data, asIs, bytes)
  }

  at(number: number): WorldEvent | undefined {
    return this.#ring.at(number)
  }

  position(id: string): number | undefined {
    return this.#ring.position(id)
  }

  listen(listener: (event: WorldEvent) => void): () => void {
    return this.#ring.listen(listener)
  }
}

const asIs = (data: unknown) => data
