import type { Adapter } from 'lowdb'
import { access, rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Ticks } from '../../../lib/clock/ticks.ts'
import type { TimeSlice } from '../../../lib/clock/time-slice.ts'
import { systemSecrets } from '../../../lib/random/random.ts'
import type { StoreUnavailable, WorldRows } from '../store.ts'
import { BrokenFile, Checksums, headerOf, UnusableFile } from './format.ts'
import {
  draftName,
  LogFile,
  type LogOptions,
  MODE,
  oldLogName,
  oldLogsOf,
  type OpenFile,
  removeDrafts,
  replay,
  syncFolder,
} from './log-file.ts'
import { countOf, partsOf, ROWS_AN_ENTRY, type Entry, type Worlds } from './entries.ts'
import { takeLease, type Lease } from './file-lock.ts'
import { readSnapshotFile, writeSnapshotFile } from './snapshot-file.ts'

/** A log below this many bytes is not worth compacting. */
const SMALL_LOG = 1 << 20
/** What can be rewritten at close without holding up the end of the process. */
const QUICK_TO_WRITE = 32 << 20

interface FileOptions {
  readonly ticks: Ticks
  readonly sync: boolean
  readonly open: OpenFile
  readonly report: Report
}

/** Told what an operator should know. */
export type Report = (level: 'info' | 'warn' | 'error', message: string) => void

/** Rows that replace a world's, of which the file knows. */
export interface Loading {
  /** Makes it so, in the step that shows them; resolves when it is in the log. */
  finish(): Promise<void>
  /** The rows before stay. */
  giveUp(): void
}

/**
 * lowdb's file: a snapshot as JSON in `path`, and what changed since in `path.log`, appended. `write` compacts
 * the log: it goes on in a new file while a new snapshot is written beside the old one and then takes its place.
 * A process that dies in between leaves `path.log.old`, which the next start reads before the log.
 */
export class RowsFile implements Adapter<Worlds> {
  readonly #path: string
  readonly #lease: Lease
  readonly #options: FileOptions
  readonly #logOptions: LogOptions
  #log: LogFile | undefined
  #oldLogs: readonly string[] = []
  #generation = 0
  #snapshotSize = 0
  #compacting: Promise<void> | undefined
  #closing = false
  /** Whoever had the lease before may wake up and write into the log that is there: it must not be the one that counts. */
  #mistrusted: boolean
  /** How many worlds are being replaced. */
  #loading = 0

  private constructor(path: string, lease: Lease, options: FileOptions, onFailure: LogOptions['onFailure']) {
    this.#path = path
    this.#lease = lease
    this.#mistrusted = lease.followed
    this.#options = options
    const { open, sync } = options
    this.#logOptions = { open, sync, check: lease.check, onFailure }
  }

  /**
   * Throws when the file cannot be made or a process that is alive has it.
   * @param onFailure told when a write fails, or when another has taken the file over
   */
  static async open(
    path: string,
    options: FileOptions,
    onFailure: (failure: StoreUnavailable) => void,
  ): Promise<RowsFile> {
    const absolute = resolve(path)
    try {
      const lease = await takeLease(`${absolute}.lock`, {
        ticks: options.ticks,
        onWait: (why) => options.report('info', `${absolute}: ${why}`),
        onLost: onFailure,
      })
      return new RowsFile(absolute, lease, options, onFailure)
    } catch (error) {
      throw unusable(absolute, error)
    }
  }

  /** Reads everything back and makes the files ready to go on. Throws with file and line when one is broken. */
  async read(): Promise<Worlds> {
    const worlds: Worlds = new Map()
    try {
      await removeDrafts(this.#path)
      await removeDrafts(this.#newLog)
      const snapshot = await readSnapshotFile(this.#path, worlds)
      this.#generation = snapshot.generation
      this.#snapshotSize = await sizeOf(this.#path)
      this.#oldLogs = await oldLogsOf(this.#path)
      if (snapshot.hasLog && this.#oldLogs.length === 0) await this.#requireLog()
      for (const old of this.#oldLogs)
        if ((await replay(old, this.#generation, worlds)).goesOn) this.#generation += 1
      const log = await replay(this.#newLog, this.#generation, worlds)
      let sums = this.#mistrusted ? undefined : log.sums
      // A new log needs hardly any room; the snapshot may have to wait for it.
      if (!log.goesOn && this.#generation > 0) sums = await this.#beginLog()
      if (!sums || this.#oldLogs.length > 0 || (await sizeOf(this.#newLog)) > this.#limit)
        sums = (await this.#beginAnew(worlds, !sums)) ?? sums
      this.#log = await LogFile.open(this.#newLog, sums!, this.#logOptions)
      this.#mistrusted = false
    } catch (error) {
      throw error instanceof BrokenFile ? error : unusable(this.#path, error)
    }
    return worlds
  }

  /**
   * Reads back what is kept, after a write that failed; what was not kept is gone. Throws as long as nothing can be written.
   */
  async recover(): Promise<Worlds> {
    await this.#lease.check()
    await this.#compacting
    const failed = this.#log
    if (failed) {
      await failed.cut()
      this.#log = undefined
      await failed.close()
    }
    const worlds = await this.read()
    try {
      await this.#log!.requireRoom()
    } catch (error) {
      throw this.#log!.fail(error)
    }
    return worlds
  }

  /** Takes the entry at once, in the order of calls; resolves when it is in the log. */
  append(entry: Entry): Promise<void> {
    return this.#log!.append(JSON.stringify(entry))
  }

  /** Whether the log has grown so large that it should be compacted. */
  get due(): boolean {
    const log = this.#log
    const busy = this.#compacting !== undefined || this.#closing || this.#loading > 0
    return !busy && !!log && !log.failure && log.size > this.#limit
  }

  /**
   * Takes rows that replace a world's, in time slices where they are many. Nothing is compacted before one of the functions
   * of the answer was called: the parts must not be torn from their end.
   */
  async load(world: string, rows: WorldRows, slice: TimeSlice): Promise<Loading> {
    if (countOf(rows) <= ROWS_AN_ENTRY)
      return { finish: () => this.append({ world, load: rows }), giveUp: () => {} }
    this.#loading += 1
    let parts = 0
    try {
      let owed: Promise<void>[] = []
      for (const part of partsOf(rows)) {
        owed.push(this.append({ world, part: parts++, rows: part }))
        if (!slice.over) continue
        // What waits for a slow disk must not fill the memory.
        await Promise.all(owed)
        owed = []
        await slice.next()
      }
      await Promise.all(owed)
    } catch (error) {
      this.#loading -= 1
      throw error
    }
    return {
      finish: () => {
        this.#loading -= 1
        return this.append({ world, load: {}, parts })
      },
      giveUp: () => void (this.#loading -= 1),
    }
  }

  async write(worlds: Worlds): Promise<void> {
    while (this.#compacting) await this.#compacting
    this.#compacting = this.#compact(worlds)
    await this.#compacting
  }

  /**
   * Writes what is owed, compacts the log when that is quick, and lets go of the file.
   * @param worlds undefined when they are not what is kept
   */
  async close(worlds: Worlds | undefined): Promise<void> {
    this.#closing = true
    await this.#compacting
    const log = this.#log
    if (worlds && log && !log.failure && log.size + this.#snapshotSize < QUICK_TO_WRITE)
      await this.write(worlds)
    await log?.close()
    await this.#lease.release()
  }

  get #newLog(): string {
    return `${this.#path}.log`
  }

  get #limit(): number {
    return Math.max(this.#snapshotSize, SMALL_LOG)
  }

  async #requireLog(): Promise<void> {
    await access(this.#newLog).catch(() => {
      throw new BrokenFile(
        `${this.#newLog} is missing: it has what changed since ${this.#path} was last written. Put it back; ` +
          `to go on without what it had, put an empty file in its place: touch ${this.#newLog}.`,
      )
    })
  }

  async #compact(worlds: Worlds): Promise<void> {
    // The rows are taken and the log is turned in one step: what comes later is in the new log alone.
    const rows = rowsOf(worlds)
    const log = this.#log!
    this.#generation += 1
    const old = oldLogName(this.#path, this.#generation, this.#oldLogs.length === 0)
    try {
      await log.rotate(old, headerOf(this.#generation))
      this.#oldLogs = [...this.#oldLogs, old]
      this.#snapshotSize = await this.#writeSnapshot(rows)
      for (const each of this.#oldLogs) await rm(each)
      this.#oldLogs = []
    } catch (error) {
      // Everything is in the logs: they are compacted when they have grown by as much again, or at the next start.
      if (!log.failure) this.#reportUncompacted(error)
    } finally {
      this.#compacting = undefined
    }
  }

  #reportUncompacted(error: unknown): void {
    this.#options.report(
      'warn',
      `${this.#path} could not be rewritten, so its logs grow: ${(error as Error).message}`,
    )
  }

  #writeSnapshot(rows: ReadonlyMap<string, () => WorldRows>): Promise<number> {
    return writeSnapshotFile(this.#path, this.#generation, rows, {
      open: this.#options.open,
      draft: draftName(this.#path, systemSecrets()),
      check: this.#lease.check,
    })
  }

  /**
   * Writes everything to the snapshot file and leaves a log with nothing in it; only while nothing is appended. Where it is not
   * needed and cannot be done, all stays as it is and the answer is undefined.
   */
  async #beginAnew(worlds: Worlds, needed: boolean): Promise<Checksums | undefined> {
    const { open } = this.#options
    // There is a log from the first snapshot on: that one is missing is a sign of loss.
    await (await open(this.#newLog, 'a', MODE)).close()
    this.#generation += 1
    try {
      this.#snapshotSize = await this.#writeSnapshot(rowsOf(worlds))
    } catch (error) {
      this.#generation -= 1
      if (needed) throw error
      return void this.#reportUncompacted(error)
    }
    const sums = await this.#beginLog()
    for (const old of this.#oldLogs) await rm(old, { force: true })
    this.#oldLogs = []
    return sums
  }

  /** Puts a log with nothing in it in the place of one that does not count any more. */
  async #beginLog(): Promise<Checksums> {
    const sums = new Checksums()
    const draft = draftName(this.#newLog, systemSecrets())
    const file = await this.#options.open(draft, 'w', MODE)
    try {
      await file.appendFile(`${sums.seal(headerOf(this.#generation))}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await this.#lease.check()
    await rename(draft, this.#newLog)
    await syncFolder(this.#path)
    return sums
  }
}

/** The rows as of now; they are copied world by world while they are written, and before they are changed. */
function rowsOf(worlds: Worlds): Map<string, () => WorldRows> {
  return new Map([...worlds].map(([name, world]) => [name, world.rowsOfNow()]))
}

function unusable(path: string, error: unknown): Error {
  const { message, code } = error as NodeJS.ErrnoException
  // What the system refuses has a code; the others say themselves what to do.
  const remedy = code === undefined ? '' : ' Name a file in a folder that exists and can be written.'
  return new UnusableFile(`Rows cannot be kept in ${path}: ${message}.${remedy}`)
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}
