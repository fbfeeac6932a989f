import type { JobRow } from '../store/rows.ts'
import type { Store, Written } from '../store/store.ts'
import type { World } from '../worlds/world.ts'
import { DueQueue } from './due-queue.ts'

/** Does one job and takes its row out in the change that makes it done. */
export type RunJob = (world: World, job: JobRow) => Promise<void>

export interface Scheduler {
  /**
   * Leaps to `time` on the world's clock, running what falls due on the way in due order, each job done before the
   * next is looked for. Returns what ran.
   */
  advance(world: World, time: number): Promise<readonly JobRow[]>
  /** Goes from due job to due job until none is left or `most` have run. Returns what ran. */
  settle(world: World, most?: number): Promise<readonly JobRow[]>
  /** Forgets what was owed in a world and watches the jobs it has now; after its rows were replaced or dropped. */
  reload(name: string): Promise<void>
  /** Does one job of a world now, or waits for it when it runs already; nothing when it is done. */
  runNow(world: World, job_id: number): Promise<void>
  /** Starts nothing more and waits for what runs; jobs not done stay on record. */
  close(): Promise<void>
}

export interface SchedulerOptions {
  readonly store: Store
  readonly world: (name: string) => World | undefined
  readonly run: RunJob
  /** Jobs that wait for the network: they run beside the others instead of in turn. */
  readonly waits: (job: JobRow) => boolean
  readonly onError: (error: unknown, job: JobRow) => void
}

/** Longer waits than setTimeout can count are cut in pieces. */
const LONGEST_WAIT = 2 ** 31 - 1
/** A world whose jobs owe ever more jobs must not hold the caller for ever. */
const MOST_SETTLED = 100_000
/** How many jobs run in turn before requests get theirs. */
const TURN = 50

/** In a world that stands still nothing runs by itself, not even what is due. */
const standsStill = (world: World) => world.clock.state.factor === 0

/** Watches the store for jobs and runs each when its world's clock reaches it. */
export async function startScheduler(options: SchedulerOptions): Promise<Scheduler> {
  const { store, run, waits, onError } = options
  const queues = new Map<string, DueQueue>()
  const running = new Map<string, Promise<void>>()
  const draining = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let wakesAt = Infinity
  let closed = false

  const queueOf = (name: string) => {
    let queue = queues.get(name)
    if (!queue) queues.set(name, (queue = new DueQueue()))
    return queue
  }
  const watch = (name: string, job: JobRow) => queueOf(name).add({ at: job.due_at, id: job.id })

  /** The next job due by `time`, its row still there. */
  const nextDue = async (world: World, time: number): Promise<JobRow | undefined> => {
    for (;;) {
      const due = queues.get(world.name)?.takeUntil(time)
      if (!due) return undefined
      const job = await world.read(({ rows }) => rows.get('jobs', due.id))
      if (job) return job
    }
  }
  const perform = (world: World, job: JobRow): Promise<void> => {
    const key = `${world.name} ${job.id}`
    const already = running.get(key)
    if (already) return already
    const work = run(world, job)
      .catch((error: unknown) => {
        // What a world owed before it was reset is owed no more.
        if (!world.closed) onError(error, job)
      })
      .finally(() => running.delete(key))
    running.set(key, work)
    return work
  }

  const drain = async (world: World) => {
    if (draining.has(world.name)) return
    draining.add(world.name)
    try {
      for (let done = 1; ; done++) {
        const job = closed || world.closed ? undefined : await nextDue(world, world.clock.now())
        if (!job) break
        const work = perform(world, job)
        if (!waits(job)) await work
        if (done % TURN === 0) await new Promise((resolve) => setImmediate(resolve))
      }
    } catch (error) {
      if (!world.closed) throw error
    } finally {
      draining.delete(world.name)
    }
    const current = options.world(world.name)
    if (current) arm(current)
  }

  /** Sets the timer for a world's first job when it is sooner than what it is set for. */
  const arm = (world: World) => {
    const first = queues.get(world.name)?.first
    if (!first || closed || draining.has(world.name) || standsStill(world)) return
    const left = world.clock.wallTimeOf(first.at) - world.clock.wall()
    const at = world.clock.wall() + left
    if (at >= wakesAt) return
    clearTimeout(timer)
    wakesAt = at
    timer = setTimeout(wake, Math.min(Math.max(left, 0), LONGEST_WAIT))
  }
  const wake = () => {
    wakesAt = Infinity
    for (const [name, queue] of queues) {
      const world = options.world(name)
      if (!world || !queue.first || standsStill(world)) continue
      if (queue.first.at <= world.clock.now()) void drain(world)
      else arm(world)
    }
  }

  const stopWatching = store.onCommit((name: string, written: readonly Written[]) => {
    let added = false
    for (const { table, row } of written) {
      if (table !== 'jobs' || !row) continue
      watch(name, row as JobRow)
      added = true
    }
    const world = added ? options.world(name) : undefined
    if (world) arm(world)
  })
  const reload = async (name: string) => {
    queues.delete(name)
    const world = options.world(name)
    if (!world) return
    for (const job of await store.read(name, (rows) => rows.all('jobs'))) watch(name, job)
    arm(world)
  }
  for (const name of await store.worlds()) await reload(name)

  /** Runs what is due by `time` in due order, at most so many, the clock set to each job's time. */
  const runUntil = async (world: World, time: number, most: number) => {
    const ran: JobRow[] = []
    while (ran.length < most) {
      const job = await nextDue(world, time)
      if (!job) break
      if (job.due_at > world.clock.now()) world.clock.set(job.due_at)
      await perform(world, job)
      ran.push(job)
    }
    return ran
  }

  return {
    async advance(world, time) {
      const ran = await runUntil(world, time, Infinity)
      if (time > world.clock.now()) world.clock.set(time)
      return ran
    },
    settle: (world, most = MOST_SETTLED) => runUntil(world, Infinity, most),
    reload,
    async runNow(world, job_id) {
      const job = await world.read(({ rows }) => rows.get('jobs', job_id))
      if (job) await perform(world, job)
    },
    async close() {
      closed = true
      clearTimeout(timer)
      stopWatching()
      await Promise.all(running.values())
    },
  }
}
