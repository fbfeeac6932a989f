import type { Wall } from '../../../lib/clock/clock.ts'
import { systemMonotonic } from '../../../lib/clock/steady.ts'

/** How far a clock may drift from the database's between two looks, of the time between them. */
const DRIFT = 1e-3
/** A machine whose clock differs by more than this is worth a warning, milliseconds. */
const DIFFERENCE = 2_000

/**
 * The database's time, which all processes share: monotonic time plus an offset, which follows from looks at the database's
 * clock. A look is as exact as it was quick.
 */
export class DatabaseClock {
  readonly #machine: Wall
  readonly #warn: (message: string) => void
  readonly #monotonic: () => number
  #offset = 0
  /** How wrong the offset may be, and since when. */
  #error = Infinity
  #at = 0
  #hasWarned = false

  constructor(machine: Wall, warn: (message: string) => void, monotonic = systemMonotonic) {
    this.#machine = machine
    this.#warn = warn
    this.#monotonic = monotonic
  }

  /** Milliseconds since the epoch. */
  readonly wall: Wall = () => Math.floor(this.#monotonic() + this.#offset)

  /** Takes a look at the database's clock. @param sent when it was asked, and @param received when it answered, by monotonic time */
  note(sent: number, received: number, time: number): void {
    const offset = time - (sent + received) / 2
    const error = (received - sent) / 2
    const known = this.#error + (received - this.#at) * DRIFT
    // One that contradicts the last look: the database's clock was set, or another server took its place.
    const wasSet = Math.abs(offset - this.#offset) > error + known + 1
    if (error > known && !wasSet) return
    this.#offset = offset
    this.#error = error
    this.#at = received
    this.#compare()
  }

  #compare(): void {
    const ahead = this.#machine() - this.wall()
    if (Math.abs(ahead) < DIFFERENCE) {
      this.#hasWarned = false
      return
    }
    if (this.#hasWarned) return
    this.#hasWarned = true
    this.#warn(
      `The clock of this machine is ${Math.round(Math.abs(ahead) / 1000)} s ${ahead > 0 ? 'ahead of' : 'behind'} the database's. The sandbox goes by the database's; set the clock of the machine.`,
    )
  }
}
