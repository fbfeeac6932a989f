import { Delayed } from '../callbacks/delayed.ts'
import { boundedTime, LAST_TIME } from '../clock/bounds.ts'
import { sliceOf, timeSlice } from '../clock/time-slice.ts'
import type { Look } from '../domain/context.ts'
import { exactTime } from '../domain/wire-time.ts'
import type { JobRow } from '../store/rows.ts'
import type { Generation, Store, Written } from '../store/store.ts'
import { Turns } from '../store/turns.ts'
import type { World } from '../worlds/world.ts'
import { postpone } from './failed-job.ts'
import { Lanes, type LaneLimits } from './lanes.ts'
import { WorldWork } from './world-work.ts'

/**
 * Does one job and takes its row out in the change that makes it done; answers what came of it, in a few words.
 * @param generation of the rows the job was read from: it is done only while it is owed as it was there
 */
export type RunJob = (world: World, job: JobRow, generation: Generation) => Promise<string>

/** Where a job that goes over the network stands among others. */
export interface Place {
  /** Whom it goes to: only so many go to one target at a time. */
  readonly target: string
  /** Jobs of one line run one after another, in due order. */
  readonly line: string
  /** An earlier one of the line failed and is tried again later: this one waits for it. */
  readonly held: boolean
}

/** A job that ran, and what came of it. */
export interface Ran {
  readonly job: JobRow
  readonly result: string
}

export interface Scheduler {
  /**
   * Leaps to `time` on the world's clock, which it can have, running what falls due on the way in due order, each job done before the
   * next is looked for, at most so many. Returns what ran.
   */
  advance(world: World, time: number, most?: number): Promise<readonly Ran[]>
  /**
   * Goes from due job to due job until none is left that is due by `until`, or `most` have run. The clock ends at the last
   * one's time. Returns what ran.
   */
  settle(world: World, most?: number, until?: number): Promise<readonly Ran[]>
  /** To be called when a world's clock was made to go at another pace, or on. */
  clockChanged(world: World): void
  /** Forgets what was owed in a world and takes up what it owes now; after its rows were replaced or dropped. */
  reload(name: string): Promise<void>
  /** Does one job of a world now, or waits for it when it runs already; nothing when it is done. */
  runNow(world: World, job_id: number): Promise<void>
  /** How much goes over the network, and how much waits for that. */
  traffic(): { readonly running: number; readonly waiting: number }
  /** Starts nothing more and waits for what runs; jobs not done stay on record. */
  close(): Promise<void>
}

export interface SchedulerOptions {
  readonly store: Store
  readonly world: (name: string) => World | undefined
  readonly run: RunJob
  /** The place of a job that goes over the network; null for one that is done at once, in turn. */
  readonly place: (look: Look, job: JobRow) => Place | null
  /**
   * Told of what went wrong.
   * @param next_at when the job is tried again, milliseconds on the world's clock; null when it is given up
   */
  readonly onError: (error: unknown, job: JobRow | undefined, next_at?: number | null) => void
  /** How much goes over the network at once, where it is other than usual. */
  readonly limits?: Partial<LaneLimits>
}

interface InLane {
  readonly world: World
  readonly work: WorldWork
  readonly id: number
  readonly at: number
  readonly line: string
}

/** Longer waits are cut in pieces, so that a leap of the machine's clock, or its waking up, is noticed in a minute. */
const LONGEST_WAIT = 60_000
/** A world whose jobs owe ever more jobs must not hold the caller for ever. */
const MOST_SETTLED = 100_000
/** Until a job is tried again whose failure could not be written, milliseconds on the world's clock. */
const UNWRITTEN_GAP = 60_000
/** How many callbacks are under way at a time. */
const LIMITS: LaneLimits = { ofTarget: 64, ofWorld: 128, most: 512 }

/** A job, and the rows that it was read from. */
interface Owed {
  readonly job: JobRow
  readonly generation: Generation
}

function owedIn({ rows }: Look, id: number): Owed | undefined {
  const job = rows.get('jobs', id)
  return job && { job, generation: rows.generation }
}

/** In a world that stands still nothing runs by itself, not even what is due. */
const standsStill = (world: World) => world.clock.state.factor === 0

/** Watches the store for jobs and runs each when its world's clock reaches it. */
export async function startScheduler(options: SchedulerOptions): Promise<Scheduler> {
  const { store, run, place, onError } = options
  const works = new Map<string, WorldWork>()
  const all = new Set<Promise<unknown>>()
  const steering = new Turns()
  let timer: NodeJS.Timeout | undefined
  let wakesAt = Infinity
  const life = { closed: false }

  const workOf = (name: string) => {
    let work = works.get(name)
    if (!work) works.set(name, (work = new WorldWork()))
    return work
  }

  /** What is refused because the store was closed or the world reset meanwhile is no news. */
  const report = (error: unknown, world: World, work: WorldWork, job?: JobRow, next_at?: number | null) => {
    if (!life.closed && works.get(world.name) === work) onError(error, job, next_at)
  }
  /** Plans a job that failed anew. Where not even that can be written, the process keeps it in mind. */
  const fail = async (
    world: World,
    work: WorldWork,
    { job, generation }: Owed,
    error: unknown,
  ): Promise<string> => {
    const said = `failed: ${String(error)}`
    if (life.closed || works.get(world.name) !== work) return said
    try {
      const next_at = await postpone(world, job, generation, error)
      report(error, world, work, job, next_at)
      return `${said}; ${next_at === null ? 'given up' : `next attempt ${exactTime(next_at)}`}`
    } catch (unwritten) {
      report(error, world, work, job)
      report(unwritten, world, work, job)
      const due = { at: boundedTime(world.clock.now() + UNWRITTEN_GAP), id: job.id }
      if (work.steered) work.unwritten.push(due)
      else work.queue.add(due)
      return said
    }
  }
  /** Comes back later to a job that may not be done just now; whoever moves the clock would come to it at once. */
  const delay = (world: World, work: WorldWork, job: JobRow, { wait, message }: Delayed): string => {
    const due = { at: world.clock.now() + Math.ceil(wait * world.clock.state.factor), id: job.id }
    if (work.steered) work.unwritten.push(due)
    else work.queue.add(due)
    return message
  }
  /** Does a job, or waits for it when it runs already. */
  const perform = (world: World, work: WorldWork, owed: Owed): Promise<string> => {
    const { job, generation } = owed
    const already = work.running.get(job.id)
    if (already) return already
    const running = run(world, job, generation)
      .catch((error: unknown) =>
        error instanceof Delayed ? delay(world, work, job, error) : fail(world, work, owed, error),
      )
      .finally(() => {
        work.running.delete(job.id)
        all.delete(running)
      })
    work.running.set(job.id, running)
    all.add(running)
    return running
  }

  const lanes = new Lanes<InLane>({ ...LIMITS, ...options.limits }, async ({ world, work, id, line }) => {
    try {
      const owed = life.closed ? undefined : await world.read((look) => owedIn(look, id))
      if (owed && works.get(world.name) === work) await perform(world, work, owed)
    } catch (error) {
      report(error, world, work)
    } finally {
      work.end(line)
      work.leftLane()
      arm(world)
    }
  })

  const { pause } = options.limits ?? {}
  /** Resolves when a job that goes past the lanes may begin. */
  const inPace = async (name: string, to: Place | null) => {
    if (!pause || !to) return
    for (let wait = pause(name, to.target); wait > 0 && !life.closed; wait = pause(name, to.target))
      await new Promise((resolve) => setTimeout(resolve, wait))
  }

  /** The next job that is due by `time` and may run, with its place. */
  const nextDue = async (world: World, work: WorldWork, time: number) => {
    for (;;) {
      const due = work.queue.takeUntil(time)
      if (!due) return undefined
      const { ends } = work
      const found = await world.read((look) => {
        const owed = owedIn(look, due.id)
        // It was planned anew, and is in the queue for that time too.
        if (!owed || owed.job.due_at > due.at) return undefined
        try {
          return { ...owed, place: place(look, owed.job), error: undefined }
        } catch (error) {
          return { ...owed, place: null, error: { error } }
        }
      })
      if (!found) continue
      if (found.error) {
        await fail(world, work, found, found.error.error)
        continue
      }
      if (!found.place) return { ...found, due }
      const { line, held } = found.place
      // Work that ended while this was looked up may have been what it is held by.
      if (held && ends !== work.ends) work.queue.add(due)
      else if (held || work.isBusy(line)) work.park(line, due)
      else return { ...found, due }
    }
  }

  const drain = async (world: World, work: WorldWork) => {
    const slice = sliceOf(world.name)
    while (!life.closed && !work.steered) {
      const next = await nextDue(world, work, world.clock.now())
      if (!next) return
      if (next.place) {
        work.begin(next.place.line)
        work.inLanes++
        lanes.add(world.name, next.place.target, { world, work, ...next.due, line: next.place.line })
      } else {
        await perform(world, work, next)
      }
      if (slice.over) await slice.next()
    }
  }
  const startDraining = (world: World) => {
    const work = workOf(world.name)
    if (work.draining || work.loading || work.steered || life.closed) return
    work.draining = drain(world, work)
      .catch((error: unknown) => report(error, world, work))
      .finally(() => {
        work.draining = undefined
        arm(world)
      })
  }

  /** Sets the timer for a world's first job when it is sooner than what it is set for. */
  const arm = (world: World) => {
    const work = works.get(world.name)
    if (!work?.queue.first || life.closed || standsStill(world)) return
    if (work.draining || work.loading || work.steered) return
    const left = world.clock.wallTimeOf(work.queue.first.at) - world.clock.wall()
    const at = world.clock.wall() + left
    if (at >= wakesAt) return
    clearTimeout(timer)
    wakesAt = at
    timer = setTimeout(wake, Math.min(Math.max(left, 0), LONGEST_WAIT))
  }
  const wake = () => {
    wakesAt = Infinity
    for (const [name, work] of works) {
      const world = options.world(name)
      if (!world || !work.queue.first || standsStill(world)) continue
      if (work.queue.first.at <= world.clock.now()) startDraining(world)
      else arm(world)
    }
  }

  const stopWatching = store.onCommit((name: string, written: readonly Written[]) => {
    let added = false
    for (const { table, row } of written) {
      if (table !== 'jobs' || !row) continue
      const { id, due_at, failed } = row as JobRow
      if (failed?.given_up) continue
      workOf(name).queue.add({ at: due_at, id })
      added = true
    }
    const world = added ? options.world(name) : undefined
    if (world) arm(world)
  })

  const load = async (name: string) => {
    works.delete(name)
    const world = options.world(name)
    if (!world) return
    // There before the rows are read, so that a job owed meanwhile is not missed; one seen twice runs once.
    const work = workOf(name)
    work.loading = takeUp(name, work).finally(() => (work.loading = undefined))
    await work.loading
    arm(world)
  }
  const takeUp = async (name: string, work: WorldWork) => {
    const jobs = await store.read(name, (rows) => rows.all('jobs'))
    const slice = sliceOf(name)
    for (const { id, due_at } of jobs) {
      if (slice.over) await slice.next()
      work.queue.add({ at: due_at, id })
    }
  }
  for (const name of await store.worlds()) await load(name)

  /** Runs what is due by `time` in due order, at most so many, the clock set to each job's time; with `leap` on to `time`. */
  const runUntil = (world: World, time: number, most: number, leap: boolean) =>
    steering.take(world.name, async () => {
      const work = workOf(world.name)
      work.steered = true
      try {
        await work.loading
        await work.draining
        for (const { at, id, line } of lanes.takeBack(world.name, (entry) => entry.work === work)) {
          work.end(line)
          work.leftLane()
          work.queue.add({ at, id })
        }
        await work.quiet()
        const ran: Ran[] = []
        const slice = await timeSlice(world.name)
        while (ran.length < most) {
          if (slice.over) await slice.next()
          if (life.closed) break
          const next = await nextDue(world, work, time)
          if (!next) break
          if (next.job.due_at > world.clock.now()) world.clock.set(next.job.due_at)
          if (next.place) {
            work.begin(next.place.line)
            await inPace(world.name, next.place)
          }
          ran.push({ job: next.job, result: await perform(world, work, next) })
          if (next.place) work.end(next.place.line)
        }
        if (leap && ran.length < most && time > world.clock.now()) world.clock.set(time)
        return ran
      } finally {
        work.steered = false
        for (const due of work.unwritten.splice(0)) work.queue.add(due)
        arm(options.world(world.name) ?? world)
      }
    })

  return {
    advance: (world, time, most = MOST_SETTLED) => runUntil(world, time, most, true),
    settle: (world, most = MOST_SETTLED, until = LAST_TIME) => runUntil(world, until, most, false),
    clockChanged: arm,
    reload: load,
    async runNow(world, job_id) {
      const work = workOf(world.name)
      const owed = await world.read((look) => owedIn(look, job_id))
      if (owed && pause) await inPace(world.name, await world.read((look) => place(look, owed.job)))
      if (owed) await perform(world, work, owed)
    },
    traffic: () => ({ running: lanes.running, waiting: lanes.waiting }),
    async close() {
      life.closed = true
      clearTimeout(timer)
      lanes.close()
      stopWatching()
      await Promise.all(all)
    },
  }
}
