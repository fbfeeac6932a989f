import type { Wall } from '../lib/clock/clock.ts'
import { type DueWorlds, type JobClaim, OWNERSHIP, type Runner } from '../storage/engine/job-queue.ts'

interface JobOwnershipOptions {
  readonly runner: Runner
  readonly wall: Wall
  /** Returns whether work of a world is running, for which the ownership must last. */
  readonly isUnderWay: (world: string) => boolean
  /** Called when another process owns the world until at least that time, milliseconds in real time. */
  readonly onLost: (world: string, until: number) => void
  /** Returns when to look at an idle world again, or undefined if unknown. */
  readonly lookAgain: (world: string) => number | undefined
  readonly onError: (error: unknown) => void
}

/** Ownership is renewed while work is running, and released some time after it has ended. */
const RENEWED_EVERY = OWNERSHIP / 3

export class JobOwnership {
  readonly #options: JobOwnershipOptions
  /** When each ownership ends, milliseconds in real time. */
  readonly #owned = new Map<string, number>()
  /** Owned worlds that another process waits for. */
  readonly #requested = new Set<string>()
  readonly #waiting = new Map<string, Set<() => void>>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: JobOwnershipOptions) {
    this.#options = options
  }

  /** Returns whether jobs of the world may start. */
  has(world: string): boolean {
    return (this.#owned.get(world) ?? -Infinity) > this.#options.wall()
  }

  /** Returns whether another process waits for the world: then only jobs that a user asks for start. */
  isRequested(world: string): boolean {
    return this.#requested.has(world)
  }

  async claim(world: string): Promise<JobClaim> {
    const claim = await this.#options.runner.claim(world, this.#options.wall())
    if (claim.granted) this.#own(world, claim.until)
    else this.#owned.delete(world)
    return claim
  }

  async claimDue(): Promise<DueWorlds> {
    const due = await this.#options.runner.claimDue(this.#options.wall())
    for (const { world, until } of due.claimed) this.#own(world, until)
    return due
  }

  /** Resolves when this process owns the world, after requesting its release; immediately when closed. */
  async obtain(world: string): Promise<void> {
    while (!this.#closed && !this.has(world)) {
      const { granted, until } = await this.claim(world)
      if (granted) return
      const woken = this.#woken(world, until - this.#options.wall())
      await this.#options.runner.request(world)
      await woken
    }
  }

  /** Makes `obtain` try again, because the world may be free. */
  wake(world: string): void {
    for (const resolve of this.#waiting.get(world) ?? []) resolve()
  }

  noteRequest(world: string): void {
    if (this.#owned.has(world)) this.#requested.add(world)
    else this.#options.runner.release(world).catch(this.#options.onError)
  }

  async release(world: string): Promise<void> {
    this.#requested.delete(world)
    if (!this.#owned.delete(world)) return
    const next = this.#options.lookAgain(world)
    await this.#options.runner.release(
      world,
      next === undefined ? undefined : { now: this.#options.wall(), next },
    )
  }

  /** Releases a world that another process waits for, once nothing of it is running. */
  yield(world: string): void {
    if (!this.#requested.has(world) || this.#options.isUnderWay(world)) return
    this.#options.onLost(world, this.#options.wall() + OWNERSHIP)
    this.release(world).catch(this.#options.onError)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    for (const world of this.#waiting.keys()) this.wake(world)
    this.#owned.clear()
    // An ownership that cannot be released expires.
    await this.#options.runner.leave().catch(this.#options.onError)
  }

  #own(world: string, until: number): void {
    this.#owned.set(world, until)
    if (!this.#closed) this.#timer ??= this.#startRenewing()
  }

  /** Resolves when the world may be free, after `wait` milliseconds at the latest. */
  #woken(world: string, wait: number): Promise<void> {
    const waiting = this.#waiting.get(world) ?? new Set()
    this.#waiting.set(world, waiting)
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        waiting.delete(end)
        if (waiting.size === 0) this.#waiting.delete(world)
        resolve()
      }
      const timer = setTimeout(end, Math.max(wait, 0))
      waiting.add(end)
    })
  }

  #startRenewing(): NodeJS.Timeout {
    const timer = setInterval(() => {
      for (const world of this.#owned.keys()) this.#renew(world).catch(this.#options.onError)
      if (this.#owned.size > 0) return
      clearInterval(timer)
      this.#timer = undefined
    }, RENEWED_EVERY)
    timer.unref()
    return timer
  }

  async #renew(world: string): Promise<void> {
    if (!this.#options.isUnderWay(world)) {
      if (this.#owned.get(world)! <= this.#options.wall() + RENEWED_EVERY) await this.release(world)
      return
    }
    const { granted, until } = await this.claim(world)
    if (!granted) this.#options.onLost(world, until)
  }
}
