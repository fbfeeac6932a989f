import type { Wall } from '../lib/clock/clock.ts'
import { type DueWorlds, type JobClaim, OWNERSHIP, type Runner } from '../storage/engine/job-queue.ts'

interface LeasesOptions {
  readonly runner: Runner
  readonly wall: Wall
  /** Whether work of a world is under way, for which the lease has to last. */
  readonly isUnderWay: (world: string) => boolean
  /** Told when another runner has the world's jobs, until then at least, milliseconds on the wall. */
  readonly onLost: (world: string, until: number) => void
  /** When a world that has nothing under way is worth a look again; undefined where that is not known here. */
  readonly lookAgain: (world: string) => number | undefined
  readonly onError: (error: unknown) => void
}

/** Leases are renewed while work is under way, and given back some time after it has ended. */
const RENEWED_EVERY = OWNERSHIP / 3

/** The worlds whose jobs this process runs now. */
export class Leases {
  readonly #options: LeasesOptions
  /** When each ends, milliseconds on the wall. */
  readonly #held = new Map<string, number>()
  /** Those that another runner waits for. */
  readonly #requested = new Set<string>()
  readonly #waiting = new Map<string, (() => void)[]>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: LeasesOptions) {
    this.#options = options
  }

  /** Whether a job of the world may begin. */
  has(world: string): boolean {
    return (this.#held.get(world) ?? -Infinity) > this.#options.wall()
  }

  /** Whether another process waits for the world: no job of it is begun any more but those that somebody asks for. */
  isRequested(world: string): boolean {
    return this.#requested.has(world)
  }

  /** Asks for the lease on a world, or for more time of it. */
  async claim(world: string): Promise<JobClaim> {
    const claim = await this.#options.runner.claim(world, this.#options.wall())
    if (claim.granted) this.#hold(world, claim.until)
    else this.#held.delete(world)
    return claim
  }

  /** Takes leases on worlds that have a job due and whose jobs nobody runs. */
  async claimDue(): Promise<DueWorlds> {
    const due = await this.#options.runner.claimDue(this.#options.wall())
    for (const { world, until } of due.claimed) this.#hold(world, until)
    return due
  }

  /** Resolves when this process has the lease, asking whoever has it to give it back; at once when closed. */
  async obtain(world: string): Promise<void> {
    while (!this.#closed && !this.has(world)) {
      const { granted, until } = await this.claim(world)
      if (granted) return
      const woken = this.#woken(world, until - this.#options.wall())
      await this.#options.runner.request(world)
      await woken
    }
  }

  /** Has whoever waits for a lease ask again: it may be free. */
  wake(world: string): void {
    for (const resolve of this.#waiting.get(world) ?? []) resolve()
  }

  /** Takes note that another process waits for a world. */
  noteRequest(world: string): void {
    if (this.#held.has(world)) this.#requested.add(world)
  }

  /** Gives a lease back. */
  async release(world: string): Promise<void> {
    this.#requested.delete(world)
    if (!this.#held.delete(world)) return
    const next = this.#options.lookAgain(world)
    await this.#options.runner.release(
      world,
      next === undefined ? undefined : { now: this.#options.wall(), next },
    )
  }

  #hold(world: string, until: number): void {
    this.#held.set(world, until)
    if (!this.#closed) this.#timer ??= this.#startRenewing()
  }

  /** Gives a lease back that another process waits for, once nothing of the world is under way. */
  yield(world: string): void {
    if (this.#requested.size === 0 || !this.#requested.has(world) || this.#options.isUnderWay(world)) return
    this.#options.onLost(world, this.#options.wall() + OWNERSHIP)
    this.release(world).catch(this.#options.onError)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    for (const world of this.#waiting.keys()) this.wake(world)
    this.#held.clear()
    // What cannot be given back runs out by itself.
    await this.#options.runner.leave().catch(this.#options.onError)
  }

  /** Resolves when the lease may be free, at the latest after so many milliseconds. */
  #woken(world: string, wait: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.#waiting.set(
          world,
          this.#waiting.get(world)!.filter((other) => other !== end),
        )
        if (this.#waiting.get(world)!.length === 0) this.#waiting.delete(world)
        resolve()
      }
      const timer = setTimeout(end, Math.max(wait, 0))
      this.#waiting.set(world, [...(this.#waiting.get(world) ?? []), end])
    })
  }

  #startRenewing(): NodeJS.Timeout {
    const timer = setInterval(() => {
      for (const world of this.#held.keys()) this.#renew(world).catch(this.#options.onError)
      if (this.#held.size > 0) return
      clearInterval(timer)
      this.#timer = undefined
    }, RENEWED_EVERY)
    timer.unref()
    return timer
  }

  async #renew(world: string): Promise<void> {
    if (!this.#options.isUnderWay(world)) {
      if (this.#held.get(world)! <= this.#options.wall() + RENEWED_EVERY) await this.release(world)
      return
    }
    const { granted, until } = await this.claim(world)
    if (!granted) this.#options.onLost(world, until)
  }
}
