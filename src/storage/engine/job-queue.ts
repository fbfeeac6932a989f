/**
 * Who runs a world's jobs now. A job is a row of its world, written in the change that makes it true; what several
 * sandboxes over one store have to agree on is which of them does it. They claim worlds, not jobs: whoever has the lease
 * on a world runs what falls due there, moves its clock, and sends its callbacks and mails.
 *
 * A lease alone does not make a job happen once: a process may sleep past the end of its own. So every job also looks, in
 * the change that does it, whether its row is as it was (`isStillQueued`): a payment settles once, whatever happens, and a
 * callback may be sent again only by whoever takes over from a process that was lost on the way.
 */

/** How long a lease lasts unless it is renewed, milliseconds on the wall. */
export const LEASE = 10_000

export interface JobQueue {
  /** Takes part in running jobs. */
  join(listener: RunnerListener): Runner
}

/** What a runner is told; never during one of its own calls. Neither may throw. */
export interface RunnerListener {
  /**
   * A world is worth a look: the lease on it that was refused is free, it owes something that this process has not heard
   * of, its clock goes otherwise, or other rows took the place of its own.
   */
  readonly onWake: (world: string) => void
  /** Another runner waits for a world: its lease is to be released as soon as nothing of it is under way. */
  readonly onRequested: (world: string) => void
}

/** One of those who run jobs. Times are milliseconds on the wall. */
export interface Runner {
  /** Takes the lease on a world's jobs until `now + LEASE`, or renews it; refused while another runner has it. */
  claim(world: string, now: number): Promise<JobClaim>
  /**
   * Takes the leases on worlds that owe something that was due a moment ago and that no runner has: where nobody has them
   * open, nobody else would come to it. None of a world whose clock stands still.
   */
  claimDue(now: number): Promise<DueWorlds>
  /**
   * Gives a lease back; whoever was refused it is woken. Nothing happens when it is another's.
   * @param again where its rows say that something is due and this runner, who knows all that it owes, can do nothing of it now
   */
  release(world: string, again?: LookAgain): Promise<void>
  /** Asks whoever has the lease on a world for it; `onWake` follows. */
  request(world: string): Promise<void>
  /** Wakes every other runner: the world's clock goes otherwise, or other rows took the place of its own. */
  announce(world: string): Promise<void>
  /** Gives all leases back and hears of nothing any more. */
  leave(): Promise<void>
}

export interface JobClaim {
  readonly granted: boolean
  /** When the lease ends, this runner's or the other's. */
  readonly until: number
}

export interface DueWorlds {
  /** Those that this runner has a lease on now. */
  readonly claimed: readonly { readonly world: string; readonly until: number }[]
  /** When it is worth asking again; Infinity where every runner has all worlds open. */
  readonly next: number
}

export interface LookAgain {
  readonly now: number
  /** When the world is worth a look again; Infinity when it never is by itself. */
  readonly next: number
}
