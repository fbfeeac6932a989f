import {
  type DueWorlds,
  type JobClaim,
  type JobQueue,
  LEASE,
  type Runner,
  type RunnerListener,
} from '../job-queue.ts'

interface Lease {
  readonly holder: Member
  readonly until: number
  /** Who was refused it and is woken when it is released. */
  readonly refused: Set<Member>
}

/** The leases of the sandboxes of one process. */
export class MemoryJobQueue implements JobQueue {
  readonly leases = new Map<string, Lease>()
  readonly members = new Set<Member>()

  join(listener: RunnerListener): Runner {
    const member = new Member(this, listener)
    this.members.add(member)
    return member
  }
}

class Member implements Runner {
  readonly #queue: MemoryJobQueue
  readonly listener: RunnerListener

  constructor(queue: MemoryJobQueue, listener: RunnerListener) {
    this.#queue = queue
    this.listener = listener
  }

  async claim(world: string, now: number): Promise<JobClaim> {
    const { leases } = this.#queue
    const lease = leases.get(world)
    if (lease && lease.holder !== this && lease.until > now) {
      lease.refused.add(this)
      return { granted: false, until: lease.until }
    }
    const refused = lease?.refused ?? new Set()
    refused.delete(this)
    leases.set(world, { holder: this, until: now + LEASE, refused })
    return { granted: true, until: now + LEASE }
  }

  /** All have all worlds open. */
  async claimDue(): Promise<DueWorlds> {
    return { claimed: [], next: Infinity }
  }

  async release(world: string): Promise<void> {
    const lease = this.#queue.leases.get(world)
    if (lease?.holder !== this) return
    this.#queue.leases.delete(world)
    wake(lease.refused, world)
  }

  async request(world: string): Promise<void> {
    const lease = this.#queue.leases.get(world)
    if (!lease) return wake([this], world)
    if (lease.holder === this) return
    lease.refused.add(this)
    queueMicrotask(() => lease.holder.listener.onRequested(world))
  }

  async announce(world: string): Promise<void> {
    wake(this.#others(), world)
  }

  async leave(): Promise<void> {
    this.#queue.members.delete(this)
    for (const [world, lease] of this.#queue.leases) {
      if (lease.holder !== this) continue
      this.#queue.leases.delete(world)
      wake(this.#others(), world)
    }
  }

  #others(): Member[] {
    return [...this.#queue.members].filter((member) => member !== this)
  }
}

/** In a turn of its own: none of them is in a call of its own then. */
function wake(members: Iterable<Member>, world: string): void {
  for (const { listener } of members) queueMicrotask(() => listener.onWake(world))
}
