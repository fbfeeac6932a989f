const MINUTE = 60_000

/** Counts within the minutes of the wall clock: nothing to clean up, no timer. */
export class Minute {
  #minute = 0
  #count = 0

  /** How many this minute has had. */
  countAt(now: number): number {
    return Math.floor(now / MINUTE) === this.#minute ? this.#count : 0
  }

  /**
   * Counts one more, unless there were `most` in this minute already.
   * @returns milliseconds until the next minute when it was not counted; 0 when it was
   */
  take(now: number, most: number): number {
    const minute = Math.floor(now / MINUTE)
    if (minute !== this.#minute) {
      this.#minute = minute
      this.#count = 0
    }
    if (this.#count >= most) return (minute + 1) * MINUTE - now
    this.#count++
    return 0
  }
}
