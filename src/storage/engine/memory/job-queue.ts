import {
  type DueWorlds,
  type JobClaim,
  type JobQueue,
  OWNERSHIP,
  type Runner,
  type RunnerListener,
} from '../job-queue.ts'

interface Ownership {
  readonly owner: Member
  readonly until: number
  /** Members whose claims failed; woken when the world is released. */
  readonly refused: Set<Member>
}

/** The job ownership among the sandboxes of one process. */
export class MemoryJobQueue implements JobQueue {
  readonly owners = new Map<string, Ownership>()
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
    const { owners } = this.#queue
    const known = owners.get(world)
    if (known && known.owner !== this && known.until > now) {
      known.refused.add(this)
      return { granted: false, until: known.until }
    }
    const refused = known?.refused ?? new Set()
    refused.delete(this)
    owners.set(world, { owner: this, until: now + OWNERSHIP, refused })
    return { granted: true, until: now + OWNERSHIP }
  }

  /** Every member has all worlds open. */
  async claimDue(): Promise<DueWorlds> {
    return { claimed: [], next: Infinity }
  }

  async release(world: string): Promise<void> {
    const known = this.#queue.owners.get(world)
    if (known?.owner !== this) return
    this.#queue.owners.delete(world)
    wake(known.refused, world)
  }

  async request(world: string): Promise<void> {
    const known = this.#queue.owners.get(world)
    if (!known) return wake([this], world)
    if (known.owner === this) return
    known.refused.add(this)
    queueMicrotask(() => known.owner.listener.onRequested(world))
  }

  async announce(world: string): Promise<void> {
    wake(this.#others(), world)
  }

  async leave(): Promise<void> {
    this.#queue.members.delete(this)
    for (const [world, { owner }] of this.#queue.owners) {
      if (owner !== this) continue
      this.#queue.owners.delete(world)
      wake(this.#others(), world)
    }
  }

  #others(): Member[] {
    return [...this.#queue.members].filter((member) => member !== this)
  }
}

/** In a microtask, so that no listener is called during its own call. */
function wake(members: Iterable<Member>, world: string): void {
  for (const { listener } of members) queueMicrotask(() => listener.onWake(world))
}
