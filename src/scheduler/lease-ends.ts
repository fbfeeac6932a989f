import { after } from '../lib/clock/after.ts'
import type { Wall } from '../lib/clock/clock.ts'
import { type Lease, endLease, leaseIn } from '../worlds/lease.ts'
import type { RowChange, Store } from '../storage/store/store.ts'
import type { StateRow } from '../storage/store/rows.ts'
import { LEASE_STATE } from '../worlds/settings.ts'
import type { World } from '../worlds/world.ts'

interface LeaseEndsOptions {
  readonly store: Store
  readonly wall: Wall
  readonly world: (name: string) => World | undefined
  /** The world's clock may go otherwise. */
  readonly onEnded: (world: World) => void
  readonly onError: (error: unknown) => void
}

/** Longer waits are cut in pieces, so that a leap of the machine's clock is noticed. */
const LONGEST_WAIT = 60_000
/** Until it is tried again where that failed, milliseconds. */
const AFTER_FAILURE = 10_000

/**
 * Ends the leases on worlds that nobody gave back in time, by the wall, since a world's clock may stand still meanwhile. Whoever
 * has the world open does: the change looks at the row, so that a lease ends once.
 */
export class LeaseEnds {
  readonly #options: LeaseEndsOptions
  /** When each ends, by world. There are few. */
  readonly #ends = new Map<string, number>()
  #stop = () => {}
  #closed = false

  constructor(options: LeaseEndsOptions) {
    this.#options = options
  }

  /** Takes up the lease on a world that was opened, or has other rows. */
  async load(name: string): Promise<void> {
    this.#note(name, await this.#options.store.read(name, (rows) => rows.get('state', LEASE_STATE)))
  }

  /** Takes note of a lease that a change took, renewed or ended. */
  onWritten(name: string, written: readonly RowChange[]): void {
    for (const { table, key, row } of written)
      if (table === 'state' && key === LEASE_STATE) this.#note(name, row as StateRow | undefined)
  }

  /** When the lease on a world ends, milliseconds on the wall; Infinity where nobody has one. */
  of(name: string): number {
    return this.#ends.get(name) ?? Infinity
  }

  close(): void {
    this.#closed = true
    this.#stop()
  }

  #note(name: string, row: StateRow | undefined): void {
    if (row) this.#ends.set(name, (row.value as Lease).until)
    else if (!this.#ends.delete(name)) return
    this.#arm()
  }

  #arm(): void {
    this.#stop()
    if (this.#closed || this.#ends.size === 0) return
    const left = Math.min(...this.#ends.values()) - this.#options.wall()
    this.#stop = after(Math.min(Math.max(left, 0), LONGEST_WAIT), () => this.#ring())
  }

  #ring(): void {
    const { wall, world, onError } = this.#options
    const now = wall()
    for (const [name, until] of this.#ends) {
      if (until > now) continue
      const open = world(name)
      // One that is not open here is taken up by whoever opens it.
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
      // It was renewed, or given back.
      if (!lease || lease.until > world.clock.wall()) return false
      endLease(world, tx)
      return true
    })
    if (ended) this.#options.onEnded(world)
    else await this.load(world.name)
  }
}
