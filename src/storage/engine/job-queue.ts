/**
 * Decides which process runs the jobs of a world. Jobs are rows; processes own worlds, not jobs: the owner runs what falls due
 * in the world, moves its clock, and sends its callbacks and e-mails.
 *
 * Ownership alone does not make a job run once, because a process may sleep past the end of its own. So every job checks, in the
 * change that performs it, that its row is unchanged (`isStillQueued`): a payment settles once, and only a callback may be sent
 * twice, by a process that takes over from one that was lost.
 */

/** How long ownership lasts unless it is renewed, milliseconds in real time. */
export const OWNERSHIP = 10_000

export interface JobQueue {
  join(listener: RunnerListener): Runner
}

/** Never called during a runner's own call. The callbacks must not throw. */
export interface RunnerListener {
  /** The world should be checked: it may be free, have new jobs, another clock or other rows. */
  readonly onWake: (world: string) => void
  /** Another runner waits for the world, which is to be released once its running work has ended. */
  readonly onRequested: (world: string) => void
}

/** A process that runs jobs. Times are milliseconds in real time. */
export interface Runner {
  /** Claims a world until `now + OWNERSHIP`, or renews the claim; fails while another runner owns it. */
  claim(world: string, now: number): Promise<JobClaim>
  /** Claims worlds with overdue jobs and no owner, except those whose clock is stopped. */
  claimDue(now: number): Promise<DueWorlds>
  /**
   * Releases a world that this runner owns, and wakes those that waited for it.
   * @param again - If the rows have due jobs that this runner cannot run now, when to check again.
   */
  release(world: string, again?: LookAgain): Promise<void>
  /** Requests the release of a world from its owner; `onWake` follows. */
  request(world: string): Promise<void>
  /** Wakes every other runner, because the world has another clock or other rows. */
  announce(world: string): Promise<void>
  leave(): Promise<void>
}

export interface JobClaim {
  readonly granted: boolean
  /** When the ownership ends, this runner's or the other's. */
  readonly until: number
}

export interface DueWorlds {
  readonly claimed: readonly { readonly world: string; readonly until: number }[]
  /** When to ask again, or Infinity if every runner has all worlds open. */
  readonly next: number
}

export interface LookAgain {
  readonly now: number
  /** When to check the world again, or Infinity if it needs no check. */
  readonly next: number
}
