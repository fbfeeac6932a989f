/** Thrown by work that may not be done just now: the job stays as it is, and is tried again. */
export class Delayed extends Error {
  /** Milliseconds on the wall until it is worth trying. */
  readonly wait: number

  constructor(why: string, wait: number) {
    super(`delayed: ${why}; tried again in ${Math.ceil(wait / 1000)} s`)
    this.wait = wait
  }
}
