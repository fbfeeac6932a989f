import type { Wall } from '../../../lib/clock/clock.ts'
import { systemMonotonic } from '../../../lib/clock/steady.ts'

/** Maximum drift of the machine's clock between two readings, as a share of the time between them. */
const DRIFT = 1e-3
/** A machine whose clock differs by more than this gets a warning, milliseconds. */
const DIFFERENCE = 2_000

/** The database's time, which all processes share: monotonic time plus an offset, measured with each response of the database. */
export class DatabaseClock {
  readonly #machine: Wall
  readonly #warn: (message: string) => void
  readonly #monotonic: () => number
  #offset = 0
  /** The maximum error of the offset, and when it was measured. */
  #error = Infinity
  #at = 0
  #hasWarned = false

  constructor(machine: Wall, warn: (message: string) => void, monotonic = systemMonotonic) {
    this.#machine = machine
    this.#warn = warn
    this.#monotonic = monotonic
  }

  readonly wall: Wall = () => Math.floor(this.#monotonic() + this.#offset)

  /** Updates the offset. @param sent, @param received - When the query was sent and answered, in monotonic time. */
  note(sent: number, received: number, time: number): void {
    const offset = time - (sent + received) / 2
    const error = (received - sent) / 2
    const known = this.#error + (received - this.#at) * DRIFT
    // A contradiction: the database's clock was set, or another server took over.
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
      `The clock of this machine is ${Math.round(Math.abs(ahead) / 1000)} s ${ahead > 0 ? 'ahead of' : 'behind'} the database's. The sandbox uses the database's clock; set the clock of this machine.`,
    )
  }
}
