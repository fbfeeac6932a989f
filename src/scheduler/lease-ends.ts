import type { Wall } from '../lib/clock/clock.ts'
import { type Lease, endLease, leaseIn } from '../worlds/lease.ts'
import type { RowChange, Store } from '../storage/store/store.ts'
import type { StateRow } from '../storage/store/rows.ts'
import { LEASE_STATE } from '../worlds/settings.ts'
import type { World } from '../worlds/world.ts'
import { WallTimer } from './world-work.ts'

interface LeaseEndsOptions {
  readonly store: Store
  readonly wall: Wall
  readonly world: (name: string) => World | undefined
  /** Called when the world's clock may have changed. */
  readonly onEnded: (world: World) => void
  readonly onError: (error: unknown) => void
}

const AFTER_FAILURE = 10_000

/**
 * Ends expired world leases, in real time, since the world's clock may be stopped. Every process that has the world open tries: the
 * change checks the row, so that a lease ends once.
 */
export class LeaseEnds {
  readonly #options: LeaseEndsOptions
  /** When each lease ends, by world. There are few. */
  readonly #ends = new Map<string, number>()
  readonly #timer: WallTimer

  constructor(options: LeaseEndsOptions) {
    this.#options = options
    this.#timer = new WallTimer(options.wall, () => this.#ring(), false)
  }

  async load(name: string): Promise<void> {
    this.#note(name, await this.#options.store.read(name, (rows) => rows.get('state', LEASE_STATE)))
  }

  onWritten(name: string, written: readonly RowChange[]): void {
    for (const { table, key, row } of written)
      if (table === 'state' && key === LEASE_STATE) this.#note(name, row as StateRow | undefined)
  }

  /** Returns when the lease of a world ends, milliseconds in real time, or Infinity if there is none. */
  of(name: string): number {
    return this.#ends.get(name) ?? Infinity
  }

  close(): void {
    this.#timer.close()
  }

  #note(name: string, row: StateRow | undefined): void {
    if (row) this.#ends.set(name, (row.value as Lease).until)
    else if (!this.#ends.delete(name)) return
    this.#arm()
  }

  #arm(): void {
    this.#timer.ringAt(Math.min(...this.#ends.values()))
  }

  #ring(): void {
    const { wall, world, onError } = this.#options
    const now = wall()
    for (const [name, until] of this.#ends) {
      if (until > now) continue
      const open = world(name)
      // Otherwise the process that opens the world ends it.
      if (open) {
        this.#ends.set(name, now + AFTER_FAILURE)
        this.#end(open).catch((error: unknown) => {
          if (!open.closed) onError(error)
        })
      } else this.#ends.delete(name)
    }
    this.#arm()
  }

  async #end(world: World): Promise<void> {
    const ended = await world.change((tx) => {
      const lease = leaseIn(tx)
      if (!lease || lease.until > world.clock.wall()) return false
      endLease(world, tx)
      return true
    })
    if (ended) this.#options.onEnded(world)
    else await this.load(world.name)
  }
}
