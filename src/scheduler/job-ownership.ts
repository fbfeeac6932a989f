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

export type JobOwnership = ReturnType<typeof createJobOwnership>

export function createJobOwnership(options: JobOwnershipOptions) {
  const { isUnderWay, lookAgain, onError, onLost, runner, wall } = options
  /** When each ownership ends, milliseconds in real time. */
  const owned = new Map<string, number>()
  /** Owned worlds that another process waits for. */
  const wanted = new Set<string>()
  const waiters = new Map<string, Set<() => void>>()
  let renewing: NodeJS.Timeout | undefined
  let closed = false

  /** Returns whether jobs of the world may start. */
  function has(world: string): boolean {
    return (owned.get(world) ?? -Infinity) > wall()
  }

  async function claim(world: string): Promise<JobClaim> {
    const claimed = await runner.claim(world, wall())
    if (claimed.granted) own(world, claimed.until)
    else owned.delete(world)
    return claimed
  }

  /** Makes `obtain` try again, because the world may be free. */
  function wake(world: string): void {
    for (const resolve of waiters.get(world) ?? []) resolve()
  }

  async function release(world: string): Promise<void> {
    wanted.delete(world)
    if (!owned.delete(world)) return
    const next = lookAgain(world)
    await runner.release(world, next === undefined ? undefined : { now: wall(), next })
  }

  function own(world: string, until: number): void {
    owned.set(world, until)
    if (!closed) renewing ??= startRenewing()
  }

  /** Resolves when the world may be free, after `wait` milliseconds at the latest. */
  function untilWoken(world: string, wait: number): Promise<void> {
    const waiting = waiters.get(world) ?? new Set()
    waiters.set(world, waiting)
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        waiting.delete(end)
        if (waiting.size === 0) waiters.delete(world)
        resolve()
      }
      const timer = setTimeout(end, Math.max(wait, 0))
      waiting.add(end)
    })
  }

  function startRenewing(): NodeJS.Timeout {
    const timer = setInterval(() => {
      for (const world of owned.keys()) renew(world).catch(onError)
      if (owned.size > 0) return
      clearInterval(timer)
      renewing = undefined
    }, RENEWED_EVERY)
    timer.unref()
    return timer
  }

  async function renew(world: string): Promise<void> {
    if (!isUnderWay(world)) {
      if (owned.get(world)! <= wall() + RENEWED_EVERY) await release(world)
      return
    }
    const { granted, until } = await claim(world)
    if (!granted) onLost(world, until)
  }

  return {
    has,
    /** Returns whether another process waits for the world: then only jobs that a user asks for start. */
    isRequested: (world: string): boolean => wanted.has(world),
    claim,
    async claimDue(): Promise<DueWorlds> {
      const due = await runner.claimDue(wall())
      for (const { world, until } of due.claimed) own(world, until)
      return due
    },
    /** Resolves when this process owns the world, after requesting its release; immediately when closed. */
    async obtain(world: string): Promise<void> {
      for (;;) {
        if (closed || has(world)) return
        const { granted, until } = await claim(world)
        if (granted) return
        const woken = untilWoken(world, until - wall())
        await runner.request(world)
        await woken
      }
    },
    wake,
    noteRequest(world: string): void {
      if (owned.has(world)) wanted.add(world)
      else runner.release(world).catch(onError)
    },
    release,
    /** Releases a world that another process waits for, once nothing of it is running. */
    yield(world: string): void {
      if (!wanted.has(world) || isUnderWay(world)) return
      onLost(world, wall() + OWNERSHIP)
      release(world).catch(onError)
    },
    async close(): Promise<void> {
      closed = true
      clearInterval(renewing)
      for (const world of waiters.keys()) wake(world)
      owned.clear()
      // An ownership that cannot be released expires.
      await runner.leave().catch(onError)
    },
  }
}
